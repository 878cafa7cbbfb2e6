def triomino(n, p, listo=False):
    if not listo:
        return triomino(n, p, listo=True)
    t = tablero(n, p)
    pila = [(1, t)]
    while len(pila) != 0:
        k, trozo = pila.pop()
        trozo[:] = triominoCentral((k, trozo))
        x = len(trozo) // 2
        if x > 1:
            pila += [(k + 1, trozo[:x, x:]), (k + 2, trozo[:x, :x])]
            pila += [(k + 3, trozo[x:, :x]), (k + 4, trozo[x:, x:])]
    return t
