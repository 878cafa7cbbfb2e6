"""Scenes about what is printed and kept of a puzzle."""

from __future__ import annotations

from collections.abc import Iterator

from grader.plugins.authoring.generating import Scene

from .boards import SIDES, Board
from .drawing import LAMPS, MARKS, SIZE, Drawing, place, remove


class ShowingScenes(Drawing):
    """The scenes about `str`, `zwarte_cellen` and `lampen`."""

    def shown(self) -> Iterator[Scene]:
        """Yield what is printed of new puzzles."""
        boards = [self.published(*each) for each in ((5, 7), (6, 6), (8, 6))]
        if not self.small:
            boards = [self.board(6, 12), self.board(11, 6)]
        boards += [self.board(1, self.size()), self.board(self.size(), 1, count=1)]
        boards += [Board(2, 12, {(1, 11): "?"})] if self.small else []
        for board in boards:
            yield self.scene("De grootte van het rooster", board, "print(puzzel)  # str: grootte")
        for _ in range(2):
            board = self.marked(MARKS)
            yield self.scene("Zwarte cellen tonen", board, "print(puzzel)  # str: markering")

    def shown_with_lamps(self) -> Iterator[Scene]:
        """Yield what is printed of puzzles with lamps, and without them again."""
        board = self.published()
        corner = self.draws.choice([[(0, 1), (1, 0)], [(1, 2), (2, 1)]])
        for near in (corner, [self.draws.choice([(2, 0), (4, 0)])]):
            lines = [*map(place, self.draws.shuffled(near))]
            lines += ["print(str(puzzel).replace('*', '_'))  # str: getal naast lampen"]
            yield self.scene("Zwarte cellen tonen", board, *lines)
        for dark, clause in (("*", "lamp"), ("L", "verlicht")):
            side = SIDES[0 if clause == "lamp" else 1]
            for board, lamps in (self.with_lamps(), self.walled_and_another(side)):
                look = f"print(str(puzzel).replace({dark!r}, '_'))  # str: {clause}"
                yield self.scene("Lampen en licht tonen", board, *map(place, lamps), look)
        for board, (one, two) in (self.with_lamps(), self.walled_and_another(SIDES[3])):
            look = "print(puzzel)  # str: terug donker"
            lines = [place(one), look, remove(one), look, place(two), look]
            yield self.scene("Cellen die terug donker zijn", board, *lines)

    def read(self) -> Iterator[Scene]:
        """Yield the black cells that puzzles have read."""
        marks = self.draws.shuffled(MARKS)
        for part in [*marks] if self.small else [MARKS] * 2:
            line = "puzzel.zwarte_cellen  # zwarte_cellen: markering"
            yield self.scene("Markeringen van zwarte cellen", self.marked(part), line)
        for number in (2, 3):
            board, near = self.around_mark(str(number), self.size(4))
            line = "puzzel.zwarte_cellen  # zwarte_cellen: markering"
            moves = [place(near[0]), *([place(near[1]), remove(near[0])] if number == 3 else [])]
            yield self.scene("Zwarte cellen naast een lamp", board, *moves, line)
        sizes = ((11, 3), (2, 12), (12, 12)) if self.small else ((13, 12), (2, 104))
        for rows, columns in sizes:
            same_figures = [(1, 11), (11, 1)] if min(rows, columns) > 11 else []
            cells = [(rows - 1, columns - 1), *same_figures]
            board = Board(rows, columns, {}).with_black(cells)
            board = self.filled(board, board.white())
            line = "puzzel.zwarte_cellen  # zwarte_cellen: twee cijfers"
            yield self.scene("Een groot rooster", board, line)
        for size, count in ((3, 1), (2, 3)) if self.small else ((SIZE, 1), (SIZE, 14)):
            line = "puzzel.zwarte_cellen  # zwarte_cellen: aantal"
            yield self.scene("Minder of meer zwarte cellen", self.board(size, count=count), line)
        for _ in range(2):
            board = self.board(self.size())
            line = "puzzel.zwarte_cellen  # zwarte_cellen: bestand"
            file = self.another_file("puzzel")
            yield self.scene("Een ander bestand", board, line, file=file)

    def kept(self) -> Iterator[Scene]:
        """Yield the lamps of puzzles."""
        for count in (1, 2):
            board, lamps = self.with_lamps(count)
            look = f"{LAMPS}  # lampen: geplaatst"
            yield self.scene("Lampen", board, *map(place, lamps), look)
        for gone in (0, -1):
            board, lamps = self.with_lamps()
            lines = [*map(place, lamps), remove(lamps[gone]), f"{LAMPS}  # lampen: verwijderd"]
            yield self.scene("Lampen", board, *lines)
        for wide in (True, False):
            board = self.oblong(wide=wide)
            short = min(board.rows, board.columns)
            far = self.draws.choice([cell for cell in board.clear() if max(cell) >= short])
            lines = [place(far), remove(far), f"{LAMPS}  # lampen: verwijderd"]
            yield self.scene("Lampen", board, *lines)
