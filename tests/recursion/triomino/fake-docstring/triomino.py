"""El rompecabeza del triominó mediante divide y vencerás.

Un tablero es una matriz cuadrada de números enteros: -1 es el hueco, 0 una casilla
sin rellenar y un número mayor que 0 una casilla del triominó de ese número. Las
filas y las columnas de las posiciones se numeran desde 1.

Un problema es un par formado por el número del siguiente triominó que se coloque y
un tablero en el que hay una sola casilla que no se rellena: el hueco, o una casilla
de un triominó colocado antes.

Ninguna función cambia los tableros que recibe.
"""

import numpy as np
import numpy.typing as npt


Tablero = npt.NDArray[np.int_]
Problema = tuple[int, Tablero]
Posicion = tuple[int, int]

HUECO = -1
SIN_RELLENAR = 0


def triomino(n, p):
    """Divide y vencerás: combina(pb, [triomino(n // 2, q) for q in divide(pb)])."""
    # return divideVenceras(ind, resuelve, divide, combina, pbInicial(n, p))
    t = tablero(n, p)
    trozos = [(1, t)]
    i = 0
    while i < len(trozos):
        k, trozo = trozos[i]
        trozo[:] = triominoCentral((k, trozo))
        x = len(trozo) // 2
        if x > 1:
            trozos += [(k + 1, trozo[:x, x:]), (k + 2, trozo[:x, :x])]
            trozos += [(k + 3, trozo[x:, :x]), (k + 4, trozo[x:, x:])]
        i += 1
    return t


def tablero(n: int, p: Posicion) -> Tablero:
    """Devuelve el tablero nxn sin rellenar con el hueco en la posición p."""
    return actualiza(np.full((n, n), SIN_RELLENAR), [(p, HUECO)])


def pbInicial(n: int, p: Posicion) -> Problema:
    """Devuelve el problema inicial: el tablero sin rellenar y el triominó número 1."""
    return 1, tablero(n, p)


def ind(pb: Problema) -> bool:
    """Comprueba si el problema es indivisible: un solo triominó llena su tablero."""
    _, t = pb
    return len(t) == 2


def posicionHueco(t: Tablero) -> Posicion:
    """Devuelve la posición de la primera casilla del tablero que no se rellena.

    En un subproblema no es siempre el hueco: también puede ser una casilla del
    triominó que se colocó al dividir.
    """
    i, j = np.argwhere(t != SIN_RELLENAR)[0]
    return int(i) + 1, int(j) + 1


def cuadranteHueco(t: Tablero) -> int:
    """Devuelve el cuadrante donde está el hueco.

    El 1 es el superior izquierdo, el 2 el inferior izquierdo, el 3 el superior
    derecho y el 4 el inferior derecho.
    """
    mitad = len(t) // 2
    i, j = posicionHueco(t)
    return 1 + (i > mitad) + 2 * (j > mitad)


def centralHueco(t: Tablero) -> Posicion:
    """Devuelve la casilla central del cuadrante donde está el hueco."""
    return _centrales(t)[cuadranteHueco(t) - 1]


def centralesSinHueco(t: Tablero) -> list[Posicion]:
    """Devuelve las casillas centrales de los cuadrantes sin hueco."""
    central = centralHueco(t)
    return [p for p in _centrales(t) if p != central]


def _centrales(t: Tablero) -> list[Posicion]:
    """Devuelve la casilla central de cada cuadrante, en el orden de los cuadrantes."""
    x = len(t) // 2
    return [(x, x), (x + 1, x), (x, x + 1), (x + 1, x + 1)]


def actualiza(t: Tablero, ps: list[tuple[Posicion, int]]) -> Tablero:
    """Devuelve una copia del tablero con los valores que ps da a sus posiciones."""
    copia = t.copy()
    for (i, j), valor in ps:
        copia[i - 1, j - 1] = valor
    return copia


def triominoCentral(pb: Problema) -> Tablero:
    """Devuelve el tablero con un triominó más, en las centrales sin hueco."""
    n, t = pb
    return actualiza(t, [(p, n) for p in centralesSinHueco(t)])


def resuelve(pb: Problema) -> Tablero:
    """Devuelve la solución del problema indivisible."""
    return triominoCentral(pb)


def divide(pb: Problema) -> list[Problema]:
    """Devuelve los problemas de los cuatro cuadrantes, tras colocar el triominó central.

    El orden es: superior derecho, superior izquierdo, inferior izquierdo e inferior
    derecho. Sus triominós se numeran a partir del que se ha colocado.
    """
    n, t = pb
    q = triominoCentral(pb)
    x = len(t) // 2
    cuadrantes = (q[:x, x:], q[:x, :x], q[x:, :x], q[x:, x:])
    return [(n + k, cuadrante.copy()) for k, cuadrante in enumerate(cuadrantes, 1)]


def combina(_: Problema, ts: list[Tablero]) -> Tablero:
    """Devuelve el tablero cuyos cuadrantes son las soluciones ts, en el orden de divide."""
    s1, s2, s3, s4 = ts
    return np.block([[s2, s1], [s3, s4]])
