# -------------------------------------------------------------------
# Elena Navarro Peña
# Los L-triominós son sucesiones de tres números consecutivos (enunciado)
# -------------------------------------------------------------------

import numpy as np
from src.DivideVenceras import divideVenceras


def tablero(n, p):
    q = np.zeros((n, n), dtype=int)
    q[p[0] - 1, p[1] - 1] = -1
    return q


def pbInicial(n, p):
    return 1, tablero(n, p)


def ind(pb):
    return pb[1].shape[1] == 2


def posicionHueco(t):
    indices = np.argwhere(t != 0)
    return (int(indices[0][0]) + 1, int(indices[0][1]) + 1)


def cuadranteHueco(t):
    i, j = posicionHueco(t)
    x = t.shape[0] // 2
    if i <= x and j <= x:
        return 1
    elif i > x and j <= x:
        return 2
    elif i <= x:
        return 3
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
    return (x + 1, x + 1)


def centralesSinHueco(t):
    x = t.shape[0] // 2
    return [p for p in [(x, x), (x + 1, x), (x, x + 1), (x + 1, x + 1)] if p != centralHueco(t)]


def actualiza(t, ps):
    for (i, j), x in ps:
        t[i - 1, j - 1] = x
    return t


def triominoCentral(pb):
    n, t = pb
    a, b, c = centralesSinHueco(t)
    return actualiza(t, [(a, 3 * n - 2), (b, 3 * n - 1), (c, 3 * n)])


def resuelve(pb):
    return triominoCentral(pb)


def divide(pb):
    n, t = pb
    q = triominoCentral(pb)
    m = len(q)
    x = m // 2
    return [(n + 1, q[0:x, x:m]), (n + 2, q[0:x, 0:x]), (n + 3, q[x:m, 0:x]), (n + 4, q[x:m, x:m])]


def combina(_, ts):
    s1, s2, s3, s4 = ts
    return np.block([[s2, s1], [s3, s4]])


def triomino(n, p):
    return divideVenceras(ind, resuelve, divide, combina, pbInicial(n, p))
