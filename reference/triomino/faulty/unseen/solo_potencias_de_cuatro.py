"""Los niveles se cuentan como si el número de filas fuera una potencia de 4, y falla con 8 y con 32."""
# verliest: triomino

import math

import numpy as np


def rellenar(t, numero, niveles):
    """ Coloca el triominó del centro y sigue con los cuatro cuadrantes. """
    lado = len(t)
    x = lado // 2
    cuadrantes = [t[:x, x:], t[:x, :x], t[x:, :x], t[x:, x:]]
    centrales = [(x - 1, x), (x - 1, x - 1), (x, x - 1), (x, x)]
    for cuadrante, central in zip(cuadrantes, centrales):
        if (cuadrante == 0).all():
            t[central] = numero
    if niveles > 1:
        for k in range(4):
            rellenar(cuadrantes[k], numero + k + 1, niveles - 1)


def triomino(n, p):
    t = np.zeros((n, n), dtype=int)
    t[p[0] - 1, p[1] - 1] = -1
    rellenar(t, 1, 2 * int(math.log(n, 4)))
    return t
