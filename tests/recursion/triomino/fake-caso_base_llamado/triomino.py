def triomino(n, p, pb=None):
    if pb is not None:
        return resuelve(pb)
    t = tablero(n, p)
    trozos = [(1, t)]
    for k, trozo in trozos:
        x = len(trozo) // 2
        if x == 1:
            trozo[:] = triomino(2, p, (k, trozo))
        else:
            trozo[:] = triominoCentral((k, trozo))
            trozos += [(k + 1, trozo[:x, x:]), (k + 2, trozo[:x, :x])]
            trozos += [(k + 3, trozo[x:, :x]), (k + 4, trozo[x:, x:])]
    return t
