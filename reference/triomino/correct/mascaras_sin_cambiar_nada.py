"""Cada tablero se calcula de nuevo con una máscara: ninguno se cambia y ninguno se comparte."""

import numpy as np
import numpy.typing as npt

from src.DivideVenceras import divideVenceras

Tablero = npt.NDArray[np.int_]
Problema = tuple[int, Tablero]
Posicion = tuple[int, int]


def mascara(n: int, p: Posicion) -> npt.NDArray[np.bool_]:
    """Marca la casilla p, y ninguna otra, en un tablero nxn."""
    return np.equal.outer(np.arange(1, n + 1), [p[0]]) & (np.arange(1, n + 1) == p[1])


def tablero(n: int, p: Posicion) -> Tablero:
    """Resta uno donde está el hueco."""
    return -mascara(n, p).astype(int)


def pbInicial(n: int, p: Posicion) -> Problema:
    """Empieza por el triominó número 1."""
    return 1, tablero(n, p)


def ind(pb: Problema) -> bool:
    """Cuenta las casillas."""
    return pb[1].size == 4


def posicionHueco(t: Tablero) -> Posicion:
    """Busca por separado la fila y la columna que no son de ceros."""
    filas, columnas = np.flatnonzero(t.any(axis=1)), np.flatnonzero(t.any(axis=0))
    return int(filas[0]) + 1, int(columnas[0]) + 1


def cuadranteHueco(t: Tablero) -> int:
    """Mira qué cuadrante no es de ceros."""
    cuadrantes = [c for mitad in np.hsplit(t, 2) for c in np.vsplit(mitad, 2)]
    return next(k for k, cuadrante in enumerate(cuadrantes, 1) if cuadrante.any())


def centralHueco(t: Tablero) -> Posicion:
    """Busca la central más cercana al hueco."""
    i, j = posicionHueco(t)
    return min(centrales(t), key=lambda p: abs(p[0] - i) + abs(p[1] - j))


def centralesSinHueco(t: Tablero) -> list[Posicion]:
    """Ordena por cuadrantes las centrales que no son la del hueco."""
    return sorted(set(centrales(t)) - {centralHueco(t)}, key=lambda p: (p[1], p[0]))


def centrales(t: Tablero) -> set[Posicion]:
    """Devuelve las cuatro casillas que rodean el centro."""
    x = len(t) // 2
    return {(i, j) for i in (x, x + 1) for j in (x, x + 1)}


def actualiza(t: Tablero, ps: list[tuple[Posicion, int]]) -> Tablero:
    """Elige en cada casilla entre el valor nuevo y el que había."""
    for p, valor in reversed(ps):
        t = np.where(mascara(len(t), p), valor, t)
    return t


def triominoCentral(pb: Problema) -> Tablero:
    """Coloca el triominó en un tablero nuevo."""
    n, t = pb
    return actualiza(t, [(p, n) for p in centralesSinHueco(t)])


def resuelve(pb: Problema) -> Tablero:
    """Rellena todo lo que queda a cero."""
    n, t = pb
    return np.where(t == 0, n, t)


def divide(pb: Problema) -> list[Problema]:
    """Copia los cuadrantes del tablero con el triominó central."""
    q = triominoCentral(pb)
    mitades = slice(None, len(q) // 2), slice(len(q) // 2, None)
    orden = [(0, 1), (0, 0), (1, 0), (1, 1)]
    return [(pb[0] + k, q[mitades[a], mitades[b]].copy()) for k, (a, b) in enumerate(orden, 1)]


def combina(pb: Problema, ts: list[Tablero]) -> Tablero:
    """Reparte las soluciones en un tablero nuevo."""
    s = np.empty_like(pb[1])
    x = len(s) // 2
    s[:x, x:], s[:x, :x], s[x:, :x], s[x:, x:] = ts
    return s


def triomino(n: int, p: Posicion) -> Tablero:
    """Resuelve el problema inicial."""
    return divideVenceras(ind, resuelve, divide, combina, pbInicial(n, p))
