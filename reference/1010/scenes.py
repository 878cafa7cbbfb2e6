"""Scenes of 1010! about positions and blocks: each asks one clause of one function.

A question stands in a list with yes and no in it, in any order; an action stands in the line that
looks at what it did. `Scenes` draws large values, or as small as they can be.
"""

from __future__ import annotations

import runpy
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from grader.authoring.generating import Draws, Scene

if TYPE_CHECKING:
    from cells import Cell, Cells

CELLS = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("cells.py"))))
around, bent, chain, corner, cuts = (
    CELLS.around,
    CELLS.bent,
    CELLS.chain,
    CELLS.corner,
    CELLS.cuts,
)
is_chained, literal, moved, views = CELLS.is_chained, CELLS.literal, CELLS.moved, CELLS.views
KINDS, SLANTS, STEPS = CELLS.KINDS, CELLS.SLANTS, CELLS.STEPS

USES = {
    "Position": ("Position",),
    "Block": ("Block",),
    "Board": ("Block", "Board"),
    "Game": ("Block", "Board", "Game"),
}
SIDES = {"left": (-1, 0), "right": (1, 0), "up": (0, 1), "down": (0, -1)}


def block(dots: Iterable[Cell]) -> str:
    """Return the call that makes a block, whose dots must be chained."""
    dots = list(dots)
    if not dots or not is_chained(dots):
        raise ValueError(f"these are no dots of a block: {dots}")
    return f"Block.make_block({literal(dots, 'set')})"


def dots_of(code: str) -> str:
    """Return what shows the dots of a block."""
    return f"sorted(Block.get_all_dot_positions({code}))"


def each(call: str, name: str, values: Iterable[object]) -> str:
    """Return a list of what `call` gives for each of the `values`."""
    return f"[{call} for {name} in [{', '.join(map(str, values))}]]"


class Drawing:
    """Draws values, and makes scenes of one clause with them."""

    def __init__(self, draws: Draws, *, small: bool) -> None:
        """Draw from `draws`."""
        self.draws = draws
        self.small = small

    def scene(self, clause: str, *lines: str, module: str) -> Scene:
        """Return the scene of `lines`, of which the last one is a case of `clause`."""
        *before, asked = lines
        if not self.small:  # what has to be there first is one step, which is cheaper
            before = ["; ".join(before)] if before else []
        return Scene(
            topic=clause.partition(": ")[0],
            uses=USES[module],
            lines="\n".join([*before, f"{asked}  # {clause}"]),
        )

    def some(self, items: Iterable[object], large: int, small: int = 1) -> list[object]:
        """Return so many of `items`, in any order."""
        return self.draws.some(items, small if self.small else large)

    def mixed(self, yes: Iterable[object], no: Iterable[object], large: int = 3) -> list[object]:
        """Return some of both, in any order."""
        return self.draws.shuffled([*self.some(yes, large), *self.some(no, large)])

    def cell(self) -> Cell:
        """Return a position anywhere in the plane."""
        return self.draws.between(-9, 9), self.draws.between(-9, 9)

    def chain(self, large: int, small: int = 3) -> Cells:
        """Return a chain somewhere in the plane."""
        return moved(chain(self.draws, small if self.small else large), self.cell())


