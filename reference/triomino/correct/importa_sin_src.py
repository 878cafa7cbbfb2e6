"""El esquema se importa sin src, y las funciones auxiliares van dentro de triomino."""

import numpy as np
import numpy.typing as npt

from DivideVenceras import divideVenceras

Tablero = npt.NDArray[np.int_]
Problema = tuple[int, Tablero]


def triomino(n: int, p: tuple[int, int]) -> Tablero:
    """Resuelve con el esquema un tablero que empieza a ceros."""

    def ind(pb: Problema) -> bool:
        return len(pb[1]) == 2

    def resuelve(pb: Problema) -> Tablero:
        numero, t = pb
        return t + numero * (t == 0)

    def divide(pb: Problema) -> list[Problema]:
        numero, t = pb
        x = len(t) // 2
        # se gira el tablero para que cada cuadrante sea, por turno, el superior derecho
        problemas = []
        for k in range(4):
            cuadrante = np.rot90(t, -k)[:x, x:].copy()
            if not cuadrante.any():
                cuadrante[-1, 0] = numero
            problemas.append((numero + k + 1, np.rot90(cuadrante, k)))
        return problemas

    def combina(_: Problema, ts: list[Tablero]) -> Tablero:
        superior_derecho, superior_izquierdo, inferior_izquierdo, inferior_derecho = ts
        return np.block(
            [[superior_izquierdo, superior_derecho], [inferior_izquierdo, inferior_derecho]]
        )

    inicial = np.zeros((n, n), dtype=int)
    inicial[p[0] - 1, p[1] - 1] = -1
    return divideVenceras(ind, resuelve, divide, combina, (1, inicial))
