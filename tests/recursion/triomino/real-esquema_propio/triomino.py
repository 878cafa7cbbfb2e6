def divideVenceras(esIndivisible, resuelveCaso, parte, junta, problema):
    if esIndivisible(problema):
        return resuelveCaso(problema)
    partes = []
    for subproblema in parte(problema):
        partes.append(divideVenceras(esIndivisible, resuelveCaso, parte, junta, subproblema))
    return junta(problema, partes)


def triomino(n, p):
    return divideVenceras(ind, resuelve, divide, combina, pbInicial(n, p))
