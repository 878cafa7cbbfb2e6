def triomino(n, p):
    f = lambda yo, pb: resuelve(pb) if ind(pb) else combina(pb, [yo(yo, q) for q in divide(pb)])
    return f(f, pbInicial(n, p))
