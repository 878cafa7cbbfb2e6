"""La llamada del cuadrante inferior izquierdo se copió de la del superior izquierdo, con su esquina."""
# verliest: triomino


class Rompecabeza:
    """ El tablero y la forma de cubrirlo; las posiciones empiezan aquí en 0. """

    def __init__(self, n, p):
        self.n = n
        self.hueco = (p[0] - 1, p[1] - 1)
        self.filas = [[0] * n for _ in range(n)]
        self.filas[self.hueco[0]][self.hueco[1]] = -1

    def pon(self, casilla, numero):
        self.filas[casilla[0]][casilla[1]] = numero

    def cubre(self, i, j, lado, hueco, numero):
        """ cubre el cuadrado con esquina (i, j), menos la casilla hueco """
        if lado == 1:
            return
        x = lado // 2
        ci, cj = i + x, j + x
        # superior derecho
        central = (ci - 1, cj)
        if hueco[0] < ci and hueco[1] >= cj:
            self.cubre(i, cj, x, hueco, numero + 1)
        else:
            self.pon(central, numero)
            self.cubre(i, cj, x, central, numero + 1)
        # superior izquierdo
        central = (ci - 1, cj - 1)
        if hueco[0] < ci and hueco[1] < cj:
            self.cubre(i, j, x, hueco, numero + 2)
        else:
            self.pon(central, numero)
            self.cubre(i, j, x, central, numero + 2)
        # inferior izquierdo
        central = (ci, cj - 1)
        if hueco[0] >= ci and hueco[1] < cj:
            self.cubre(ci, j, x, hueco, numero + 3)
        else:
            self.pon(central, numero)
            self.cubre(i, j, x, central, numero + 3)
        # inferior derecho
        central = (ci, cj)
        if hueco[0] >= ci and hueco[1] >= cj:
            self.cubre(ci, cj, x, hueco, numero + 4)
        else:
            self.pon(central, numero)
            self.cubre(ci, cj, x, central, numero + 4)


def triomino(n, p):
    r = Rompecabeza(n, p)
    r.cubre(0, 0, n, r.hueco, 1)
    return r.filas
