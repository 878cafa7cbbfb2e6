def triomino(n, p):
    if n > 2:
        for esquina in [(1, 1), (1, n // 2), (n // 2, 1), (n // 2, n // 2)]:
            triomino(n // 2, esquina)
    t = tablero(n, p)
    trozos = [(1, t)]
    for k, trozo in trozos:
        trozo[:] = triominoCentral((k, trozo))
        x = len(trozo) // 2
        if x > 1:
            trozos += [(k + 1, trozo[:x, x:]), (k + 2, trozo[:x, :x])]
            trozos += [(k + 3, trozo[x:, :x]), (k + 4, trozo[x:, x:])]
    return t
