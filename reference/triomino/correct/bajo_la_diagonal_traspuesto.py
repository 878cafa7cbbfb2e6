"""Por debajo de la diagonal se resuelve el tablero traspuesto: sus números son otros que los del texto."""

import numpy as np


def rellenar(t, numero):
    """ Coloca el triominó del centro y sigue con los cuatro cuadrantes. """
    lado = len(t)
    x = lado // 2
    cuadrantes = [t[:x, x:], t[:x, :x], t[x:, :x], t[x:, x:]]
    centrales = [(x - 1, x), (x - 1, x - 1), (x, x - 1), (x, x)]
    for cuadrante, central in zip(cuadrantes, centrales):
        if (cuadrante == 0).all():
            t[central] = numero
    if lado > 2:
        for k in range(4):
            rellenar(cuadrantes[k], numero + k + 1)


def triomino(n, p):
    if p[0] > p[1]:
        return triomino(n, (p[1], p[0])).T
    t = np.zeros((n, n), dtype=int)
    t[p[0] - 1, p[1] - 1] = -1
    rellenar(t, 1)
    return t
