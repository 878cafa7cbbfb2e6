"""A worksheet as a table of cells; filling some keeps all other bytes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple, Protocol, TypeAlias


class Place(NamedTuple):
    """The position of a cell, 0-based."""

    row: int
    column: int


Content: TypeAlias = Decimal | str
"""The content of a cell: a mark, or feedback."""


class Table(Protocol):
    """A worksheet that was read."""

    @property
    def rows(self) -> Sequence[Sequence[str]]:
        """The text of each cell; rows may have different lengths."""

    @property
    def formulas(self) -> Collection[Place]:
        """Cells with formulas, which must not be filled."""

    @property
    def has_semicolons(self) -> bool:
        """Whether semicolons separate cells, as in locales with decimal commas."""

    def filled(self, cells: Mapping[Place, Content], *, comma: bool) -> bytes:
        """Return the worksheet with `cells` filled; marks have a decimal comma if `comma`."""


def cell(table: Table, place: Place) -> str:
    """Return the text of a cell of `table`, "" if the row ends before it."""
    row = table.rows[place.row]
    return row[place.column] if place.column < len(row) else ""
