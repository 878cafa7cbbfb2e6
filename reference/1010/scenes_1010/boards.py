"""Scenes about boards: what is filled, and how that changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from grader.authoring.generating import Scene

from .cells import KINDS, Cell, around, column_of, literal, row_of, square
from .drawing import Drawing, each


def board(size: int, filled: Iterable[Cell], kind: str = "list") -> str:
    """Return the call that makes a board, of cells that are all different."""
    return f"Board.make_board({size}, {literal(dict.fromkeys(filled), kind)})"


def cells_of(code: str) -> str:
    """Return what shows the filled cells of a board."""
    return f"sorted(Board.get_all_filled_positions({code}))"


class BoardDrawing(Drawing):
    """Draws boards, which are filled when they are made, by no other function."""

    module = "Board"

    def size(self, low: int = 3, high: int = 5) -> int:
        """Return the dimension of the next board: none that counts is as small as those shown."""
        return low if self.small else self.draws.between(low + 1, high)

    def large(self) -> int:
        """Return the dimension of a board with more rows than boards usually have, which is ten."""
        return 11 if self.small else self.draws.between(12, 14)

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


class BoardScenes(BoardDrawing):
    """The scenes about what is filled."""

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
        yield from self.large_boards()

    def made(self) -> Iterator[Scene]:
        """Yield new boards."""
        for number in range(2):
            one, other = self.draws.between(2, 6), self.draws.between(7, 12)
            sizes = self.draws.shuffled([one, other])
            call = each("Board.dimension(Board.make_board(n))", "n", sizes)
            yield self.ask("dimension: dimensie", call)
            default = f"Board.dimension(Board.make_board()), {cells_of('Board.make_board()')}"
            given = f"Board.dimension(Board.make_board({1 if self.small else one}))"
            yield self.ask("make_board: standaard", f"[{default}, {given}]")
            yield self.ask(
                "dimension: twee borden",
                f"bord = Board.make_board({sizes[0]})",
                f"ander = Board.make_board({sizes[1]})",
                "[Board.dimension(bord), Board.dimension(ander)]",
            )
            size = self.size()
            cells = self.filled(size)
            yield self.ask("make_board: cellen", cells_of(board(size, cells)))
            wide = 3 if self.small else self.draws.between(4, 6)
            line = self.draws.shuffled(row_of(wide, 2)[:-1])
            yield self.ask(
                "make_board: dubbel",
                f"bord = Board.make_board({wide}, {literal([*line, line[0]])})",
                (cells_of("bord"), "bool(Board.is_filled_row(bord, 2))")[number],
            )
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
            yield self.copied_lines(("bord", "kopie"), self.size())

    def copied_lines(self, names: Sequence[str], size: int) -> Scene:
        """Return a board that must not get full lines because its copy gets some.

        What these are is no matter, as long as it stays the same: functions that are not written
        yet give None.
        """
        changed, other = self.draws.shuffled(names)
        k, r = free = self.draws.choice(square(size))
        cells = [cell for cell in square(size) if cell != free and (cell[0] == k or cell[1] == r)]
        rows = f"str(Board.get_all_filled_rows({other}))"
        lines = f"[{rows}, str(Board.get_all_filled_columns({other}))]"
        return self.ask(
            "copy_board: los van elkaar",
            f"bord = {board(size, cells)}",
            "kopie = Board.copy_board(bord)",
            f"lijnen = {lines}",
            f"Board.fill_cell({changed}, {free})",
            f"lijnen == {lines}",
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
            values = self.draws.shuffled([*self.some(boards, 6, 3), self.draws.choice(no)])
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
            side = 2 if self.small else size
            yield self.ask(
                f"{name}: de andere richting",
                f"bord = {board(side, other(side, min(gap, side)))}",
                each(call, "n", range(1, side + 1)),
            )
            numbers = self.mixed([1, size], [0, size + 1, -1, -size], 4)
            strings = self.mixed([1, size], [f"'{full}'", f"'{gap}'"], 2)
            floats = [f"{full}.5", f"{gap}.5"]
            floats = self.mixed([1, size], floats[number:] if self.small else floats, 2)
            for clause, values in (
                ("bestaat niet", numbers),
                ("geen getal", strings),
                ("kommagetal", floats),
            ):
                yield self.ask(
                    f"{name}: {clause}",
                    f"bord = {board(size, square(size))}",
                    each(call, "n", values),
                )
            made = board(size, [*own(size, full), *almost])
            question = f"bool(Board.{name}(bord, {gap}))"
            if number:
                yield from self.changing(
                    f"{name}: na een wijziging", made, question, missing, almost
                )
        for size in (1, 3 if self.small else 11):
            line = own(size, size)
            boards = [board(size, line), board(size, line[1:])]
            call = each(f"bool(Board.{name}(b, {size}))", "b", boards)
            yield self.ask(f"{name}: grootte", call)

    def changing(
        self, clause: str, made: str, question: str, free: Cell, filled: Sequence[Cell]
    ) -> Iterator[Scene]:
        """Yield scenes that ask again when a free cell is filled, and a filled one once more."""
        fill, empty = f"Board.fill_cell(bord, {free})", f"Board.free_cell(bord, {free})"
        again = f"Board.fill_cell(bord, {self.draws.choice(filled)})"
        for changes in ([again, fill], [empty, fill], [fill, empty])[: 2 if self.small else 3]:
            yield self.ask_again(clause, [f"bord = {made}"], question, changes)

    def full_lines(self, is_row: bool) -> Iterator[Scene]:
        """Yield the full rows or columns of boards."""
        name = "get_all_filled_rows" if is_row else "get_all_filled_columns"
        own, other = (row_of, column_of) if is_row else (column_of, row_of)
        for number in range(2):
            size = self.size(3, 7)
            full = [*self.draws.some(range(2, size), size), 1, size]
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
                    f"{name}: {clause}",
                    shown if clause == "juiste volgorde" else f"sorted({shown})",
                )
            yield self.ask(
                f"{name}: geen", f"Board.{name}({board(size, other(size, full[number]))})"
            )
            free, *filled = self.draws.shuffled(own(size, full[0]))
            question = f"sorted(Board.{name}(bord))"
            if number:
                yield from self.changing(
                    f"{name}: na een wijziging", board(size, filled), question, free, filled
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
                yield self.after(
                    f"{name}: {clause}", board(size, cells), f"Board.{name}(bord, {cell})"
                )
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
            odd = [chosen[0], *self.draws.shuffled([*beyond, same]), *chosen, chosen[-1]]
            for clause, cells in (("allemaal", chosen), ("ook overbodige", odd)):
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
            size = self.size() + (0 if self.small else 1)
            line = (1, size)[number]
            others = [each for each in square(size) if each not in own(size, line)]
            partly = board(size, [*own(size, line)[1 - number :: 2], *others])
            full = board(size, square(size))
            middle = self.draws.between(2, size - 1)
            yield self.after(
                f"{name}: helemaal", full, f"Board.{name}(bord, {(middle, line)[number]})"
            )
            yield self.after(f"{name}: met lege cellen", partly, f"Board.{name}(bord, {line})")
            wrong = each(f"Board.{name}(bord, n)", "n", self.draws.shuffled([0, -1, size + 1]))
            yield self.after(f"{name}: bestaat niet", full, wrong)
            yield self.after(f"{name}: geen getal", full, f"Board.{name}(bord, '{line}')")
            yield self.after(f"{name}: kommagetal", full, f"Board.{name}(bord, {line}.5)")

    def large_boards(self) -> Iterator[Scene]:
        """Yield what is done to the far side of large boards, and what is found there."""
        clause = "meer dan tien"
        for number in range(2):
            size = self.large()
            name = "get_all_filled_positions"
            cells = [(1, size), (size, 2), *self.some(square(size)[size + 1 :], 2, 0)]
            yield self.ask(f"{name}: {clause}", cells_of(board(size, cells)))
            at = size - number
            for own, line in ((row_of, "row"), (column_of, "column")):
                name, cells = f"get_all_filled_{line}s", own(size, at)
                yield self.ask(f"{name}: {clause}", f"sorted(Board.{name}({board(size, cells)}))")
                made = board(size, [*cells, (1, 1)])
                yield self.after(f"free_{line}: {clause}", made, f"Board.free_{line}(bord, {at})")
