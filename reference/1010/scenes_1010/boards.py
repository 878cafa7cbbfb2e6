"""Scenes about boards: what is filled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from grader.plugins.authoring.generating import Scene

from .cells import KINDS, Cell, around, column_of, literal, row_of, square
from .drawing import Drawing, each


def board(size: int, filled: Iterable[Cell], kind: str = "list") -> str:
    """Return the call that makes a board, of cells that are all different."""
    return f"Board.make_board({size}, {literal(dict.fromkeys(filled), kind)})"


def cells_of(code: str) -> str:
    """Return what shows the filled cells of a board."""
    return f"sorted(Board.get_all_filled_positions({code}))"


def lines_of(code: str) -> str:
    """Return what shows the full lines of a board, also where that is not written yet."""
    return f"[str(Board.get_all_filled_rows({code})), str(Board.get_all_filled_columns({code}))]"


class BoardDrawing(Drawing):
    """Draws boards, which are filled when they are made, by no other function."""

    module = "Board"

    def size(self, low: int = 3, high: int = 5) -> int:
        """Return the dimension of the next board: none that counts is as small as those shown."""
        return low if self.small else self.draws.between(low + 1, high)

    def large(self) -> int:
        """Return the dimension of a board with more rows than boards usually have, which is ten."""
        return 12 if self.small else self.draws.between(13, 14)

    def filled(self, size: int, without: Sequence[Cell] = ()) -> list[Cell]:
        """Return cells that are filled, a few or most of them, and not these."""
        cells = [cell for cell in square(size) if cell not in without]
        count = 1 if self.small else self.draws.between(size, len(cells) - size)
        return self.draws.some(cells, count)

    def beyond(self, size: int, by: int = 1) -> list[Cell]:
        """Return positions off the board, so far beyond all four sides."""
        k, r = self.draws.between(1, size), self.draws.between(1, size)
        return [(1 - by, r), (size + by, r), (k, 1 - by), (k, size + by)]

    def after(self, clause: str, made: str, action: str) -> Scene:
        """Return a scene that looks at the cells of a board after an action."""
        done = action if action.startswith("[") else f"[{action}]"
        return self.ask(clause, f"bord = {made}", f"{done} and {cells_of('bord')}")

    def lines_after(
        self, name: str, start: Iterable[Cell], action: str, end: Iterable[Cell]
    ) -> Scene:
        """Return a scene that compares full lines after an action with those of a new board.

        What these are is no matter. They are asked before as well, for who remembers answers.
        """
        size = max(map(max, start))
        return self.ask(
            f"{name}: volle lijnen daarna",
            f"bord = {board(size, start)}",
            lines_of("bord"),
            action,
            f"{lines_of('bord')} == {lines_of(board(size, end))}",
        )


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
        lines = lines_of(other)
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
            cells = (list[Cell](), square(size), row, column, self.filled(size), self.beyond(size))
            boards = [board(size, each) for each in cells]
            no = ["None", "'bord'", f"{size}.5", f"[{size}.5, 'a', None]", "[]", "()", "{}"]
            values = self.draws.shuffled([*self.some(boards, 6, 3), self.draws.choice(no)])
            yield self.ask("is_proper_board: een bord", each(call, "b", values))
            values = self.mixed(boards, no, 6)
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
                (
                    "buiten het bord",
                    square(size),
                    [*self.beyond(size), (size + 1, 1), (0, 2), *self.beyond(size, 2)],
                ),
            ):
                values = self.mixed(filled, no, 6 + 4 * number)
                call = f"bool(Board.is_filled_at({board(size, filled)}, p))"
                yield self.ask(f"is_filled_at: {name}", each(call, "p", values))

    def full_line(self, is_row: bool) -> Iterator[Scene]:
        """Yield rows or columns that are full, or nearly."""
        name = "is_filled_row" if is_row else "is_filled_column"
        own, other = (row_of, column_of) if is_row else (column_of, row_of)
        call = f"bool(Board.{name}(bord, n))"
        for number in range(2):
            size = self.size()
            full, gap, other_line = self.draws.some(range(1, size + 1), 3)
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
            halves = [f"{full}.5", f"{gap}.5"]
            floats = self.mixed([1, size], halves[number:] if self.small else halves, 2)
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
                    f"{name}: na een wijziging",
                    made,
                    question,
                    missing,
                    almost,
                    own(size, other_line)[0],
                )
        for size in (1, 3 if self.small else 11):
            line = own(size, size)
            boards = [board(size, line), board(size, line[1:])]
            call = each(f"bool(Board.{name}(b, {size}))", "b", boards)
            yield self.ask(f"{name}: grootte", call)

    def changing(
        self,
        clause: str,
        made: str,
        question: str,
        free: Cell,
        filled: Sequence[Cell],
        elsewhere: Cell,
    ) -> Iterator[Scene]:
        """Yield scenes that ask again when a free cell of a line is filled, or a filled one again.

        In one of them a cell `elsewhere` is filled instead: as many cells are then.
        """
        fill, empty = f"Board.fill_cell(bord, {free})", f"Board.free_cell(bord, {free})"
        again = f"Board.fill_cell(bord, {self.draws.choice(filled)})"
        instead = f"{empty}, Board.fill_cell(bord, {elsewhere})"
        for changes in ([again, fill], [empty, fill], [fill, instead]):
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
                made = board(size, dict.fromkeys([*cells, *crossing]))
                shown = f"Board.{name}({made})"
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
                    f"{name}: na een wijziging",
                    board(size, filled),
                    question,
                    free,
                    filled,
                    own(size, full[1])[0],
                )
            yield self.ask(
                f"{name}: antwoord blijft",
                f"antwoord = Board.{name}({board(size, own(size, full[0]))})",
                f"ander = Board.{name}(Board.make_board({size}))",
                "list(antwoord)",
            )

    def large_boards(self) -> Iterator[Scene]:
        """Yield what is done to the far side of large boards, and what is found there."""
        clause = "meer dan tien"
        for number in range(2):
            size = self.large()
            name = "get_all_filled_positions"
            cells = [(1, size), (size, 2), *self.some(square(size)[size + 1 :], 2, 0)]
            yield self.ask(f"{name}: {clause}", cells_of(board(size, cells)))
            # These two meet where they are written without a separator, or as 10 times the column.
            one, two = (((1, 11), (11, 1)), ((1, 12), (2, 2)))[number]
            call = f"bool(Board.is_filled_at({board(size, [one])}, p))"
            yield self.ask(f"is_filled_at: {clause}", each(call, "p", self.mixed([one], [two])))
            for start, action in (([one], "fill_cell"), ([one, two], "free_cell")):
                made = board(size, start)
                yield self.after(f"{action}: {clause}", made, f"Board.{action}(bord, {two})")
            at = size - number
            for own, line in ((row_of, "row"), (column_of, "column")):
                name, cells = f"get_all_filled_{line}s", own(size, at)
                yield self.ask(f"{name}: {clause}", f"sorted(Board.{name}({board(size, cells)}))")
                some = self.some([2, 9, 10, 11], 3, 0) or [2, 10]
                lines = board(size, dict.fromkeys(cell for n in some for cell in own(size, n)))
                yield self.ask(f"{name}: juiste volgorde", f"Board.{name}({lines})")
                made = board(size, [*cells, (1, 1)])
                yield self.after(f"free_{line}: {clause}", made, f"Board.free_{line}(bord, {at})")
