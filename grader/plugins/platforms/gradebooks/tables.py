"""A worksheet as a table of cells; filling cells preserves all other bytes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple, Protocol, TypeAlias


class CellPosition(NamedTuple):
    """The 0-based position of a cell."""

    row: int
    column: int


Content: TypeAlias = Decimal | str
"""The content of a cell: a mark, or feedback."""


class Table(Protocol):
    """A parsed worksheet."""

    @property
    def rows(self) -> Sequence[Sequence[str]]:
        """The text of each cell; rows can have different lengths."""

    @property
    def formulas(self) -> Collection[CellPosition]:
        """The cells with formulas, which must not be filled."""

    @property
    def has_semicolons(self) -> bool:
        """Whether cells are separated by semicolons, as in locales with decimal commas."""

    def fill_cells(self, cells: Mapping[CellPosition, Content], *, comma: bool) -> bytes:
        """Return the worksheet with `cells` filled in, with decimal commas in marks if `comma`."""


def cell_text(table: Table, position: CellPosition) -> str:
    """Return the text of a cell in `table`, or an empty string if the row is too short."""
    row = table.rows[position.row]
    return row[position.column] if position.column < len(row) else ""
