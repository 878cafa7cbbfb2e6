"""Draws boards, and makes scenes with them.

What counts writes its board to the file of the text, unless a clause is about the file: who always
opens that one loses what is about files, and nothing else. Each board that is not that of the text
has a spelling of the file's name to itself, for who remembers by their names what was in files.
What is shown writes other files, as who types it would lose hers.

Boards that count are as large as that of the text and have as many black cells, without a number,
unless a clause is about just that; those of another size have as many black cells as rows. So a
mistake in wide boards, in long rays or in how many lines are read costs what is about these, and
nothing else. So does one in what stops rays: lamps that are only set-up stand in line with no black
cell, and those that solve a puzzle in no row or column with each other, so that it does not matter
how far they shine. Where one does stand in line with black cells, these are several, on one side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from grader.plugins.authoring.generating import Draws, Scene

from .boards import SIDES, Board, Cell, apart, around, step

SIDE_NAMES = ("boven", "rechts", "onder", "links")
MARKS = "?01234"
PUBLISHED = {(1, 1): "4", (2, 3): "2", (2, 5): "?", (3, 0): "1", (3, 2): "?", (4, 4): "0"}
"""The black cells of the file of the text."""
ANSWERED = ((1, 2), (2, 1), (2, 4), (3, 3))
"""Cells of which the text shows the rays on that board: who has those by heart errs on others."""
SIZE = 6
"""How many rows, columns and black cells the board of the text has."""
FILE = "akari.txt"
SPELLINGS = 16
"""More boards than fit in a session."""
LAMPS = "puzzel.lampen"


def place(cell: Cell, name: str = "puzzel") -> str:
    """Return the call that places a lamp."""
    return f"{name}.plaats_lamp{cell}"


def remove(cell: Cell) -> str:
    """Return the call that removes a lamp."""
    return f"puzzel.verwijder_lamp{cell}"


def in_way(side: Cell) -> str:
    """Return the clause about black cells on this side."""
    return f"zwarte cel {SIDE_NAMES[SIDES.index(side)]}"


def attempt(code: str) -> str:
    """Return a statement that does what is refused, and goes on."""
    return f"try:\n...     {code}\n... except AssertionError:\n...     pass"


class Drawing:
    """Draws boards that are large, or as small as they can be."""

    def __init__(self, draws: Draws, *, small: bool, example: bool = False) -> None:
        """Draw from `draws`; students are shown an `example`, and all that is small."""
        self.draws = draws
        self.small = small
        self.example = small or example
        self.files = 0
        self.spellings = 0

    def size(self, least: int = 3) -> int:
        """Return how many rows the next board has."""
        return least if self.small else SIZE

    def shape(self, *, wide: bool) -> tuple[int, int]:
        """Return how many rows and columns the next board has that is no square."""
        short = self.draws.between(1, 2) if self.small else self.draws.between(2, 4)
        long = short + (2 if self.small else self.draws.between(3, 5))
        return (short, long) if wide else (long, short)

    def published(self, rows: int = 0, columns: int = 0) -> Board:
        """Return the board of the text in this size; those that are shown differ in it."""
        size = 7 if self.small else SIZE
        return Board(rows or size, columns or size, PUBLISHED)

    def calm(self, clear: Iterable[Cell] = (), rows: int = 0, columns: int = 0) -> Board:
        """Return a board with three rows and three columns without a black cell, or more.

        The cells that are to be `clear` lie in such rows and columns.
        """
        board = Board(rows or self.size(5), columns or self.size(5), {})
        lines = [{*line} for line in zip(*clear, strict=True)] or [set[int](), set[int]()]
        for line, length in zip(lines, (board.rows, board.columns), strict=True):
            line.update(self.draws.some(sorted({*range(length)} - line), 3 - len(line)))
        free = [c for c in board.cells() if c[0] not in lines[0] and c[1] not in lines[1]]
        return board.with_black(self.draws.some(free, 3 if self.small else board.rows))

    def oblong(self, *, wide: bool) -> Board:
        """Return such a board with more columns than rows, or with more rows.

        Its last cell is clear, and one near it, and one of which the text shows the rays.
        """
        short = 5 if self.small else SIZE
        long = short + self.draws.between(2, 3) + (not self.small)
        rows, columns = (short, long) if wide else (long, short)
        last = (rows - 1, columns - 1)
        beside = (0, columns - 2) if wide else (rows - 2, 0)
        return self.calm([last, beside, self.draws.choice(ANSWERED)], rows, columns)

    def board(self, rows: int, columns: int | None = None, count: int = 0) -> Board:
        """Return a board with so many black cells without a number, or as many as it has rows."""
        board = Board(rows, columns or rows, {})
        few = max(1, len(board.cells()) // 9) if self.small else rows
        return board.with_black(self.draws.some(board.cells(), count or few))

    def filled(self, board: Board, free: Iterable[Cell]) -> Board:
        """Return `board` with as many black cells as rows, if there are so many that are `free`."""
        count = 0 if self.small else board.rows - len(board.black)
        return board.with_black(self.draws.some(free, max(count, 0)))

    def with_lamps(self, least: int = 2, board: Board | None = None) -> tuple[Board, list[Cell]]:
        """Return a board, and lamps that may stand there in line with nothing but each other."""
        board = board or self.calm()
        while True:
            lamps = self.draws.some(board.clear(), least)
            if apart(lamps):
                return board, lamps

    def walled(self, side: Cell) -> tuple[Board, Cell]:
        """Return a board, and a cell with black ones on this side, not beside it, and nothing else.

        There are white cells between these, and beyond: they too are in line with nothing else.
        """
        draws = self.draws
        size = self.size(4)
        start = 0 if self.small else draws.below(2)
        line = draws.below(size)
        far = (2,) if self.small else (2, 4)
        ends = {-1: size - 1 - start, 0: line, 1: start}
        cell = (ends[side[0]], ends[side[1]])
        mark = "?" if sum(side) < 0 else draws.choice("1234")
        board = Board(size, size, {step(cell, side, count): mark for count in far})
        free = board.aside([cell, *(step(cell, side, count) for count in (1, 3))])
        blocked = draws.some([each for each in range(size) if each != line], 3)
        free = [each for each in free if each[not side[1]] in blocked]
        return self.filled(board, free), cell

    def walled_and_another(self, side: Cell) -> tuple[Board, list[Cell]]:
        """Return a board, such a cell, and another one, in line with nothing."""
        board, cell = self.walled(side)
        others = [each for each in board.clear() if apart([cell, each])]
        return board, [cell, self.draws.choice(others)]

    def inner(self, size: int) -> Cell:
        """Return a cell that is not at the border, and not on the diagonal if there is room."""
        row = self.draws.between(1, size - 2)
        columns = [column for column in range(1, size - 1) if column != row] or [row]
        return row, self.draws.choice(columns)

    def around_mark(self, mark: str, size: int) -> tuple[Board, list[Cell]]:
        """Return a board with this mark inside and nothing beside it, and the cells around that.

        The first two of these do not lie opposite each other.
        """
        cell = self.inner(size)
        above, right, below, left = around(cell)
        pairs = map(self.draws.shuffled, self.draws.shuffled([(above, below), (left, right)]))
        near = [each for pair in zip(*pairs, strict=True) for each in pair]
        board = Board(size, size, {cell: mark})
        return self.filled(board, board.away([cell, *near])), near

    def another_file(self, name: str) -> str:
        """Return a name for the file of a puzzle; examples stand alone, and share names."""
        self.files += 1
        return f"bord{self.files}" if not self.example else "bord" if name == "puzzel" else "bord2"

    def file_of(self, board: Board, name: str) -> str:
        """Return the file that the puzzle called `name` is made from."""
        if board.black == PUBLISHED:
            return FILE
        if self.example:
            return self.another_file(name)
        self.spellings = self.spellings % SPELLINGS + 1
        return "./" * self.spellings + FILE

    def written(self, board: Board, file: str) -> list[str]:
        """Return the lines that put `board` in a `file`: none where it is there from the start."""
        is_there = self.example and file == FILE
        return [] if is_there else [board.written_to(file)]

    def made(self, board: Board, name: str = "puzzel", file: str = "") -> list[str]:
        """Return the lines that make a puzzle on `board`, from this `file` if it matters.

        It is one step where nobody reads it, which is cheaper.
        """
        file = file or self.file_of(board, name)
        lines = [*self.written(board, file), f"{name} = {board.made_from(file)}"]
        return lines if self.example else ["; ".join(lines)]

    def scene(self, topic: str, board: Board, *lines: str, file: str = "") -> Scene:
        """Return the scene that does `lines` to a puzzle on `board`."""
        return Scene(topic=topic, lines="\n".join([*self.made(board, file=file), *lines]))

    def asked(
        self, topic: str, board: Board, before: Iterable[str], asks: Iterable[str]
    ) -> Iterator[Scene]:
        """Yield the scene that asks all of `asks` after `before`; small ones ask one each."""
        lines, asks = [*before], [*asks]
        for part in [[each] for each in asks] if self.small else [asks]:
            yield self.scene(topic, board, *lines, *part)

    def marked(self, marks: str) -> Board:
        """Return a board with each of the `marks`, which fit where they stand."""
        size = self.size(5)
        while True:
            board = Board(size, size, {})
            cells = self.draws.some(board.cells(), len(marks))
            board = replace(board, black=dict(zip(cells, self.draws.shuffled(marks), strict=True)))
            whites = set(board.white())
            if all(m == "?" or len(whites & {*around(c)}) >= int(m) for c, m in board.lines()):
                return board
