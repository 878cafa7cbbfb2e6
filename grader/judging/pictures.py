"""Pictures in a record: what was expected and what came of a failed case, ready to be drawn.

Those of boards are in `grader.suite.board`; these are the pictures of widgets. What they say comes
from a submission, and is short and plain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from grader.suite.board import Picture


@dataclass(frozen=True, slots=True)
class ShownRow:
    """One row of a table: its key or its number, and the texts of its cells."""

    label: str
    cells: tuple[str | None, ...]
    """None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowPair:
    """A row that was expected, and the one that came in its place."""

    expected: ShownRow | None
    """None for a row that is too much."""
    got: ShownRow | None
    """None for a row that is missing."""
    differs: tuple[int, ...]
    """The columns that differ."""

    @property
    def rows(self) -> Iterator[ShownRow]:
        """Those of both that there are."""
        yield from (row for row in (self.expected, self.got) if row is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePicture:
    """A table that was expected, and the one that came."""

    columns: tuple[str, ...]
    """What stands above them; nothing at all where no column has a name."""
    rows: tuple[RowPair, ...]
    is_whole: bool
    """Whether each cell that differs is there with all its text."""
    kind: Literal["table"] = "table"

    @property
    def weight(self) -> int:
        """How many cells it has."""
        return 2 * sum(len(row.cells) for pair in self.rows for row in pair.rows)

    @property
    def is_telling(self) -> bool:
        """Whether it shows all that differs, so that no text need say it as well."""
        return self.is_whole


@dataclass(frozen=True, slots=True)
class LineMark:
    """A number or an interval on a line."""

    start: float
    end: float
    text: str
    differs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LinePicture:
    """Marks on a line of numbers that were expected, and those that came."""

    low: float
    high: float
    expected: tuple[LineMark, ...]
    got: tuple[LineMark, ...]
    is_telling: bool
    """Whether it shows all that differs: on a line nothing has an order."""
    kind: Literal["line"] = "line"

    @property
    def weight(self) -> int:
        """How many marks it has."""
        return len(self.expected) + len(self.got)


@dataclass(frozen=True, slots=True)
class PlotPoint:
    """One point of a plot."""

    x: float
    y: float
    differs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotPicture:
    """Points that were expected, and those that came."""

    expected: tuple[PlotPoint, ...]
    got: tuple[PlotPoint, ...]
    x: str
    y: str
    joined: bool
    kind: Literal["plot"] = "plot"

    @property
    def weight(self) -> int:
        """How many points it has."""
        return len(self.expected) + len(self.got)

    @property
    def is_telling(self) -> bool:
        """Return False: who has to find a wrong number reads the numbers too."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedCall:
    """One call, in the order in which they were made."""

    depth: int
    """How many of the calls in the picture it was made in."""
    text: str
    gave: str | None
    """What it gave; None for one that gave nothing that is known."""
    is_cut: bool
    """Whether calls that it made are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsPicture:
    """The calls that a function made of itself."""

    function: str
    calls: tuple[TracedCall, ...]
    is_cut: bool
    """Whether the step made more of them."""
    kind: Literal["calls"] = "calls"

    @property
    def weight(self) -> int:
        """How many calls it has."""
        return len(self.calls)

    @property
    def is_telling(self) -> bool:
        """Return False: it says what happened, and not what differs."""
        return False


WidgetPicture: TypeAlias = TablePicture | LinePicture | PlotPicture | CallsPicture
AnyPicture: TypeAlias = Picture | WidgetPicture
