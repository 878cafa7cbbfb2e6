"""Scenes about blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from grader.plugins.authoring.generating import Scene

from .cells import (
    KINDS,
    SLANTS,
    STEPS,
    Cell,
    Cells,
    around,
    bent,
    chain,
    corner,
    cuts,
    literal,
    moved,
    views,
    without_corners,
)
from .drawing import Drawing, block, dots_of, each


class BlockScenes(Drawing):
    """The scenes about blocks."""

    module = "Block"

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
        """Yield the dots of blocks, and what they are when a set of them has changed."""
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
            for name, values in (
                ("geen blok", ["None", "'blok'", "''", f"{k}.5", (k, r), f"{{{k}, 'a'}}"]),
                ("geen blok", [f"[{k}, {r}]"]),
                ("geen stippen", ["[]", "()", "set()", "frozenset()", "{}"]),
                ("geen ketting", [literal([(k, r), (k + 1, r + 1)], kind) for kind in KINDS]),
            ):
                call = each("bool(Block.is_proper_block(b))", "b", self.mixed(made, values, 4))
                yield self.ask(f"is_proper_block: {name}", call)

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
        for step in draws.some(STEPS, 2 if self.small else 3):
            dots = self.chain(4, 2)
            ends = [dot for dot in dots if moved([dot], step)[0] not in dots]
            yield self.change("ernaast", "add_dot", dots, moved([draws.choice(ends)], step)[0])
        for _ in range(2):
            dots = self.chain(4, 2)
            beside = [each for each in around(dots, SLANTS) if each not in around(dots)]
            yield self.change("schuin", "add_dot", dots, draws.choice(beside))
            far = (max(dots)[0] + draws.between(2, 9), dots[0][1])
            yield self.change("los", "add_dot", dots, far)
            column, row = draws.choice(STEPS)
            away = [(step * column, step * row) for step in (3, 4)]
            yield self.change("los", "add_dot", away, draws.choice(STEPS))
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
                f"[Block.add_dot(blok, {dot}), Block.remove_dot(blok, {dot})]"
                f" and {dots_of('blok')}",
            )

    def shrunk(self) -> Iterator[Scene]:
        """Yield dots that are removed, and dots that are not."""
        draws, name = self.draws, "remove_dot"
        for _ in range(2):
            dots = self.bent()
            loose = [dot for dot in dots if dot not in cuts(dots)]
            yield self.change("een einde", name, dots, draws.choice(loose))
            yield self.change("nodig voor de ketting", name, dots, draws.choice(cuts(dots)))
            row = moved([(step, 0) for step in range(5)], self.cell())
            yield self.change("nodig voor de ketting", name, row, row[2])
            square = moved([(0, 0), (0, 1), (1, 0), (1, 1)], self.cell())
            yield self.change("met meer buren", name, square, draws.choice(square))
            ring = moved([*STEPS, *SLANTS], self.cell())
            yield self.change("met meer buren", name, ring, draws.choice(ring))
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
                dots = moved(without_corners(self.draws, 5 if self.small else 6), (sign, -sign))
                # Farther than anybody's largest number.
                far, other = sign * self.draws.between(1200, 1800), self.draws.between(-3, 3)
                beside = moved(dots, (far, other) if is_row else (other, far))
                one = (far, other) if is_row else (other, far)
                cells = {"rond het ankerpunt": dots, "ernaast": beside, "een stip": [one]}
                for clause, values in cells.items():
                    yield self.ask(f"{name}: {clause}", f"Block.{name}({block(values)})")
                yield from self.changed_offsets(name, is_row, sign)

    def changed_offsets(self, name: str, is_row: bool, sign: int) -> Iterator[Scene]:
        """Yield how far a block reaches before and after it changes, and when it may not change."""
        by, row = self.cell(), [(step, 0) for step in range(3 if self.small else 5)]
        end, slanted = (row[-1], (len(row), 1)) if sign > 0 else (row[0], (-1, 1))
        middle = self.draws.choice(row[1:-1])
        if not is_row:
            row, (end, slanted, middle) = swapped(row), swapped([end, slanted, middle])
        end, slanted, middle = moved([end, slanted, middle], by)
        for clause, changes in {
            "na een wijziging": (f"remove_dot(blok, {end})", f"add_dot(blok, {end})"),
            "na een weigering": (f"remove_dot(blok, {middle})", f"add_dot(blok, {slanted})"),
        }.items():
            yield self.ask_again(
                f"{name}: {clause}",
                [f"blok = {block(moved(row, by))}"],
                f"Block.{name}(blok)",
                (f"Block.{change}" for change in changes),
            )

    def equivalent(self) -> Iterator[Scene]:
        """Yield blocks that have the same shape, and blocks that nearly have."""
        name, draws = "are_equivalent", self.draws
        for number in range(2):
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
            bend = draws.choice(views(((0, 0), (0, 1), (1, 1), (1, 2))))
            twin = moved(views(bend)[1], by)
            yield self.pairs(f"{name}: evenveel per rij", bend, [moved(bend, by), twin])
            lying, standing = moved(pair, self.cell()), moved([(0, 0), step], by)
            yield self.pairs(f"{name}: twee stippen", tuple(pair), [lying, standing])
            yield self.pairs(f"{name}: een stip", ((0, 0),), [(self.cell(),), tuple(pair)])
            added = f"{('blok', 'ander')[number]}, {draws.choice(around((dots, same)[number]))}"
            yield self.ask_again(
                f"{name}: na een wijziging",
                [f"blok = {block(dots)}", f"ander = {block(same)}"],
                f"bool(Block.{name}(blok, ander))",
                [f"Block.add_dot({added})", f"Block.remove_dot({added})"],
            )
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
        for number in range(2):
            dots = self.bent()
            k, r = self.draws.choice([dot for dot in dots if dot not in cuts(dots)])
            hole = self.draws.choice([each for each in around(dots) if each not in dots])
            yes, no = moved(dots, (-k, -r)), moved(dots, (-hole[0], -hole[1]))
            across = self.draws.choice(views(((0, 1), (1, 1), (1, 0))))
            for name, pair in {
                "een stip of niet": (yes, no),
                "rij en kolom": (yes, across),
            }.items():
                values = [literal(cells, "set") for cells in self.draws.shuffled(pair)]
                yield self.ask(f"is_normalized: {name}", each(call, "s", values))
            changes = ["Block.remove_dot(blok, (0, 0))", "Block.add_dot(blok, (0, 0))"]
            dots = tuple(dot for dot in yes if number == 0 or dot != (0, 0))
            yield self.ask_again(
                "is_normalized: na een wijziging",
                [f"blok = {block(dots)}"],
                "bool(Block.is_normalized(blok))",
                changes[:: 1 - 2 * number],
            )

    def normalized(self) -> Iterator[Scene]:
        """Yield blocks that are normalized, whichever dot becomes the anchor."""
        anchor = "(0, 0) in Block.get_all_dot_positions(nieuw)"
        shape = "sorted((k - min(stippen)[0], r - min(stippen)[1]) for k, r in stippen)"
        for _ in range(2):
            dots = without_corners(self.draws, 5 if self.small else 7)
            dots = moved(dots, self.cell())
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


def swapped(cells: Iterable[Cell]) -> list[Cell]:
    """Return `cells` with columns for rows."""
    return [(row, column) for column, row in cells]


def max_of(cells: Iterable[Cell]) -> Cell:
    """Return the last column and the last row of `cells`."""
    columns, rows = zip(*cells, strict=True)
    return max(columns), max(rows)
