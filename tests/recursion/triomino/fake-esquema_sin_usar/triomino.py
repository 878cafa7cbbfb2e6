def triomino(n, p):
    t = tablero(n, p)
    pendientes = [(t, 1)]
    while len(pendientes) > 0:
        trozo, k = pendientes.pop(0)
        trozo[:] = triominoCentral((k, trozo))
        x = len(trozo) // 2
        if x > 1:
            cuadrantes = [trozo[:x, x:], trozo[:x, :x], trozo[x:, :x], trozo[x:, x:]]
            pendientes.extend((q, k + d) for d, q in enumerate(cuadrantes, 1))
    return t
    return divideVenceras(ind, resuelve, divide, combina, pbInicial(n, p))
