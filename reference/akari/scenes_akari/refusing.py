"""Scenes about lamps that may not be placed or removed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from grader.plugins.authoring.generating import Scene

from .boards import SIDES, Board, Cell, around, step
from .drawing import LAMPS, Drawing, attempt, place, remove


class RefusingScenes(Drawing):
    """The scenes about what `plaats_lamp` and `verwijder_lamp` refuse."""

    def refused(self) -> Iterator[Scene]:
        """Yield lamps that are refused since their cells are not white and empty."""
        draws = self.draws
        board = self.published()
        size = board.rows
        outside = [
            (size, draws.below(size)),
            (size + 3, 0),
            (draws.below(size), size),
            (4, size + 3),
        ]
        for clause, cells in (
            ("buiten het rooster", outside),
            ("zwarte cel", [(2, 3), (3, 0), (4, 4)]),
            ("zwarte cel", [(2, 5), (3, 2)]),
        ):
            yield from self.refusals(board, draws.shuffled(cells), clause)
        for wide in (True, False):
            board = self.oblong(wide=wide)
            at = draws.below(min(board.rows, board.columns))
            cell = (board.rows, at) if wide else (at, board.columns)
            yield from self.refusals(board, [cell], "buiten het rooster")
        board, lamps = self.with_lamps()
        yield from self.refusals(board, lamps, "bezet", *map(place, lamps))

    def refused_in_the_light(self) -> Iterator[Scene]:
        """Yield lamps that are refused since others shine on them."""
        for lamp in (0, 1):
            board, lamps, lit = self.lit_by(lamp)
            for clause, cells in lit.items():
                yield from self.refusals(board, cells, clause, *map(place, lamps))
        board, lamps, lit = self.lit_by(0)
        for clause, cells in [*lit.items()][:1]:
            for cell in cells[:1]:
                before = [place(cell), remove(cell), place(lamps[0])]
                yield from self.refusals(board, [cell], clause, *before)

    def lit_by(self, lamp: int) -> tuple[Board, list[Cell], dict[str, list[Cell]]]:
        """Return a board with lamps, and cells in which this one shines, by the clause on them.

        With each draw of a board that counts there are as many. The second lamp alone shines in the
        last one in the row of the first lamp, or in the column of the second.
        """
        while True:
            board, lamps = self.with_lamps()
            free, dark = board.quiet(), board.dark(lamps[:1])
            along = [c for c in board.rays(lamps[1]) if c[lamp] == lamps[1][lamp]]
            late = [cell for cell in along if cell in free and cell in dark][:1]
            near = [c for c in board.rays(lamps[lamp]) if c in free and c not in late]
            lines = [[c for c in near if c[axis] == lamps[lamp][axis]] for axis in (0, 1)]
            lines = [self.draws.some(each, 1 + (axis == lamp)) for axis, each in enumerate(lines)]
            lines[lamp] += late
            if self.small or [3 - 2 * lamp, 1 + 2 * lamp] == [*map(len, lines)]:
                clauses = ("licht in de rij", "licht in de kolom")
                return board, lamps, dict(zip(clauses, lines, strict=True))

    def refusals(
        self, board: Board, cells: Iterable[Cell], clause: str, *before: str
    ) -> Iterator[Scene]:
        """Yield scenes with lamps in `cells` that are refused."""
        asks = (f"{place(cell)}  # plaats_lamp: {clause}" for cell in cells)
        return self.asked("Een geweigerde lamp", board, before, asks)

    def refused_beside_numbers(self) -> Iterator[Scene]:
        """Yield lamps that are refused since there would be too many around a number."""
        draws = self.draws
        for side in SIDES:
            size = self.size()
            line = draws.below(size)
            inward = {-1: 1, 0: line, 1: size - 2}
            black = (inward[side[0]], inward[side[1]])
            board = Board(size, size, {black: "0"})
            board = self.filled(board, board.away([black, step(black, side)]))
            yield from self.refusals(board, [step(black, side)], "naast een nul")
        for number in (1, 2, 3, 3):
            board, near = self.around_mark(str(number), self.size())
            before = [*map(place, near[:number])]
            yield from self.refusals(board, near[number:], f"naast een volle {number}", *before)
        board, near = self.around_mark("1", self.size())
        before = [place(near[1]), remove(near[1]), place(near[0])]
        yield from self.refusals(board, near[1:2], "naast een volle 1", *before)
        for side in SIDES:
            size = self.size()
            middle = draws.between(1, size - 2)
            ends = {-1: 0, 0: middle, 1: size - 1}
            black = (ends[side[0]], ends[side[1]])
            board = Board(size, size, {black: "1"})
            near = draws.shuffled(cell for cell in around(black) if cell in board)
            board = self.filled(board, board.away([black, *near]))
            yield from self.refusals(board, near[:1], "getal aan de rand", place(near[1]))
        for side in SIDES:
            size = self.size()
            cell = self.inner(size)
            board = Board(size, size, {}).with_black(around(cell), "2" if side[0] else "?")
            full = board.with_black([step(cell, side)], "1")
            corner = step(
                step(cell, side), draws.choice([(side[1], side[0]), (-side[1], -side[0])])
            )
            full = self.filled(full, full.away([cell, corner]))
            yield from self.refusals(full, [cell], "tweede zwarte cel", place(corner))

    def unchanged(self) -> Iterator[Scene]:
        """Yield puzzles after lamps that were refused, whatever numbers say."""
        topic, clause = "Lampen na een weigering", "plaats_lamp: ongewijzigd"
        looks = [f"{LAMPS}  # {clause}", f"puzzel.zwarte_cellen  # {clause}"]
        board, lamps = self.with_lamps()
        black, lit = self.draws.choice([*board.black]), self.draws.choice(board.rays(lamps[0]))
        tries = map(
            attempt, map(place, ((board.rows, 0), (0, board.columns), black, lit, lamps[0]))
        )
        if self.small:
            asks = [f"{each}\n{look}" for each, look in product(tries, looks)]
            yield from self.asked(topic, board, [place(lamps[0])], asks)
        else:
            asks = [*(f"{each}\n{looks[0]}" for each in tries), looks[1]]
            yield from self.asked(topic, board, [place(lamps[0])], asks)
        lines = [place(lamps[0]), *self.made(board, "tweede")]
        lines += [attempt(place((board.rows, 0), "tweede")), f"tweede.lampen  # {clause}"]
        yield self.scene(topic, board, *lines)

    def removed(self) -> Iterator[Scene]:
        """Yield lamps that are removed, and what cannot be removed."""
        topic = "Geen lamp om te verwijderen"
        for gone in (0, -1):
            board, lamps = self.with_lamps()
            call = f"{remove(lamps[gone])}  # verwijder_lamp: geeft niets"
            yield self.scene("Een methode die niets teruggeeft", board, *map(place, lamps), call)
        for axis in (0, 1):
            board, (lamp, other) = self.with_lamps()
            lit, black = self.draws.choice(board.rays(lamp)), self.draws.choice([*board.black])
            at = self.draws.below(board.rows)
            beyond = (at, board.columns) if axis else (board.rows, at)
            cells = {other: "geen lamp", lit: "geen lamp", black: "zwarte cel"}
            cells[beyond] = "buiten het rooster"
            asks = [f"{remove(cell)}  # verwijder_lamp: {clause}" for cell, clause in cells.items()]
            tried = [lit, *([] if self.small else [beyond, black, other])]
            tries = "\n".join(attempt(remove(each)) for each in tried)
            asks += [f"{tries}\n{LAMPS}  # verwijder_lamp: ongewijzigd"]
            tries = attempt(remove(black)) + "\n" if self.small else ""
            asks += [f"{tries}puzzel.zwarte_cellen  # verwijder_lamp: ongewijzigd"]
            asks += [f"{remove(lamp)}\n{remove(lamp)}  # verwijder_lamp: geen lamp"]
            yield from self.asked(topic, board, [place(lamp)], asks)
