"""Los tableros son listas de filas, sin numpy; las funciones auxiliares tienen otros nombres."""

from src.DivideVenceras import divideVenceras

Tablero = list[list[int]]
Posicion = tuple[int, int]
Problema = tuple[int, Tablero]


def triomino(n: int, p: Posicion) -> Tablero:
    """Resuelve el tablero de ceros con el hueco en p."""
    vacio = [[-1 if (i, j) == p else 0 for j in range(1, n + 1)] for i in range(1, n + 1)]
    return divideVenceras(es_minimo, rellena, cuartea, une, (1, vacio))


def es_minimo(problema: Problema) -> bool:
    """Comprueba si el tablero tiene dos filas."""
    return len(problema[1]) == 2


def rellena(problema: Problema) -> Tablero:
    """Pone el número en las casillas que quedan a cero."""
    numero, filas = problema
    return [[casilla or numero for casilla in fila] for fila in filas]


def cuartea(problema: Problema) -> list[Problema]:
    """Separa los cuadrantes y pone el número en la esquina interior de los que están a cero."""
    numero, filas = problema
    x = len(filas) // 2
    esquinas = [(0, x, x - 1, 0), (0, 0, x - 1, x - 1), (x, 0, 0, x - 1), (x, x, 0, 0)]
    problemas = []
    for siguiente, (arriba, izquierda, i, j) in enumerate(esquinas, numero + 1):
        cuadrante = [fila[izquierda : izquierda + x] for fila in filas[arriba : arriba + x]]
        if not any(map(any, cuadrante)):
            cuadrante[i][j] = numero
        problemas.append((siguiente, cuadrante))
    return problemas


def une(_: Problema, cuadrantes: list[Tablero]) -> Tablero:
    """Pega las filas de los cuadrantes."""
    superior_derecho, superior_izquierdo, inferior_izquierdo, inferior_derecho = cuadrantes
    arriba = [a + b for a, b in zip(superior_izquierdo, superior_derecho, strict=True)]
    abajo = [a + b for a, b in zip(inferior_izquierdo, inferior_derecho, strict=True)]
    return arriba + abajo
