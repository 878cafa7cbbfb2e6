k = 0
n = None
while n != 42:
    n = int(input("Número: "))
    k += 1
    if n > 42: print("Demasiado grande")
    if n < 42: print("Demasiado pequeño")
print("Correcto, en", k, "intentos")
