"""centralesSinHueco da las casillas en el sentido de las agujas del reloj."""

import numpy as np

from src.DivideVenceras import divideVenceras

HUECO = -1
VACIA = 0


# tablero inicial, con el hueco en la posición p
def tablero(n, p):
    filas = []
    for i in range(1, n + 1):
        fila = []
        for j in range(1, n + 1):
            if (i, j) == p:
                fila.append(HUECO)
            else:
                fila.append(VACIA)
        filas.append(fila)
    return np.array(filas)


def pbInicial(n, p):
    return 1, tablero(n, p)


def ind(pb):
    return pb[1].shape == (2, 2)


# la única casilla que no está vacía
def posicionHueco(t):
    filas, columnas = np.where(t != VACIA)
    return int(filas[0]) + 1, int(columnas[0]) + 1


def cuadranteHueco(t):
    mitad = t.shape[0] // 2
    i, j = posicionHueco(t)
    abajo = 1 if i > mitad else 0
    derecha = 1 if j > mitad else 0
    return 1 + abajo + 2 * derecha


# casillas centrales, por cuadrantes
def centrales(t):
    x = t.shape[0] // 2
    return [(x, x), (x + 1, x), (x, x + 1), (x + 1, x + 1)]


def centralHueco(t):
    return centrales(t)[cuadranteHueco(t) - 1]


def centralesSinHueco(t):
    x = t.shape[0] // 2
    return [p for p in [(x, x), (x, x + 1), (x + 1, x + 1), (x + 1, x)] if p != centralHueco(t)]


def actualiza(t, ps):
    t = np.copy(t)
    for p, valor in ps:
        t[p[0] - 1][p[1] - 1] = valor
    return t


def triominoCentral(pb):
    return actualiza(pb[1], [(p, pb[0]) for p in centralesSinHueco(pb[1])])


def resuelve(pb):
    return triominoCentral(pb)


def divide(pb):
    arriba, abajo = np.vsplit(triominoCentral(pb), 2)
    izq_arriba, der_arriba = np.hsplit(arriba, 2)
    izq_abajo, der_abajo = np.hsplit(abajo, 2)
    subproblemas = []
    numero = pb[0]
    for cuadrante in (der_arriba, izq_arriba, izq_abajo, der_abajo):
        numero += 1
        subproblemas.append((numero, cuadrante))
    return subproblemas


def combina(pb, ts):
    der_arriba, izq_arriba, izq_abajo, der_abajo = ts
    arriba = np.concatenate((izq_arriba, der_arriba), axis=1)
    abajo = np.concatenate((izq_abajo, der_abajo), axis=1)
    return np.concatenate((arriba, abajo), axis=0)


def triomino(n, p):
    inicial = pbInicial(n, p)
    return divideVenceras(ind, resuelve, divide, combina, inicial)
