def triomino(n, p, lado=None, t=None):
    if t is None:
        lado = n
        t = tablero(n, p)
        pila = [(1, t)]
        while pila:
            k, trozo = pila.pop()
            trozo[:] = triominoCentral((k, trozo))
            x = len(trozo) // 2
            if x > 1:
                pila += [(k + 1, trozo[:x, x:]), (k + 2, trozo[:x, :x])]
                pila += [(k + 3, trozo[x:, :x]), (k + 4, trozo[x:, x:])]
    if lado == 2:
        return t
    return triomino(n, p, lado // 2, t)
