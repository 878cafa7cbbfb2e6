"""Boards of the triomino puzzle, and the lines that ask about them.

A board has one cell that is not 0: a -1 anywhere, or a number in a corner, as `divide` leaves them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TypeAlias

from grader.plugins.authoring.generating import Scene

Position: TypeAlias = tuple[int, int]
"""Row and column, from 1 on."""
Board: TypeAlias = list[list[int]]
Case: TypeAlias = tuple[int, Position, int]
"""The rows of a board, its only cell that is not 0, and what that holds."""
HOLE = -1
AT_FIRST = {"tablero": "dos a la vez", "pbInicial": "número y tablero"}
"""The functions that make something new, each with the clause of two at once."""
NUMPY = "import numpy as np"
HELPERS = {
    "np.": NUMPY,
    "casillas(": """def casillas(t):
...     t = np.array(t)
...     return [(i + 1, j + 1, int(t[i, j])) for i, j in np.argwhere(t).tolist()]""",
    "con_casilla(": """def con_casilla(n, p, valor):
...     t = np.zeros((n, n), dtype=int)
...     t[p[0] - 1, p[1] - 1] = valor
...     return t""",
}
"""What lines need that use these: `casillas` gives what is not 0, as row, column and value."""
QUADRANTS = (1, 2, 3, 4)
"""The upper left, the lower left, the upper right and the lower right."""
PLACES = (
    "arriba a la izquierda",
    "abajo a la izquierda",
    "arriba a la derecha",
    "abajo a la derecha",
)
NEAR_OR_FAR = ((True, True), (True, False), (False, True), (False, False))
"""Whether the row and the column of a hole lie beside the middle of the board."""
ABOUT_HOLES = {
    "posicionHueco": "sitio",
    "cuadranteHueco": "cuadrante",
    "centralHueco": "casilla central",
    "centralesSinHueco": "casillas centrales",
}
"""The functions that are asked about any hole, each with the clause of it."""
NUMBERED = ("posicionHueco", "cuadranteHueco")
"""Those that have a clause for a hole with a number."""


def quadrant_of(n: int, hole: Position) -> int:
    """Return the quadrant of a board of `n` rows in which `hole` lies."""
    return 1 + (hole[0] > n // 2) + 2 * (hole[1] > n // 2)


def corners(n: int) -> list[Position]:
    """Return the corners of a board of `n` rows."""
    return [*product((1, n), (1, n))]


def all_positions(n: int) -> list[Position]:
    """Return the positions of a board of `n` rows, row by row."""
    return [*product(range(1, n + 1), range(1, n + 1))]


def centres(n: int) -> list[Position]:
    """Return the cells around the middle of a board of `n` rows, in the order of the quadrants."""
    half = n // 2
    return [(half, half), (half + 1, half), (half, half + 1), (half + 1, half + 1)]


def other_centres(n: int, hole: Position) -> list[Position]:
    """Return the centres of the quadrants without `hole`."""
    return [each for each in centres(n) if quadrant_of(n, each) != quadrant_of(n, hole)]


def with_hole(n: int, hole: Position, value: int = HOLE) -> Board:
    """Return a board of `n` rows that is 0 but for `hole`."""
    return [[value if (i, j) == hole else 0 for j in range(1, n + 1)] for i in range(1, n + 1)]


def cover(board: Board, corner: Position, n: int, number: int) -> None:
    """Cover `n` rows and columns of `board` from `corner` on, which have a hole, as the text does.

    The first piece gets this `number`.
    """
    half = n // 2
    top, left = corner
    quarters = [(top, left + half), (top, left), (top + half, left), (top + half, left + half)]
    for i, j in quarters:
        if not any(map(any, square(board, (i, j), half))):
            board[max(i, top + half - 1)][max(j, left + half - 1)] = number
    if half > 1:
        for k, quarter in enumerate(quarters, start=1):
            cover(board, quarter, half, number + k)


def square(board: Board, corner: Position, n: int) -> Board:
    """Return `n` rows and columns of `board` from `corner` on, which is counted from 0."""
    top, left = corner
    return [row[left : left + n] for row in board[top : top + n]]


def solutions(n: int, hole: Position, number: int, value: int = HOLE) -> str:
    """Return the solutions of the parts of a problem, in the order of `divide`, as arrays."""
    board, half = with_hole(n, hole, value), n // 2
    cover(board, (0, 0), n, number)
    parts = [square(board, corner, half) for corner in ((0, half), (0, 0), (half, 0), (half, half))]
    return f"[{', '.join(f'np.array({part})' for part in parts)}]"


def covers(n: int, hole: Position) -> str:
    """Return the expression that says whether an answer covers a board."""
    return f"teselado.cubre(answer, filas={n}, hueco={hole})"


def among(positions: Sequence[Position]) -> str:
    """Return the expression that says whether an answer has these positions, in any order."""
    return f"teselado.mismas_posiciones(answer, {positions})"


def each_among(lists: Sequence[Sequence[Position]]) -> str:
    """Return the expression that says whether each answer of a list has its positions."""
    return f"teselado.mismas_listas(answer, {lists})"


def several(clause: str, asked: Sequence[tuple[int, Position]]) -> str:
    """Return the line that asks `triomino` for several boards at once."""
    calls = ", ".join(f"triomino({n}, {hole})" for n, hole in asked)
    return f"[{calls}]  # {clause} ~ teselado.cubren(answer, {[*asked]})"


def board(n: int, hole: Position, value: int = HOLE) -> list[str]:
    """Return the lines that make the board `t`."""
    i, j = hole
    return [f"t = np.zeros(({n}, {n}), dtype=int)", f"t[{i - 1}, {j - 1}] = {value}"]


def literal(hole: Position, value: int = HOLE, n: int = 4) -> str:
    """Return the line that makes the small board `t`."""
    return f"t = np.array({with_hole(n, hole, value)})"


def arrays(cases: Sequence[Case]) -> str:
    """Return an expression for boards: small ones in full, others by the place of a cell."""
    if all(n <= 4 for n, _, _ in cases):
        return f"[{', '.join(f'np.array({with_hole(*case)})' for case in cases)}]"
    return f"[con_casilla(n, p, valor) for n, p, valor in {[*cases]}]"


def boards_of(cases: Sequence[Case]) -> str:
    """Return a short expression for boards with a hole."""
    sizes = {n for n, _, _ in cases}
    if len(sizes) == 1:
        return f"[tablero({min(sizes)}, p) for p in {[hole for _, hole, _ in cases]}]"
    return f"[tablero(n, p) for n, p in {[(n, hole) for n, hole, _ in cases]}]"


def asked_of(name: str, clause: str, boards: str, cases: Sequence[Case]) -> list[str]:
    """Return the line that asks `name` about `boards`, which are those of `cases`, all at once."""
    label = f"{name}: {clause}"
    if name == "centralesSinHueco":
        label += f" ~ {each_among([other_centres(n, hole) for n, hole, _ in cases])}"
    return [f"[{name}(t) for t in {boards}]  # {label}"]


def scene(topic: str, *lines: str) -> Scene:
    """Return the scene of `lines`, with the helpers that they need."""
    needed = [code for use, code in HELPERS.items() if any(use in line for line in lines)]
    needs_numpy = any("np." in each for each in needed) and NUMPY not in needed
    return Scene(topic=topic, lines="\n".join([*[NUMPY] * needs_numpy, *needed, *lines]))


def moved(
    names: Sequence[str], n: int, start: Sequence[str], before: Position, after: Position
) -> Scene:
    """Return the scene that asks `names` about a board, and again when its hole has moved."""
    asks = []
    for hole in (before, after):
        for name in names:
            accepts = f" ~ {among(other_centres(n, hole))}" if name == "centralesSinHueco" else ""
            asks.append(f"{name}(t)  # {name}: {ABOUT_HOLES[name]}{accepts}")
    old, new = (f"t[{i - 1}, {j - 1}]" for i, j in (before, after))
    move = f"{old}, {new} = 0, {HOLE}"
    half = len(names)
    return scene("Un hueco que cambia de sitio", *start, *asks[:half], move, *asks[half:])


def again(name: str, clause: str, case: Case, numbers: Sequence[int]) -> Scene:
    """Return the scene that asks `name` about the same board with several `numbers`, at once."""
    made = f"np.array({with_hole(*case)})"
    calls = ", ".join(f"{name}(({number}, {made}))" for number in numbers)
    return scene("El mismo tablero otra vez", f"[{calls}]  # {name}: {clause}")
