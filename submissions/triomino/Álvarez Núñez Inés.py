# -*- coding: latin-1 -*-
# Inés Álvarez Núñez. Versión definitiva, con los números según el enunciado.

import numpy as np

AÑADE = {"superior derecho": 1, "superior izquierdo": 2, "inferior izquierdo": 3, "inferior derecho": 4}


def tamaño(t):
    return t.shape[0]


def señala(t):
    """ posición (desde 0) de la única casilla ocupada """
    return divmod(int(np.argmax(t != 0)), tamaño(t))


def triomino(n, p):
    t = np.zeros((n, n), dtype=int)
    t[p[0] - 1, p[1] - 1] = -1
    return cubre(t, 1)


def cubre(t, número):
    x = tamaño(t) // 2
    i, j = señala(t)
    ocupado = ("superior" if i < x else "inferior") + (" izquierdo" if j < x else " derecho")
    for nombre in AÑADE:
        if nombre != ocupado:
            t[x - 1 if "superior" in nombre else x, x - 1 if "izquierdo" in nombre else x] = número
    if x > 1:
        for nombre, suma in AÑADE.items():
            filas = slice(0, x) if "superior" in nombre else slice(x, 2 * x)
            columnas = slice(0, x) if "izquierdo" in nombre else slice(x, 2 * x)
            cubre(t[filas, columnas], número + suma)
    return t
