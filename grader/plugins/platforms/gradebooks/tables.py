"""A worksheet as a table of cells, of which a few are filled and all else stays byte for byte."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple, Protocol, TypeAlias


class Place(NamedTuple):
    """Where a cell is, both counted from 0."""

    row: int
    column: int


Content: TypeAlias = Decimal | str
"""What is put into a cell: a mark, or a sentence."""


class Table(Protocol):
    """A worksheet that was read."""

    @property
    def rows(self) -> Sequence[Sequence[str]]:
        """The text of each cell; rows may have different lengths."""

    @property
    def formulas(self) -> Collection[Place]:
        """Cells that are calculated, and are not to be filled."""

    @property
    def has_semicolons(self) -> bool:
        """Whether semicolons stand between cells, as where a comma is a decimal comma."""

    def filled(self, cells: Mapping[Place, Content], *, comma: bool) -> bytes:
        """Return the worksheet with `cells` filled; marks have a decimal comma if `comma`."""


def cell(table: Table, place: Place) -> str:
    """Return the text in a cell of `table`, "" where the row ends before it."""
    row = table.rows[place.row]
    return row[place.column] if place.column < len(row) else ""
