"""Scenes about the cells that lamps shine on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

from grader.plugins.authoring.generating import Scene

from .boards import SIDES, Board, Cell, apart, around, step
from .drawing import ANSWERED, MARKS, Drawing, attempt, in_way, place, remove


class LightScenes(Drawing):
    """The scenes about `verlicht` and `stralen`."""

    def lit(self) -> Iterator[Scene]:
        """Yield the cells that lamps shine on."""
        for lamp in self.draws.some(ANSWERED, 2):
            yield self.light(self.calm([lamp]), [place(lamp)], "een lamp")
        for board, lamps in (
            self.with_lamps(2 if self.small else 3),
            self.walled_and_another(SIDES[0]),
        ):
            yield self.light(board, map(place, lamps), "meer lampen")
        for side in SIDES:
            board, cell = self.walled(side)
            yield self.light(board, [place(cell)], in_way(side))
            board, lamp, beyond = self.across(side)
            lines = [place(lamp), place(beyond), remove(lamp)]
            yield self.light(board, lines, in_way(step((0, 0), side, -1)))
        for wide in (True, False, True, False) if self.small else (True, False):
            board = self.oblong(wide=wide)
            (lamp, *_) = [cell for cell in board.clear() if cell in ANSWERED]
            last = (board.rows - 1, board.columns - 1)
            lamps = [last] if self.small else self.draws.shuffled([lamp, last])
            yield self.light(board, map(place, lamps), "niet vierkant")
        yield from self.lit_in_two_figures()

    def lit_after_changes(self) -> Iterator[Scene]:
        """Yield the cells that lamps shine on, of which some were removed or moved."""
        for mirrored in (True, False):
            board, lamps = self.crossing(mirrored=mirrored)
            gone = remove(lamps[mirrored])
            yield self.light(board, [*map(place, lamps), gone], "na verwijderen")
        yield self.one_without_the_other(*self.walled_and_another(SIDES[1]))
        yield from self.lit_twice()
        for _ in range(2):
            board, lamps = self.with_lamps()
            yield self.light(board, [place(lamps[0]), remove(lamps[0])], "laatste lamp weg")
            board, lamps = self.walled_and_another(SIDES[2])
            look = "puzzel.verlicht()  # verlicht: verplaatste lamp"
            lines = [place(lamps[1]), look, remove(lamps[1]), place(lamps[0])]
            yield self.light(board, lines, "verplaatste lamp")
        yield from self.lit_after_refusals()

    def one_without_the_other(self, board: Board, lamps: Sequence[Cell]) -> Scene:
        """Return the light of each of two lamps once both have shone: nobody keeps their sum."""
        look = "puzzel.verlicht()  # verlicht: na verwijderen"
        one, two = lamps
        lines = [place(one), place(two), look, remove(two), look, place(two), remove(one)]
        return self.light(board, lines, "na verwijderen")

    def lit_in_two_figures(self) -> Iterator[Scene]:
        """Yield lamps in a row and a column of two figures, which are the same ones."""
        board = self.calm([(1, 11), (11, 1)], 12, 12).with_black([(10, 10)] if self.small else ())
        lamps = self.draws.shuffled([(1, 11), (11, 1)])
        lines = [*map(place, lamps)]
        for more in ([], [remove(lamps[0])]):
            yield self.light(board, [*lines, *more], "twee cijfers")

    def lit_after_refusals(self) -> Iterator[Scene]:
        """Yield the cells that a lamp shines on after others were refused for each reason."""
        for side in (SIDES[0], SIDES[3]):
            while True:
                board, (lamp, zero) = self.with_lamps()
                cell = step(zero, side)
                beside = board.black.keys() & {*around(cell)}
                if {cell, *around(zero)} <= {*board.dark([lamp])} and not beside:
                    break
            board = board.with_black([zero], "0")
            lit = self.draws.choice([each for each in board.rays(lamp) if each != cell])
            black = self.draws.choice([each for each in board.black if each != zero])
            tried = [cell, lit, black, lamp, (board.rows, cell[1]), (cell[0], board.columns)]
            clause = "na een weigering"
            shown = [[each] for each in tried]
            for cells in shown if self.small else [tried] if side == SIDES[0] else [tried[:2]]:
                lines = [place(lamp), *(attempt(place(each)) for each in cells)]
                yield self.light(board, lines, clause)

    def lit_twice(self) -> Iterator[Scene]:
        """Yield a cell with a lamp in its row and one in its column, which are removed in turn.

        There may be a dark cell between it and a lamp, or none.
        """
        look = "puzzel.verlicht()  # verlicht: na verwijderen"
        turns = zip(SIDES, (2, 3, 2, 3), strict=True)
        for side, count in product(SIDES, (2, 3)) if self.small else turns:
            size = self.size(5)
            free = [*product(range(size), range(size))]
            across = self.draws.choice([(side[1], side[0]), (-side[1], -side[0])])
            ends = [(step(cell, side, count), step(cell, across, 5 - count)) for cell in free]
            one, two = self.draws.choice([pair for pair in ends if {*pair} <= {*free}])
            lines = [place(one), place(two), remove(two), look, remove(one)]
            yield self.light(self.calm([one, two]), lines, "na verwijderen")
        for wide in (True, False):
            board = self.oblong(wide=wide)
            last = (board.rows - 1, board.columns - 1)
            others = [cell for cell in board.clear() if apart([cell, last])]
            far = [cell for cell in others if cell[wide] > 3]
            lines = [place(last), place(self.draws.choice(far or others))]
            yield self.light(
                board, [*lines, lines[1].replace("plaats", "verwijder")], "na verwijderen"
            )

    def across(self, side: Cell) -> tuple[Board, Cell, Cell]:
        """Return a board, and two cells with two between them, in a line.

        Of these the first is white, and the one on this side of it black, as no other cell is.
        """
        size = self.size(4)
        cells = Board(size, size, {}).cells()
        ends = [(step(cell, side, -1), step(cell, side), step(cell, side, 2)) for cell in cells]
        lamp, black, beyond = self.draws.choice([line for line in ends if {*line} <= {*cells}])
        board = Board(size, size, {black: "?" if sum(side) > 0 else self.draws.choice("234")})
        return self.filled(board, board.aside([lamp, beyond])), lamp, beyond

    def light(self, board: Board, lines: Iterable[str], clause: str) -> Scene:
        """Return the scene that looks what is lit after `lines`."""
        return self.scene("Licht", board, *lines, f"puzzel.verlicht()  # verlicht: {clause}")

    def crossing(self, *, mirrored: bool) -> tuple[Board, list[Cell]]:
        """Return a board, and two lamps in line with nothing that shine on the same two cells."""
        board = self.calm()
        rows, columns = (
            sorted(self.draws.some(sorted({*line}), 2)) for line in zip(*board.clear(), strict=True)
        )
        lamps = zip(rows, columns[::-1] if mirrored else columns, strict=True)
        return board, self.draws.shuffled(lamps)

    def rays(self) -> Iterator[Scene]:
        """Yield the cells that a lamp would shine on."""
        draws = self.draws
        board = self.calm([known := draws.choice(ANSWERED)])
        free = [cell for cell in board.clear() if cell != known]
        yield from self.beams(board, [known, *draws.some(free, 2)], "vier richtingen")
        for axis in (0, 1):
            pairs = [(a, b) for a, b in combinations(board.clear(), 2) if a[axis] == b[axis]]
            code = f"[puzzel.stralen(r, k) for r, k in {[*draws.choice(pairs)]}]"
            yield self.scene("Stralen", board, f"{code}  # stralen: vier richtingen")
        for wide in (True, False):
            board = self.oblong(wide=wide)
            last = (board.rows - 1, board.columns - 1)
            (known, *_) = [cell for cell in board.clear() if cell in ANSWERED]
            free = [cell for cell in board.clear() if cell not in (last, known)]
            cells = [last, known, *draws.some(free, 2)]
            yield from self.beams(board, cells, "niet vierkant")
        cells = draws.shuffled([(1, 11), (11, 1)])
        board = self.calm(cells, 12, 12).with_black([(10, 10)] if self.small else ())
        yield from self.beams(board, cells, "twee cijfers")
        for side in SIDES:
            board, cell = self.walled(side)
            cells = [cell] if self.small else [cell, step(cell, side)]
            yield from self.beams(board, cells, in_way(side))

    def beams(
        self, board: Board, cells: Iterable[Cell], clause: str, *lines: str
    ) -> Iterator[Scene]:
        """Yield scenes that ask for the rays of `cells` after `lines`."""
        asks = (f"puzzel.stralen{cell}  # stralen: {clause}" for cell in cells)
        return self.asked("Stralen", board, lines, asks)

    def rays_beside_black_cells(self) -> Iterator[Scene]:
        """Yield rays that black cells of each kind stop, and rays that lamps do not stop."""
        draws = self.draws
        columns = draws.shuffled([2, 3, 4, *draws.some([2, 3, 4], 3)])
        marks = zip(columns, draws.shuffled(MARKS), strict=True)
        size = len(MARKS)
        board = Board(size, size, {(r, k): mark for r, (k, mark) in enumerate(marks)})
        yield from self.beams(board, [(r, 0) for r in range(len(MARKS))], "elke markering")
        for corner in (False, True):
            size = self.size()
            cell = (0, size - 1) if corner else self.inner(size)
            shut = Board(size, size, {}).with_black(around(cell), "2")
            yield from self.beams(self.filled(shut, shut.away([cell])), [cell], "ingesloten")
        yield from self.beams(self.published(), [(4, 4)], "vanuit een zwarte cel")
        board, cell = self.walled(SIDES[2])
        yield from self.beams(board.with_black([cell]), [cell], "vanuit een zwarte cel")
        for axis in (0, 1):
            line, at = draws.below(self.size(5)), draws.between(1, self.size(5) - 2)
            cells = [(line, k) if axis else (k, line) for k in (at, at - 1, at + 1)]
            board = self.calm(cells)
            yield from self.beams(board, cells[1:], "langs lampen", place(cells[0]))
        yield from self.rays_in_any_order()

    def rays_in_any_order(self) -> Iterator[Scene]:
        """Yield rays in a line with two black cells, of which the file has the last one first."""
        for axis in (0, 1):
            size = self.size(5)
            line = self.draws.below(size)
            cells = [(line, at) if axis else (at, line) for at in range(size)]
            first = 2 * axis
            black = dict.fromkeys((cells[first], cells[first + 2]), "1")
            board = Board(size, size, black, is_upside_down=True)
            end = 0 if axis else size - 1
            board = self.filled(board, board.aside([*cells[:first], *cells[3 + first :]]))
            yield from self.beams(board, [cells[end]], "volgorde in het bestand")
