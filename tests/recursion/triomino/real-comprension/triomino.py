def triomino(n, p):
    return solucion(pbInicial(n, p))


def solucion(pb):
    return resuelve(pb) if ind(pb) else combina(pb, [solucion(sp) for sp in divide(pb)])
