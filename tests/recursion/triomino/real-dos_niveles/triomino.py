def triomino(n, p):
    return _resuelve2(pbInicial(n, p))


def _resuelve2(pb):
    if ind(pb):
        return resuelve(pb)
    soluciones = []
    for sub in divide(pb):
        if ind(sub):
            soluciones.append(resuelve(sub))
        else:
            soluciones.append(combina(sub, [_resuelve2(q) for q in divide(sub)]))
    return combina(pb, soluciones)