class PositionScenes(Drawing):
    """The scenes about positions."""

    def ask(self, clause: str, *lines: str) -> Scene:
        """Return a scene that needs nothing but positions."""
        return self.scene(clause, *lines, module="Position")

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
            no = {
                "een tuppel": [f"[{k}, {r}]", f"'{k}{r}'", f"{{{k}, {r}}}", f"{{{k}: {r}}}"],
                "twee getallen": ["()", f"({k},)", (k, r, k), (k, k, r, r)],
                "gehele getallen": [f"({k}, {r}.5)", f"({k}.5, {r})", f"('{k}', {r})", f"({k}, None)"],
                "onder nul": [f"({-k},)", f"[{-k}, 0]"],
                "eender wat": ["None", k, f"{k}.5", f"'{k}'", f"{{{k}}}", f"range({k})"],
            }
            yes = [(k, r), (r, k), (k, k)]
            for name, values in no.items():
                right = [(-k, r), (0, -r), (k, 0), (-r, -k)] if name == "onder nul" else yes
                values = self.mixed(right, values, 4)
                yield self.ask(
                    f"is_proper_position: {name}",
                    each("bool(Position.is_proper_position(p))", "p", values),
                )

    def proper_for_board(self) -> Iterator[Scene]:
        """Yield positions on a board, beside it, and values that are no board or no position."""
        name = "is_proper_position_for_board"
        for _ in range(2):
            n = self.draws.between(2, 12)
            k, r = self.draws.between(1, n), self.draws.between(1, n)
            yes = [(1, r), (n, r), (k, 1), (k, n)]
            no = {
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

    def side(self, function: str, step: Cell) -> Iterator[Scene]:
        """Yield steps to one side, within a board and over its edge."""
        for low, high in ((2, 5), (6, 12)):
            n = self.draws.between(low, high)
            free, ahead = self.draws.between(1, n), n if sum(step) > 0 else 1
            before = self.draws.choice([each for each in range(1, n + 1) if each != ahead])
            inside = [(before, free), (ahead - sum(step), n), (ahead - sum(step), 1)]
            edge = [(ahead, free), (ahead, 1), (ahead, n)]
            if step[0] == 0:
                inside, edge = ([(r, k) for k, r in cells] for cells in (inside, edge))
            yield self.ask(
                f"{function}: ernaast", each(f"Position.{function}({n}, p)", "p", self.some(inside, 3))
            )
            values = self.mixed(inside, edge, 2)
            yield self.ask(f"{function}: rand", each(f"Position.{function}({n}, p)", "p", values))

    def following(self) -> Iterator[Scene]:
        """Yield positions and what follows them, row by row."""
        for low, high in ((2, 6), (7, 12)):
            n = self.draws.between(low, high)
            cells = {
                "in de rij": [(k, r) for k in range(1, n) for r in (1, n)],
                "rij erboven": [(n, r) for r in range(1, n)],
            }
            for name, values in cells.items():
                values = self.some(values, 3)
                yield self.ask(f"next: {name}", each(f"Position.next({n}, p)", "p", values))
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
                f"{function}: vlak", each(f"sorted(Position.{function}(p))", "p", self.some(cells, 2))
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
            both = [
                [literal(self.draws.shuffled([*self.draws.some(apart, 2), p])) for p in near],
                [literal(self.draws.some(apart, 3)) for _ in range(2)],
            ]
            yield self.ask(f"{name}: een van meer", each(call, "p", self.mixed(*both)))
            kinds = [literal([self.draws.choice(near)], kind) for kind in self.draws.shuffled(KINDS)]
            no = [literal([], kind) for kind in KINDS]
            yield self.ask(f"{name}: soort", each(call, "p", self.mixed(kinds, no, 4)))

    def chained(self, function: str) -> Iterator[Scene]:
        """Yield positions that are one group, and positions that are not."""
        for _ in range(2):
            for name, (yes, no) in self.groups().items():
                values = self.draws.shuffled([literal(yes), literal(no)])
                call = f"bool(Position.{function}(p))"
                yield self.ask(f"{function}: {name}", each(call, "p", values))
            kinds = [literal(self.chain(4), kind) for kind in KINDS]
            no = [literal(self.broken(5), kind) for kind in KINDS]
            call = f"bool(Position.{function}(p))"
            yield self.ask(f"{function}: soort", each(call, "p", self.mixed(kinds, no, 4)))
            few = self.mixed(["[]", "()", literal([self.cell()])], [literal(self.broken(3))])
            yield self.ask(f"{function}: geen of een", each(call, "p", few))
            cells = self.chain(5)
            yield self.ask(
                f"{function}: argument blijft",
                f"posities = {literal(cells, 'set')}",
                f"[bool(Position.{function}(posities)), sorted(posities)]",
            )

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


class BlockScenes(Drawing):
    """The scenes about blocks."""

    def ask(self, clause: str, *lines: str) -> Scene:
        """Return a scene that needs blocks."""
        return self.scene(clause, *lines, module="Block")

    def all(self) -> Iterator[Scene]:
        """Yield all scenes, function by function."""
        yield from self.made()
        yield from self.shown()
        yield from self.proper()
        yield from self.grown()
        yield from self.shrunk()
        yield from self.offsets()
        yield from self.equivalent()
        yield from self.normal()
        yield from self.normalized()

    def bent(self, large: int = 5, small: int = 4) -> Cells:
        """Return dots of which no mirror image or turn is the same shape."""
        return moved(bent(self.draws, small if self.small else large), self.cell())

    def made(self) -> Iterator[Scene]:
        """Yield blocks, and what they are when the set that they were made of has changed."""
        for number in range(2):
            yield self.ask("make_block: stippen", dots_of(block(self.chain(5, 2))))
            dots = self.chain(5, 2)
            change = (f"add({around(dots)[0]})", f"discard({dots[0]})")[number]
            yield self.ask(
                "make_block: eigen kopie",
                f"stippen = {literal(dots, 'set')}",
                "blok = Block.make_block(stippen)",
                f"stippen.{change}",
                dots_of("blok"),
            )

    def shown(self) -> Iterator[Scene]:
        """Yield the dots of blocks, and what they are when the set that was returned has changed."""
        for number in range(2):
            dots = self.chain(5, 2)
            made = block(dots)
            yield self.ask("get_all_dot_positions: een set", f"Block.get_all_dot_positions({made})")
            change = (f"add({around(dots)[0]})", f"discard({dots[0]})")[number]
            yield self.ask(
                "get_all_dot_positions: eigen kopie",
                f"blok = {made}",
                f"Block.get_all_dot_positions(blok).{change}",
                dots_of("blok"),
            )

    def proper(self) -> Iterator[Scene]:
        """Yield blocks, and values that are none however a block is represented."""
        for _ in range(2):
            made = [block(self.chain(count, 2)) for count in (1, 2, 4, 6)]
            k, r = self.cell()
            no = {
                "geen blok": ["None", "'blok'", "''", f"{k}.5", (k, r), f"'{k}{r}'"],
                "geen stippen": ["[]", "()", "set()", "frozenset()", "{}"],
                "geen ketting": [literal([(k, r), (k + 1, r + 1)], kind) for kind in KINDS],
            }
            for name, values in no.items():
                call = "bool(Block.is_proper_block(b))"
                values = self.mixed(made, values, 4)
                yield self.ask(f"is_proper_block: {name}", each(call, "b", values))

    def change(self, clause: str, function: str, dots: Iterable[Cell], at: Cell) -> Scene:
        """Return a scene that looks at a block after a change."""
        return self.ask(
            f"{function}: {clause}",
            f"blok = {block(dots)}",
            f"[Block.{function}(blok, {at})] and {dots_of('blok')}",
        )

    def grown(self) -> Iterator[Scene]:
        """Yield dots that are added, and dots that are not."""
        draws = self.draws
        for step in draws.some(STEPS, 3):
            dots = self.chain(4, 2)
            ends = [dot for dot in dots if moved([dot], step)[0] not in dots]
            yield self.change("ernaast", "add_dot", dots, moved([draws.choice(ends)], step)[0])
        for _ in range(2):
            dots = self.chain(4, 2)
            beside = [each for each in around(dots, SLANTS) if each not in around(dots)]
            yield self.change("schuin", "add_dot", dots, draws.choice(beside))
            far = (max(dots)[0] + draws.between(2, 9), dots[0][1])
            yield self.change("los", "add_dot", dots, far)
            dots = self.chain(3, 2)
            hole = moved([draws.choice(around(dots))], (0, 0))[0]
            dots = moved(dots, (-hole[0], -hole[1]))
            yield self.change("in het ankerpunt", "add_dot", dots, (0, 0))
            dots = self.chain(4, 2)
            ends = [dot for dot in dots if dot not in cuts(dots)]
            dot = draws.choice(ends)
            yield self.ask(
                "add_dot: al aanwezig",
                f"blok = {block(dots)}",
                f"[Block.add_dot(blok, {dot}), Block.remove_dot(blok, {dot})] and {dots_of('blok')}",
            )

    def shrunk(self) -> Iterator[Scene]:
        """Yield dots that are removed, and dots that are not."""
        draws, name = self.draws, "remove_dot"
        for _ in range(2):
            dots = self.bent()
            loose = [dot for dot in dots if dot not in cuts(dots)]
            yield self.change("een einde", name, dots, draws.choice(loose))
            yield self.change("nodig voor de ketting", name, dots, draws.choice(cuts(dots)))
            square = moved([(0, 0), (0, 1), (1, 0), (1, 1)], self.cell())
            yield self.change("met meer buren", name, square, draws.choice(square))
            cell = self.cell()
            yield self.change("de enige stip", name, [cell], cell)
            pair = moved([(0, 0), draws.choice(STEPS)], cell)
            yield self.change("een van twee", name, pair, draws.choice(pair))
            yield self.change("geen stip", name, pair, draws.choice(around(pair)))
            dots = moved(dots, (-loose[0][0], -loose[0][1]))
            yield self.change("het ankerpunt", name, dots, (0, 0))
            start, *others = moved([(0, 0), (0, 1), (0, 2), (1, 2)], self.cell())
            yield self.ask(
                f"{name}: na stippen toevoegen",
                f"blok = {block([start])}",
                *(f"Block.add_dot(blok, {dot})" for dot in others),
                f"[Block.{name}(blok, {others[0]})] and {dots_of('blok')}",
            )

    def offsets(self) -> Iterator[Scene]:
        """Yield how far blocks reach, around the anchor and beside it."""
        for way, is_row in (("horizontal", True), ("vertical", False)):
            name = f"get_{way}_offsets_from_anchor"
            for sign in (1, -1):
                dots = moved(bent(self.draws, 4 if self.small else 6), (sign, -sign))
                far, other = sign * self.draws.between(8, 12), self.draws.between(-3, 3)
                beside = moved(dots, (far, other) if is_row else (other, far))
                one = (far, other) if is_row else (other, far)
                cells = {"rond het ankerpunt": dots, "ernaast": beside, "een stip": [one]}
                for clause, values in cells.items():
                    yield self.ask(f"{name}: {clause}", f"Block.{name}({block(values)})")

    def equivalent(self) -> Iterator[Scene]:
        """Yield blocks that have the same shape, and blocks that nearly have."""
        name, draws = "are_equivalent", self.draws
        for _ in range(2):
            dots, by = self.bent(), self.cell()
            same = moved(dots, by)
            _, mirrored, upside_down, turned = views(dots)
            part = [dot for dot in same if dot not in cuts(same)][1:]
            part = [dot for dot in same if dot in part or dot in cuts(same)]
            box = self.same_box(dots)
            pair = [(0, 0), draws.choice(STEPS)]
            step = (pair[1][1], pair[1][0])
            others = {
                "spiegelbeeld": moved(draws.choice([mirrored, upside_down]), by),
                "gedraaid": moved(turned, by),
                "een deel": tuple(part),
                "even groot": moved(box, by),
            }
            for clause, other in others.items():
                yield self.pairs(f"{name}: {clause}", dots, [same, other])
            lying, standing = moved(pair, self.cell()), moved([(0, 0), step], by)
            yield self.pairs(f"{name}: twee stippen", tuple(pair), [lying, standing])
            yield self.pairs(f"{name}: een stip", ((0, 0),), [(self.cell(),), tuple(pair)])
            yield self.ask(
                f"{name}: blokken blijven",
                f"blok = {block(dots)}",
                f"ander = {block(same)}",
                f"[bool(Block.{name}(blok, ander)), {dots_of('blok')}, {dots_of('ander')}]",
            )

    def same_box(self, dots: Cells) -> Cells:
        """Return another shape with as many dots, as wide and as high."""
        count, shape = len(dots), corner(dots)
        while True:
            other = chain(self.draws, count)
            if corner(other) != shape and max_of(corner(other)) == max_of(shape):
                return other

    def pairs(self, clause: str, dots: Cells, others: list[Cells]) -> Scene:
        """Return a scene that compares a block with others, both ways round."""
        call = "bool(Block.are_equivalent(blok, Block.make_block(s)))"
        if self.draws.chance(0.5):
            call = "bool(Block.are_equivalent(Block.make_block(s), blok))"
        values = [literal(other, "set") for other in self.draws.shuffled(others)]
        return self.ask(clause, f"blok = {block(dots)}", each(call, "s", values))

    def normal(self) -> Iterator[Scene]:
        """Yield blocks with and without a dot in the anchor."""
        call = "bool(Block.is_normalized(Block.make_block(s)))"
        for _ in range(2):
            dots = self.bent()
            k, r = self.draws.choice(dots)
            hole = self.draws.choice([each for each in around(dots) if each not in dots])
            yes, no = moved(dots, (-k, -r)), moved(dots, (-hole[0], -hole[1]))
            across = moved(((0, 1), (1, 1), (1, 0)), (0, 0))
            across = tuple((k * self.draws.choice((1,)), r) for k, r in across)
            for name, pair in {
                "een stip of niet": (yes, no),
                "rij en kolom": (moved(dots, (-k, -r)), self.draws.choice(views(across))),
            }.items():
                values = [literal(cells, "set") for cells in self.draws.shuffled(pair)]
                yield self.ask(f"is_normalized: {name}", each(call, "s", values))

    def normalized(self) -> Iterator[Scene]:
        """Yield blocks that are normalized, whichever dot becomes the anchor."""
        anchor = "(0, 0) in Block.get_all_dot_positions(nieuw)"
        shape = "sorted((k - min(stippen)[0], r - min(stippen)[1]) for k, r in stippen)"
        for view in range(2):
            # Of these shapes no corner of the box is a dot, or just one of them.
            dots = (((0, 1), (1, 0), (1, 1), (1, 2), (2, 1)), ((0, 1), (1, 1), (1, 0), (2, 0)))[view]
            dots = moved(self.draws.choice(views(dots)), self.cell())
            plain = self.bent()
            for clause, values in {"ankerpunt": plain, "lege hoeken": dots}.items():
                made = (f"blok = {block(values)}", "nieuw = Block.normalize(blok)")
                yield self.ask(f"normalize: {clause}", *made, anchor)
            yield self.ask(
                "normalize: vorm",
                f"blok = {block(plain)}",
                "stippen = Block.get_all_dot_positions(Block.normalize(blok))",
                shape,
            )
            yield self.ask(
                "normalize: blok blijft",
                f"blok = {block(plain)}",
                f"[Block.normalize(blok)] and {dots_of('blok')}",
            )
            k, r = plain[0]
            own = moved(plain, (-k, -r))
            yield self.ask(
                "normalize: nieuw blok",
                f"blok = {block(own)}",
                f"Block.add_dot(Block.normalize(blok), {self.draws.choice(around(own))})",
                dots_of("blok"),
            )


def max_of(cells: Iterable[Cell]) -> Cell:
    """Return the last column and the last row of `cells`."""
    columns, rows = zip(*cells, strict=True)
    return max(columns), max(rows)
