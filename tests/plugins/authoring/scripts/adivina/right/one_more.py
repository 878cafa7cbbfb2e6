k = 1
n = int(input("Número: "))
while n != 42:
    if n > 42: print("Demasiado grande")
    if n < 42: print("Demasiado pequeño")
    k += 1
    n = int(input("Número: "))
print("Correcto, en", k, "intento" + "s" * (k > 1))
input("Pulsa una tecla")
