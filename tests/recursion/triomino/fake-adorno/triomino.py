def triomino(n, p):
    niveles(n)
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


def niveles(n):
    if n == 2:
        return 1
    return 1 + niveles(n // 2)
