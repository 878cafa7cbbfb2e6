# Algoritmo divide y vencerás (del ejercicio anterior)

def divideVenceras(ind, resuelve, divide, combina, pb):
    def dv(p):
        if ind(p):
            return resuelve(p)
        return combina(p, [dv(q) for q in divide(p)])
    return dv(pb)
