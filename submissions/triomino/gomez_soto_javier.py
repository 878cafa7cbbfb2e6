# Javier Gómez Soto, grupo 2
import numpy as np
from src.DivideVenceras import divideVenceras

# p = (columna, fila)
def tablero(n, p):
    t = np.zeros((n, n), dtype=int)
    t[p[1] - 1, p[0] - 1] = -1
    return t

def pbInicial(n, p):
    return 1, tablero(n, p)

def ind(pb):
    return len(pb[1]) == 2

def posicionHueco(t):
    indices = np.argwhere(t != 0)
    return (int(indices[0][1]) + 1, int(indices[0][0]) + 1)

def cuadranteHueco(t):
    x, y = posicionHueco(t)
    m = len(t) // 2
    if x <= m and y <= m:
        return 1
    if x <= m and y > m:
        return 2
    if x > m and y <= m:
        return 3
    return 4

def centralHueco(t):
    m = len(t) // 2
    return [(m, m), (m, m + 1), (m + 1, m), (m + 1, m + 1)][cuadranteHueco(t) - 1]

def centralesSinHueco(t):
    m = len(t) // 2
    return [p for p in [(m, m), (m, m + 1), (m + 1, m), (m + 1, m + 1)] if p != centralHueco(t)]

def actualiza(t, ps):
    for (x, y), valor in ps:
        t[y - 1, x - 1] = valor
    return t

def triominoCentral(pb):
    n, t = pb
    return actualiza(t, [(p, n) for p in centralesSinHueco(t)])

def resuelve(pb):
    return triominoCentral(pb)

def divide(pb):
    n, t = pb
    t = triominoCentral(pb)
    m = len(t) // 2
    return [(n + 1, t[:m, m:]), (n + 2, t[:m, :m]), (n + 3, t[m:, :m]), (n + 4, t[m:, m:])]

def combina(pb, ts):
    return np.block([[ts[1], ts[0]], [ts[2], ts[3]]])

def triomino(n, p):
    return divideVenceras(ind, resuelve, divide, combina, pbInicial(n, p))
