def lados(n):
    if n < 2:
        return []
    return [n] + lados(n // 2)


def triomino(n, p):
    t = tablero(n, p)
    numeros = {(0, 0): 1}
    for lado in lados(n):
        x = lado // 2
        siguientes = {}
        for (f, c), k in numeros.items():
            trozo = t[f : f + lado, c : c + lado]
            trozo[:] = triominoCentral((k, trozo))
            for d, q in enumerate([(f, c + x), (f, c), (f + x, c), (f + x, c + x)], 1):
                siguientes[q] = k + d
        numeros = siguientes
    return t
