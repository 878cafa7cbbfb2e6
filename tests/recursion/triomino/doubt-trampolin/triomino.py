def triomino(n, p):
    t = tablero(n, p)
    paso = lambda: _paso([(1, t)])
    while paso is not None:
        paso = paso()
    return t


def _paso(pendientes):
    if not pendientes:
        return None
    (k, trozo), *resto = pendientes
    trozo[:] = triominoCentral((k, trozo))
    x = len(trozo) // 2
    if x > 1:
        resto += [(k + 1, trozo[:x, x:]), (k + 2, trozo[:x, :x])]
        resto += [(k + 3, trozo[x:, :x]), (k + 4, trozo[x:, x:])]
    return lambda: _paso(resto)
