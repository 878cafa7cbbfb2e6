from functools import wraps


def con_caso_base(f):
    @wraps(f)
    def g(pb):
        return resuelve(pb) if ind(pb) else f(pb)

    return g


@con_caso_base
def resolver(pb):
    return combina(pb, [resolver(sub) for sub in divide(pb)])


def triomino(n, p):
    return resolver(pbInicial(n, p))
