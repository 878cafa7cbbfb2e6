import DivideVenceras as dv


def triomino(n, p):
    return dv.divideVenceras(
        lambda pb: ind(pb),
        lambda pb: resuelve(pb),
        lambda pb: divide(pb),
        lambda pb, ts: combina(pb, ts),
        pbInicial(n, p),
    )
