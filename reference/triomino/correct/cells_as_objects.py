"""The board of triomino is a list of lists of cell objects with slots and a property; the helpers work on numpy boards with their own repeated code."""
import numpy as np


class Casilla:
    __slots__ = ("_fila", "_columna", "__valor")

    def __init__(self, fila, columna):
        self._fila = fila
        self._columna = columna
        self.__valor = 0

    @property
    def valor(self):
        return self.__valor

    @valor.setter
    def valor(self, v):
        self.__valor = v

    def libre(self):
        return self.__valor == 0

    def __repr__(self):
        return "Casilla(%d,%d)=%d" % (self._fila, self._columna, self.__valor)


class Rejilla:
    """Un trozo cuadrado (comparte las casillas con el tablero grande)."""

    def __init__(self, filas):
        self.filas = filas
        self.lado = len(filas)

    def casilla(self, i, j):
        return self.filas[i - 1][j - 1]

    def hueco(self):
        for i in range(1, self.lado + 1):
            for j in range(1, self.lado + 1):
                if not self.casilla(i, j).libre():
                    return i, j

    def trozo(self, f, c):
        x = self.lado // 2
        return Rejilla([fila[c * x:(c + 1) * x] for fila in self.filas[f * x:(f + 1) * x]])


def divideVenceras(ind, resuelve, divide, combina, p):
    def dv(q):
        if ind(q):
            return resuelve(q)
        return combina(q, [dv(s) for s in divide(q)])
    return dv(p)


# --- funciones sobre rejillas de casillas ---

def esIndivisible(pb):
    return pb[1].lado == 2


def colocaEnMedio(pb):
    num, r = pb
    x = r.lado // 2
    i, j = r.hueco()
    if not (i <= x and j <= x):
        r.casilla(x, x).valor = num
    if not (i > x and j <= x):
        r.casilla(x + 1, x).valor = num
    if not (i <= x and j > x):
        r.casilla(x, x + 1).valor = num
    if not (i > x and j > x):
        r.casilla(x + 1, x + 1).valor = num
    return r


def parte(pb):
    num, r = pb
    colocaEnMedio(pb)
    return [(num + 1, r.trozo(0, 1)), (num + 2, r.trozo(0, 0)),
            (num + 3, r.trozo(1, 0)), (num + 4, r.trozo(1, 1))]


def junta(pb, _):
    # las casillas ya estan cambiadas, son las mismas
    return pb[1]


def triomino(n, p):
    casillas = [[Casilla(i, j) for j in range(1, n + 1)] for i in range(1, n + 1)]
    r = Rejilla(casillas)
    r.casilla(*p).valor = -1
    divideVenceras(esIndivisible, colocaEnMedio, parte, junta, (1, r))
    return np.array([[c.valor for c in fila] for fila in casillas])


# --- las funciones del enunciado, con matrices ---

def tablero(n, p):
    t = np.zeros((n, n), int)
    t[p[0] - 1, p[1] - 1] = -1
    return t


def pbInicial(n, p):
    return (1, tablero(n, p))


def ind(pb):
    n, t = pb
    return t.shape[1] == 2


def posicionHueco(t):
    lado = t.shape[0]
    for i in range(1, lado + 1):
        for j in range(1, lado + 1):
            if t[i - 1, j - 1] != 0:
                return (i, j)


def cuadranteHueco(t):
    (i, j) = posicionHueco(t)
    x = t.shape[0] // 2
    if i <= x:
        if j <= x:
            return 1
        else:
            return 3
    else:
        if j <= x:
            return 2
        else:
            return 4


def centralHueco(t):
    x = t.shape[0] // 2
    c = cuadranteHueco(t)
    if c == 1:
        return (x, x)
    elif c == 2:
        return (x + 1, x)
    elif c == 3:
        return (x, x + 1)
    else:
        return (x + 1, x + 1)


def centralesSinHueco(t):
    x = t.shape[0] // 2
    c = cuadranteHueco(t)
    res = []
    if c != 1:
        res.append((x, x))
    if c != 2:
        res.append((x + 1, x))
    if c != 3:
        res.append((x, x + 1))
    if c != 4:
        res.append((x + 1, x + 1))
    return res


def actualiza(t, ps):
    nuevo = t.copy()
    for pos, v in ps:
        nuevo[pos[0] - 1, pos[1] - 1] = v
    return nuevo


def triominoCentral(pb):
    n, t = pb
    nuevo = t.copy()
    for (i, j) in centralesSinHueco(t):
        nuevo[i - 1, j - 1] = n
    return nuevo


def resuelve(pb):
    n, t = pb
    nuevo = t.copy()
    nuevo[nuevo == 0] = n
    return nuevo


def divide(pb):
    n, t = pb
    q = triominoCentral(pb)
    x = t.shape[0] // 2
    return [(n + 1, q[:x, x:].copy()), (n + 2, q[:x, :x].copy()),
            (n + 3, q[x:, :x].copy()), (n + 4, q[x:, x:].copy())]


def combina(pb, ts):
    x = ts[0].shape[0]
    res = np.zeros((2 * x, 2 * x), int)
    res[:x, x:] = ts[0]
    res[:x, :x] = ts[1]
    res[x:, :x] = ts[2]
    res[x:, x:] = ts[3]
    return res
