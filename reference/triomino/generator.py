"""Makes scenes for the triomino puzzle: boards of all sizes, and each function by itself.

`triomino` may cover a board in any way, so a checker looks at what it gives. The other functions
get boards that a line above makes with numpy: then a mistake in one of them is not met in the
others. A board has one cell that is not 0: a -1 anywhere, or a number in a corner, as `divide`
leaves them.

A clause keeps to one size, and where it is not about the place of the hole, that lies on the
diagonal: a mistake in boards of sixteen rows, or in one quadrant, then costs what is about these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import TypeAlias

from grader.authoring.generating import Draws, Generator, PlacedClause, Scene

Position: TypeAlias = tuple[int, int]
"""Row and column, from 1 on."""
Board: TypeAlias = list[list[int]]
Case: TypeAlias = tuple[int, Position, int]
"""The rows of a board, its only cell that is not 0, and what that holds."""

HOLE = -1
AT_FIRST = {"tablero": "dos a la vez", "pbInicial": "número y tablero"}
"""The functions that make something new, each with the clause of two at once."""
NUMPY = "import numpy as np"
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


# Boards


def quadrant_of(n: int, hole: Position) -> int:
    """Return the quadrant of a board of `n` rows in which `hole` lies."""
    return 1 + (hole[0] > n // 2) + 2 * (hole[1] > n // 2)


def corners(n: int) -> list[Position]:
    """Return the corners of a board of `n` rows."""
    return [*product((1, n), repeat=2)]


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


# Lines


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
    places = [(n, (i - 1) * n + j - 1, value) for n, (i, j), value in cases]
    return f"[np.where(np.arange(n * n).reshape(n, n) == k, value, 0) for n, k, value in {places}]"


def boards_of(cases: Sequence[Case]) -> str:
    """Return a short expression for boards with a hole."""
    sizes = {n for n, _, _ in cases}
    if len(sizes) == 1:
        return f"[tablero({min(sizes)}, p) for p in {[hole for _, hole, _ in cases]}]"
    return f"[tablero(n, p) for n, p in {[(n, hole) for n, hole, _ in cases]}]"


def cells_of(boards: str) -> str:
    """Return an expression for what is not 0 in `boards`: row, column (from 0) and value."""
    cell = "(*p.tolist(), int(q[tuple(p)]))"
    return f"[[{cell} for p in np.argwhere(q)] for q in map(np.array, {boards})]"


def asked_of(name: str, clause: str, boards: str, cases: Sequence[Case]) -> list[str]:
    """Return the line that asks `name` about `boards`, which are those of `cases`, all at once."""
    label = f"{name}: {clause}"
    if name == "centralesSinHueco":
        label += f" ~ {each_among([other_centres(n, hole) for n, hole, _ in cases])}"
    return [f"[{name}(t) for t in {boards}]  # {label}"]


def scene(topic: str, *lines: str) -> Scene:
    """Return the scene of `lines`, with numpy where they need it."""
    needed = any("np." in line for line in lines)
    return Scene(topic=topic, lines="\n".join([NUMPY, *lines] if needed else lines))


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


class Drawn:
    """What is drawn of one source of chance."""

    def __init__(self, draws: Draws) -> None:
        """Draw from `draws`."""
        self.draws = draws

    def anywhere(self, n: int) -> Position:
        """Return any position of a board of `n` rows."""
        return self.draws.between(1, n), self.draws.between(1, n)

    def within(self, n: int, quadrant: int) -> Position:
        """Return a position in `quadrant`."""
        half = n // 2
        return (
            self.draws.between(1, half) + (half if quadrant in {2, 4} else 0),
            self.draws.between(1, half) + (half if quadrant in {3, 4} else 0),
        )

    def beside(self, n: int, quadrant: int, *, row: bool, column: bool) -> Position:
        """Return a position in `quadrant`, of which row and column are beside the middle or not."""
        centre = centres(n)[quadrant - 1]
        far = self.draws.between(1, n // 2 - 1), self.draws.between(1, n // 2 - 1)
        i = far[0] if quadrant in {1, 3} else n + 1 - far[0]
        j = far[1] if quadrant in {1, 2} else n + 1 - far[1]
        return centre[0] if row else i, centre[1] if column else j

    def far(self, n: int, quadrant: int) -> Position:
        """Return a position in `quadrant` that is not beside the middle."""
        return self.beside(n, quadrant, row=False, column=False)

    def on_diagonal(self, n: int, quadrant: int) -> Position:
        """Return a position on the diagonal, not at the edge, in the first or last `quadrant`."""
        i = self.draws.between(2, n // 2)
        return (i, i) if quadrant == 1 else (n + 1 - i, n + 1 - i)

    def inside(self, n: int, quadrant: int) -> Position:
        """Return a position in `quadrant` that is not at the edge."""
        i, j = self.draws.between(2, n // 2), self.draws.between(2, n // 2)
        return n + 1 - i if quadrant in {2, 4} else i, n + 1 - j if quadrant in {3, 4} else j

    def at_edge(self, n: int) -> list[Position]:
        """Return a position in the first and the last row and column, and no corner."""
        a, b, c, d = (self.draws.between(2, n - 1) for _ in range(4))
        return [(1, a), (n, b), (c, 1), (d, n)]

    def digit(self) -> int:
        """Return the number of a piece, of one digit as the next few are too."""
        return self.draws.between(2, 5)

    def number(self) -> int:
        """Return the number of a piece."""
        return self.draws.between(2, 15)

    def later(self, value: int) -> int:
        """Return the number of a piece that is placed soon after the one of `value`."""
        return max(value, 1) + self.draws.between(1, 4)

    def large(self, place: int) -> int:
        """Return a number of two digits, or of more."""
        return self.draws.between(21, 99) if place % 2 else self.draws.between(256, 999)

    def changes(self, n: int, values: Sequence[int]) -> list[tuple[Position, int]]:
        """Return `values` with their positions: row by row, but for the first of three or more."""
        cells = sorted(self.draws.some(product(range(1, n + 1), repeat=2), len(values)))
        turned = cells if len(cells) < 3 else cells[1:] + cells[:1]
        return [*zip(turned, values, strict=True)]

    def updates(self, n: int) -> Iterator[Scene]:
        """Yield matrices of `n` rows of which cells change."""
        some, topic = self.draws.between, "Cambios"
        clean, full = f"np.zeros(({n}, {n}), dtype=int)", f"np.full(({n}, {n}), {some(1, 9)})"
        others = f"np.arange({n * n}).reshape({n}, {n})"
        number = some(2, 20)
        for clause, matrix, values in (
            ("cambios", clean, [some(2, 20) for _ in range(3)]),
            ("cambios", others, [some(51, 90) + 100 * k for k in range(n + 1)]),
            ("cambios", full, [number, number, number]),
            ("valores", full, [0, HOLE]),
            ("valores", others, [some(256, 9999)]),
            ("ningún cambio", others, []),
        ):
            call = f"actualiza({matrix}, {self.changes(n, values)})"
            yield scene(topic, f"{call}  # actualiza: {clause}")
        if n > 10:
            ps = [*zip(self.glued(n), (some(2, 9), some(11, 20)), strict=True)]
            yield scene(topic, f"actualiza({clean}, {ps})  # actualiza: cambios")
        ps = f"ps = {self.changes(n, [some(11, 20), some(11, 20)])}"
        ask = f"[actualiza({clean}, ps), actualiza({full}, ps)]  # actualiza: la misma lista"
        yield scene("La misma lista de cambios otra vez", ps, ask)
        lists = [self.changes(n, [some(11, 20), some(11, 20)]) for _ in range(3)]
        ask = f"[actualiza({clean}, ps) for ps in {lists}]  # actualiza: la misma lista"
        yield scene("Otra lista de cambios", ask)

    def alike(self, n: int) -> list[Position]:
        """Return a position, and some that differ from it in the row or in the column only."""
        half = n // 2
        i, j = self.within(n, 1)
        return [(i, j), (i, j + half), (i + half, j), (i, j % half + 1), (i % half + 1, j)]

    def twins(self) -> list[tuple[Position, Position]]:
        """Return pairs of holes in 16 rows that a careless memory takes for the same."""
        other = self.draws.between(1, 6)
        i, j = self.draws.between(2, 8), self.draws.between(10, 15)
        return [((9, 10 + other), (10, other)), ((i, j), (j, i))]

    def glued(self, n: int = 16) -> tuple[Position, Position]:
        """Return two positions of which the digits are the same, one after the other."""
        digit = self.draws.between(1, n - 10)
        return (1, 10 + digit), (11, digit)

    def inner(self, n: int) -> Position:
        """Return a position of a board of many rows, of which a printed one shows no cell."""
        return self.draws.between(5, n - 4), self.draws.between(5, n - 4)

    def by_size(self) -> list[Case]:
        """Return holes that lie at the same place of boards of several sizes, or where halves end.

        Two are in a board that numpy prints with dots, and one is in each quadrant of it.
        """
        i, j = self.draws.between(1, 2), self.draws.between(3, 4)
        same = [(n, hole, HOLE) for hole in ((i, j), (j, i)) for n in (4, 8, 16)]
        ends = [(n, hole, HOLE) for n in (16, 32, 64) for hole in self.draws.shuffled(centres(n))]
        return same + ends + [(32, self.inner(32), HOLE), (32, self.inner(32), HOLE)]

    def alike_at_once(self, boards: Callable[[Sequence[Case]], str]) -> Iterator[Scene]:
        """Yield questions at once of which one thing differs; `boards` writes those down."""
        topic, number, other = "Preguntas parecidas", self.number(), self.large(0)
        alike = [(4, hole, HOLE) for hole in self.alike(4)]
        for name, clause in ABOUT_HOLES.items():
            yield scene(topic, *asked_of(name, clause, boards(alike), alike))
        for name, clause, n in (
            ("triominoCentral", "hueco", 4),
            ("divide", "cuadrantes", 4),
            ("resuelve", "hueco", 2),
        ):
            cases = alike if n == 4 else [(2, hole, HOLE) for hole in corners(2)]
            ask = f"[{name}(({number}, t)) for t in {boards(cases)}]  # {name}: {clause}"
            yield scene(topic, ask)
        hole = self.anywhere(2)
        two_and_four = boards([(2, hole, HOLE), (4, hole, HOLE), (2, hole, HOLE)])
        ask = f"[ind((k, t)) for t in {two_and_four} for k in ({number}, {other})]"
        yield scene(topic, f"{ask}  # ind: indivisible o no")
        for name, clause in AT_FIRST.items():
            one, *others = self.alike(4)
            asked = [(4, one), (8, one), *((4, each) for each in others)]
            yield scene(topic, f"[{name}(n, p) for n, p in {asked}]  # {name}: {clause}")
        calls = (
            f"combina(({number}, np.array({with_hole(4, hole)})), {solutions(4, hole, number)})"
            for hole in self.alike(4)[:3]
        )
        yield scene(topic, f"[{', '.join(calls)}]  # combina: dos a la vez")

    def combination(self, n: int, hole: Position, number: int, value: int = HOLE) -> Scene:
        """Return the scene that puts the solutions of one problem together."""
        ts = f"ts = {solutions(n, hole, number, value)}"
        problem = f"({number}, np.array({with_hole(n, hole, value)}))"
        ask = f"combina({problem}, ts)  # combina: soluciones"
        return scene("Las cuatro soluciones", ts, ask)

    def two_combined(self, asked: Sequence[Case]) -> Scene:
        """Return the scene that puts solutions of several problems together at once.

        Each has its size, its hole and its number.
        """
        calls = (
            f"combina(({number}, np.array({with_hole(n, hole)})), {solutions(n, hole, number)})"
            for n, hole, number in asked
        )
        ask = f"[{', '.join(calls)}]  # combina: dos a la vez"
        return scene("Dos soluciones a la vez", ask)

    def spoiled(self) -> Iterator[Scene]:
        """Yield initial boards that are asked for again when one of them has changed."""
        for name, clause in AT_FIRST.items():
            n, hole = self.draws.choice((2, 4)), self.draws.between(1, 2)
            call = f"{name}({n}, ({hole}, 2))"
            board_of = call if name == "tablero" else f"{call}[1]"
            yield scene(
                "Un tablero que cambia",
                f"t = {board_of}",
                f"t[0][0] = {self.large(0)}",
                f"{call}  # {name}: {clause}",
            )

    def kept(self) -> Scene:
        """Return the scene in which an initial board is kept while its puzzle is solved."""
        hole = self.anywhere(4)
        solve = f"u = triomino(4, {hole})"
        return scene(
            "Un tablero que se guarda",
            f"t = tablero(4, {hole})",
            solve,
            "t  # tablero: dos a la vez",
        )


class Scenes(Drawn):
    """The scenes that count, on boards of all sizes."""

    def all(self) -> Iterator[Scene]:
        """Yield all scenes, group by group."""
        yield from self.covered()
        yield from self.at_once()
        yield from self.by_place()
        yield from self.alike_at_once(arrays)
        yield from self.first_boards()
        yield from self.spoiled()
        yield self.kept()
        yield from self.indivisible()
        yield from self.holes_found()
        yield from self.holes_moved()
        for n in (3, 5, 12):
            yield from self.updates(n)
        yield from self.pieces_placed()
        yield from self.solved()
        yield from self.divided()
        yield from self.combined()

    def boards(self, clause: str, asked: Sequence[tuple[int, Position]]) -> Scene:
        """Return the scene that asks `triomino` for boards, one after the other."""
        lines = (f"triomino({n}, {hole})  # {clause} ~ {covers(n, hole)}" for n, hole in asked)
        return scene("Tableros con un hueco", *lines)

    def covered(self) -> Iterator[Scene]:
        """Yield boards of four rows, and what can be said of boards that are not right.

        Below the diagonal a hole is in the lower left quadrant only.
        """
        for quadrant, place in zip(QUADRANTS, PLACES, strict=True):
            cells = product(range(1, 5), repeat=2)
            holes = [cell for cell in cells if quadrant_of(4, cell) == quadrant]
            asked = [(4, (i, j)) for i, j in holes if i <= j or quadrant == 2]
            yield self.boards(f"triomino: 4 filas, hueco {place}", self.draws.shuffled(asked)[:3])
        for n in (4, 16):
            hole, label = self.on_diagonal(n, 4), "triomino: números enteros, y el hueco ~ teselado"
            yield scene(
                "Los números de un tablero cubierto",
                f"triomino({n}, {hole})  # {label}.deja_hueco(answer, {n}, {hole})",
                f"triomino({n}, {hole})  # {label}.son_enteros(answer, {n})",
            )

    def at_once(self) -> Iterator[Scene]:
        """Yield several boards in one line, and the same board again."""
        for n in (4, 16, 16):
            asked = [(n, self.on_diagonal(n, 1)), (n, self.on_diagonal(n, 4))]
            yield scene("Dos tableros a la vez", several("triomino: dos a la vez", asked))
        for hole in self.draws.shuffled(corners(2)):
            asked = [(2, hole), (4, hole), (2, hole)]
            yield scene("El mismo hueco en otro tablero", several("triomino: 2 filas", asked))
        for n in (4, 16):
            one, other = self.on_diagonal(n, 1), self.on_diagonal(n, 4)
            label = f"triomino: otra vez ~ {covers(n, one)}"
            yield scene(
                "Un tablero que se guarda",
                f"t = triomino({n}, {one})",
                f"u = triomino({n}, {other})",
                f"t  # {label}",
                f"triomino({n}, {one})  # {label}",
            )

    def by_place(self) -> Iterator[Scene]:
        """Yield boards of all sizes, by where the hole is; at the edge it is in one clause only."""
        for quadrant, place in zip(QUADRANTS, PLACES, strict=True):
            n = 8 if quadrant in {1, 4} else 16
            draw = self.on_diagonal if quadrant in {1, 4} else self.inside
            asked = [(n, draw(n, quadrant)) for _ in range(3)]
            yield self.boards(f"otros-tableros: hueco {place}", asked)
        edge = [(16, each) for each in (*self.at_edge(16), *corners(16))]
        yield self.boards("otros-tableros: hueco en el borde", edge)
        asked = [(16, hole) for hole in self.glued()]
        yield scene("Huecos parecidos", several("otros-tableros: hueco en el borde", asked))
        middle = [(8, each) for each in centres(8)]
        yield self.boards("otros-tableros: hueco en el centro", middle)
        asked = [(16, self.on_diagonal(16, quadrant)) for quadrant in (1, 4)]
        yield self.boards("otros-tableros: 16 filas", asked)
        for n in (32, 64):
            one, other = self.draws.some(range(5, n - 3), 2)
            asked = [(n, (one, one)), (n, (other, other))]
            label = f"otros-tableros: {n} filas"
            if n == 32:
                yield scene("Dos tableros grandes", several(label, asked))
            yield self.boards(label, asked if n == 64 else asked[:1])
        for one, other in self.twins():
            asked = [(16, one), (16, other)]
            yield scene("Huecos parecidos", several("otros-tableros: posiciones parecidas", asked))
        asked = [(4, hole) for hole in self.draws.shuffled(centres(4))]
        yield scene("Huecos parecidos", several("otros-tableros: posiciones parecidas", asked))

    def first_boards(self) -> Iterator[Scene]:
        """Yield boards and problems as they are at first."""
        for name, clause in (("tablero", "hueco"), ("pbInicial", "número y tablero")):
            asked = [(n, self.anywhere(n)) for n in (2, 4, 8)]
            ask = f"[{name}(n, p) for n, p in {asked}]  # {name}: {clause}"
            yield scene("Tableros iniciales", ask)
            asked = [(16, hole) for pair in (self.glued(), *self.twins()) for hole in pair]
            asked += [(n, self.anywhere(n)) for n in (16, 32, 64)]
            made = f"[{name}(n, p){'' if name == 'tablero' else '[1]'} for n, p in {asked}]"
            yield scene(
                "Tableros iniciales grandes",
                f"[np.shape(t) for t in {made}]  # {name}: {clause}",
                f"{cells_of(made)}  # {name}: {clause}",
            )
        ask = f"np.full_like(tablero(4, {self.anywhere(4)}), {self.large(0)})  # tablero: hueco"
        yield scene("Las casillas de un tablero", ask)

    def indivisible(self) -> Iterator[Scene]:
        """Yield problems that are indivisible, and ones that are not."""
        sizes = (2, 2, 4, 8, 16, 32, 64)
        for numbered in (False, True):
            cases = []
            for n in sizes:
                hole = self.draws.choice(corners(n)) if numbered else self.anywhere(n)
                cases.append((n, hole, self.digit() if numbered else HOLE))
            ask = f"[ind(({self.later(5)}, t)) for t in {arrays(cases)}]"
            yield scene("Indivisible o no", f"{ask}  # ind: indivisible o no")

    def holes_found(self) -> Iterator[Scene]:
        """Yield boards of which the hole is asked, or where the middle is."""
        small = [(4, hole, HOLE) for hole in product(range(1, 5), repeat=2)]
        eight = [(8, hole, HOLE) for hole in (*corners(8), *self.at_edge(8))]
        for quadrant, (row, column) in product(QUADRANTS, NEAR_OR_FAR):
            eight.append((8, self.beside(8, quadrant, row=row, column=column), HOLE))
        two = [(2, hole, HOLE) for hole in corners(2)]
        for name, clause in ABOUT_HOLES.items():
            for cases in (small, eight, two + self.by_size()):
                yield scene("El hueco", *asked_of(name, clause, arrays(cases), cases))
        for name in NUMBERED:
            for sizes in ((2, 4), (8, 16)):
                cases = [(n, hole, self.number()) for n in sizes for hole in corners(n)]
                cases += [(n, hole, self.large(n)) for n in sizes for hole in corners(n)[1:3]]
                ask = asked_of(name, "con número", arrays(cases), cases)
                yield scene("Un hueco con número", *ask)

    def holes_moved(self) -> Iterator[Scene]:
        """Yield the same questions about a board before and after its hole has moved."""
        for n in (4, 8):
            before, after = self.far(n, 1), self.far(n, 4)
            yield moved([*ABOUT_HOLES], n, board(n, before), before, after)

    def pieces_placed(self) -> Iterator[Scene]:
        """Yield boards that get the piece in the middle."""
        small = [(4, hole, HOLE) for hole in product(range(1, 5), repeat=2)]
        eight = [(8, self.beside(8, k, row=r, column=c), HOLE) for k, (r, c) in self.sides()]
        for cases in (small, eight + self.by_size()):
            yield scene("El triominó central", self.piece("hueco", cases, 5))
        for n in (2, 4, 16):
            cases = [(n, hole, value) for hole in corners(n) for value in (self.digit(), HOLE)]
            yield scene("Un hueco con número", self.piece("con número", cases, n))
        for n in (4, 8):
            numbers = self.number(), self.large(0), self.large(1)
            yield again("triominoCentral", "con número", (n, self.anywhere(n), HOLE), numbers)

    def sides(self) -> Iterable[tuple[int, tuple[bool, bool]]]:
        """Return each quadrant with each way to be beside the middle or not."""
        return product(QUADRANTS, NEAR_OR_FAR)

    def piece(self, clause: str, cases: Sequence[Case], low: int) -> str:
        """Return the line that puts one piece in the middle of boards."""
        number = self.later(5) if low < 8 else self.large(0)
        made = f"[triominoCentral(({number}, t)) for t in {arrays(cases)}]"
        ask = made if all(n < 8 for n, _, _ in cases) else cells_of(made)
        return f"{ask}  # triominoCentral: {clause}"

    def solved(self) -> Iterator[Scene]:
        """Yield indivisible problems."""
        for clause in ("hueco", "con número"):
            for number in (self.later(5), self.large(0), self.large(1)):
                value = HOLE if clause == "hueco" else self.digit()
                cases = [(2, hole, value) for hole in self.draws.shuffled(corners(2))]
                ask = f"[resuelve(({number}, t)) for t in {arrays(cases)}]"
                yield scene("Tableros de dos filas", f"{ask}  # resuelve: {clause}")
        hole, number = self.draws.choice(corners(2)), self.later(5)
        cases = [(2, hole, value) for value in (HOLE, self.digit(), HOLE)]
        ask = f"[resuelve(({number}, t)) for t in {arrays(cases)}]  # resuelve: con número"
        yield scene("El mismo sitio otra vez", ask)
        case = (2, self.draws.choice(corners(2)), HOLE)
        yield again("resuelve", "hueco", case, (self.digit(), self.large(1)))

    def divided(self) -> Iterator[Scene]:
        """Yield problems that are divided."""
        cases = [(4, hole, HOLE) for hole in self.draws.shuffled(centres(4))]
        yield scene("Los cuatro subproblemas", self.division("cuadrantes", cases, self.digit()))
        cases = [(n, self.far(n, quadrant), HOLE) for n in (8, 16) for quadrant in QUADRANTS]
        cases += self.by_size()
        yield scene("Los cuatro subproblemas", self.division("cuadrantes", cases, self.number()))
        case = (4, self.anywhere(4), HOLE)
        yield again("divide", "cuadrantes", case, (self.digit(), self.large(0)))
        for n, number in ((4, self.later(5)), (8, self.large(0)), (16, self.later(5))):
            cases = [(n, hole, value) for hole in corners(n) for value in (self.digit(), HOLE)]
            line = self.division("con número", cases, number)
            yield scene("Los subproblemas de un subproblema", line)

    def division(self, clause: str, cases: Sequence[Case], number: int) -> str:
        """Return the line that divides problems."""
        made = f"[divide(({number}, t)) for t in {arrays(cases)}]"
        if any(n > 4 for n, _, _ in cases):
            parts = cells_of("[q for _, q in parts]")
            made = f"[([k for k, _ in parts], {parts}) for parts in {made}]"
        return f"{made}  # divide: {clause}"

    def combined(self) -> Iterator[Scene]:
        """Yield problems of which the parts are solved."""
        for n, quadrant in ((4, 1), (4, 2), (4, 3), (4, 4), (8, 2), (8, 3), (16, 1)):
            yield self.combination(n, self.within(n, quadrant), self.number())
        for place in range(2):
            yield self.combination(4, self.anywhere(4), self.large(place))
            # A part of a larger problem: its hole is what a piece has covered.
            covered = self.draws.between(1, 9)
            yield self.combination(4, self.anywhere(4), self.large(place), value=covered)
        hole, number = self.anywhere(4), self.number()
        yield self.two_combined([(4, hole, number), (4, hole, self.draws.between(21, 40))])
        yield self.two_combined([(4, hole, number), (8, hole, number), (4, hole, number)])


class Examples(Drawn):
    """The scenes that are shown: most of four rows, a row of holes at a time."""

    def all(self) -> Iterator[Scene]:
        """Yield all scenes, group by group."""
        yield from self.covered()
        yield from self.at_once()
        yield from self.alike_at_once(boards_of)
        yield from self.first_boards()
        yield from self.spoiled()
        yield self.kept()
        yield from self.by_row()
        yield from self.holes_moved()
        yield from self.by_size_shown()
        yield from self.updates(2)
        yield from self.updates(3)
        yield from self.updates(12)
        yield from self.numbered()
        yield from self.small_boards()
        yield from self.combined()

    def covered(self) -> Iterator[Scene]:
        """Yield boards that are covered: small ones two at a time, as each of them counts."""
        for one, other in zip(corners(2), reversed(corners(2)), strict=True):
            yield self.two("triomino: 2 filas", [(2, one), (2, other)])
            yield self.two("triomino: 2 filas", [(2, one), (4, one)])
        for quadrant, place in zip(QUADRANTS, PLACES, strict=True):
            cells = product(range(1, 5), repeat=2)
            holes = self.draws.shuffled(c for c in cells if quadrant_of(4, c) == quadrant)
            for one, other in zip(holes[::2], holes[1::2], strict=True):
                yield self.two(f"triomino: 4 filas, hueco {place}", [(4, one), (4, other)])
        for n in (2, 4):
            integers = f"teselado.son_enteros(answer, {n})"
            label = f"triomino: números enteros, y el hueco ~ {integers}"
            yield scene("Un tablero", f"triomino({n}, {self.anywhere(n)})  # {label}")
        hole = self.anywhere(2)
        place = PLACES[quadrant_of(4, hole) - 1]
        yield self.two(f"triomino: 4 filas, hueco {place}", [(2, hole), (4, hole)])
        for quadrant, place in zip(QUADRANTS, PLACES, strict=True):
            n = 4 if quadrant < 3 else 8
            hole = self.within(n, quadrant)
            free = f"teselado.deja_hueco(answer, {n}, {hole})"
            label = f"triomino: números enteros, y el hueco ~ {free}"
            yield scene("Un tablero", f"triomino({n}, {hole})  # {label}")
            for n in (8, 8):
                yield self.board(f"hueco {place}", n, self.within(n, quadrant))
            yield self.board("16 filas", 16, self.within(16, quadrant))
        for hole in (*self.at_edge(8), *corners(8)):
            yield self.board("hueco en el borde", 8, hole)
        for one, other in zip(centres(8), reversed(centres(8)), strict=True):
            yield self.two("otros-tableros: hueco en el centro", [(8, one), (8, other)])
        for n in (32, 64):
            yield self.board(f"{n} filas", n, self.anywhere(n))
            asked = [(n, self.inner(n)), (n, self.inner(n))]
            yield self.two(f"otros-tableros: {n} filas", asked)

    def board(self, clause: str, n: int, hole: Position) -> Scene:
        """Return the scene that asks for one board."""
        ask = f"triomino({n}, {hole})  # otros-tableros: {clause} ~ {covers(n, hole)}"
        return scene("Un tablero", ask)

    def two(self, clause: str, asked: Sequence[tuple[int, Position]]) -> Scene:
        """Return the scene that asks for boards in one line."""
        return scene("Dos tableros", several(clause, asked))

    def at_once(self) -> Iterator[Scene]:
        """Yield several boards in one line."""
        one, other = self.within(4, 1), self.within(4, 4)
        yield scene("Dos a la vez", several("triomino: dos a la vez", [(4, one), (4, other)]))
        hole = self.anywhere(2)
        asked = [(2, hole), (4, hole), (2, hole)]
        yield scene("El mismo hueco", several("triomino: 2 filas", asked))
        hole = self.anywhere(4)
        asked = [(4, hole), (16, hole), (4, hole)]
        yield scene("El mismo hueco", several("triomino: dos a la vez", asked))
        for n, clause in (
            (4, "triomino: otra vez"),
            (4, "otros-tableros: posiciones parecidas"),
            (16, "triomino: dos a la vez"),
        ):
            hole = self.anywhere(n)
            yield scene("Otra vez", several(clause, [(n, hole), (n, hole)]))
        label = f"triomino: otra vez ~ {covers(4, one)}"
        for ask in ("t", f"triomino(4, {one})"):
            lines = f"t = triomino(4, {one})", f"u = triomino(4, {other})", f"{ask}  # {label}"
            yield scene("Un tablero que se guarda", *lines)
        for one, other in (*self.twins(), self.glued()):
            asked = [(16, other), (16, one)]
            yield scene("Huecos parecidos", several("otros-tableros: posiciones parecidas", asked))
        one, *others = self.alike(4)
        for each in others:
            asked = [(4, one), (4, each)]
            yield scene("Huecos parecidos", several("otros-tableros: posiciones parecidas", asked))

    def first_boards(self) -> Iterator[Scene]:
        """Yield boards and problems as they are at first, and which are indivisible."""
        for n in (2, 4):
            calls = (
                f"tablero({n}, {self.anywhere(n)})  # tablero: hueco",
                f"pbInicial({n}, {self.anywhere(n)})  # pbInicial: número y tablero",
                f"ind((1, tablero({n}, {self.anywhere(n)})))  # ind: indivisible o no",
            )
            yield from (scene("Un tablero inicial", call) for call in calls)
        yield from self.large_first_boards()
        for name, clause in AT_FIRST.items():
            one, other = (f"{name}(2, {hole})" for hole in self.draws.some(corners(2), 2))
            yield scene("Dos a la vez", f"[{one}, {other}]  # {name}: {clause}")

    def large_first_boards(self) -> Iterator[Scene]:
        """Yield initial boards of many rows, and what their cells can hold."""
        for name, board_of, clause in (
            ("tablero", "tablero(n, p)", "hueco"),
            ("pbInicial", "pbInicial(n, p)[1]", "número y tablero"),
        ):
            for n in (16, 32, 64):
                call = board_of.replace("n, p", f"{n}, {self.anywhere(n)}")
                for ask in (f"np.shape({call})", f"np.argwhere(np.array({call})).tolist()"):
                    yield scene("Un tablero grande", f"{ask}  # {name}: {clause}")
            for pair in (self.glued(), *self.twins()):
                made = f"np.array({board_of.replace('(n', '(16')})"
                ask = f"[np.argwhere({made}).tolist() for p in {[*pair]}]  # {name}: {clause}"
                yield scene("Huecos parecidos", ask)
        ask = f"np.full_like(tablero(4, {self.anywhere(4)}), {self.large(0)})  # tablero: hueco"
        yield scene("Las casillas de un tablero", ask)

    def by_row(self) -> Iterator[Scene]:
        """Yield holes of one row or column after the other."""
        for name in ("cuadranteHueco", "centralHueco"):
            for i in range(1, 5):
                ask = f"[{name}(tablero(4, ({i}, j))) for j in range(1, 5)]"
                yield scene("Huecos de una fila", f"{ask}  # {name}: {ABOUT_HOLES[name]}")
            for position in ("p, p", "p, 9 - p"):
                ask = f"[{name}(tablero(8, ({position}))) for p in (1, 8)]"
                yield scene("Huecos en las esquinas", f"{ask}  # {name}: {ABOUT_HOLES[name]}")
        for k, position in product((1, 4), ("(k, m)", "(m, k)")):
            text = position.replace("k", str(k))
            ask = f"[posicionHueco(tablero(4, {text})) for m in range(1, 5)]"
            yield scene("Huecos de un borde", f"{ask}  # posicionHueco: sitio")
        ask = "[centralHueco(tablero(2, (1, j))) for j in (1, 2)]  # centralHueco: casilla central"
        yield scene("Huecos de una fila", ask)
        for position in ("p, p", "p, 9 - p"):
            ask = f"[posicionHueco(tablero(8, ({position}))) for p in range(2, 8)]"
            yield scene("Huecos de una diagonal", f"{ask}  # posicionHueco: sitio")
        edge = ((1, 2), (2, 1), (3, 1), (4, 2), (1, 3), (2, 4), (3, 4), (4, 3))
        for i, j in (*edge, *corners(4)):
            label = f"centralesSinHueco: casillas centrales ~ {among(other_centres(4, (i, j)))}"
            yield scene("Un hueco", f"centralesSinHueco(tablero(4, ({i}, {j})))  # {label}")

    def holes_moved(self) -> Iterator[Scene]:
        """Yield the same question about a board before and after its hole has moved."""
        for name in ABOUT_HOLES:
            before, after = self.draws.some(corners(2), 2)
            yield moved([name], 2, [literal(before, n=2)], before, after)

    def by_size_shown(self) -> Iterator[Scene]:
        """Yield questions about large boards, and about a hole at the same place of two sizes."""
        (i, j), number = self.inner(32), self.digit()
        boards = [
            [(32, self.inner(32), HOLE), (32, self.inner(32), HOLE)],
            *([(n, hole, HOLE) for hole in centres(n)] for n in (16, 32, 64)),
            [(32, (16, j), HOLE), (32, (17, j), HOLE)],
            [(32, (i, 16), HOLE), (32, (i, 17), HOLE)],
            *([(n, hole, HOLE) for n in (8, 4, 8)] for hole in ((1, 1), (1, 3), (3, 2))),
        ]
        for cases in boards:
            for name, clause in ABOUT_HOLES.items():
                yield scene("Varios tamaños", *asked_of(name, clause, boards_of(cases), cases))
            pieces = f"[triominoCentral(({number}, t)) for t in {boards_of(cases)}]"
            yield scene("Varios tamaños", f"{cells_of(pieces)}  # triominoCentral: hueco")
            parts = cells_of("[q for _, q in parts]")
            made = f"[divide(({number}, t)) for t in {boards_of(cases)}]"
            ask = f"[([k for k, _ in parts], {parts}) for parts in {made}]"
            yield scene("Varios tamaños", f"{ask}  # divide: cuadrantes")
        for n in (16, 32, 64):
            ask = f"ind((1, tablero({n}, {self.anywhere(n)})))  # ind: indivisible o no"
            yield scene("Un tablero grande", ask)

    def numbered(self) -> Iterator[Scene]:
        """Yield boards of which the hole has a number."""
        hole = self.draws.choice(corners(4))
        for value in (self.large(0), self.large(1)):
            for name in NUMBERED:
                ask = f"{name}(t)  # {name}: con número"
                yield scene("Un hueco con número", literal(hole, value), ask)
        for name, clause, n in (
            ("triominoCentral", "con número", 4),
            ("divide", "con número", 4),
            ("resuelve", "con número", 2),
        ):
            hole = self.draws.choice(corners(n))
            boards = arrays([(n, hole, value) for value in (HOLE, self.digit(), HOLE)])
            ask = f"[{name}(({self.later(5)}, t)) for t in {boards}]  # {name}: {clause}"
            yield scene("El mismo sitio otra vez", ask)
        for hole in corners(2):
            value = self.digit()
            start = literal(hole, value, n=2)
            number = self.later(value)
            for ask in (
                "posicionHueco(t)  # posicionHueco: con número",
                "cuadranteHueco(t)  # cuadranteHueco: con número",
                f"ind(({number}, t))  # ind: indivisible o no",
                f"resuelve(({number}, t))  # resuelve: con número",
            ):
                yield scene("Un hueco con número", start, ask)
        for hole in corners(4):
            value = self.digit()
            number = self.later(value)
            for ask in (
                f"triominoCentral(({number}, t))  # triominoCentral: con número",
                f"divide(({number}, t))  # divide: con número",
                f"ind(({number}, t))  # ind: indivisible o no",
            ):
                yield scene("Un hueco con número", literal(hole, value), ask)

    def small_boards(self) -> Iterator[Scene]:
        """Yield boards that get pieces, and that are divided."""
        for quadrant, centre in zip(QUADRANTS, centres(4), strict=True):
            near = self.beside(4, quadrant, row=quadrant in {1, 3}, column=quadrant in {2, 4})
            for number, hole, clause in (
                (self.digit(), centre, "hueco"),
                (self.digit(), near, "hueco"),
                (self.digit(), self.far(4, quadrant), "hueco"),
                (self.large(0), centre, "con número"),
            ):
                ask = f"triominoCentral(({number}, tablero(4, {hole})))"
                yield scene("El triominó central", f"{ask}  # triominoCentral: {clause}")
            ask = f"divide(({self.digit()}, tablero(4, {centre})))  # divide: cuadrantes"
            yield scene("Los subproblemas", ask)
            hole = self.within(8, quadrant)
            ask = f"divide(({self.digit()}, tablero(8, {hole})))  # divide: cuadrantes"
            yield scene("Los subproblemas", ask)
            numbers = self.digit(), self.large(0)
            yield again("triominoCentral", "con número", (4, centre, HOLE), numbers)
        numbers = self.digit(), self.large(0)
        yield again("divide", "cuadrantes", (4, self.anywhere(4), HOLE), numbers)
        for hole in corners(2):
            ask = f"triominoCentral(({self.digit()}, tablero(2, {hole})))"
            yield scene("Dos filas", f"{ask}  # triominoCentral: con número")
            for number, clause in ((self.digit(), "hueco"), (self.large(0), "con número")):
                ask = f"resuelve(({number}, tablero(2, {hole})))  # resuelve: {clause}"
                yield scene("Dos filas", ask)
            yield again("resuelve", "hueco", (2, hole, HOLE), (self.digit(), self.large(1)))

    def combined(self) -> Iterator[Scene]:
        """Yield problems of which the parts are solved."""
        for n, number in ((4, self.number()), (8, self.number()), (4, self.large(0))):
            hole = self.anywhere(n)
            ts = f"ts = {solutions(n, hole, number)}"
            ask = f"combina(({number}, tablero({n}, {hole})), ts)  # combina: soluciones"
            yield scene("Las cuatro soluciones", ts, ask)
        yield self.combination(4, (2, 3), 3, value=1)
        hole, number = self.anywhere(4), self.number()
        yield self.two_combined([(n, hole, number) for n in (4, 8, 4)])
        hole, one, other = self.anywhere(4), self.number(), self.large(1)
        calls = [f"combina(({one}, t), ts)", f"combina(({other}, t), us)"]
        yield scene(
            "Dos soluciones a la vez",
            f"t = tablero(4, {hole})",
            f"ts = {solutions(4, hole, one)}",
            f"us = {solutions(4, hole, other)}",
            f"[{', '.join(calls)}]  # combina: dos a la vez",
        )


def scenes(draws: Draws) -> Iterable[Scene]:
    """Return the scenes that count."""
    return Scenes(draws).all()


def examples(draws: Draws) -> Iterable[Scene]:
    """Return the scenes that are shown."""
    return Examples(draws).all()


GENERATOR = Generator(version=8, clauses=CLAUSES, scenes=scenes, examples=examples)
