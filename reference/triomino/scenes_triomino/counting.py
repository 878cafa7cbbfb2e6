"""The scenes that count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from grader.plugins.authoring.generating import Scene

from .boards import (
    ABOUT_HOLES,
    HOLE,
    NEAR_OR_FAR,
    NUMBERED,
    PLACES,
    QUADRANTS,
    Case,
    Position,
    again,
    all_positions,
    arrays,
    asked_of,
    board,
    centres,
    corners,
    covers,
    moved,
    quadrant_of,
    scene,
    several,
)
from .drawn import Drawn


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
            holes = [each for each in all_positions(4) if quadrant_of(4, each) == quadrant]
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
        for hole, twin in self.twins():
            asked = [(16, hole), (16, twin)]
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
            made = f"{name}(n, p)" if name == "tablero" else f"{name}(n, p)[1]"
            yield scene(
                "Tableros iniciales grandes",
                *(
                    f"[{look}({made}) for n, p in {asked}]  # {name}: {clause}"
                    for look in ("np.shape", "casillas")
                ),
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
            if not numbered:
                cases += [(n, hole, HOLE) for n in (4, 8) for hole in centres(n)]
            ask = f"[ind(({self.later(5)}, t)) for t in {arrays(cases)}]"
            yield scene("Indivisible o no", f"{ask}  # ind: indivisible o no")

    def holes_found(self) -> Iterator[Scene]:
        """Yield boards of which the hole is asked, or where the middle is."""
        small = [(4, hole, HOLE) for hole in all_positions(4)]
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
        small = [(4, hole, HOLE) for hole in all_positions(4)]
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
        made = f"triominoCentral(({number}, t))"
        made = made if all(n < 8 for n, _, _ in cases) else f"casillas({made})"
        return f"[{made} for t in {arrays(cases)}]  # triominoCentral: {clause}"

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
        made = f"divide(({number}, t))"
        if any(n > 4 for n, _, _ in cases):
            made = f"[(k, casillas(q)) for k, q in {made}]"
        return f"[{made} for t in {arrays(cases)}]  # divide: {clause}"

    def combined(self) -> Iterator[Scene]:
        """Yield problems of which the parts are solved."""
        for n, quadrant in ((4, 1), (4, 2), (4, 3), (4, 4), (8, 2), (8, 3), (16, 1)):
            yield self.combination(n, self.within(n, quadrant), self.number())
        for place in range(2):
            yield self.combination(4, self.anywhere(4), self.large(place))
            # A part of a larger problem: its hole is what a piece has covered, in a corner.
            hole, covered = self.draws.choice(corners(4)), self.draws.between(1, 9)
            yield self.combination(4, hole, self.large(place), value=covered)
        hole, number = self.anywhere(4), self.number()
        yield self.two_combined([(4, hole, number), (4, hole, self.draws.between(21, 40))])
        yield self.two_combined([(4, hole, number), (8, hole, number), (4, hole, number)])
