"""Scenes about blocks that are dropped on boards, full lines, and regions of cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from grader.plugins.authoring.generating import Scene

from .boards import BoardDrawing, board, cells_of
from .cells import (
    KINDS,
    Cell,
    Cells,
    anchors,
    around,
    bent,
    chain,
    column_of,
    is_chained,
    literal,
    moved,
    row_of,
    square,
)
from .drawing import block, dots_of, each


class DropScenes(BoardDrawing):
    """The scenes about blocks on boards."""

    def all(self) -> Iterator[Scene]:
        """Yield all scenes, function by function."""
        yield from self.fitting()
        yield from self.droppable()
        yield from self.dropped()
        yield from self.cleared()
        yield from self.linked()

    def dots(self, large: int = 4, small: int = 2) -> Cells:
        """Return the dots of a block with its anchor among them."""
        dots = chain(self.draws, small if self.small else self.draws.between(2, large))
        return moved(dots, (-dots[0][0], -dots[0][1]))

    def anchored(self, size: int, dots: Cells) -> Cell:
        """Return where the block may be dropped on an empty board."""
        return self.draws.choice(anchors(size, dots))

    def fit(self, clause: str, made: str, dots: Cells, at: Iterable[Cell]) -> Scene:
        """Return a scene that asks where a block can be dropped."""
        call = "bool(Board.can_be_dropped_at(bord, blok, p))"
        return self.ask(clause, f"bord = {made}", f"blok = {block(dots)}", each(call, "p", at))

    def changing(
        self, clause: str, question: str, size: int, dots: Cells, at: Cell, *, by_dot: bool
    ) -> Scene:
        """Return a scene that asks again when the board changes, or if asked the block."""
        beside = [dot for dot in around(dots) if moved([dot], at)[0] in square(size)]
        dot = self.draws.choice(beside if by_dot else dots)
        (cell,) = moved([dot], at)
        changes = [f"Board.fill_cell(bord, {cell})", f"Board.free_cell(bord, {cell})"]
        if by_dot:
            changes = [f"Block.add_dot(blok, {dot})", f"Block.remove_dot(blok, {dot})"]
        made = [f"bord = {board(size, [cell] if by_dot else [])}", f"blok = {block(dots)}"]
        return self.ask_again(clause, made, question, changes)

    def fitting(self) -> Iterator[Scene]:
        """Yield blocks that can be dropped somewhere, and blocks that nearly can."""
        name = "can_be_dropped_at"
        for number in range(2):
            size = self.size(4, 6)
            dots = self.dots()
            at = self.anchored(size, dots)
            under = moved(dots, at)
            boards = [board(size, [cell]) for cell in [*under, *self.some(square(size), 2)]]
            yield self.ask(
                f"{name}: elke stip op een lege cel",
                f"blok = {block(dots)}",
                each(f"bool(Board.{name}(b, blok, {at}))", "b", self.draws.shuffled(boards)),
            )
            empty, inside = board(size, []), anchors(size, dots)
            edge = [each for each in around(inside) if each in square(size) or not number]
            values = self.mixed(inside, edge or around(inside), 4)
            yield self.fit(f"{name}: elke stip op het bord", empty, dots, values)
            away = moved(dots, ((size + 2, 0), (0, -size - 2))[number])
            inside = anchors(size, away)
            values = self.mixed(inside, around(inside), 3)
            yield self.fit(f"{name}: ankerpunt buiten het bord", empty, away, values)
            ring = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0))[: (5, 3)[number]]
            at = self.draws.choice(anchors(size, (*ring, (0, 0))))
            made = board(size, [at])
            values = self.draws.shuffled([at, *self.some(moved([(1, 0), (-1, 0)], at), 1)])
            yield self.fit(f"{name}: ankerpunt op een gevulde cel", made, ring, values)
            long = tuple((step, 0) if number else (0, step) for step in range(size))
            bigger = moved([*long, long[-1]], (0, 0))[:-1] + tuple(moved(long[-1:], long[1]))
            yield self.ask(
                f"{name}: groter dan het bord",
                f"blokken = [{block(long)}, {block(bigger)}]",
                each(f"bool(Board.{name}({empty}, b, (1, 1)))", "b", ["blokken[0]", "blokken[1]"]),
            )
            cells = [under[-1]] if number else []
            at = self.anchored(size, dots)
            question = f"bool(Board.{name}(bord, blok, {at}))"
            clause = f"{name}: na een wijziging"
            yield self.changing(clause, question, size, dots, at, by_dot=number == 1)
            yield self.ask(
                f"{name}: niets verandert",
                f"bord = {board(size, cells)}",
                f"blok = {block(dots)}",
                f"[Board.{name}(bord, blok, {at})] and [{cells_of('bord')}, {dots_of('blok')}]",
            )

    def places(self, clause: str, size: int, cells: Iterable[Cell], dots: Cells) -> Scene:
        """Return a scene that asks for all places of a block, without their order."""
        found = f"Board.get_droppable_positions({board(size, cells)}, {block(dots)})"
        return self.ask(clause, f"sorted({found})")

    def droppable(self) -> Iterator[Scene]:
        """Yield all places where blocks can be dropped."""
        name, draws = "get_droppable_positions", self.draws
        for number in range(2):
            size = self.size(3, 5)
            dots = self.dots()
            yield self.places(f"{name}: leeg bord", size, [], dots)
            cells = self.draws.some(square(size), size)
            yield self.places(f"{name}: gevulde cellen", size, cells, dots)
            line = tuple((step, 0) if number else (0, step) for step in range(2))
            away = moved(self.dots(), ((-size - 1, 2), (3, size + 1))[number])
            yield self.places(f"{name}: ankerpunt buiten het bord", size, cells[:2], away)
            listed = f"Board.{name}({board(size, cells[:2])}, {block(line)})"
            yield self.ask(f"{name}: lijst op volgorde", listed)
            wide = 3 if self.small else draws.choice((4, 5))
            nowhere = [cell for cell in square(wide) if sum(cell) % 2 == number]
            found = f"Board.{name}({board(wide, nowhere)}, {block(line)})"
            yield self.ask(f"{name}: nergens", found)
            filled = draws.some(square(size), 1)
            yield self.places(f"{name}: lang blok", size, filled, self.bar(size, number))
            wide = self.large() + 1
            yield self.places(f"{name}: meer dan tien", wide, [], self.bar(wide, number))
            listed = f"Board.{name}({board(wide, [])}, {block(self.bar(wide, number))})"
            yield self.ask(f"{name}: lijst op volgorde", listed)
            one, other = draws.some([((0, 0), (0, 1), (1, 1)), ((0, 0), (1, 0), (1, 1))], 2)
            yield self.ask(
                f"{name}: twee vormen",
                f"bord = {board(2 if self.small else 3, [draws.choice([(1, 2), (2, 1)])])}",
                each(f"Board.{name}(bord, b)", "b", [block(one), block(other)]),
            )
            question = f"sorted(Board.{name}(bord, blok))"
            clause, at = f"{name}: na een wijziging", self.anchored(size, dots)
            yield self.changing(clause, question, size, dots, at, by_dot=number == 1)
            yield self.ask(
                f"{name}: antwoord blijft",
                f"antwoord = Board.{name}({board(size, [])}, {block(dots)})",
                f"ander = Board.{name}({board(size, square(size))}, {block(dots)})",
                "sorted(antwoord)",
            )
            yield self.ask(
                f"{name}: niets verandert",
                f"bord = {board(size, cells)}",
                f"blok = {block(dots)}",
                f"[Board.{name}(bord, blok)] and [{cells_of('bord')}, {dots_of('blok')}]",
            )

    def bar(self, size: int, number: int) -> Cells:
        """Return a bar across the whole board, and a dot beside it."""
        dots = (*((step, 0) for step in range(-1, size - 1)), (0, 1))
        return dots if number else tuple((row, column) for column, row in dots)

    def dropped(self) -> Iterator[Scene]:
        """Yield blocks that are dropped."""
        for number in range(2):
            size = self.size(4, 6)
            dots = bent(self.draws, 4)
            at = self.anchored(size, dots)
            under = moved(dots, at)
            apart = [each for each in square(size) if each not in under]
            beside = self.draws.choice(around(anchors(size, dots)))
            away = moved(dots, (size + 2, -size - 2))
            line = (row_of, column_of)[number](size, 2)
            lying = tuple((cell[0] - 1, cell[1] - 1) for cell in line[:2])
            drops = {
                "gevuld": (self.draws.some(apart, 2), dots, at),
                "past niet": ([self.draws.choice(under)], dots, at),
                "buiten het bord": ([], dots, beside),
                "ankerpunt buiten het bord": ([], away, self.anchored(size, away)),
                "niets leeggemaakt": (line[2:], lying, (1, 1)),
            }
            for clause, (cells, own, position) in drops.items():
                yield self.ask(
                    f"drop_at: {clause}",
                    f"bord = {board(size, cells)}",
                    f"blok = {block(own)}",
                    f"[Board.drop_at(bord, blok, {position})] and {cells_of('bord')}",
                )
            own, at = (dots, at) if number else (away, drops["ankerpunt buiten het bord"][2])
            yield self.ask(
                "drop_at: blok blijft",
                f"blok = {block(own)}",
                f"[Board.drop_at({board(size, [])}, blok, {at})] and {dots_of('blok')}",
            )
            full = square(size)
            hole = self.draws.choice(full)
            rest = [cell for cell in full if cell != hole]
            drop = f"Board.drop_at(bord, {block([(0, 0)])}, {hole})"
            yield self.lines_after("drop_at", rest, drop, full)

    def cleared(self) -> Iterator[Scene]:
        """Yield boards with full rows and columns, and boards without."""
        name, draws = "clear_full_rows_and_columns", self.draws
        for own in (row_of, column_of):
            size = self.size(4, 6)
            one, two = draws.some(range(1, size + 1), 2)
            rest = self.filled(size, [*row_of(size, one), *column_of(size, one)])
            rest = [each for each in rest if sum(each) % 2]
            nearly = [each for each in square(size) if each[0] != each[1]]
            cells = {
                "rij": [*row_of(size, one), *rest],
                "kolom": [*column_of(size, one), *rest],
                "meer rijen": [*row_of(size, one), *row_of(size, two)],
                "meer kolommen": [*column_of(size, one), *column_of(size, two)],
                "rij en kolom": [*row_of(size, one), *column_of(size, two)],
                "niets vol": nearly,
                "cellen vallen niet": [*row_of(size, 1), (one, size), (two, size - 1)],
            }
            for clause, filled in cells.items():
                made = board(size, dict.fromkeys(draws.shuffled(dict.fromkeys(filled))))
                yield self.after(f"{name}: {clause}", made, f"Board.{name}(bord)")
            hole = draws.choice(square(size))
            rest = [cell for cell in square(size) if cell != hole]
            # Another cell in its line: who still counts what was there takes that for full.
            line = own(size, hole[own is row_of])
            beside = draws.choice([cell for cell in line if cell != hole])
            clear = f"[Board.{name}(bord), Board.fill_cell(bord, {beside})]"
            yield self.lines_after(name, rest, clear, [beside])
            size = self.large()
            made = board(size, [*own(size, size), (1, 1)])
            yield self.after(f"{name}: meer dan tien", made, f"Board.{name}(bord)")

    def chains(
        self, clause: str, size: int, cells: Iterable[Cell], asked: Sequence[Cells]
    ) -> Scene:
        """Return a scene that asks whether positions are chainable, all in the same state."""
        cells = list(dict.fromkeys(cells))
        for positions in asked:
            if len({each in cells for each in positions}) > 1 or {*positions} - {*square(size)}:
                raise ValueError(f"not on the board, or in two states: {positions}")
        values = [literal(positions) for positions in self.draws.shuffled(asked)]
        call = "bool(Board.are_chainable(bord, p))"
        return self.ask(
            f"are_chainable: {clause}", f"bord = {board(size, cells)}", each(call, "p", values)
        )

    def linked(self) -> Iterator[Scene]:
        """Yield positions in one region, and positions in two."""
        draws, name = self.draws, "are_chainable"
        for number in range(2):
            size = self.size(3, 4)  # who looks for all paths is slow, and right
            wall = (row_of, column_of)[number](size, draws.between(2, size - 1))
            free = [each for each in square(size) if each not in wall]
            low, high = min(free), max(free)
            near = [each for each in free if is_chained([*self.side(free, low), each])]
            same = draws.choice([each for each in near if each != low])
            asked = [(low, high), (low, same)]
            yield self.chains("lege cellen", size, wall, asked)
            yield self.chains("gevulde cellen", size, free, asked)
            yield self.chains("meer dan twee", size, wall, [(low, same, high), (same, low)])
            twice = [(low, same, low), (high, high, low)]
            yield self.chains("dubbel", size, wall, twice)
            yield self.chains("geen of een", size, wall, [(), (low,), (low, high)])
            corners = [(1, 2), (2, 1)]
            yield self.chains("schuin", size, corners, [((1, 1), (size, size)), ((1, 1),)])
            yield self.winding(number)
            kinds = draws.shuffled([*KINDS[:3]])
            values = [literal(cells, kind) for kind in kinds for cells in asked]
            yield self.ask(
                f"{name}: soort",
                f"bord = {board(size, wall)}",
                each(f"bool(Board.{name}(bord, p))", "p", values),
            )
            yield self.ask(
                f"{name}: elke vraag opnieuw",
                f"[bool(Board.{name}(b, {literal(asked[0])})) for b in"
                f" [{board(size, [])}, {board(size, wall)}]]",
            )
            yield self.ask(
                f"{name}: bord blijft",
                f"bord = {board(size, (wall, free)[number])}",
                f"[Board.{name}(bord, {literal(asked[number])})] and {cells_of('bord')}",
            )
            yield self.ask(
                f"{name}: argument blijft",
                f"posities = {literal(asked[number], ('set', 'list')[number])}",
                f"[bool(Board.{name}({board(size, wall)}, posities)), sorted(posities)]",
            )

    def side(self, cells: Iterable[Cell], start: Cell) -> set[Cell]:
        """Return those of `cells` that hang together with `start`."""
        left, group = set(cells), {start}
        while more := left.intersection(around(group)) - group:
            group |= more
        return group

    def winding(self, number: int) -> Scene:
        """Return a scene with a way that winds along walls, and with a gap in it."""
        size = 3 if self.small else self.draws.choice((5, 7))
        walls = [
            (column, row)
            for column in range(2, size, 2)
            for row in (range(2, size + 1) if column % 4 == 0 else range(1, size))
        ]
        way = [each for each in square(size) if each not in walls]
        cut = (size, self.draws.between(2, size - 1))
        filled = ([walls, [*walls, cut]], [way, [each for each in way if each != cut]])[number]
        ends = ((1, 1), (size, size if size % 4 == 1 else 1))
        boards = self.draws.shuffled([board(size, each) for each in filled])
        return self.ask(
            "are_chainable: kronkelweg",
            each(f"bool(Board.are_chainable(b, {literal(ends)}))", "b", boards),
        )
