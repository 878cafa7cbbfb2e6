def triomino(n, p):
    """Divide y vencerás: combina(pb, [triomino(n // 2, q) for q in divide(pb)])."""
    # return divideVenceras(ind, resuelve, divide, combina, pbInicial(n, p))
    t = tablero(n, p)
    trozos = [(1, t)]
    i = 0
    while i < len(trozos):
        k, trozo = trozos[i]
        trozo[:] = triominoCentral((k, trozo))
        x = len(trozo) // 2
        if x > 1:
            trozos += [(k + 1, trozo[:x, x:]), (k + 2, trozo[:x, :x])]
            trozos += [(k + 3, trozo[x:, :x]), (k + 4, trozo[x:, x:])]
        i += 1
    return t
