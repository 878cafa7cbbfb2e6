def triomino(n, p):
    t = tablero(n, p)
    _nivel([(1, t)])
    return t


def _nivel(problemas):
    if len(problemas[0][1]) < 2:
        return
    siguientes = []
    for k, trozo in problemas:
        trozo[:] = triominoCentral((k, trozo))
        x = len(trozo) // 2
        siguientes += [(k + 1, trozo[:x, x:]), (k + 2, trozo[:x, :x])]
        siguientes += [(k + 3, trozo[x:, :x]), (k + 4, trozo[x:, x:])]
    _nivel(siguientes)
