"""Makes pictures of expected and actual values, for suites with widgets.

Expected values were validated when the suite was loaded. Actual values may be anything: if one is
of another kind, does not fit, or shows no visible difference, there is no picture, only text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import chain, zip_longest
from operator import eq
from typing import Final, TypeAlias

from grader.judging.pictures import (
    LineMark,
    LinePicture,
    PlotPicture,
    PlotPoint,
    RowPair,
    ShownRow,
    TablePicture,
    WidgetPicture,
)
from grader.suite.drawable import (
    DrawableTable,
    Marks,
    Misfit,
    Points,
    Row,
    label_of,
    marks_of,
    points_of,
    table_of,
)
from grader.suite.widgets import LineWidget, PlotWidget, TableWidget
from grader.values.display import short_value
from grader.values.equality import equal, key_of
from grader.values.foreign_text import one_line
from grader.values.tree import Atom, Collection, Scalar, Value
from grader.values.tree import Mapping as Pairs
from grader.values.tree import Sequence as Items

MAX_CELL_CHARS: Final = 16


def widget_picture(
    widget: TableWidget | LineWidget | PlotWidget, expected: Value, got: Value
) -> WidgetPicture | None:
    """Return the picture of two different values, None if `widget` cannot show the difference."""
    try:
        match widget:
            case TableWidget():
                table = _table(widget, table_of(expected), table_of(got))
                if table is None or _shows_types_and_keys(expected, got):
                    return table
                return replace(table, is_whole=False)
            case LineWidget():
                line = _line(widget, marks_of(expected), marks_of(got))
                if line is None or _has_types_of(expected, got):
                    return line
                return replace(line, is_telling=False)
            case PlotWidget():
                return _plot(widget, points_of(expected), points_of(got))
    except Misfit:
        return None


def _has_types_of(expected: Value, got: Value) -> bool:
    """Return whether `got` has the type of `expected`, and only items of its types."""
    known = {each.type_name for each in _rows(expected)}
    is_same = expected.type_name == got.type_name
    return is_same and (not known or known.issuperset(each.type_name for each in _rows(got)))


def _rows(value: Value) -> tuple[Value, ...]:
    match value:
        case Pairs(items=pairs):
            return tuple(item for _, item in pairs)
        case Items(items=items) | Collection(items=items):
            return items
        case _:
            return ()


# Tables


def _shows_types_and_keys(expected: Value, got: Value) -> bool:
    """Return whether a table shows all differences of types and keys."""
    one, other = ({_row_type(row) for row in _rows(each)} for each in (expected, got))
    outer = [key for each in (expected, got) for key in _keys(each)]
    inner = [key for each in (expected, got) for row in _rows(each) for key in _keys(row)]
    return expected.type_name == got.type_name and one == other and all(map(_clear, (outer, inner)))


def _row_type(row: Value) -> str:
    """Return the type of a row, "" for a single cell, whose text shows it."""
    return "" if isinstance(row, Atom | Scalar) else row.type_name


def _keys(value: Value) -> list[Value]:
    return [key for key, _ in value.items] if isinstance(value, Pairs) else []


def _clear(keys: list[Value]) -> bool:
    """Return whether different `keys` have different labels, none of them truncated."""
    labels = {one_line(label_of(key), MAX_CELL_CHARS) for key in keys}
    is_cut = any(len(label_of(key)) > MAX_CELL_CHARS for key in keys)
    return not is_cut and len(labels) == len({key_of(key) for key in keys})


def _table(
    widget: TableWidget, expected: DrawableTable | None, got: DrawableTable | None
) -> TablePicture | None:
    if expected is None or got is None or expected.is_named != got.is_named:
        return None
    columns = tuple(dict.fromkeys((*expected.columns, *got.columns)))
    rows = tuple(_paired(expected, got, columns))
    if not any(pair.differs for pair in rows):
        return None  # such as tuples in place of lists
    names: Sequence[str] = [*widget.columns] or ([*columns] if expected.is_named else [])
    if len(names) > len(columns):
        return None  # an expected value that the submission computes may have any columns
    if names and len(names) < len(columns):
        names = [*names, *columns[len(names) :]]
    shown = tuple(one_line(name, MAX_CELL_CHARS) for name in names)
    return TablePicture(columns=shown, rows=rows, is_whole=all(map(_is_whole, rows)))


def _paired(
    expected: DrawableTable, got: DrawableTable, columns: Sequence[str]
) -> Iterator[RowPair]:
    for wanted, given in _pairs(_numbered(expected.rows), _numbered(got.rows)):
        one, other = (row[1].cells if row else {} for row in (wanted, given))
        yield RowPair(
            expected=_shown(wanted, columns),
            got=_shown(given, columns),
            differs=tuple(
                index
                for index, column in enumerate(columns)
                if not _are_same(one.get(column), other.get(column))
            ),
        )


_Numbered: TypeAlias = tuple[str, Row]
"""A row, with its key or its number."""


def _numbered(rows: Sequence[Row]) -> list[_Numbered]:
    return [(str(at) if row.key is None else row.key, row) for at, row in enumerate(rows)]


def _pairs(
    expected: list[_Numbered], got: list[_Numbered]
) -> Iterator[tuple[_Numbered | None, _Numbered | None]]:
    """Yield matching rows: by key, or by content, or by position if that matches as many."""
    if expected[0][1].key is not None and got[0][1].key is not None:
        by_key = dict(got)
        yield from (
            (each, (each[0], by_key[each[0]]) if each[0] in by_key else None) for each in expected
        )
        wanted_keys = {label for label, _ in expected}
        yield from ((None, each) for each in got if each[0] not in wanted_keys)
        return
    wanted, given = ([_text(row.cells) for _, row in rows] for rows in (expected, got))
    # From 200 rows on, autojunk would ignore those that occur often.
    matcher = SequenceMatcher(None, wanted, given, autojunk=False)
    alike = sum(block.size for block in matcher.get_matching_blocks())
    # Row by row, unless more rows are equal when some are moved.
    if len(expected) == len(got) and alike <= sum(map(eq, wanted, given)):
        yield from zip(expected, got, strict=True)
        return
    for _, start, end, other_start, other_end in matcher.get_opcodes():
        yield from zip_longest(expected[start:end], got[other_start:other_end])


def _text(cells: Mapping[str, Value]) -> str:
    return "\n".join(key_of(cell) for cell in cells.values())


def _shown(row: _Numbered | None, columns: Sequence[str]) -> ShownRow | None:
    if row is None:
        return None
    label, cells = row[0], row[1].cells
    texts = (_cell(cells[column]) if column in cells else None for column in columns)
    return ShownRow(one_line(label, MAX_CELL_CHARS), tuple(texts))


def _cell(value: Value) -> str:
    """Return the text of a cell, truncated with `…`."""
    text = short_value(value, MAX_CELL_CHARS + 1)  # one more than fits shows that it is cut
    return text if len(text) <= MAX_CELL_CHARS else f"{text[: MAX_CELL_CHARS - 1]}…"


def _is_whole(pair: RowPair) -> bool:
    cells = (row.cells[at] for row in pair.rows for at in pair.differs)
    return not any(cell and cell.endswith("…") for cell in cells)


def _are_same(expected: Value | None, got: Value | None) -> bool:
    if expected is None or got is None:
        return expected is got  # the same only if both are missing
    return equal(expected, got)


# Lines


def _line(widget: LineWidget, expected: Marks | None, got: Marks | None) -> LinePicture | None:
    if expected is None or got is None:
        return None
    pairs = _matched(expected, got)
    missing = {*range(len(expected))}.difference(pairs)
    extra = {*range(len(got))}.difference(pairs.values())
    if not (missing or extra):
        return None  # they differ in their order, or in their types
    ends = [*chain.from_iterable(ends for ends, _ in (*expected, *got))]
    low = min([*ends, *(() if widget.low is None else (widget.low,))])
    high = max([*ends, *(() if widget.high is None else (widget.high,))])
    if low == high:  # the drawing divides by the difference
        low, high = low - 1, high + 1
    return LinePicture(
        low=low,
        high=high,
        expected=tuple(_marks(expected, missing)),
        got=tuple(_marks(got, extra)),
        is_telling=[*pairs.values()] == sorted(pairs.values()),
    )


def _matched(expected: Marks, got: Marks) -> dict[int, int]:
    """Return the indexes of equal marks, from expected to got, in expected order."""
    left = dict(enumerate(got))
    pairs = {}
    for index, (_, value) in enumerate(expected):
        at = next((at for at, (_, other) in left.items() if _are_same(value, other)), None)
        if at is not None:
            pairs[index] = at
            del left[at]
    return pairs


def _marks(marks: Marks, differing: set[int]) -> Iterator[LineMark]:
    for index, ((start, end), value) in enumerate(marks):
        yield LineMark(start, end, short_value(value, MAX_CELL_CHARS), index in differing)


# Plots


def _plot(widget: PlotWidget, expected: Points | None, got: Points | None) -> PlotPicture | None:
    if expected is None or got is None:
        return None
    one, other = (tuple(_points(*both)) for both in ((expected, got), (got, expected)))
    if not any(point.differs for point in (*one, *other)):
        return None
    return PlotPicture(expected=one, got=other, x=widget.x, y=widget.y, joined=widget.joined)


def _points(points: Points, others: Points) -> Iterator[PlotPoint]:
    """Yield `points`; one differs if none of `others` has the same x and y."""
    by_x: dict[float, list[float]] = {}
    for x, y in others:
        by_x.setdefault(x, []).append(y)
    for x, y in points:
        is_there = any(equal(Atom(y), Atom(other)) for other in by_x.get(x, ()))
        yield PlotPoint(x, y, differs=not is_there)
