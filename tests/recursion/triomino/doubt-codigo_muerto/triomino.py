def triomino(n, p):
    if n < 1:
        return combina((1, None), [triomino(n // 2, p) for _ in range(4)])
    t = tablero(n, p)
    lista = [(t, 1)]
    for trozo, k in lista:
        trozo[:] = triominoCentral((k, trozo))
        x = len(trozo) // 2
        if x > 1:
            lista += [(trozo[:x, x:], k + 1), (trozo[:x, :x], k + 2)]
            lista += [(trozo[x:, :x], k + 3), (trozo[x:, x:], k + 4)]
    return t
