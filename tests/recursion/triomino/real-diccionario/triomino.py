def parte(pb):
    return combina(pb, [CASOS[ind(q)](q) for q in divide(pb)])


CASOS = {True: lambda pb: resuelve(pb), False: parte}


def triomino(n, p):
    pb = pbInicial(n, p)
    return CASOS[ind(pb)](pb)
