# Rompecabezas del triominó
# María García López

import numpy as np
from src.DivideVenceras import divideVenceras


def tablero(n, p):
    """
    >>> tablero(2, (1, 2))
    array([[ 0, -1],
           [ 0,  0]])
    """
    t = np.zeros((n, n), dtype=int)
    t[p[0] - 1][p[1] - 1] = -1
    return t


def pbInicial(n, p):
    return (1, tablero(n, p))


def ind(pb):
    (_, t) = pb
    return t.shape[0] == 2


def posicionHueco(t):
    # la primera casilla distinta de 0 (en los subproblemas no hay -1)
    (n, m) = t.shape
    return [(i + 1, j + 1) for i in range(n) for j in range(m) if t[i, j] != 0][0]


def cuadranteHueco(t):
    (i, j) = posicionHueco(t)
    x = t.shape[0] // 2
    if i <= x:
        return 1 if j <= x else 3
    return 2 if j <= x else 4


def centralHueco(t):
    x = t.shape[0] // 2
    return {1: (x, x), 2: (x + 1, x), 3: (x, x + 1), 4: (x + 1, x + 1)}[cuadranteHueco(t)]


def centralesSinHueco(t):
    x = t.shape[0] // 2
    ps = [(x, x), (x + 1, x), (x, x + 1), (x + 1, x + 1)]
    ps.remove(centralHueco(t))
    return ps


def actualiza(t, ps):
    q = t.copy()    # para no estropear el original
    for ((i, j), x) in ps:
        q[i - 1, j - 1] = x
    return q


def triominoCentral(pb):
    (n, t) = pb
    return actualiza(t, [(p, n) for p in centralesSinHueco(t)])


def resuelve(pb):
    return triominoCentral(pb)


def divide(pb):
    (n, _) = pb
    q = triominoCentral(pb)
    x = q.shape[0] // 2
    return [(n + 1, q[:x, x:]), (n + 2, q[:x, :x]), (n + 3, q[x:, :x]), (n + 4, q[x:, x:])]


def combina(pb, ts):
    (s1, s2, s3, s4) = ts
    return np.vstack((np.hstack((s2, s1)), np.hstack((s3, s4))))


def triomino(n, p):
    return divideVenceras(ind, resuelve, divide, combina, pbInicial(n, p))


if __name__ == "__main__":
    import doctest
    doctest.testmod()
    print(triomino(4, (4, 4)))
    print(triomino(16, (5, 6)))
