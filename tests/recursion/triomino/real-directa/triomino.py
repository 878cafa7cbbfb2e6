def triomino(n, p):
    return soluciona(pbInicial(n, p))


def soluciona(pb):
    """Devuelve la solución del problema pb."""
    if ind(pb):
        return resuelve(pb)
    p1, p2, p3, p4 = divide(pb)
    return np.block([[soluciona(p2), soluciona(p1)], [soluciona(p3), soluciona(p4)]])
