"""Scenes about lamps that may be placed."""

from __future__ import annotations

from collections.abc import Iterator

from grader.plugins.authoring.generating import Scene

from .boards import SIDES, Board, Cell, around, step
from .drawing import LAMPS, Drawing, attempt, place, remove


class PlacingScenes(Drawing):
    """The scenes about what `plaats_lamp` does."""

    def placed(self) -> Iterator[Scene]:
        """Yield lamps that may be placed."""
        for _ in range(2):
            board, lamps = self.with_lamps()
            call = f"{place(lamps[0])}  # plaats_lamp: geeft niets"
            yield self.scene("Een methode die niets teruggeeft", board, call)
        for wide in (True, False):
            board = self.oblong(wide=wide)
            last = (board.rows - 1, board.columns - 1)
            yield self.placing(board, last, "niet vierkant")
        yield from self.placed_in_two_figures()
        for one, two in (((0, -1), (0, 1)), ((-1, 0), (1, 0))):
            size = self.size()
            black = self.inner(size)
            board = Board(size, size, {black: "?"})
            board = self.filled(board, board.away([black, *around(black)]))
            first, last = self.draws.shuffled([step(black, one), step(black, two)])
            yield self.placing(board, last, "achter een zwarte cel", place(first))
        for count in (2, 3, 4) if self.small else (3, 4):
            board, near = self.around_mark("?", self.size())
            *others, last = near[:count]
            yield self.placing(board, last, "vraagteken", *map(place, others))

    def placed_in_two_figures(self) -> Iterator[Scene]:
        """Yield lamps in cells of which the numbers have the same figures, beside such cells."""
        one, two, three, clause = (1, 11), (11, 1), (11, 0), "plaats_lamp: twee cijfers"
        look = f"{LAMPS}  # {clause}"
        drawn = f"print(str(puzzel).replace('*', '_'))  # {clause}"
        corners, mark = [(0, 0), (0, 10), (10, 10)], {(1, 10): "1"}
        board = Board(12, 12, mark | {three: "1"}).with_black(corners)
        board = self.filled(board, board.away([one, two, *mark, three]))
        yield self.scene(
            "Een lamp plaatsen", board, place(one), place(two), look, remove(two), look
        )
        board = Board(12, 12, mark).with_black(corners)
        board = self.filled(board, board.away([one, three, *mark]))
        yield self.scene("Een lamp plaatsen", board, place(one), drawn, place(three), look)
        board = self.calm([one, three], 12, 12)
        yield self.scene("Een lamp plaatsen", board, place(one), place(three), look)

    def placing(self, board: Board, cell: Cell, clause: str, *before: str) -> Scene:
        """Return the scene that places a lamp in `cell`, and looks where lamps are."""
        look = f"{LAMPS}  # plaats_lamp: {clause}"
        return self.scene("Een lamp plaatsen", board, *before, place(cell), look)

    def placed_beside_numbers(self) -> Iterator[Scene]:
        """Yield lamps that numbers allow: there is room, or they do not stand beside them."""
        draws = self.draws
        for number in (1, 2, 3, 4):
            board, near = self.around_mark(str(number), self.size())
            *others, last = near[:number]
            yield self.placing(board, last, "getal", *map(place, others))
        for number in (0, 0, 1, 1):
            size = self.size()
            black = self.inner(size)
            down, right = draws.choice((-1, 1)), draws.choice((-1, 1))
            before = [place(step(black, (-down, 0)))] * number
            board = Board(size, size, {black: str(number)})
            board = self.filled(
                board, board.away([black, *around(black), step(black, (down, right))])
            )
            yield self.placing(board, step(black, (down, right)), "schuin", *before)
        for side in SIDES:
            size = self.size()
            end, line = size - 1, draws.below(size) if sum(side) > 0 else 0
            black, cell = ((0, line), (end, line)) if side[0] else ((line, 0), (line, end))
            black, cell = (black, cell) if sum(side) > 0 else (cell, black)
            zero, board = (Board(size, size, {black: mark}) for mark in "01")
            zero, board = (self.filled(each, each.aside([black, cell])) for each in (zero, board))
            yield self.placing(zero, cell, "overkant")
            if not self.small and sum(side) < 0:
                continue
            near = [each for each in around(black) if each in board.rays(black)]
            free = [each for each in near if each in board.dark([cell])]
            yield self.placing(board, draws.choice(free), "overkant", place(cell))
        for black, cell in (((0, -1), (1, 0)), ((1, 0), (0, -1))):
            size = self.size()
            row = draws.below(size - 1)
            ends = [(row + r, k % size) for r, k in (black, cell)]
            board = Board(size, size, {ends[0]: "0"})
            board = self.filled(board, board.aside(ends))
            yield self.placing(board, ends[1], "overkant")

    def placed_after_changes(self) -> Iterator[Scene]:
        """Yield lamps that may be placed after another was removed, or refused."""
        draws = self.draws
        board, lamps = self.with_lamps()
        before = [*map(place, lamps), remove(lamps[0])]
        dark = [cell for cell in board.dark(lamps[1:]) if cell in board.quiet()]
        lit = [cell for cell in dark if cell in board.rays(lamps[0])]
        for cell in (draws.choice(lit), lamps[0]) if self.small else lamps[:1]:
            yield self.placing(board, cell, "licht na verwijderen", *before)
        cell = draws.choice(lit)
        before.insert(2, attempt(place(cell)))
        yield self.placing(board, cell, "licht na verwijderen", *before)
        for tried in (False, True) if self.small else (True,):
            board, near = self.around_mark("1", self.size())
            refused = [attempt(place(near[1]))] if tried else []
            before = [place(near[0]), *refused, remove(near[0])]
            yield self.placing(board, near[1], "getal na verwijderen", *before)
        board, near = self.around_mark("2", self.size())
        both = near[:2]
        before = [*map(place, both), *map(remove, both), place(both[0])]
        yield self.placing(board, both[1], "getal na verwijderen", *before)
        size = self.size()
        cell = self.inner(size)
        board = Board(size, size, {}).with_black(around(cell), "1")
        board = self.filled(board, board.away([cell]))
        before = [place(cell), remove(cell)]
        yield self.placing(board, cell, "getal na verwijderen", *before)
        clause = "getal na een weigering"
        for side, other in zip(SIDES, (*SIDES[1:], SIDES[0]), strict=True):
            cell, beyond, board = self.in_line(side)
            full = board.with_black([step(cell, other)], "0")
            kept = [cell, beyond, step(cell, side), step(cell, other)]
            full = self.filled(full, full.away(kept))
            board = self.filled(board, board.away(kept))
            yield self.placing(full, beyond, clause, attempt(place(cell)))
            if not self.small and side[0]:
                continue
            before = [place(step(cell, other)), attempt(place(cell))]
            yield self.placing(board, beyond, clause, *before)

    def in_line(self, side: Cell) -> tuple[Cell, Cell, Board]:
        """Return a cell and the one behind the 1 on this side of it, and the board with that 1."""
        size = self.size(4)
        while True:
            cell = self.inner(size)
            board = Board(size, size, {step(cell, side): "1"})
            if step(cell, side, 2) in board:
                return cell, step(cell, side, 2), board
