import numpy as np
from src.DivideVenceras import divideVenceras

def tablero(n, p):
    q = np.zeros((n, n), dtype=int)
    q[p[0] - 1, p[1] - 1] = -1
    return q

def pbInicial(n, p):
    return (1, tablero(n, p))

def ind(pb):
    return len(pb[1]) == 2

def posicionHueco(t):
    for i in range(len(t)):
        for j in range(len(t))
            if t[i, j] != 0:
                return (i + 1, j + 1)

def cuadranteHueco(t):
    (i, j) = posicionHueco(t)
    x = len(t) // 2
    return 1 + (i > x) + 2 * (j > x)

# TODO: terminar divide y combina

def triomino(n, p):
    return divideVenceras(ind, resuelve, divide, combina, pbInicial(n, p))
