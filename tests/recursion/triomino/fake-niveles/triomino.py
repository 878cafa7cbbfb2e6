def triomino(n, p):
    t = tablero(n, p)
    numeros = {(0, 0): 1}
    lado = n
    while lado >= 2:
        x = lado // 2
        siguientes = {}
        for (f, c), k in numeros.items():
            trozo = t[f : f + lado, c : c + lado]
            trozo[:] = triominoCentral((k, trozo))
            siguientes[f, c + x] = k + 1
            siguientes[f, c] = k + 2
            siguientes[f + x, c] = k + 3
            siguientes[f + x, c + x] = k + 4
        numeros = siguientes
        lado = x
    return t
