def triomino(n, p):
    t = tablero(n, p)
    _procesa([(1, t)])
    return t


def _procesa(pendientes):
    if pendientes == []:
        return
    k, trozo = pendientes[0]
    trozo[:] = triominoCentral((k, trozo))
    x = len(trozo) // 2
    nuevos = []
    if x > 1:
        nuevos += [(k + 1, trozo[:x, x:]), (k + 2, trozo[:x, :x])]
        nuevos += [(k + 3, trozo[x:, :x]), (k + 4, trozo[x:, x:])]
    _procesa(nuevos + pendientes[1:])
