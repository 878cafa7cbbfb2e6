"""Draws places and numbers, and the scenes that count and are shown alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from grader.plugins.authoring.generating import Draws, Scene

from .boards import (
    ABOUT_HOLES,
    AT_FIRST,
    HOLE,
    Case,
    Position,
    all_positions,
    asked_of,
    centres,
    corners,
    scene,
    solutions,
    with_hole,
)


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
        cells = sorted(self.draws.some(all_positions(n), len(values)))
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
            glued = [*zip(self.glued(n), (some(2, 9), some(11, 20)), strict=True)]
            yield scene(topic, f"actualiza({clean}, {glued})  # actualiza: cambios")
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
