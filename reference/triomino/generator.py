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
    "cuadranteHueco": "lejos del medio",
    "centralHueco": "casilla central",
    "centralesSinHueco": "casillas centrales",
}
"""The functions that are asked about any hole, each with the clause of it."""

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
        "2 filas": _PUZZLE,
        **{f"4 filas, hueco {place}": _PUZZLE for place in PLACES},
        "hueco": "La casilla eliminada se representará con -1",
        "números enteros": _INTEGERS,
    },
    "otros-tableros": {
        "hueco arriba a la izquierda": _COVER,
        "hueco abajo a la izquierda": _COVER,
        "hueco arriba a la derecha": _COVER,
        "hueco abajo a la derecha": _COVER,
        "hueco en el borde": _COVER,
        "hueco en el centro": _COVER,
        "16 filas": _SQUARE,
        "32 y 64 filas": _SQUARE,
        "dos a la vez": _PUZZLE,
        "la misma posición": _PUZZLE,
        "posiciones parecidas": _PUZZLE,
    },
    "tablero": {"hueco": _BOARD, "dos a la vez": _BOARD},
    "pbInicial": {"número y tablero": _FIRST},
    "ind": {"indivisible o no": _INDIVISIBLE},
    "posicionHueco": {"sitio": _WHERE, "con número": _NOT_ZERO},
    "cuadranteHueco": {
        "junto al medio": _QUADRANT,
        "lejos del medio": _QUADRANT,
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
    "triominoCentral": {"hueco": _PIECE, "con número": _PIECE, "el mismo tablero": _PIECE},
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


def solutions(n: int, hole: Position, number: int) -> str:
    """Return the solutions of the parts of a problem, in the order of `divide`, as arrays."""
    board, half = with_hole(n, hole), n // 2
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


def arrays(n: int, holes: Iterable[Position]) -> str:
    """Return an expression for boards of `n` rows, in full."""
    return f"[{', '.join(f'np.array({with_hole(n, hole)})' for hole in holes)}]"


def boards_of(n: int, holes: Iterable[Position]) -> str:
    """Return a short expression for boards of `n` rows."""
    return f"[tablero({n}, p) for p in {[*holes]}]"


def scene(topic: str, *lines: str) -> Scene:
    """Return the scene of `lines`, with numpy where they need it."""
    needed = any("np." in line for line in lines)
    return Scene(topic=topic, lines="\n".join([NUMPY, *lines] if needed else lines))


def moved(name: str, n: int, start: Sequence[str], before: Position, after: Position) -> Scene:
    """Return the scene that asks `name` twice about a board, and twice when its hole has moved."""
    asks = []
    for hole in (before, after):
        accepts = f" ~ {among(other_centres(n, hole))}" if name == "centralesSinHueco" else ""
        asks.append(f"{name}(t)  # {name}: {ABOUT_HOLES[name]}{accepts}")
    old, new = (f"t[{i - 1}, {j - 1}]" for i, j in (before, after))
    move = f"{old}, {new} = 0, {HOLE}"
    return scene("Un hueco que cambia de sitio", *start, asks[0], asks[0], move, asks[1], asks[1])


def again(name: str, clause: str, n: int, hole: Position, numbers: Sequence[int]) -> Scene:
    """Return the scene that asks `name` about the same board with several `numbers`, at once."""
    calls = ", ".join(f"{name}(({number}, tablero({n}, {hole})))" for number in numbers)
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
        """Return a position on the diagonal, in the first or in the last `quadrant`."""
        i = self.draws.between(1, n // 2) + (n // 2 if quadrant == 4 else 0)
        return i, i

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
        some = self.draws.between
        clean, full = f"np.zeros(({n}, {n}), dtype=int)", f"np.full(({n}, {n}), {some(1, 9)})"
        for clause, matrix, values in (
            ("cambios", clean, [some(2, 20) for _ in range(3)]),
            ("cambios", clean, [some(2, 20) for _ in range(n + 2)]),
            ("cambios", full, [some(11, 20), some(11, 20)]),
            ("valores", full, [0, HOLE]),
            ("valores", clean, [some(256, 9999)]),
            ("ningún cambio", full, []),
        ):
            call = f"actualiza({matrix}, {self.changes(n, values)})"
            yield scene("Cambios", f"{call}  # actualiza: {clause}")
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

    def alike_at_once(self, boards: Callable[[int, Sequence[Position]], str]) -> Iterator[Scene]:
        """Yield questions at once of which one thing differs; `boards` writes those down."""
        topic, number, other = "Preguntas parecidas", self.number(), self.large(0)
        for ask, clause in (
            ("posicionHueco(t)", "posicionHueco: sitio"),
            ("cuadranteHueco(t)", "cuadranteHueco: junto al medio"),
            ("centralHueco(t)", "centralHueco: casilla central"),
            (
                "sorted(map(tuple, centralesSinHueco(t)))",
                "centralesSinHueco: casillas centrales",
            ),
            (f"triominoCentral(({number}, t))", "triominoCentral: el mismo tablero"),
            (f"divide(({number}, t))", "divide: cuadrantes"),
        ):
            yield scene(topic, f"[{ask} for t in {boards(4, self.alike(4))}]  # {clause}")
        ask = f"[resuelve(({number}, t)) for t in {boards(2, corners(2))}]"
        yield scene(topic, f"{ask}  # resuelve: hueco")
        two_and_four = f"{boards(2, [self.anywhere(2)])} + {boards(4, [self.anywhere(4)])}"
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

    def twins(self) -> list[tuple[Position, Position]]:
        """Return pairs of holes in 16 rows that a careless memory takes for the same."""
        digit, other = self.draws.between(1, 6), self.draws.between(1, 6)
        i, j = self.draws.between(1, 8), self.draws.between(10, 16)
        return [
            ((1, 10 + digit), (11, digit)),
            ((9, 10 + other), (10, other)),
            ((i, j), (j, i)),
        ]


class Scenes(Drawn):
    """The scenes that count, on boards of all sizes."""

    def all(self) -> Iterator[Scene]:
        """Yield all scenes, group by group."""
        yield from self.covered()
        yield from self.by_place()
        yield from self.at_once()
        yield from self.alike_at_once(arrays)
        yield from self.first_boards()
        yield from self.indivisible()
        yield from self.holes_found()
        yield from self.by_quadrant()
        yield from self.holes_moved()
        for n in (3, 4, 5):
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
        """Yield boards of two and four rows, and what can be said of boards that are not right."""
        yield self.boards("triomino: 2 filas", [(2, hole) for hole in corners(2)])
        for quadrant, place in zip(QUADRANTS, PLACES, strict=True):
            cells = product(range(1, 5), repeat=2)
            holes = [cell for cell in cells if quadrant_of(4, cell) == quadrant]
            asked = [(4, hole) for hole in self.draws.some(holes, 3)]
            yield self.boards(f"triomino: 4 filas, hueco {place}", asked)
        holes = [(n, self.on_diagonal(n, 4)) for n in (4, 4, 8, 8, 16)]
        label = "triomino: hueco ~ teselado.deja_hueco(answer"
        lines = (f"triomino({n}, {hole})  # {label}, {n}, {hole})" for n, hole in holes)
        yield scene("El hueco de un tablero cubierto", *lines)
        label = "triomino: números enteros ~ teselado.son_enteros(answer"
        lines = (f"triomino({n}, {self.anywhere(n)})  # {label}, {n})" for n in (2, 4, 8))
        yield scene("Los números de un tablero cubierto", *lines)

    def by_place(self) -> Iterator[Scene]:
        """Yield boards of all sizes, by where the hole is."""
        for quadrant, place in zip(QUADRANTS, PLACES, strict=True):
            draw = self.on_diagonal if quadrant in {1, 4} else self.within
            asked = [(8, draw(8, quadrant)) for _ in range(4)]
            yield self.boards(f"otros-tableros: hueco {place}", asked)
        edge = [*self.at_edge(8), *corners(8)]
        yield self.boards("otros-tableros: hueco en el borde", [(8, each) for each in edge])
        middle = [(8, each) for each in centres(8)]
        yield self.boards("otros-tableros: hueco en el centro", middle)
        for clause, sizes in (("16 filas", (16, 16)), ("32 y 64 filas", (32, 64))):
            asked = [(n, self.on_diagonal(n, quadrant)) for n in sizes for quadrant in (1, 4)]
            yield self.boards(f"otros-tableros: {clause}", asked)

    def at_once(self) -> Iterator[Scene]:
        """Yield several boards in one line."""
        for _ in range(3):
            asked = [(4, self.on_diagonal(4, 1)), (4, self.on_diagonal(4, 4))]
            yield scene("Dos tableros a la vez", several("otros-tableros: dos a la vez", asked))
        for _ in range(3):
            hole = self.draws.choice(corners(2))
            asked = [(2, hole), (4, hole), (2, hole)]
            yield scene(
                "El mismo hueco en otro tablero",
                several("otros-tableros: la misma posición", asked),
            )
        for one, other in (*self.twins(), *self.twins()):
            asked = [(16, one), (16, other)]
            yield scene("Huecos parecidos", several("otros-tableros: posiciones parecidas", asked))
        asked = [(4, hole) for hole in self.alike(4)]
        yield scene("Huecos parecidos", several("otros-tableros: posiciones parecidas", asked))

    def first_boards(self) -> Iterator[Scene]:
        """Yield boards and problems as they are at first."""
        calls = [f"tablero({n}, {self.anywhere(n)})" for n in (2, 4, 8, 16)]
        yield scene("Tableros iniciales", *(f"{call}  # tablero: hueco" for call in calls))
        for call in (f"tablero(64, {self.anywhere(64)})" for _ in range(2)):
            yield scene(
                "Un tablero inicial grande",
                f"np.shape({call})  # tablero: hueco",
                f"np.argwhere(np.array({call})).tolist()  # tablero: hueco",
            )
        calls = [f"pbInicial({n}, {self.anywhere(n)})" for n in (2, 4, 8, 16)]
        lines = (f"{call}  # pbInicial: número y tablero" for call in calls)
        yield scene("Problemas iniciales", *lines)
        for name, clause in AT_FIRST.items():
            for n in (2, 4, 8):
                one, other = (f"{name}({n}, {self.within(n, quadrant)})" for quadrant in (1, 4))
                yield scene("Dos a la vez", f"[{one}, {other}]  # {name}: {clause}")

    def indivisible(self) -> Iterator[Scene]:
        """Yield problems that are indivisible, and ones that are not."""
        lines = []
        for n in (2, 2, 4, 8, 16):
            ask = f"ind(({self.number()}, t))  # ind: indivisible o no"
            lines += [*board(n, self.anywhere(n)), ask]
        yield scene("Indivisible o no", *lines)
        lines = []
        for n in (2, 2, 4, 8, 16):
            value = self.number()
            ask = f"ind(({self.later(value)}, t))  # ind: indivisible o no"
            lines += [*board(n, self.draws.choice(corners(n)), value), ask]
        yield scene("Un subproblema, indivisible o no", *lines)

    def holes_found(self) -> Iterator[Scene]:
        """Yield boards of which the position of the hole is asked."""
        ask = "posicionHueco(t)  # posicionHueco"
        lines = []
        for n in (4, 8, 16, 32):
            hole = self.draws.between(2, n - 1), self.draws.between(2, n - 1)
            lines += [*board(n, hole), f"{ask}: sitio"]
        yield scene("La posición del hueco", *lines)
        for n, holes in ((4, corners(4)), (8, corners(8)), (8, self.at_edge(8))):
            lines = [line for hole in holes for line in (*board(n, hole), f"{ask}: sitio")]
            yield scene("Un hueco en el borde", *lines)
        for n in (2, 4, 8):
            yield self.numbered(n, f"{ask}: con número")

    def numbered(self, n: int, ask: str) -> Scene:
        """Return the scene that asks about boards with a number in a corner."""
        boards = [board(n, hole, self.number()) for hole in corners(n)]
        return scene("Un hueco con número", *(line for each in boards for line in (*each, ask)))

    def by_quadrant(self) -> Iterator[Scene]:
        """Yield boards of which the quadrant of the hole decides what is right."""
        for n, quadrant in product((4, 8), QUADRANTS):
            lines = []
            for row, column in NEAR_OR_FAR:
                hole = self.beside(n, quadrant, row=row, column=column)
                where = "junto al medio" if row or column else "lejos del medio"
                others = among(other_centres(n, hole))
                lines += [
                    *board(n, hole),
                    f"cuadranteHueco(t)  # cuadranteHueco: {where}",
                    "centralHueco(t)  # centralHueco: casilla central",
                    f"centralesSinHueco(t)  # centralesSinHueco: casillas centrales ~ {others}",
                ]
            yield scene("El cuadrante del hueco", *lines)
        for n in (4, 8):
            yield self.numbered(n, "cuadranteHueco(t)  # cuadranteHueco: con número")
        for hole in corners(2):
            ask = "centralHueco(t)  # centralHueco: casilla central"
            yield scene("El cuadrante de una casilla", *board(2, hole), ask)

    def holes_moved(self) -> Iterator[Scene]:
        """Yield the same question about a board before and after its hole has moved."""
        for name, n in product(ABOUT_HOLES, (4, 8)):
            before, after = self.far(n, 1), self.far(n, 4)
            yield moved(name, n, board(n, before), before, after)

    def pieces_placed(self) -> Iterator[Scene]:
        """Yield boards that get the piece in the middle."""
        for n, quadrant in product((4, 8), QUADRANTS):
            lines = []
            for row, column in NEAR_OR_FAR:
                hole = self.beside(n, quadrant, row=row, column=column)
                lines += self.piece("hueco", n, hole)
            yield scene("El triominó central", *lines)
        for n in (4, 8):
            lines = []
            for hole in corners(n):
                lines += self.piece("con número", n, hole, self.number())
            yield scene("Un hueco con número", *lines)
        lines = []
        for place in range(4):
            ask = f"triominoCentral(({self.large(place)}, t))  # triominoCentral: con número"
            lines += [*board(4, corners(4)[place]), ask]
        yield scene("Números grandes", *lines)
        for n in (4, 8):
            numbers = self.number(), self.large(0)
            yield again("triominoCentral", "el mismo tablero", n, self.anywhere(n), numbers)

    def piece(self, clause: str, n: int, hole: Position, value: int = HOLE) -> list[str]:
        """Return the lines that put one piece in the middle."""
        ask = f"triominoCentral(({self.later(value)}, t))  # triominoCentral: {clause}"
        return [*board(n, hole, value), ask]

    def solved(self) -> Iterator[Scene]:
        """Yield indivisible problems."""
        for clause in ("hueco", "con número"):
            lines = []
            for hole in corners(2):
                value = HOLE if clause == "hueco" else self.number()
                ask = f"resuelve(({self.later(value)}, t))  # resuelve: {clause}"
                lines += [*board(2, hole, value), ask]
            yield scene("Tableros de dos filas", *lines)
        calls = [f"resuelve(({self.large(i)}, tablero(2, {p})))" for i, p in enumerate(corners(2))]
        yield scene("Números grandes", *(f"{call}  # resuelve: con número" for call in calls))
        for hole in self.draws.some(corners(2), 2):
            yield again("resuelve", "hueco", 2, hole, (self.digit(), self.large(1)))

    def divided(self) -> Iterator[Scene]:
        """Yield problems that are divided."""
        lines = [line for hole in centres(4) for line in self.division("cuadrantes", 4, hole)]
        yield scene("Los cuatro subproblemas", *lines)
        for n in (8, 16):
            holes = [self.far(n, quadrant) for quadrant in QUADRANTS]
            lines = [line for hole in holes for line in self.division("cuadrantes", n, hole)]
            yield scene("Los cuatro subproblemas", *lines)
        yield again("divide", "cuadrantes", 4, self.anywhere(4), (self.digit(), self.large(0)))
        for n in (4, 8):
            lines = []
            for hole in corners(n):
                lines += self.division("con número", n, hole, self.number())
            yield scene("Los subproblemas de un subproblema", *lines)

    def division(self, clause: str, n: int, hole: Position, value: int = HOLE) -> list[str]:
        """Return the lines that divide one problem."""
        return [*board(n, hole, value), f"divide(({self.later(value)}, t))  # divide: {clause}"]

    def combined(self) -> Iterator[Scene]:
        """Yield problems of which the parts are solved."""
        for n, quadrant in product((4, 8), QUADRANTS):
            yield self.combination(n, self.within(n, quadrant), self.number())
        for place in range(2):
            yield self.combination(4, self.anywhere(4), self.large(place))
        for n in (4, 8):
            hole = self.anywhere(n)
            calls = (
                f"combina(({number}, t), {solutions(n, hole, number)})"
                for number in (self.number(), self.draws.between(21, 40))
            )
            ask = f"[{', '.join(calls)}]  # combina: dos a la vez"
            yield scene("Dos soluciones a la vez", *board(n, hole), ask)

    def combination(self, n: int, hole: Position, number: int) -> Scene:
        """Return the scene that puts the solutions of one problem together."""
        ts = f"ts = {solutions(n, hole, number)}"
        ask = f"combina(({number}, t), ts)  # combina: soluciones"
        return scene("Las cuatro soluciones", *board(n, hole), ts, ask)


class Examples(Drawn):
    """The scenes that are shown: most of four rows, a row of holes at a time."""

    def all(self) -> Iterator[Scene]:
        """Yield all scenes, group by group."""
        yield from self.covered()
        yield from self.at_once()
        yield from self.alike_at_once(boards_of)
        yield from self.first_boards()
        yield from self.by_row()
        yield from self.holes_moved()
        yield from self.updates(2)
        yield from self.updates(3)
        yield from self.numbered()
        yield from self.small_boards()
        yield from self.combined()

    def covered(self) -> Iterator[Scene]:
        """Yield boards that are covered: small ones two at a time, as each of them counts."""
        for one, other in zip(corners(2), reversed(corners(2)), strict=True):
            yield self.two("triomino: 2 filas", [(2, one), (2, other)])
        for quadrant, place in zip(QUADRANTS, PLACES, strict=True):
            cells = product(range(1, 5), repeat=2)
            holes = self.draws.shuffled(c for c in cells if quadrant_of(4, c) == quadrant)
            for one, other in zip(holes[::2], holes[1::2], strict=True):
                yield self.two(f"triomino: 4 filas, hueco {place}", [(4, one), (4, other)])
        for n in (2, 4):
            integers = f"teselado.son_enteros(answer, {n})"
            ask = f"triomino({n}, {self.anywhere(n)})  # triomino: números enteros ~ {integers}"
            yield scene("Un tablero", ask)
        hole = self.anywhere(2)
        place = PLACES[quadrant_of(4, hole) - 1]
        yield self.two(f"triomino: 4 filas, hueco {place}", [(2, hole), (4, hole)])
        for quadrant, place in zip(QUADRANTS, PLACES, strict=True):
            n = 4 if quadrant < 3 else 8
            hole = self.within(n, quadrant)
            free = f"teselado.deja_hueco(answer, {n}, {hole})"
            yield scene("Un tablero", f"triomino({n}, {hole})  # triomino: hueco ~ {free}")
            for n in (8, 8):
                yield self.board(f"hueco {place}", n, self.within(n, quadrant))
            yield self.board("16 filas", 16, self.within(16, quadrant))
        for hole in (*self.at_edge(8), *corners(8)):
            yield self.board("hueco en el borde", 8, hole)
        for one, other in zip(centres(8), reversed(centres(8)), strict=True):
            yield self.two("otros-tableros: hueco en el centro", [(8, one), (8, other)])
        yield self.board("32 y 64 filas", 64, self.anywhere(64))

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
        yield scene("Dos a la vez", several("otros-tableros: dos a la vez", [(4, one), (4, other)]))
        hole = self.anywhere(2)
        asked = [(2, hole), (4, hole), (2, hole)]
        yield scene("El mismo hueco", several("otros-tableros: la misma posición", asked))
        for one, other in self.twins():
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
        call = f"tablero(64, {self.anywhere(64)})"
        for ask in (f"np.shape({call})", f"np.argwhere(np.array({call})).tolist()"):
            yield scene("Un tablero grande", f"{ask}  # tablero: hueco")
        for name, clause in AT_FIRST.items():
            one, other = (f"{name}(2, {hole})" for hole in self.draws.some(corners(2), 2))
            yield scene("Dos a la vez", f"[{one}, {other}]  # {name}: {clause}")

    def by_row(self) -> Iterator[Scene]:
        """Yield holes of one row or column after the other."""
        for name, near in (
            ("cuadranteHueco", "junto al medio"),
            ("centralHueco", "casilla central"),
        ):
            for i in range(1, 5):
                ask = f"[{name}(tablero(4, ({i}, j))) for j in range(1, 5)]"
                yield scene("Huecos de una fila", f"{ask}  # {name}: {near}")
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
            yield moved(name, 2, [literal(before, n=2)], before, after)

    def numbered(self) -> Iterator[Scene]:
        """Yield boards of which the hole has a number."""
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
            yield again("triominoCentral", "el mismo tablero", 4, centre, numbers)
        yield again("divide", "cuadrantes", 4, self.anywhere(4), (self.digit(), self.large(0)))
        for hole in corners(2):
            for number, clause in ((self.digit(), "hueco"), (self.large(0), "con número")):
                ask = f"resuelve(({number}, tablero(2, {hole})))  # resuelve: {clause}"
                yield scene("Dos filas", ask)
            yield again("resuelve", "hueco", 2, hole, (self.digit(), self.large(1)))

    def combined(self) -> Iterator[Scene]:
        """Yield problems of which the parts are solved."""
        for n, number in ((4, self.number()), (8, self.number()), (4, self.large(0))):
            hole = self.anywhere(n)
            ts = f"ts = {solutions(n, hole, number)}"
            ask = f"combina(({number}, tablero({n}, {hole})), ts)  # combina: soluciones"
            yield scene("Las cuatro soluciones", ts, ask)
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


GENERATOR = Generator(version=6, clauses=CLAUSES, scenes=scenes, examples=examples)
