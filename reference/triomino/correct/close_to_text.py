"""Follows the text function by function, changes the caller's board in place and hands out views of it."""
import numpy as np


def divideVenceras(ind, resuelve, divide, combina, p):
    if ind(p):
        return resuelve(p)
    soluciones = [divideVenceras(ind, resuelve, divide, combina, q) for q in divide(p)]
    return combina(p, soluciones)


def tablero(n, p):
    fila, columna = p
    t = np.zeros((n, n), dtype=int)
    t[fila - 1][columna - 1] = -1
    return t


def pbInicial(n, p):
    return (1, tablero(n, p))


def ind(pb):
    return pb[1].shape[1] == 2


def posicionHueco(t):
    filas, columnas = np.nonzero(t)
    return (filas[0] + 1, columnas[0] + 1)


def cuadranteHueco(t):
    i, j = posicionHueco(t)
    x = len(t) // 2
    if i <= x and j <= x:
        return 1
    if i > x and j <= x:
        return 2
    if i <= x and j > x:
        return 3
    return 4


def centralHueco(t):
    x = len(t) // 2
    return {1: (x, x), 2: (x + 1, x), 3: (x, x + 1), 4: (x + 1, x + 1)}[cuadranteHueco(t)]


def centralesSinHueco(t):
    x = len(t) // 2
    ps = [(x, x), (x + 1, x), (x, x + 1), (x + 1, x + 1)]
    ps.remove(centralHueco(t))
    return ps


def actualiza(p, ps):
    # cambia el propio tablero
    for ((i, j), x) in ps:
        p[i - 1, j - 1] = x
    return p


def triominoCentral(pb):
    n, t = pb
    return actualiza(t, [(pos, n) for pos in centralesSinHueco(t)])


def resuelve(pb):
    return triominoCentral(pb)


def divide(pb):
    n, t = pb
    q = triominoCentral(pb)
    x = len(t) // 2
    return [(n + 1, q[:x, x:]),
            (n + 2, q[:x, :x]),
            (n + 3, q[x:, :x]),
            (n + 4, q[x:, x:])]


def combina(_, ts):
    s1, s2, s3, s4 = ts
    return np.block([[s2, s1], [s3, s4]])


def triomino(n, p):
    return divideVenceras(ind, resuelve, divide, combina, pbInicial(n, p))
