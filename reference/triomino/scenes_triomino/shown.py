"""The scenes that are shown: small, and each about one call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from grader.plugins.authoring.generating import Scene

from .boards import (
    ABOUT_HOLES,
    AT_FIRST,
    HOLE,
    NUMBERED,
    PLACES,
    QUADRANTS,
    Position,
    again,
    all_positions,
    among,
    arrays,
    asked_of,
    boards_of,
    centres,
    corners,
    covers,
    literal,
    moved,
    other_centres,
    quadrant_of,
    scene,
    several,
    solutions,
)
from .drawn import Drawn


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
            cells = all_positions(4)
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
        for hole in centres(4):
            ask = f"ind((1, tablero(4, {hole})))  # ind: indivisible o no"
            yield scene("Un hueco en el centro", ask)
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
                for ask in (f"np.shape({call})", f"casillas({call})"):
                    yield scene("Un tablero grande", f"{ask}  # {name}: {clause}")
            for pair in (self.glued(), *self.twins()):
                made = board_of.replace("(n", "(16")
                ask = f"[casillas({made}) for p in {[*pair]}]  # {name}: {clause}"
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
            made = boards_of(cases)
            ask = f"[casillas(triominoCentral(({number}, t))) for t in {made}]"
            yield scene("Varios tamaños", f"{ask}  # triominoCentral: hueco")
            ask = f"[[(k, casillas(q)) for k, q in divide(({number}, t))] for t in {made}]"
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
        yield self.combination(4, (1, 4), 3, value=1)
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
