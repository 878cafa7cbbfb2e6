"""Scenes of 1010! about boards: each asks one clause of one function.

Boards are filled when they are made, so that hardly any other function stands in a scene.
"""

from __future__ import annotations

import runpy
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from grader.authoring.generating import Scene

if TYPE_CHECKING:
    from cells import Cell, Cells

SCENES = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("scenes.py"))))
CELLS = SCENES.CELLS
block, dots_of, each, KINDS = SCENES.block, SCENES.dots_of, SCENES.each, CELLS.KINDS
around, literal, moved, square = CELLS.around, CELLS.literal, CELLS.moved, CELLS.square
row_of, column_of = CELLS.row_of, CELLS.column_of


def board(size: int, filled: Iterable[Cell], kind: str = "list") -> str:
    """Return the call that makes a board, of cells that are all different."""
    return f"Board.make_board({size}, {literal(dict.fromkeys(filled), kind)})"


def cells_of(code: str) -> str:
    """Return what shows the filled cells of a board."""
    return f"sorted(Board.get_all_filled_positions({code}))"


class BoardScenes(SCENES.Drawing):
    """The scenes about boards."""

    def ask(self, clause: str, *lines: str) -> Scene:
        """Return a scene that needs boards, and blocks of ours."""
        return self.scene(clause, *lines, module="Board")

    def all(self) -> Iterator[Scene]:
        """Yield all scenes, function by function."""
        yield from self.made()
        yield from self.copied()
        yield from self.proper()
        yield from self.shown()
        yield from self.looked_up()
        for is_row in (True, False):
            yield from self.full_line(is_row)
        for is_row in (True, False):
            yield from self.full_lines(is_row)
        yield from self.changed_cells("fill")
        yield from self.changed_cells("free")
        yield from self.changed_collections("fill_all_cells", KINDS)
        yield from self.changed_collections("free_all_cells", KINDS[:2])
        for is_row in (True, False):
            yield from self.freed_line(is_row)
        yield from self.fitting()
        yield from self.droppable()
        yield from self.dropped()
        yield from self.cleared()
        yield from self.linked()

    def size(self, low: int = 3, high: int = 5) -> int:
        """Return the dimension of the next board."""
        return low if self.small else self.draws.between(low, high)

    def filled(self, size: int, without: Sequence[Cell] = ()) -> list[Cell]:
        """Return cells that are filled, a few or most of them, and not these."""
        cells = [cell for cell in square(size) if cell not in without]
        count = 1 if self.small else self.draws.between(size, len(cells) - size)
        return self.draws.some(cells, count)

    def beyond(self, size: int) -> list[Cell]:
        """Return positions off the board, at all four sides."""
        k, r = self.draws.between(1, size), self.draws.between(1, size)
        return [(0, r), (size + 1, r), (k, 0), (k, size + 1)]

    def after(self, clause: str, made: str, action: str) -> Scene:
        """Return a scene that looks at the cells of a board after an action."""
        done = action if action.startswith("[") else f"[{action}]"
        return self.ask(clause, f"bord = {made}", f"{done} and {cells_of('bord')}")

    def made(self) -> Iterator[Scene]:
        """Yield new boards."""
        for number in range(2):
            one, other = self.draws.between(2, 6), self.draws.between(7, 12)
            sizes = self.draws.shuffled([one, other])
            call = each("Board.dimension(Board.make_board(n))", "n", sizes)
            yield self.ask("dimension: dimensie", call)
            default = f"Board.dimension(Board.make_board()), {cells_of('Board.make_board()')}"
            yield self.ask(
                "make_board: standaard", f"[{default}, Board.dimension(Board.make_board({one}))]"
            )
            yield self.ask(
                "dimension: twee borden",
                f"bord = Board.make_board({sizes[0]})",
                f"ander = Board.make_board({sizes[1]})",
                "[Board.dimension(bord), Board.dimension(ander)]",
            )
            size = self.size()
            cells = self.filled(size)
            yield self.ask("make_board: cellen", cells_of(board(size, cells)))
            kinds = [literal(self.filled(size), kind) for kind in self.draws.shuffled(KINDS)]
            shown = cells_of(f"Board.make_board({size}, p)")
            yield self.ask("make_board: soort", each(shown, "p", kinds))
            both = self.draws.shuffled([*cells[:3], *self.some(self.beyond(size), 4, 2)])
            yield self.ask("make_board: buiten het bord", cells_of(board(size, both)))
            free = self.draws.choice([each for each in square(size) if each not in cells])
            kind, change = (("set", "add"), ("list", "append"))[number]
            yield self.ask(
                "make_board: eigen kopie",
                f"posities = {literal(cells, kind)}",
                f"bord = Board.make_board({size}, posities)",
                f"posities.{change}({free})",
                cells_of("bord"),
            )
            yield self.ask(
                "make_board: elk bord apart",
                f"bord, ander = Board.make_board({size}), Board.make_board({size})",
                f"Board.fill_cell(bord, {free})",
                cells_of("ander"),
            )
            yield self.ask(
                "make_board: argument blijft",
                f"posities = {literal(both, kind)}",
                f"[Board.make_board({size}, posities)] and sorted(posities)",
            )

    def copied(self) -> Iterator[Scene]:
        """Yield copies of boards."""
        for number in range(2):
            size = self.size()
            cells = self.filled(size)
            yield self.ask(
                "copy_board: hetzelfde",
                f"bord = Board.copy_board({board(size, cells)})",
                f"[Board.dimension(bord), {cells_of('bord')}]",
            )
            k, r = cells[0]
            near = [each for each in around([(k, r)]) if each in square(size) and each not in cells]
            free = near or [each for each in square(size) if each not in cells]
            actions = (f"fill_cell({{}}, {free[0]})", f"free_cell({{}}, {(k, r)})")
            name = self.draws.choice(("bord", "kopie"))
            yield self.ask(
                "copy_board: los van elkaar",
                f"bord = {board(size, cells)}",
                "kopie = Board.copy_board(bord)",
                f"Board.{actions[number].format(name)}",
                f"[{cells_of('bord')}, {cells_of('kopie')}]",
            )

    def proper(self) -> Iterator[Scene]:
        """Yield boards, and values that are none however a board is represented."""
        call = "bool(Board.is_proper_board(b))"
        for _ in range(2):
            size = self.size()
            row, column = row_of(size, 1), column_of(size, size)
            cells = ([], square(size), row, column, self.filled(size), self.beyond(size))
            boards = [board(size, each) for each in cells]
            no = ["None", "'bord'", f"{size}.5", f"[{size}.5, 'a', None]"]
            values = self.draws.shuffled([*self.some(boards, 6, 1), self.draws.choice(no)])
            yield self.ask("is_proper_board: een bord", each(call, "b", values))
            values = self.mixed(boards, no, 4)
            yield self.ask("is_proper_board: geen bord", each(call, "b", values))
            cell, free = self.draws.some(square(size), 2)
            yield self.ask(
                "is_proper_board: na wijzigingen",
                f"bord = {board(size, [cell])}",
                f"Board.free_cell(bord, {cell})",
                f"Board.fill_cell(bord, {free})",
                "[bool(Board.is_proper_board(b)) for b in [bord, None]]",
            )

    def shown(self) -> Iterator[Scene]:
        """Yield the filled cells of boards."""
        name = "get_all_filled_positions"
        for number in range(2):
            size = self.size()
            cells = [*self.filled(size), (size, 1 + number)]
            yield self.ask(f"{name}: een set", f"Board.{name}({board(size, cells)})")
            yield self.ask(f"{name}: alle cellen", cells_of(board(size, [*cells, (2, size)])))
            free = self.draws.choice([each for each in square(size) if each not in cells])
            change = (f"add({free})", f"discard({cells[0]})")[number]
            yield self.ask(
                f"{name}: eigen kopie",
                f"bord = {board(size, cells)}",
                f"Board.{name}(bord).{change}",
                cells_of("bord"),
            )

    def looked_up(self) -> Iterator[Scene]:
        """Yield cells that are filled or not, and positions off the board."""
        for number in range(2):
            size = self.size()
            cells = self.filled(size)
            free = [each for each in square(size) if each not in cells]
            for name, filled, no in (
                ("gevuld of leeg", cells, free),
                # Off the board, where who counts on would come to a cell that is filled.
                ("buiten het bord", square(size), [*self.beyond(size), (size + 1, 1), (0, 2)]),
            ):
                values = self.mixed(filled, no, 4 + 2 * number)
                call = f"bool(Board.is_filled_at({board(size, filled)}, p))"
                yield self.ask(f"is_filled_at: {name}", each(call, "p", values))

    def full_line(self, is_row: bool) -> Iterator[Scene]:
        """Yield rows or columns that are full, or nearly."""
        name = "is_filled_row" if is_row else "is_filled_column"
        own, other = (row_of, column_of) if is_row else (column_of, row_of)
        call = f"bool(Board.{name}(bord, n))"
        for number in range(2):
            size = self.size()
            full, gap = self.draws.some(range(1, size + 1), 2)
            missing = own(size, gap)[(0, -1)[number]]
            almost = [each for each in own(size, gap) if each != missing]
            yield self.ask(
                f"{name}: vol of niet",
                f"bord = {board(size, [*own(size, full), *almost])}",
                each(call, "n", range(1, size + 1)),
            )
            yield self.ask(
                f"{name}: de andere richting",
                f"bord = {board(size, other(size, gap))}",
                each(call, "n", range(1, size + 1)),
            )
            numbers = self.mixed([1, size], [0, size + 1, -1, -size], 4)
            strings = self.mixed([1, size], [f"'{full}'", f"'{gap}'"], 2)
            for clause, values in (("bestaat niet", numbers), ("geen getal", strings)):
                yield self.ask(
                    f"{name}: {clause}",
                    f"bord = {board(size, square(size))}",
                    each(call, "n", values),
                )
        for size in (1, 3 if self.small else 11):
            line = own(size, size)
            yield self.ask(
                f"{name}: grootte",
                f"[bool(Board.{name}(b, {size})) for b in [{board(size, line)}, {board(size, line[1:])}]]",
            )

    def full_lines(self, is_row: bool) -> Iterator[Scene]:
        """Yield the full rows or columns of boards."""
        name = "get_all_filled_rows" if is_row else "get_all_filled_columns"
        own, other = (row_of, column_of) if is_row else (column_of, row_of)
        for number in range(2):
            size = self.size(3, 7)
            full = self.draws.some(range(2, size), size) + [1, size]
            some = full[:1] if number else full[-2:]
            lines = {
                "juiste volgorde": full[-3:] if size > 3 else full[-2:],
                "enkel de volle": some,
            }
            for clause, numbers in lines.items():
                cells = [cell for n in numbers for cell in own(size, n)]
                crossing = [] if number else other(size, full[0])[:-1]
                filled = board(size, dict.fromkeys([*cells, *crossing]))
                shown = f"Board.{name}({filled})"
                yield self.ask(
                    f"{name}: {clause}", shown if clause == "juiste volgorde" else f"sorted({shown})"
                )
            yield self.ask(
                f"{name}: geen", f"Board.{name}({board(size, other(size, full[number]))})"
            )
            yield self.ask(
                f"{name}: antwoord blijft",
                f"antwoord = Board.{name}({board(size, own(size, full[0]))})",
                f"ander = Board.{name}(Board.make_board({size}))",
                "list(antwoord)",
            )

    def changed_cells(self, way: str) -> Iterator[Scene]:
        """Yield single cells that are filled, or emptied."""
        name = f"{way}_cell"
        for _ in range(2):
            size = self.size()
            cells = self.filled(size)
            free = [each for each in square(size) if each not in cells]
            changing, same = (free, cells) if way == "fill" else (cells, free)
            for clause, choices in (("gewijzigd", changing), ("al zo", same)):
                cell = self.draws.choice(choices)
                yield self.after(f"{name}: {clause}", board(size, cells), f"Board.{name}(bord, {cell})")
        for _ in range(2):
            size = self.size()
            filled = [] if way == "fill" else square(size)
            # Who counts on finds a cell of the next column or row there.
            beyond = [*self.beyond(size), (0, size), (size + 1, 1)]
            action = each(f"Board.{name}(bord, p)", "p", self.some(beyond, 6, 3))
            yield self.after(f"{name}: buiten het bord", board(size, filled), action)

    def changed_collections(self, name: str, kinds: Sequence[str]) -> Iterator[Scene]:
        """Yield collections of cells that are filled, or emptied."""
        is_fill = name.startswith("fill")
        for number in range(2):
            size = self.size()
            all_cells = self.draws.shuffled(square(size))
            chosen, rest = all_cells[: 3 if self.small else 5], all_cells[5:7]
            start = rest if is_fill else [*chosen, *rest]
            same = self.draws.choice(rest if is_fill else all_cells[7:])
            beyond = self.some(self.beyond(size), 2)
            odd = self.draws.shuffled([*beyond, same, chosen[0]])
            for clause, cells in (("allemaal", chosen), ("ook overbodige", [*odd, *chosen])):
                made = board(size, [*start, same] if is_fill else start)
                action = f"Board.{name}(bord, {literal(cells, kinds[number])})"
                yield self.after(f"{name}: {clause}", made, action)
            parts = [literal([cell], kind) for cell, kind in zip(chosen, kinds, strict=False)]
            action = each(f"Board.{name}(bord, p)", "p", parts)
            yield self.after(f"{name}: soort", board(size, start), action)
            kind = ("list", "set" if is_fill else "list")[number]
            yield self.ask(
                f"{name}: argument blijft",
                f"posities = {literal([*beyond, *chosen], kind)}",
                f"[Board.{name}({board(size, start)}, posities)] and sorted(posities)",
            )

    def freed_line(self, is_row: bool) -> Iterator[Scene]:
        """Yield rows or columns that are emptied."""
        name = "free_row" if is_row else "free_column"
        own = row_of if is_row else column_of
        for number in range(2):
            size = self.size()
            line = (1, size)[number]
            others = [each for each in square(size) if each not in own(size, line)]
            partly = board(size, [*own(size, line)[1 - number :: 2], *others])
            full = board(size, square(size))
            middle = self.draws.between(2, size - 1)
            yield self.after(f"{name}: helemaal", full, f"Board.{name}(bord, {(middle, line)[number]})")
            yield self.after(f"{name}: met lege cellen", partly, f"Board.{name}(bord, {line})")
            wrong = each(f"Board.{name}(bord, n)", "n", self.draws.shuffled([0, -1, size + 1]))
            yield self.after(f"{name}: bestaat niet", full, wrong)
            yield self.after(f"{name}: geen getal", full, f"Board.{name}(bord, '{line}')")

    def dots(self, large: int = 4, small: int = 2) -> Cells:
        """Return the dots of a block with its anchor among them."""
        dots = CELLS.chain(self.draws, small if self.small else self.draws.between(2, large))
        return moved(dots, (-dots[0][0], -dots[0][1]))

    def anchored(self, size: int, dots: Cells) -> Cell:
        """Return where the block may be dropped on an empty board."""
        return self.draws.choice(CELLS.anchors(size, dots))

    def fit(self, clause: str, made: str, dots: Cells, at: Iterable[Cell]) -> Scene:
        """Return a scene that asks where a block can be dropped."""
        call = "bool(Board.can_be_dropped_at(bord, blok, p))"
        return self.ask(clause, f"bord = {made}", f"blok = {block(dots)}", each(call, "p", at))

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
            empty, inside = board(size, []), CELLS.anchors(size, dots)
            edge = [each for each in around(inside) if each in square(size) or not number]
            values = self.mixed(inside, edge or around(inside), 4)
            yield self.fit(f"{name}: elke stip op het bord", empty, dots, values)
            away = moved(dots, ((size + 2, 0), (0, -size - 2))[number])
            inside = CELLS.anchors(size, away)
            values = self.mixed(inside, around(inside), 3)
            yield self.fit(f"{name}: ankerpunt buiten het bord", empty, away, values)
            ring = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0))[: (5, 3)[number]]
            at = self.draws.choice(CELLS.anchors(size, (*ring, (0, 0))))
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
            crossing = (row_of if line[1] == (0, 1) else column_of)(3, 2)
            nowhere = (board(3, crossing), board(1, []))[number]
            yield self.ask(f"{name}: nergens", f"Board.{name}({nowhere}, {block(line)})")
            yield self.places(f"{name}: lang blok", size, [(1, 1)], self.bar(size, number))
            one, other = draws.some([((0, 0), (0, 1), (1, 1)), ((0, 0), (1, 0), (1, 1))], 2)
            yield self.ask(
                f"{name}: twee vormen",
                f"bord = {board(2, [draws.choice([(1, 2), (2, 1)])])}",
                each(f"Board.{name}(bord, b)", "b", [block(one), block(other)]),
            )
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
        dots = tuple((step, 0) for step in range(-1, size - 1)) + ((0, 1),)
        return dots if number else tuple((row, column) for column, row in dots)

    def dropped(self) -> Iterator[Scene]:
        """Yield blocks that are dropped."""
        for number in range(2):
            size = self.size(4, 6)
            dots = CELLS.bent(self.draws, 4)
            at = self.anchored(size, dots)
            under = moved(dots, at)
            apart = [each for each in square(size) if each not in under]
            beside = self.draws.choice(around(CELLS.anchors(size, dots)))
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
            yield self.ask(
                "drop_at: blok blijft",
                f"blok = {block(dots)}",
                f"[Board.drop_at({board(size, [])}, blok, {at})] and {dots_of('blok')}",
            )

    def cleared(self) -> Iterator[Scene]:
        """Yield boards with full rows and columns, and boards without."""
        name, draws = "clear_full_rows_and_columns", self.draws
        for _ in range(2):
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

    def chains(self, clause: str, size: int, cells: Iterable[Cell], asked: Sequence[Cells]) -> Scene:
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
            size = self.size(3, 6)
            wall = (row_of, column_of)[number](size, draws.between(2, size - 1))
            free = [each for each in square(size) if each not in wall]
            low, high = min(free), max(free)
            near = [each for each in free if CELLS.is_chained([*self.side(free, low), each])]
            same = draws.choice([each for each in near if each != low])
            asked = [(low, high), (low, same)]
            yield self.chains("lege cellen", size, wall, asked)
            yield self.chains("gevulde cellen", size, free, asked)
            yield self.chains("meer dan twee", size, wall, [(low, same, high), (same, low)])
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
                f"posities = {literal(asked[1], ('set', 'list')[number])}",
                f"[Board.{name}({board(size, wall)}, posities)] and sorted(posities)",
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
