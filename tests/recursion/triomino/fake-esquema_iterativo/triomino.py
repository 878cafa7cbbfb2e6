def divideVenceras(pb):
    lista = [pb]
    hechas = []
    while lista:
        actual = lista.pop()
        hechas.append(actual)
        if not ind(actual):
            lista.extend(divide(actual))
    return hechas


def triomino(n, p):
    t = tablero(n, p)
    zonas = [(0, 0, n)]
    for k, trozo in divideVenceras((1, t)):
        f, c, lado = zonas.pop()
        x = lado // 2
        q = triominoCentral((k, trozo))
        vacias = t[f : f + lado, c : c + lado] == SIN_RELLENAR
        t[f : f + lado, c : c + lado][vacias] = q[vacias]
        if lado > 2:
            zonas += [(f, c + x, x), (f, c, x), (f + x, c, x), (f + x, c + x, x)]
    return t
