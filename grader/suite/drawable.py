"""Converts values to what widgets draw: table rows, marks on a number line, or points of a plot.

Values of another kind become None. A value of the right kind that is too large for a drawing raises
`Misfit`. For an expected value, that is a mistake by the suite's author; for a submission's answer,
it is one more difference.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from operator import itemgetter
from typing import Final, TypeAlias

from grader.values.display import short_value
from grader.values.tree import Array, Atom, Collection, Fields, Scalar, Sequence, Value
from grader.values.tree import Mapping as Pairs

MAX_ROWS: Final = 40
MAX_COLUMNS: Final = 12
MAX_MARKS: Final = 60
MAX_POINTS: Final = 400
_MAX_ABS: Final = 1e15
"""Larger numbers are not drawn, as floats and drawings cannot tell them apart."""
_KEY_CHARS: Final = 60
_PAIR: Final = 2


class Misfit(Exception):
    """A value of the right kind does not fit into the drawing, for the reason in the message."""


def check_count(count: int, limit: int, noun: str) -> None:
    """Raise `Misfit` if `count`, a number of things called `noun`, exceeds `limit`."""
    if count > limit:
        raise Misfit(f"it has {count} {noun}, and at most {limit} are drawn")


@dataclass(frozen=True, slots=True)
class Row:
    """One row, with its key or None, and its cells keyed by column."""

    key: str | None
    cells: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class DrawableTable:
    """The rows of a table."""

    rows: tuple[Row, ...]
    is_named: bool
    """Whether columns have names, and not just numbers."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of all rows, without duplicates."""
        return tuple(dict.fromkeys(chain.from_iterable(row.cells for row in self.rows)))


Interval: TypeAlias = tuple[float, float]
"""Start and end of a mark, which are equal for a number."""
Marks: TypeAlias = tuple[tuple[Interval, Value], ...]
"""Marks, each paired with its value."""
Points: TypeAlias = tuple[tuple[float, float], ...]
"""Points as pairs of x and y."""


def as_table(value: Value) -> DrawableTable | None:
    """Return `value` as a table if it is a list of rows, a dict or a two-dimensional array.

    Return None for any other value. Raises `Misfit` if the table is too large.
    """
    match value:
        case Array(shape=(_, width), items=items) if width:
            rows = [items[start : start + width] for start in range(0, len(items), width)]
            return _build_table(_numbered_row(None, row) for row in rows)
        case Sequence(items=items) if items:
            return _build_table(_to_row(None, item) for item in items)
        case Pairs(items=pairs) if pairs:
            return _build_table(_to_row(key_label(key), item) for key, item in pairs)
        case _:
            return None


def _build_table(rows: Iterable[tuple[Row, bool] | None]) -> DrawableTable | None:
    """Return a table of `rows`, each paired with whether its columns have names.

    Return None if one of the rows is None, if only some have named columns, or if there are no
    columns. Raises `Misfit` if the table is too large.
    """
    converted = list(rows)
    known = [row for row in converted if row is not None]
    if len(known) < len(converted) or len({is_named for _, is_named in known}) != 1:
        return None
    table = DrawableTable(tuple(row for row, _ in known), is_named=known[0][1])
    check_count(len(table.rows), MAX_ROWS, "rows")
    check_count(len(table.columns), MAX_COLUMNS, "columns")
    return table if table.columns else None


def _to_row(key: str | None, value: Value) -> tuple[Row, bool] | None:
    """Return `value` as a row, and whether its columns have names; None if it is not a row."""
    match value:
        case Pairs(items=pairs):
            return Row(key, {key_label(name): item for name, item in pairs}), True
        case Fields(items=fields):
            return Row(key, dict(fields)), True
        case Sequence(items=items):
            return _numbered_row(key, items)
        case Atom() | Scalar() if key is not None:
            return _numbered_row(key, (value,))
        case _:
            return None


def _numbered_row(key: str | None, items: Iterable[Value]) -> tuple[Row, bool]:
    return Row(key, {str(index): item for index, item in enumerate(items)}), False


def key_label(value: Value) -> str:
    """Return the label of a row or column whose key in a dict is `value`."""
    if isinstance(value, Atom) and isinstance(value.value, str):
        return value.value[:_KEY_CHARS]
    return short_value(value, _KEY_CHARS)


def as_marks(value: Value) -> Marks | None:
    """Return `value` as marks if it is a list or set of numbers or of pairs of numbers.

    A pair is an interval, which must end after its start. Return None for any other value. Raises
    `Misfit` if there are too many marks.
    """
    match value:
        case Sequence(items=items) | Collection(items=items) | Array(shape=(_,), items=items):
            marks = [_to_mark(item) for item in items]
        case _:
            return None
    known = tuple((mark, item) for mark, item in zip(marks, items, strict=True) if mark is not None)
    # Numbers and intervals cannot be mixed, as they would not be comparable on one line.
    if len(known) < len(marks) or len({low < high for (low, high), _ in known}) > 1:
        return None
    check_count(len(known), MAX_MARKS, "marks")
    # Sorted, as sets have no order.
    return tuple(sorted(known, key=itemgetter(0))) if isinstance(value, Collection) else known


def _to_mark(value: Value) -> Interval | None:
    """Return `value` as a mark if it is a number or a pair of ascending numbers, else None."""
    match value:
        case Sequence(items=(first, last)):
            low, high = _to_number(first), _to_number(last)
            return None if low is None or high is None or low >= high else (low, high)
        case _:
            number = _to_number(value)
            return None if number is None else (number, number)


def as_points(value: Value) -> Points | None:
    """Return `value` as points if it is a list of numbers or of pairs, or a dict of numbers.

    A single number in a list has its index as x. Return None for any other value. Raises `Misfit`
    if there are too many points.
    """
    match value:
        case Sequence(items=items) | Array(shape=(_,), items=items):
            points = [_to_point(index, item) for index, item in enumerate(items)]
        case Array(shape=(_, width), items=items) if width == _PAIR:
            points = [
                _to_xy(*items[start : start + width]) for start in range(0, len(items), width)
            ]
        case Pairs(items=pairs):
            points = [_to_xy(*pair) for pair in pairs]
        case _:
            return None
    known = tuple(point for point in points if point is not None)
    if len(known) < len(points):
        return None
    check_count(len(known), MAX_POINTS, "points")
    return known


def _to_point(index: int, value: Value) -> tuple[float, float] | None:
    """Return `value` as a point if it is a number or a pair of numbers, else None."""
    match value:
        case Sequence(items=(x, y)):
            return _to_xy(x, y)
        case _:
            return _to_xy(Atom(index), value)


def _to_xy(x: Value, y: Value) -> tuple[float, float] | None:
    first, second = _to_number(x), _to_number(y)
    return None if first is None or second is None else (first, second)


def _to_number(value: Value) -> float | None:
    """Return `value` as a float if it is a finite number within `_MAX_ABS`, else None."""
    match value:
        # A bool is an int, but not a number to draw.
        case Atom(bool()) | Scalar(value=bool()):
            return None
        case (
            Atom(int() | float() | Fraction() | Decimal() as number)
            | Scalar(value=int() | float() as number)
        ):
            try:
                as_float = float(number)
            # Huge integers overflow, and a signalling NaN raises ValueError.
            except (OverflowError, ValueError):
                return None
            return as_float if math.isfinite(as_float) and abs(as_float) <= _MAX_ABS else None
        case _:
            return None
