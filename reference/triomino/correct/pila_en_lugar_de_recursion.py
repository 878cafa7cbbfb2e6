"""No se usa la función dada ni recursión: los problemas pendientes esperan en una pila."""

import numpy as np
import numpy.typing as npt

Tablero = npt.NDArray[np.int_]
Problema = tuple[int, Tablero]
Posicion = tuple[int, int]


def triomino(n: int, p: Posicion) -> Tablero:
    """Saca problemas de la pila hasta que el tablero está lleno."""
    solucion = tablero(n, p)
    pila = [(1, solucion)]
    while pila:
        problema = pila.pop()
        triominoCentral(problema)
        if not ind(problema):
            pila.extend(cuadrantes(problema))
    return solucion


def tablero(n: int, p: Posicion) -> Tablero:
    """Crea el tablero con el hueco."""
    t = np.zeros((n, n), dtype=int)
    t[p[0] - 1, p[1] - 1] = -1
    return t


def pbInicial(n: int, p: Posicion) -> Problema:
    """Crea el primer problema."""
    return 1, tablero(n, p)


def ind(pb: Problema) -> bool:
    """Comprueba si basta un triominó."""
    return pb[1].shape == (2, 2)


def triominoCentral(pb: Problema) -> Tablero:
    """Rellena la casilla interior de cada cuadrante que está a cero."""
    numero, t = pb
    x = len(t) // 2
    for filas, columnas in [
        (slice(x - 1, x), slice(x - 1, x)),
        (slice(x - 1, x), slice(x, x + 1)),
        (slice(x, x + 1), slice(x - 1, x)),
        (slice(x, x + 1), slice(x, x + 1)),
    ]:
        arriba, izquierda = x * (filas.start // x), x * (columnas.start // x)
        if not t[arriba : arriba + x, izquierda : izquierda + x].any():
            t[filas, columnas] = numero
    return t


def cuadrantes(pb: Problema) -> list[Problema]:
    """Numera las vistas de los cuadrantes."""
    numero, t = pb
    x = len(t) // 2
    vistas = [t[:x, x:], t[:x, :x], t[x:, :x], t[x:, x:]]
    return [(numero + k + 1, vista) for k, vista in enumerate(vistas)]
