"""Cada triominó lleva un número que ningún otro lleva, porque un contador los cuenta todos: con 4 filas da lo mismo, con más no."""
# verliest: triomino

import numpy as np


def rellenar(t, numero):
    """ Coloca el triominó del centro, sigue con los cuatro cuadrantes y devuelve el siguiente número libre. """
    lado = len(t)
    x = lado // 2
    cuadrantes = [t[:x, x:], t[:x, :x], t[x:, :x], t[x:, x:]]
    centrales = [(x - 1, x), (x - 1, x - 1), (x, x - 1), (x, x)]
    for cuadrante, central in zip(cuadrantes, centrales):
        if (cuadrante == 0).all():
            t[central] = numero
    libre = numero + 1
    if lado > 2:
        for k in range(4):
            libre = rellenar(cuadrantes[k], libre)
    return libre


def triomino(n, p):
    t = np.zeros((n, n), dtype=int)
    t[p[0] - 1, p[1] - 1] = -1
    rellenar(t, 1)
    return t
