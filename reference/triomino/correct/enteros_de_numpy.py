"""Las posiciones y los cuadrantes son escalares de numpy, y las casillas int16."""

import numpy as np
import numpy.typing as npt

from src.DivideVenceras import divideVenceras

Tablero = npt.NDArray[np.int16]
Problema = tuple[int, Tablero]
Posicion = tuple[np.int64, np.int64]


def tablero(n: int, p: Posicion) -> Tablero:
    """Crea el tablero con números de dos bytes."""
    t = np.zeros((n, n), np.int16)
    t[tuple(np.subtract(p, 1))] = -1
    return t


def pbInicial(n: int, p: Posicion) -> Problema:
    """Empieza a numerar en 1."""
    return 1, tablero(n, p)


def ind(pb: Problema) -> np.bool_:
    """Compara el lado del tablero con 2."""
    return np.equal(len(pb[1]), 2)


def posicionHueco(t: Tablero) -> Posicion:
    """Devuelve los índices de numpy más uno, tal como salen."""
    return tuple(np.argwhere(t)[0] + 1)


def cuadranteHueco(t: Tablero) -> np.int64:
    """Calcula el cuadrante con los índices de numpy."""
    abajo, derecha = np.array(posicionHueco(t)) > len(t) // 2
    return np.int64(1) + abajo + 2 * derecha


def centralHueco(t: Tablero) -> Posicion:
    """Suma al centro lo que dice el cuadrante."""
    x = np.int64(len(t) // 2)
    derecha, abajo = divmod(cuadranteHueco(t) - 1, 2)
    return (x + abajo, x + derecha)


def centralesSinHueco(t: Tablero) -> list[Posicion]:
    """Recorre las centrales por columnas."""
    x = len(t) // 2
    centrales = [tuple(np.add(x, (i, j))) for j in (0, 1) for i in (0, 1)]
    return [p for p in centrales if p != centralHueco(t)]


def actualiza(t: Tablero, ps: list[tuple[Posicion, int]]) -> Tablero:
    """Cambia de una vez todas las casillas de una copia."""
    copia = t.copy()
    if not ps:
        return copia
    posiciones, valores = zip(*ps, strict=True)
    copia[tuple(np.transpose(posiciones) - 1)] = valores
    return copia


def triominoCentral(pb: Problema) -> Tablero:
    """Coloca el triominó del problema."""
    return actualiza(pb[1], [(p, pb[0]) for p in centralesSinHueco(pb[1])])


def resuelve(pb: Problema) -> Tablero:
    """Coloca el único triominó que cabe."""
    return triominoCentral(pb)


def divide(pb: Problema) -> list[Problema]:
    """Numera los cuadrantes con enteros de numpy."""
    q = triominoCentral(pb)
    x = len(q) // 2
    numeros = np.arange(1, 5) + pb[0]
    return list(zip(numeros, [q[:x, x:], q[:x, :x], q[x:, :x], q[x:, x:]], strict=True))


def combina(_: Problema, ts: list[Tablero]) -> Tablero:
    """Junta las soluciones."""
    return np.block([[ts[1], ts[0]], [ts[2], ts[3]]])


def triomino(n: int, p: Posicion) -> Tablero:
    """Resuelve el problema inicial."""
    return divideVenceras(ind, resuelve, divide, combina, pbInicial(n, p))
