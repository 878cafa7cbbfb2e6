"""Makes scenes for the triomino puzzle: boards of all sizes, and each function by itself.

`triomino` may cover a board in any way, so a checker looks at what it gives. The other functions
get boards that a line above makes with numpy: then a mistake in one of them is not met in the
others. A board has one cell that is not 0: a -1 anywhere, or a number in a corner, as `divide`
leaves them.

A clause keeps to one size, and where it is not about the place of the hole, that lies on the
diagonal: a mistake in boards of sixteen rows, or in one quadrant, then costs what is about these.
"""

from __future__ import annotations

from collections.abc import Iterable

from grader.plugins.authoring.generating import Draws, Generator, PlacedClause, Scene

from scenes_triomino.boards import PLACES
from scenes_triomino.counting import Scenes
from scenes_triomino.shown import Examples

_INTEGERS = "Los tableros son matrices de números enteros"
_PUZZLE = "tal que (triomino n p) es la solución, mediante divide y vencerás"
_SQUARE = "cubrir un tablero cuadrado con 2^n filas y 2^n columnas"
_COVER = "con L-triominós de formas que cubran todas las casillas excepto la eliminada"
_NOT_ZERO = "indices = np.argwhere(t != 0)"
_BOARD = "tablero(n p) es el tablero inicial del problema"
_FIRST = "pbInicial(n, p) es el problema inicial del rompecabeza"
_INDIVISIBLE = "ind(pb) se verifica si el problema pb es indivisible"
_WHERE = "posicionHueco(t) es la posición del hueco en el tablero t"
_QUADRANT = "cuadranteHueco(p) es el cuadrante donde se encuentra el hueco"
_CENTRAL = "centralHueco(t) es la casilla central del cuadrante"
_OTHERS = "centralesSinHueco(t) son las posiciones centrales del tablero t"
_UPDATED = "actualiza(t, ps) es la matriz obtenida cambiando en t los valores"
_VALUES = f"{_UPDATED} \u2026 por sus correspondientes valores"
_PIECE = "triominoCentral(n,t) es el tablero obtenido colocando el triominó"
_SOLVED = "resuelve(p) es la solución del problema indivisible p"
_DIVIDED = "divide(n,t) es la lista de de los problemas obtenidos"
_COMBINED = "combina(p, ts) es la combinación de las soluciones ts"
QUOTES = {
    "triomino": {
        **{f"4 filas, hueco {place}": _PUZZLE for place in PLACES},
        "números enteros, y el hueco": _INTEGERS,
        "dos a la vez": _PUZZLE,
        "2 filas": _PUZZLE,
        "otra vez": _PUZZLE,
    },
    "otros-tableros": {
        "hueco arriba a la izquierda": _COVER,
        "hueco abajo a la izquierda": _COVER,
        "hueco arriba a la derecha": _COVER,
        "hueco abajo a la derecha": _COVER,
        "hueco en el borde": _COVER,
        "hueco en el centro": _COVER,
        "16 filas": _SQUARE,
        "32 filas": _SQUARE,
        "64 filas": _SQUARE,
        "posiciones parecidas": _PUZZLE,
    },
    "tablero": {"hueco": _BOARD, "dos a la vez": _BOARD},
    "pbInicial": {"número y tablero": _FIRST},
    "ind": {"indivisible o no": _INDIVISIBLE},
    "posicionHueco": {"sitio": _WHERE, "con número": _NOT_ZERO},
    "cuadranteHueco": {
        "cuadrante": _QUADRANT,
        "con número": _NOT_ZERO,
    },
    "centralHueco": {"casilla central": _CENTRAL},
    "centralesSinHueco": {"casillas centrales": _OTHERS},
    "actualiza": {
        "cambios": _UPDATED,
        "valores": _VALUES,
        "ningún cambio": "actualiza p [] = p",
        "la misma lista": _UPDATED,
    },
    "triominoCentral": {"hueco": _PIECE, "con número": _PIECE},
    "resuelve": {"hueco": _SOLVED, "con número": _SOLVED},
    "divide": {"cuadrantes": _DIVIDED, "con número": _DIVIDED},
    "combina": {"soluciones": _COMBINED, "dos a la vez": _COMBINED},
}
"""The words of the text behind each clause, by group."""
CLAUSES = {
    f"{group}: {name}": PlacedClause(group=group, quote=quote)
    for group, quotes in QUOTES.items()
    for name, quote in quotes.items()
}


def scenes(draws: Draws) -> Iterable[Scene]:
    """Return the scenes that count."""
    return Scenes(draws).all()


def examples(draws: Draws) -> Iterable[Scene]:
    """Return the scenes that are shown."""
    return Examples(draws).all()


GENERATOR = Generator(version=10, clauses=CLAUSES, scenes=scenes, examples=examples)
