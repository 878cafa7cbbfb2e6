"""Nada se divide: cada casilla averigua sola qué triominó la cubre, nivel a nivel."""

import numpy as np
import numpy.typing as npt

# lo que suma al número cada cuadrante, según si está abajo y si está a la derecha
AUMENTO = {(0, 1): 1, (0, 0): 2, (1, 0): 3, (1, 1): 4}


def triomino(n: int, p: tuple[int, int]) -> npt.NDArray[np.int_]:
    """Pregunta a cada casilla por su número."""
    return np.array([[numero(n, p, (i + 1, j + 1)) for j in range(n)] for i in range(n)])


def numero(n: int, hueco: tuple[int, int], casilla: tuple[int, int]) -> int:
    """Devuelve el número de una casilla, o -1 si es el hueco."""
    if casilla == hueco:
        return -1
    (hi, hj), (i, j) = hueco, casilla
    resultado, x = 1, n // 2
    while x:
        cuadrante = (int(i > x), int(j > x))
        if cuadrante != (int(hi > x), int(hj > x)):
            # el hueco de este cuadrante es su casilla central, que cubre el triominó del centro
            hi, hj = x + cuadrante[0], x + cuadrante[1]
            if (i, j) == (hi, hj):
                return resultado
        resultado += AUMENTO[cuadrante]
        i, j = i - x * cuadrante[0], j - x * cuadrante[1]
        hi, hj = hi - x * cuadrante[0], hj - x * cuadrante[1]
        x //= 2
    raise AssertionError("toda casilla es un hueco o la cubre un triominó")
