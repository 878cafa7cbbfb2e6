class Cuadrante:
    def __init__(self, pb):
        self.pb = pb
        self.partes = [] if ind(pb) else [Cuadrante(sub) for sub in divide(pb)]

    def solucion(self):
        if not self.partes:
            return resuelve(self.pb)
        return combina(self.pb, [parte.solucion() for parte in self.partes])


def triomino(n, p):
    return Cuadrante(pbInicial(n, p)).solucion()
