"""Falta la función centralHueco, que centralesSinHueco sí usa."""
# verliest: centralesSinHueco, triominoCentral, resuelve, divide, combina, triomino

import numpy as np

from src.DivideVenceras import divideVenceras


def tablero(n, p):
    i, j = p
    t = np.zeros((n, n), dtype=int)
    t[i - 1, j - 1] = -1
    return t


def pbInicial(n, p):
    return (1, tablero(n, p))


def ind(pb):
    n, t = pb
    return len(t) == 2


def posicionHueco(t):
    for i in range(len(t)):
        for j in range(len(t)):
            if t[i, j] != 0:
                return (i + 1, j + 1)


def cuadranteHueco(t):
    i, j = posicionHueco(t)
    mitad = len(t) // 2
    if i <= mitad and j <= mitad:
        return 1
    elif i > mitad and j <= mitad:
        return 2
    elif i <= mitad and j > mitad:
        return 3
    else:
        return 4


def centralesSinHueco(t):
    x = len(t) // 2
    centrales = [(x, x), (x + 1, x), (x, x + 1), (x + 1, x + 1)]
    centrales.remove(centralHueco(t))
    return centrales


def actualiza(t, ps):
    for (i, j), x in ps:
        t[i - 1, j - 1] = x
    return t


def triominoCentral(pb):
    n, t = pb
    return actualiza(t, [(p, n) for p in centralesSinHueco(t)])


def resuelve(pb):
    return triominoCentral(pb)


def divide(pb):
    n, t = pb
    q = triominoCentral(pb)
    m = len(q)
    x = m // 2
    return [(n + 1, q[0:x, x:m]),
            (n + 2, q[0:x, 0:x]),
            (n + 3, q[x:m, 0:x]),
            (n + 4, q[x:m, x:m])]


def combina(pb, ts):
    s1, s2, s3, s4 = ts
    return np.block([[s2, s1], [s3, s4]])


def triomino(n, p):
    return divideVenceras(ind, resuelve, divide, combina, pbInicial(n, p))
