"""Scenes about cells that are filled and emptied, and about what is full after that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.plugins.authoring.generating import Scene

from .boards import BoardDrawing, board
from .cells import KINDS, column_of, literal, row_of, square
from .drawing import each


class ChangedBoardScenes(BoardDrawing):
    """The scenes about functions that change a board."""

    def all(self) -> Iterator[Scene]:
        """Yield all scenes, function by function."""
        yield from self.changed_cells("fill")
        yield from self.changed_cells("free")
        yield from self.changed_collections("fill_all_cells", KINDS)
        yield from self.changed_collections("free_all_cells", KINDS[:2])
        for is_row in (True, False):
            yield from self.freed_line(is_row)
        yield from self.changed_lines()

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
            beyond = [*self.beyond(size), (0, size), (size + 1, 1), *self.beyond(size, 2)]
            action = each(f"Board.{name}(bord, p)", "p", self.some(beyond, 10, 4))
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

    def changed_lines(self) -> Iterator[Scene]:
        """Yield full boards of which something is emptied, and boards that get full."""
        for number in range(2):
            full = square(self.size())
            holes = self.draws.some(full, 2)
            k, r = hole = holes[0]
            one, two = ([cell for cell in full if cell not in some] for some in ([hole], holes))
            both = literal(holes, ("list", "tuple")[number])
            yield self.lines_after("fill_cell", one, f"Board.fill_cell(bord, {hole})", full)
            yield self.lines_after(
                "fill_all_cells", two, f"Board.fill_all_cells(bord, {both})", full
            )
            yield self.lines_after("free_cell", full, f"Board.free_cell(bord, {hole})", one)
            yield self.lines_after(
                "free_all_cells", full, f"Board.free_all_cells(bord, {both})", two
            )
            rest = [cell for cell in full if cell[1] != r]
            yield self.lines_after("free_row", full, f"Board.free_row(bord, {r})", rest)
            rest = [cell for cell in full if cell[0] != k]
            yield self.lines_after("free_column", full, f"Board.free_column(bord, {k})", rest)
