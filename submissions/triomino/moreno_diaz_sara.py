import numpy as np
from src.DivideVenceras import divideVenceras

# Sara Moreno Díaz

def tablero(n, p):
    t = np.zeros((n, n), dtype=int)
    t[p[0] - 1, p[1] - 1] = -1
    return t

def pbInicial(n, p):
    return (1, tablero(n, p))

def ind(pb):
    return pb[1].shape == (2, 2)

def posicionHueco(t):
    i, j = np.argwhere(t)[0]
    return (i + 1, j + 1)

def cuadranteHueco(t):
    i, j = posicionHueco(t)
    x = t.shape[0] // 2
    if j <= x:
        return 1 if i <= x else 2
    return 3 if i <= x else 4

def centralHueco(t):
    x = t.shape[0] // 2
    return [(x, x), (x + 1, x), (x, x + 1), (x + 1, x + 1)][cuadranteHueco(t) - 1]

def centralesSinHueco(t):
    x = t.shape[0] // 2
    return [c for c in [(x, x), (x + 1, x), (x, x + 1), (x + 1, x + 1)] if c != centralHueco(t)]

def actualiza(t, ps):
    for ((i, j), v) in ps:
        t[i - 1, j - 1] = v
    return t

def triominoCentral(pb):
    return actualiza(pb[1], [(c, pb[0]) for c in centralesSinHueco(pb[1])])

def resuelve(pb):
    return triominoCentral(pb)

def divide(pb):
    # los cuadrantes en su orden: 1, 2, 3 y 4
    q = triominoCentral(pb)
    x = q.shape[0] // 2
    n = pb[0]
    return [(n + 1, q[:x, :x]), (n + 2, q[x:, :x]), (n + 3, q[:x, x:]), (n + 4, q[x:, x:])]

def combina(pb, ts):
    c1, c2, c3, c4 = ts
    return np.block([[c1, c3], [c2, c4]])

def triomino(n, p):
    return divideVenceras(ind, resuelve, divide, combina, pbInicial(n, p))
