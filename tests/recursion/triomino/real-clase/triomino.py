class Rompecabezas:
    def __init__(self, n, p):
        self.t = tablero(n, p)

    def llena(self, filas, columnas, numero):
        trozo = self.t[filas, columnas]
        trozo[:] = triominoCentral((numero, trozo))
        medio = len(trozo) // 2
        if medio == 1:
            return
        f, c = filas.start, columnas.start
        norte, sur = slice(f, f + medio), slice(f + medio, f + 2 * medio)
        oeste, este = slice(c, c + medio), slice(c + medio, c + 2 * medio)
        self.llena(norte, este, numero + 1)
        self.llena(norte, oeste, numero + 2)
        self.llena(sur, oeste, numero + 3)
        self.llena(sur, este, numero + 4)


def triomino(n, p):
    r = Rompecabezas(n, p)
    r.llena(slice(0, n), slice(0, n), 1)
    return r.t
