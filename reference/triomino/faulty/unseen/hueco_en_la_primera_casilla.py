"""El índice 0 se toma por falso: el hueco en la primera fila o en la primera columna no se pone."""
# verliest: triomino

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
    t = np.zeros((n, n), dtype=int)
    i, j = p[0] - 1, p[1] - 1
    if i and j:
        t[i, j] = -1
    rellenar(t, 1)
    return t
