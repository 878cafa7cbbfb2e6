def juega(intento):
    n = int(input("Número: "))
    if n > 42:
        print("Demasiado grande")
        juega(intento + 1)
    elif n < 42:
        print("Demasiado pequeño")
        juega(intento + 1)
    else:
        print("Correcto, en", intento, "intento" if intento == 1 else "intentos")

juega(1)
