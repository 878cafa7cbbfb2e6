"""Pictures in a record: the expected and the actual answer of a failed case, ready to be drawn.

Pictures of boards are in `grader.suite.board`; these are the pictures of widgets. Their texts come
from a submission and have been shortened and escaped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from grader.suite.board import Picture


@dataclass(frozen=True, slots=True)
class ShownRow:
    """One row of a table: its key or number, and the texts of its cells."""

    label: str
    cells: tuple[str | None, ...]
    """None for a missing cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowPair:
    """An expected row and the corresponding actual row."""

    expected: ShownRow | None
    """None for a superfluous row."""
    got: ShownRow | None
    """None for a missing row."""
    differs: tuple[int, ...]
    """The indices of the columns that differ."""

    @property
    def rows(self) -> Iterator[ShownRow]:
        """The expected and the actual row, without a row that is None."""
        yield from (row for row in (self.expected, self.got) if row is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePicture:
    """The expected and the actual table."""

    columns: tuple[str, ...]
    """The headings; empty if no column has a name."""
    rows: tuple[RowPair, ...]
    is_whole: bool
    """Whether every differing cell is included with its complete text."""
    kind: Literal["table"] = "table"

    @property
    def weight(self) -> int:
        """The number of cells."""
        return 2 * sum(len(row.cells) for pair in self.rows for row in pair.rows)

    @property
    def is_telling(self) -> bool:
        """Whether the picture shows all differences, so that text need not repeat them."""
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
    """The expected and the actual marks on a number line."""

    low: float
    high: float
    expected: tuple[LineMark, ...]
    got: tuple[LineMark, ...]
    is_telling: bool
    """Whether the picture shows all differences. It cannot show the order of elements."""
    kind: Literal["line"] = "line"

    @property
    def weight(self) -> int:
        """The number of marks."""
        return len(self.expected) + len(self.got)


@dataclass(frozen=True, slots=True)
class PlotPoint:
    """One point of a plot."""

    x: float
    y: float
    differs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotPicture:
    """The expected and the actual points."""

    expected: tuple[PlotPoint, ...]
    got: tuple[PlotPoint, ...]
    x: str
    y: str
    joined: bool
    """Whether adjacent points are joined by a line."""
    kind: Literal["plot"] = "plot"

    @property
    def weight(self) -> int:
        """The number of points."""
        return len(self.expected) + len(self.got)

    @property
    def is_telling(self) -> bool:
        """False, as readers also need the numbers to find the wrong point."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedCall:
    """One call in a picture."""

    depth: int
    """How many other calls in the picture enclose this one."""
    text: str
    gave: str | None
    """The text of its return value; None if unknown."""
    is_cut: bool
    """Whether inner calls are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsPicture:
    """The recursive calls of a function, in the order in which they were made."""

    function: str
    calls: tuple[TracedCall, ...]
    is_cut: bool
    """Whether the step made further calls."""
    kind: Literal["calls"] = "calls"

    @property
    def weight(self) -> int:
        """The number of calls."""
        return len(self.calls)

    @property
    def is_telling(self) -> bool:
        """False, as the picture shows the calls, but no differences."""
        return False


WidgetPicture: TypeAlias = TablePicture | LinePicture | PlotPicture | CallsPicture
AnyPicture: TypeAlias = Picture | WidgetPicture
