intentos = 0
while True:
    n = int(input("Número: "))
    intentos += 1
    if n == 42:
        break
    print("Demasiado grande" if n > 42 else "Demasiado pequeño")
print(f"Correcto, en {intentos} intento{'s' if intentos > 1 else ''}")
