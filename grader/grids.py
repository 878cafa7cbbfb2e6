"""Boards as plain data: what a suite says of its boards, and what a record carries to draw them.

A *mark* is what a program writes for a cell, such as `W`; a *look* is how that cell is drawn. A
*grid* is a board that was read: its cells, row by row as one sees them. A *picture* is what was
expected and what came, brought to the same size, so that cells can be compared one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import Final, TypeAlias

MAX_SIDE: Final = 40
"""Rows, and columns, of the largest board that is drawn."""
MAX_PICTURES: Final = 12
"""Comparisons of boards in one record; the cases after that have their text only."""
MAX_CELLS: Final = 6_000
"""Cells of all boards of one record together."""


@unique
class Drawing(StrEnum):
    """What is drawn in a cell."""

    EMPTY = "empty"
    WHITE = "white"
    """A white stone."""
    WHITE_GIVEN = "white_given"
    """A white stone that was there from the start."""
    BLACK = "black"
    BLACK_GIVEN = "black_given"
    LAMP = "lamp"
    LIT = "lit"
    """A cell in the light of a lamp."""
    DIGIT = "digit"
    """The label, on an open cell."""
    WALL = "wall"
    """A black cell."""
    NUMBER = "number"
    """The label, in white on a black cell."""
    BLOCK = "block"
    """A filled cell."""
    PIECE = "piece"
    """A part of a piece: the label, in a tone of its own, with thick borders to other pieces."""
    HATCHED = "hatched"
    UNKNOWN = "unknown"
    """A mark that the board does not have; never in a suite."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a mark is drawn, with the text in the cell where its drawing shows one."""

    drawing: Drawing
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How an exercise numbers the rows and columns of its boards."""

    from_bottom: bool = False
    """Whether the lowest row has the lowest number."""
    base: int = 0
    """Number of the first row and of the first column."""
    column_first: bool = False
    """Whether a position is (column, row), and a list of lists a list of columns."""

    def position(self, row: int, column: int) -> str:
        """Return the position of a cell as the exercise writes it."""
        first, second = (column, row) if self.column_first else (row, column)
        return f"({first}, {second})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """What a suite says of the boards of its exercise."""

    looks: Mapping[str, Look] = field(default_factory=dict)
    """By mark."""
    numbers: Drawing | None = None
    """How whole numbers are drawn that are no marks."""
    positions: bool = False
    """Whether a collection of pairs of numbers is drawn as positions on a board."""
    layout: Layout = field(default_factory=Layout)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: the mark that a program gave it, and how that is drawn."""

    mark: str
    look: Look
    chosen: bool = False
    """Whether it is one of a collection of positions."""


Grid: TypeAlias = tuple[tuple[Cell | None, ...], ...]
"""Rows from top to bottom, all of the same length; None where the board has no cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A board that was expected and the one that came, of the same size."""

    layout: Layout
    expected: Grid | None
    """None where many boards would be right."""
    got: Grid
    first_row: int
    """The lowest number of a row."""
    first_column: int
    of_positions: bool = False
    """Whether the boards show collections of positions."""
    part: int | None = None
    """Index of the element that the boards are read from, in a value of several."""

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(self.got)

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.got[0])

    def row_number(self, row: int) -> int:
        """Return the number that the exercise gives to a row, counted here from the top."""
        return self.first_row + (self.height - 1 - row if self.layout.from_bottom else row)

    def position(self, row: int, column: int) -> str:
        """Return the position of a cell as the exercise writes it."""
        return self.layout.position(self.row_number(row), self.first_column + column)

    def differing(self) -> Iterator[tuple[int, int]]:
        """Yield the row and the column of each cell that differs, from 0 on from the top left."""
        if self.expected is None:
            return
        for row, (wanted, given) in enumerate(zip(self.expected, self.got, strict=True)):
            for column, (one, other) in enumerate(zip(wanted, given, strict=True)):
                if one != other:
                    yield row, column
