def es_potencia_de_dos(n):
    if n <= 1:
        return n == 1
    return n % 2 == 0 and es_potencia_de_dos(n // 2)


def triomino(n, p):
    es_potencia_de_dos(n)
    t = tablero(n, p)
    pila = [(1, t)]
    while pila:
        k, trozo = pila.pop()
        trozo[:] = triominoCentral((k, trozo))
        x = len(trozo) // 2
        if x > 1:
            pila += [(k + 1, trozo[:x, x:]), (k + 2, trozo[:x, :x])]
            pila += [(k + 3, trozo[x:, :x]), (k + 4, trozo[x:, x:])]
    return t
