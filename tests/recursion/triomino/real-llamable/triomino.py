class Solucionador:
    def __call__(self, pb):
        if ind(pb):
            return resuelve(pb)
        return combina(pb, list(map(self, divide(pb))))


def triomino(n, p):
    return Solucionador()(pbInicial(n, p))
