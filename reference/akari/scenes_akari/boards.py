"""Boards of Akari, as the generator of its hidden suite draws and weighs them.

What is known of a board here is only there to steer by; what a line gives is for the reference to
say.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeAlias

Cell: TypeAlias = tuple[int, int]
SIDES = ((-1, 0), (0, 1), (1, 0), (0, -1))


def step(cell: Cell, side: Cell, count: int = 1) -> Cell:
    """Return the cell that lies `count` cells away on this side."""
    return cell[0] + count * side[0], cell[1] + count * side[1]


def around(cell: Cell) -> list[Cell]:
    """Return the four cells that share a side with `cell`, some of them perhaps outside."""
    return [step(cell, side) for side in SIDES]


def at_corners(cell: Cell) -> list[Cell]:
    """Return the four cells that touch `cell` at a corner, some of them perhaps outside."""
    return [
        step(step(cell, one), other)
        for one, other in zip(SIDES, SIDES[1:] + SIDES[:1], strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Board:
    """A rectangle with black cells."""

    rows: int
    columns: int
    black: dict[Cell, str]
    is_upside_down: bool = False
    """Whether its file has the last black cell first."""

    def __contains__(self, cell: Cell) -> bool:
        """Return whether `cell` lies inside."""
        return cell[0] in range(self.rows) and cell[1] in range(self.columns)

    def cells(self) -> list[Cell]:
        """Return all cells, row by row."""
        return list(product(range(self.rows), range(self.columns)))

    def white(self) -> list[Cell]:
        """Return the white cells, row by row."""
        return [cell for cell in self.cells() if cell not in self.black]

    def quiet(self) -> list[Cell]:
        """Return the white cells beside no black one."""
        return [cell for cell in self.white() if not self.black.keys() & set(around(cell))]

    def clear(self) -> list[Cell]:
        """Return the cells with no black one in their row or column."""
        rows, columns = ({*line} for line in zip(*self.black, strict=True))
        return [cell for cell in self.cells() if cell[0] not in rows and cell[1] not in columns]

    def aside(self, kept: Iterable[Cell]) -> list[Cell]:
        """Return the white cells in no row or column with one of `kept`."""
        rows, columns = ({*line} for line in zip(*kept, strict=True))
        return [cell for cell in self.white() if cell[0] not in rows and cell[1] not in columns]

    def away(self, kept: Iterable[Cell]) -> list[Cell]:
        """Return the white cells that are none of `kept`, and beside none of them."""
        kept = {*kept}
        return [cell for cell in self.white() if not {cell, *around(cell)} & kept]

    def rays(self, cell: Cell) -> list[Cell]:
        """Return the cells that a lamp in `cell` shines on."""
        found = []
        for side in SIDES:
            each = step(cell, side)
            while each in self and each not in self.black:
                found.append(each)
                each = step(each, side)
        return found

    def dark(self, lamps: Iterable[Cell]) -> list[Cell]:
        """Return the white cells without a lamp that no lamp shines on."""
        seen = {each for lamp in lamps for each in (lamp, *self.rays(lamp))}
        return [cell for cell in self.white() if cell not in seen]

    def with_black(self, cells: Iterable[Cell], mark: str = "?") -> Board:
        """Return this board with these cells black as well, where they lie inside."""
        return replace(self, black=self.black | {cell: mark for cell in cells if cell in self})

    def numbered(self, lamps: Iterable[Cell]) -> Board:
        """Return this board with the number of lamps on each black cell."""
        count = {cell: len({*around(cell)} & {*lamps}) for cell in self.black}
        return replace(self, black={cell: str(count[cell]) for cell in self.black})

    def missing(self, lamps: Iterable[Cell]) -> list[int]:
        """Return how many lamps are still missing around each number, row by row."""
        return [
            int(mark) - len({*around(cell)} & {*lamps})
            for cell, mark in sorted(self.black.items())
            if mark != "?"
        ]

    def lines(self) -> list[tuple[Cell, str]]:
        """Return the black cells with their marks, as the file has them."""
        return sorted(self.black.items(), reverse=self.is_upside_down)

    def written_to(self, file: str) -> str:
        """Return the line that writes this board to a `file`."""
        text = "".join(f"{row} {column} {mark}\n" for (row, column), mark in self.lines())
        return f"open({file!r}, 'w').write({text!r})"

    def made_from(self, file: str) -> str:
        """Return the call that makes a puzzle of the `file` of this board."""
        return f"Akari({self.rows}, {self.columns}, {file!r})"


def apart(lamps: Iterable[Cell]) -> bool:
    """Return whether no two of the `lamps` share a row or a column."""
    return all(len({*line}) == len(line) for line in zip(*lamps, strict=True))


def lighted(board: Board, order: Iterable[Cell], *, in_line: bool = False) -> list[Cell]:
    """Return lamps, as many as numbers allow: one in each cell that is dark when its turn comes.

    They share no row or column if they may not stand `in_line`.
    """
    lamps: list[Cell] = []
    seen = {*board.black}
    for cell in order:
        both = [*lamps, cell]
        is_free = cell not in seen and (in_line or apart(both))
        if is_free and min([*board.missing(both), 0]) == 0:
            lamps.append(cell)
            seen.update((cell, *board.rays(cell)))
    return lamps


def counts(board: Board, lamps: Iterable[Cell]) -> list[int]:
    """Return how many lamps there are around each black cell."""
    return [len({*around(cell)} & {*lamps}) for cell in board.black]


def is_shared(board: Board, lamps: list[Cell]) -> bool:
    """Return whether a lamp stands beside two black cells."""
    return any(len({*around(lamp)} & {*board.black}) > 1 for lamp in lamps)


def alone(board: Board, lamps: list[Cell]) -> bool:
    """Return whether there are lamps, and at most one around each black cell."""
    return bool(lamps) and max(counts(board, lamps)) <= 1


def is_dark_behind(board: Board, lamps: list[Cell]) -> bool:
    """Return whether all that is dark without the last lamp is in line with the others."""
    return alone(board, lamps) and all(
        any(not apart([cell, lamp]) for lamp in lamps[:-1]) for cell in board.dark(lamps[:-1])
    )


def shines_far(board: Board, lamps: list[Cell]) -> bool:
    """Return whether a lamp shines out of the square that is as wide as the short side."""
    short = min(board.rows, board.columns)
    return alone(board, lamps) and any(
        max(lamp) < short <= max(cell) for lamp in lamps for cell in board.rays(lamp)
    )


def has_numbers_elsewhere(board: Board, lamps: list[Cell]) -> bool:
    """Return whether lamps stand around black cells, and the last one beside none."""
    beside = {each for cell in board.black for each in around(cell)}
    return alone(board, lamps) and max(counts(board, lamps)) > 0 and lamps[-1] not in beside


def astray(board: Board, lamps: list[Cell]) -> list[Cell]:
    """Return the cells where the last lamp may stand and does not light all that is dark."""
    others = lamps[:-1]
    return [
        cell for cell in board.dark(others) if cell in board.quiet() and board.dark([*others, cell])
    ]
