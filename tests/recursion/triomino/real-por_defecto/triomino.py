def triomino(n, p, pb=None):
    if pb is None:
        pb = pbInicial(n, p)
    if n == 2:
        return resuelve(pb)
    soluciones = []
    for sub in divide(pb):
        soluciones.append(triomino(n // 2, p, sub))
    return combina(pb, soluciones)
