"""Scenes about positions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from grader.plugins.authoring.generating import Scene

from .cells import KINDS, SLANTS, STEPS, Cell, Cells, around, cuts, literal, moved
from .drawing import Drawing, each

SIDES = {"left": (-1, 0), "right": (1, 0), "up": (0, 1), "down": (0, -1)}


class PositionScenes(Drawing):
    """The scenes about positions."""

    module = "Position"

    def all(self) -> Iterator[Scene]:
        """Yield all scenes, function by function."""
        yield from self.proper()
        yield from self.proper_for_board()
        for function, step in SIDES.items():
            yield from self.side(function, step)
        yield from self.following()
        yield from self.translated()
        yield from self.neighbours("get_adjacent_positions", STEPS)
        yield from self.adjacent()
        yield from self.neighbours("get_surrounding_positions", (*STEPS, *SLANTS))
        for function in ("are_chained", "are_chained_rec"):
            yield from self.chained(function)

    def proper(self) -> Iterator[Scene]:
        """Yield values that are positions, and values that are none."""
        for _ in range(2):
            k, r = self.draws.between(1, 9), self.draws.between(10, 99)
            no: dict[str, list[object]] = {
                "een tuppel": [f"[{k}, {r}]", f"'{k}{r}'", f"{{{k}, {r}}}", f"{{{k}: {r}}}"],
                "twee getallen": ["()", f"({k},)", (k, r, k), (k, k, r, r)],
                "gehele getallen": [
                    f"({k}, {r}.5)",
                    f"({k}.5, {r})",
                    f"('{k}', {r})",
                    f"({k}, None)",
                ],
                "onder nul": [f"({-k},)", f"[{-k}, 0]"],
                "eender wat": ["None", k, f"{k}.5", f"'{k}'", f"{{{k}}}", f"range({k})"],
            }
            yes = [(k, r), (r, k), (k, k)]
            for name, values in no.items():
                right = [(-k, r), (0, -r), (k, 0), (-r, -k)] if name == "onder nul" else yes
                asked = self.mixed(right, values, 4)
                call = each("bool(Position.is_proper_position(p))", "p", asked)
                yield self.ask(f"is_proper_position: {name}", call)

    def proper_for_board(self) -> Iterator[Scene]:
        """Yield positions on a board, beside it, and values that are no board or no position."""
        name = "is_proper_position_for_board"
        for _ in range(2):
            n = self.draws.between(2, 12)
            k, r = self.draws.between(1, n), self.draws.between(1, n)
            yes = [(1, r), (n, r), (k, 1), (k, n)]
            no: dict[str, list[object]] = {
                "te ver": [(n + 1, r), (k, n + 1), (n + 5, n + 1)],
                "onder een": [(0, r), (k, 0), (-k, r), (k, -r)],
                "geen positie": ["None", k, f"[{k}, {r}]", (k, r, k), f"({k}.5, {r})", f"'{k}{r}'"],
            }
            for clause, values in no.items():
                call = f"bool(Position.{name}({n}, p))"
                yield self.ask(f"{name}: {clause}", each(call, "p", self.mixed(yes, values, 4)))
            sizes = self.mixed([n, n + 3], [0, -n, f"{n}.5", f"'{n}'", "None"], 4)
            call = f"bool(Position.{name}(n, {(k, r)}))"
            yield self.ask(f"{name}: dimensie", each(call, "n", sizes))

    def sizes(self) -> Sequence[Cell]:
        """Return from which dimension to which boards are, small ones and large ones."""
        return [(2, 5)] if self.small else [(2, 5), (6, 12)]

    def side(self, function: str, step: Cell) -> Iterator[Scene]:
        """Yield steps to one side, within a board and over its edge."""
        for low, high in self.sizes():
            n = self.draws.between(low, high)
            free, ahead = self.draws.between(1, n), n if sum(step) > 0 else 1
            before = self.draws.choice([each for each in range(1, n + 1) if each != ahead])
            inside = [(before, free), (ahead - sum(step), n), (ahead - sum(step), 1)]
            edge = [(ahead, free), (ahead, 1), (ahead, n)]
            if step[0] == 0:
                inside, edge = ([(r, k) for k, r in cells] for cells in (inside, edge))
            yield self.ask(
                f"{function}: ernaast",
                each(f"Position.{function}({n}, p)", "p", self.some(inside, 3)),
            )
            values = self.mixed(inside, edge, 2)
            yield self.ask(f"{function}: rand", each(f"Position.{function}({n}, p)", "p", values))

    def following(self) -> Iterator[Scene]:
        """Yield positions and what follows them, row by row."""
        for low, high in self.sizes():
            n = self.draws.between(low, high)
            cells = {
                "in de rij": [(k, r) for k in range(1, n) for r in (1, n)],
                "rij erboven": [(n, r) for r in range(1, n)],
            }
            for name, values in cells.items():
                call = each(f"Position.next({n}, p)", "p", self.some(values, 3))
                yield self.ask(f"next: {name}", call)
            values = self.mixed([(n, n)], [(1, n), (n, 1)], 2)
            yield self.ask("next: laatste", each(f"Position.next({n}, p)", "p", values))

    def translated(self) -> Iterator[Scene]:
        """Yield positions that are moved over a distance."""
        for signs in ((1, -1), (-1, 1)):
            x, y = (sign * self.draws.between(1, 12) for sign in signs)
            yield self.ask(
                "translate_over: verschoven", f"Position.translate_over({self.cell()}, {x}, {y})"
            )

    def neighbours(self, function: str, steps: Iterable[Cell]) -> Iterator[Scene]:
        """Yield the neighbours of positions in the plane and on a board."""
        for _ in range(2):
            cells = [(0, self.draws.between(-9, 1)), (self.draws.between(-9, -1), 0), self.cell()]
            n = self.draws.between(2, 9)
            k, r = self.draws.between(1, n), self.draws.between(1, n)
            corners = [(1, 1), (1, n), (n, 1), (n, n)]
            on_board = f"sorted(Position.{function}(p, {n}))"
            same = self.draws.choice(corners)
            yield self.ask(
                f"{function}: vlak",
                each(f"sorted(Position.{function}(p))", "p", self.some(cells, 2)),
            )
            yield self.ask(f"{function}: hoek", each(on_board, "p", self.some(corners, 3)))
            edge = self.some([(1, r), (n, r), (k, 1), (k, n), (k, r)], 3)
            yield self.ask(f"{function}: rand", each(on_board, "p", edge))
            sizes = self.draws.shuffled([n, n + 1, "None"])
            yield self.ask(
                f"{function}: met en zonder dimensie",
                each(f"len(Position.{function}({same}, n))", "n", sizes),
            )
            yield self.ask(f"{function}: een set", f"Position.{function}({(k, r)}, {n})")

    def adjacent(self) -> Iterator[Scene]:
        """Yield positions, and others that are next to them or not."""
        name = "is_adjacent_to"
        for number in range(2):
            cell = self.cell() if number else (self.draws.between(-1, 0), self.draws.between(-1, 1))
            near = around([cell])
            apart = moved([*SLANTS, (0, 0), (2, 0), (0, -2), (0, 2), (-2, 0)], cell)
            mirrored = [(-k, -r) for k, r in [*near, *apart] if (-k, -r) not in near]
            call = f"bool(Position.{name}({cell}, p))"
            one = [literal([p]) for p in near], [literal([p]) for p in [*apart, *mirrored]]
            yield self.ask(f"{name}: naast", each(call, "p", self.mixed(*one, 4)))
            both = (
                [literal(self.draws.shuffled([*self.draws.some(apart, 2), p])) for p in near],
                [literal(self.draws.some(apart, 3)) for _ in range(2)],
            )
            yield self.ask(f"{name}: een van meer", each(call, "p", self.mixed(*both)))
            kinds = [
                literal([self.draws.choice(near)], kind) for kind in self.draws.shuffled(KINDS)
            ]
            no = [literal([], kind) for kind in KINDS]
            yield self.ask(f"{name}: soort", each(call, "p", self.mixed(kinds, no, 4)))

    def chained(self, function: str) -> Iterator[Scene]:
        """Yield positions that are one group, and positions that are not."""
        for kind in ("set", "list"):
            for name, (yes, no) in self.groups().items():
                values = self.draws.shuffled([literal(yes), literal(no)])
                call = f"bool(Position.{function}(p))"
                yield self.ask(f"{function}: {name}", each(call, "p", values))
            row, call = self.against_its_direction(), f"bool(Position.{function}(p))"
            values = self.draws.shuffled([literal(row), literal([*row[:-3], *row[-2:]])])
            yield self.ask(f"{function}: lang", each(call, "p", values))
            kinds = [literal(self.chain(4), kind) for kind in KINDS]
            broken = [literal(self.broken(5), kind) for kind in KINDS]
            yield self.ask(f"{function}: soort", each(call, "p", self.mixed(kinds, broken, 4)))
            few = self.mixed(["[]", "()", literal([self.cell()])], [literal(self.broken(3))])
            yield self.ask(f"{function}: geen of een", each(call, "p", few))
            cells = self.chain(5) if kind == "set" else self.broken(5)
            yield self.ask(
                f"{function}: argument blijft",
                f"posities = {literal(cells, kind)}",
                f"[bool(Position.{function}(posities)), sorted(posities)]",
            )

    def against_its_direction(self) -> Sequence[Cell]:
        """Return the first cell of a row, and then the others from the last one on."""
        step = self.draws.choice(STEPS)
        length = 8 if self.small else self.draws.between(9, 14)
        first, *others = moved([(k * step[0], k * step[1]) for k in range(length)], self.cell())
        return [first, *others[::-1]]

    def broken(self, large: int) -> Cells:
        """Return a chain without one of its cuts, in at least two pieces."""
        while True:
            cells = self.chain(large + 1, 3)
            if found := cuts(cells):
                cut = self.draws.choice(found)
                return tuple(cell for cell in cells if cell != cut)

    def groups(self) -> dict[str, tuple[Cells, Cells]]:
        """Return positions that are one group, and such that are not, by the clause they are of."""
        cells, far = self.chain(6), self.draws.between(3, 9)
        k, r = max(cells)
        long = self.chain(self.draws.between(16, 24), 6)
        beside = [each for each in around(cells, SLANTS) if each not in around(cells)]
        square = moved([(0, 0), (0, 1), (1, 0), (1, 1)], self.cell())
        pair = moved([(0, 0), self.draws.choice(STEPS)], self.cell())
        others = moved(pair if self.small else square, (far, -far))
        own = pair if self.small else square
        return {
            "gat": (cells, self.broken(6)),
            "elk een buur": (own, tuple(self.draws.shuffled([*own, *others]))),
            "schuin": (cells, (*cells, self.draws.choice(beside))),
            "los": (cells, tuple(self.draws.shuffled([*cells, (k + far, r)]))),
            "lang": (long, self.broken(4 if self.small else 20)),
            "dubbel": ((*cells, cells[0]), (*(gap := self.broken(4)), gap[0])),
        }
