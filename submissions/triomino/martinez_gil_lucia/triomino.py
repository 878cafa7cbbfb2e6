from src.DivideVenceras import divideVenceras
import numpy as np


def tablero(n, p):
    (i, j) = p
    q = np.zeros((n, n), dtype=int)
    q[i - 1, j - 1] = -1
    return q

def pbInicial(n, p):
    return 1, tablero(n, p)

def ind(pb):
    return len(pb[1]) == 2

def posicionHueco(t):
    filas, columnas = t.nonzero()
    return (filas[0] + 1, columnas[0] + 1)

def cuadranteHueco(t):
    i, j = posicionHueco(t)
    x = len(t) // 2
    if i <= x and j <= x: return 1
    if i > x and j <= x: return 2
    if i <= x and j > x: return 3
    if i > x and j > x: return 4

def centralHueco(t):
    x = len(t) // 2
    i, j = posicionHueco(t)
    return (x + int(i > x), x + int(j > x))

def centralesSinHueco(t):
    x = len(t) // 2
    h = centralHueco(t)
    return [(i, j) for j in [x, x + 1] for i in [x, x + 1] if (i, j) != h]

def actualiza(t, ps):
    for (p, x) in ps:
        t[p[0] - 1, p[1] - 1] = x
    return t

def triominoCentral(pb):
    return actualiza(pb[1], [(p, pb[0]) for p in centralesSinHueco(pb[1])])

resuelve = triominoCentral

def divide(pb):
    q = triominoCentral(pb)
    n = pb[0]
    x = len(q) // 2
    return [(n + 1, q[:x, x:]), (n + 2, q[:x, :x]), (n + 3, q[x:, :x]), (n + 4, q[x:, x:])]

def combina(pb, ts):
    # las soluciones son vistas del tablero de pb, que ya está relleno
    return pb[1]

def triomino(n, p):
    return divideVenceras(ind, resuelve, divide, combina, pbInicial(n, p))
