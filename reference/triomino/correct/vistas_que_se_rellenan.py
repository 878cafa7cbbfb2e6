"""Un solo tablero que se rellena: los subproblemas son vistas suyas y nada se copia."""

import numpy as np
import numpy.typing as npt

from src.DivideVenceras import divideVenceras

Tablero = npt.NDArray[np.int_]
Problema = tuple[int, Tablero]
Posicion = tuple[int, int]


def tablero(n: int, p: Posicion) -> Tablero:
    """Crea un tablero de ceros y pone el hueco."""
    return actualiza(np.zeros((n, n), dtype=int), [(p, -1)])


def pbInicial(n: int, p: Posicion) -> Problema:
    """Empareja el tablero con el primer número."""
    return (1, tablero(n, p))


def ind(pb: Problema) -> bool:
    """Mira si quedan solo dos columnas."""
    return pb[1].shape[1] == 2


def posicionHueco(t: Tablero) -> Posicion:
    """Busca por filas la primera casilla que no es cero."""
    fila, columna = divmod(int(np.flatnonzero(t)[0]), t.shape[1])
    return (fila + 1, columna + 1)


def cuadranteHueco(t: Tablero) -> int:
    """Elige entre los cuadrantes de la izquierda y los de la derecha."""
    x = t.shape[0] // 2
    fila, columna = posicionHueco(t)
    if columna <= x:
        return 1 if fila <= x else 2
    return 3 if fila <= x else 4


def centralHueco(t: Tablero) -> Posicion:
    """Se acerca al centro desde el cuadrante del hueco."""
    x = t.shape[0] // 2
    cuadrante = cuadranteHueco(t)
    return (x + (cuadrante in {2, 4}), x + (cuadrante in {3, 4}))


def centralesSinHueco(t: Tablero) -> list[Posicion]:
    """Quita de las cuatro centrales la del hueco."""
    x = t.shape[0] // 2
    centrales = [(x, x), (x + 1, x), (x, x + 1), (x + 1, x + 1)]
    centrales.remove(centralHueco(t))
    return centrales


def actualiza(t: Tablero, ps: list[tuple[Posicion, int]]) -> Tablero:
    """Cambia el propio tablero y lo devuelve."""
    for (i, j), valor in ps:
        t[i - 1, j - 1] = valor
    return t


def triominoCentral(pb: Problema) -> Tablero:
    """Coloca el triominó en el propio tablero."""
    n, t = pb
    return actualiza(t, [(p, n) for p in centralesSinHueco(t)])


resuelve = triominoCentral


def divide(pb: Problema) -> list[Problema]:
    """Coloca el triominó central y reparte vistas de los cuadrantes."""
    n, _ = pb
    izquierda, derecha = np.hsplit(triominoCentral(pb), 2)
    superior_izquierdo, inferior_izquierdo = np.vsplit(izquierda, 2)
    superior_derecho, inferior_derecho = np.vsplit(derecha, 2)
    return [
        (n + 1, superior_derecho),
        (n + 2, superior_izquierdo),
        (n + 3, inferior_izquierdo),
        (n + 4, inferior_derecho),
    ]


def combina(_: Problema, ts: list[Tablero]) -> Tablero:
    """Junta los cuadrantes, primero cada mitad y después las dos."""
    s1, s2, s3, s4 = ts
    return np.hstack([np.vstack([s2, s3]), np.vstack([s1, s4])])


def triomino(n: int, p: Posicion) -> Tablero:
    """Resuelve el problema inicial."""
    return divideVenceras(ind, resuelve, divide, combina, pbInicial(n, p))
