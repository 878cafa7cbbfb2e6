"""Creates pictures of expected and actual values, for suites with widgets.

Expected values were validated when the suite was loaded. Actual values can be anything: if a value
has another type, does not fit, or does not look different, text is shown instead of a picture.
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
    as_marks,
    as_points,
    as_table,
    key_label,
)
from grader.suite.widgets import LineWidget, PlotWidget, TableWidget
from grader.values.display import short_value
from grader.values.equality import comparison_key, equal
from grader.values.foreign_text import one_line
from grader.values.tree import Atom, Collection, Scalar, Value
from grader.values.tree import Mapping as Pairs
from grader.values.tree import Sequence as Items

MAX_CELL_CHARS: Final = 16


def widget_picture(
    widget: TableWidget | LineWidget | PlotWidget, expected: Value, got: Value
) -> WidgetPicture | None:
    """Return the picture of two different values, or None if `widget` cannot show the difference.

    A picture that shows only some of the differences is marked, so that text is shown as well.
    """
    try:
        match widget:
            case TableWidget():
                table = _table(widget, as_table(expected), as_table(got))
                if table is None or _shows_types_and_keys(expected, got):
                    return table
                return replace(table, is_whole=False)
            case LineWidget():
                line = _line(widget, as_marks(expected), as_marks(got))
                if line is None or _has_same_types(expected, got):
                    return line
                return replace(line, is_telling=False)
            case PlotWidget():
                return _plot(widget, as_points(expected), as_points(got))
    except Misfit:
        return None


def _has_same_types(expected: Value, got: Value) -> bool:
    """Return whether both values have the same type, and `got` has no item of another type.

    If `expected` has no items, those of `got` can have any type.
    """
    type_names = {item.type_name for item in _items(expected)}
    is_same = expected.type_name == got.type_name
    return is_same and (
        not type_names or type_names.issuperset(item.type_name for item in _items(got))
    )


def _items(value: Value) -> tuple[Value, ...]:
    """Return the items of a collection, or the values of a dict. Other values have no items."""
    match value:
        case Pairs(items=pairs):
            return tuple(item for _, item in pairs)
        case Items(items=items) | Collection(items=items):
            return items
        case _:
            return ()


# Tables


def _shows_types_and_keys(expected: Value, got: Value) -> bool:
    """Return whether tables of the two values would hide no difference in their types or keys."""
    expected_types, actual_types = (
        {_row_type(row) for row in _items(value)} for value in (expected, got)
    )
    outer_keys = [key for value in (expected, got) for key in _keys(value)]
    inner_keys = [key for value in (expected, got) for row in _items(value) for key in _keys(row)]
    return (
        expected.type_name == got.type_name
        and expected_types == actual_types
        and all(map(_are_distinguishable, (outer_keys, inner_keys)))
    )


def _row_type(row: Value) -> str:
    """Return the type name of a row, or "" for a single cell, whose text shows its type."""
    return "" if isinstance(row, Atom | Scalar) else row.type_name


def _keys(value: Value) -> list[Value]:
    return [key for key, _ in value.items] if isinstance(value, Pairs) else []


def _are_distinguishable(keys: list[Value]) -> bool:
    """Return whether different `keys` have different labels, and no label is truncated."""
    labels = {one_line(key_label(key), MAX_CELL_CHARS) for key in keys}
    is_cut = any(len(key_label(key)) > MAX_CELL_CHARS for key in keys)
    return not is_cut and len(labels) == len({comparison_key(key) for key in keys})


def _table(
    widget: TableWidget, expected: DrawableTable | None, got: DrawableTable | None
) -> TablePicture | None:
    """Return the picture of two tables.

    Return None if a value is not a table, if the columns do not match, or if no cell differs.
    """
    if expected is None or got is None or expected.is_named != got.is_named:
        return None
    columns = tuple(dict.fromkeys((*expected.columns, *got.columns)))
    rows = tuple(_row_pairs(expected, got, columns))
    if not any(pair.differs for pair in rows):
        return None  # only types differ, for example those of a tuple and a list
    names: Sequence[str] = [*widget.columns] or ([*columns] if expected.is_named else [])
    if len(names) > len(columns):
        return None  # an expected value that is computed can have any number of columns
    if names and len(names) < len(columns):
        names = [*names, *columns[len(names) :]]
    labels = tuple(one_line(name, MAX_CELL_CHARS) for name in names)
    return TablePicture(columns=labels, rows=rows, is_whole=all(map(_is_untruncated, rows)))


def _row_pairs(
    expected: DrawableTable, got: DrawableTable, columns: Sequence[str]
) -> Iterator[RowPair]:
    """Yield the matching rows of two tables as they are drawn, with the columns that differ."""
    for expected_row, actual_row in _match_rows(_add_labels(expected.rows), _add_labels(got.rows)):
        expected_cells, actual_cells = (
            row[1].cells if row else {} for row in (expected_row, actual_row)
        )
        yield RowPair(
            expected=_drawn_row(expected_row, columns),
            got=_drawn_row(actual_row, columns),
            differs=tuple(
                index
                for index, column in enumerate(columns)
                if not _are_equal(expected_cells.get(column), actual_cells.get(column))
            ),
        )


_LabelledRow: TypeAlias = tuple[str, Row]
"""The label of a row, which is its key or its number, and the row."""


def _add_labels(rows: Sequence[Row]) -> list[_LabelledRow]:
    return [(str(index) if row.key is None else row.key, row) for index, row in enumerate(rows)]


def _match_rows(
    expected: list[_LabelledRow], got: list[_LabelledRow]
) -> Iterator[tuple[_LabelledRow | None, _LabelledRow | None]]:
    """Yield pairs of matching rows, where None stands for a missing row.

    Rows match by key if both tables have keys. Otherwise they match by content, or by position if
    the tables are equally long and at least as many rows are equal that way.
    """
    if expected[0][1].key is not None and got[0][1].key is not None:
        by_key = dict(got)
        yield from (
            (row, (row[0], by_key[row[0]]) if row[0] in by_key else None) for row in expected
        )
        expected_keys = {label for label, _ in expected}
        yield from ((None, row) for row in got if row[0] not in expected_keys)
        return
    expected_texts, actual_texts = (
        [_row_key(row.cells) for _, row in rows] for rows in (expected, got)
    )
    # With 200 rows or more, autojunk would ignore frequent rows.
    matcher = SequenceMatcher(None, expected_texts, actual_texts, autojunk=False)
    matched_rows = sum(block.size for block in matcher.get_matching_blocks())
    # Rows are compared by position, unless more rows are equal when some are moved.
    if len(expected) == len(got) and matched_rows <= sum(map(eq, expected_texts, actual_texts)):
        yield from zip(expected, got, strict=True)
        return
    for _, start, end, got_start, got_end in matcher.get_opcodes():
        yield from zip_longest(expected[start:end], got[got_start:got_end])


def _row_key(cells: Mapping[str, Value]) -> str:
    return "\n".join(comparison_key(cell) for cell in cells.values())


def _drawn_row(row: _LabelledRow | None, columns: Sequence[str]) -> ShownRow | None:
    """Return `row` as it is drawn, with None for missing cells."""
    if row is None:
        return None
    label, cells = row[0], row[1].cells
    texts = (_cell(cells[column]) if column in cells else None for column in columns)
    return ShownRow(one_line(label, MAX_CELL_CHARS), tuple(texts))


def _cell(value: Value) -> str:
    """Return the text of a cell, truncated with `…`."""
    # One character more than fits is requested, to detect longer text.
    text = short_value(value, MAX_CELL_CHARS + 1)
    return text if len(text) <= MAX_CELL_CHARS else f"{text[: MAX_CELL_CHARS - 1]}…"


def _is_untruncated(pair: RowPair) -> bool:
    cells = (row.cells[index] for row in pair.rows for index in pair.differs)
    return not any(cell and cell.endswith("…") for cell in cells)


def _are_equal(expected: Value | None, got: Value | None) -> bool:
    if expected is None or got is None:
        return expected is got  # equal only if both are missing
    return equal(expected, got)


# Lines


def _line(widget: LineWidget, expected: Marks | None, got: Marks | None) -> LinePicture | None:
    """Return the picture of two sets of marks on a line.

    Return None if a value is not such a set, or if no difference is visible.
    """
    if expected is None or got is None:
        return None
    pairs = _match_marks(expected, got)
    missing = {*range(len(expected))}.difference(pairs)
    extra = {*range(len(got))}.difference(pairs.values())
    if not (missing or extra):
        return None  # only the order or the types differ
    ends = [*chain.from_iterable(ends for ends, _ in (*expected, *got))]
    low = min([*ends, *(() if widget.low is None else (widget.low,))])
    high = max([*ends, *(() if widget.high is None else (widget.high,))])
    if low == high:  # the drawing divides by the difference
        low, high = low - 1, high + 1
    return LinePicture(
        low=low,
        high=high,
        expected=tuple(_drawn_marks(expected, missing)),
        got=tuple(_drawn_marks(got, extra)),
        is_telling=[*pairs.values()] == sorted(pairs.values()),
    )


def _match_marks(expected: Marks, got: Marks) -> dict[int, int]:
    """Return a dict that maps the indexes of marks in `expected` to those of equal marks in `got`.

    Each mark in `got` is used once, so that duplicates are counted.
    """
    unmatched = dict(enumerate(got))
    pairs = {}
    for index, (_, value) in enumerate(expected):
        equal_marks = (
            candidate_index
            for candidate_index, (_, candidate) in unmatched.items()
            if _are_equal(value, candidate)
        )
        match = next(equal_marks, None)
        if match is not None:
            pairs[index] = match
            del unmatched[match]
    return pairs


def _drawn_marks(marks: Marks, differing: set[int]) -> Iterator[LineMark]:
    for index, ((start, end), value) in enumerate(marks):
        yield LineMark(start, end, short_value(value, MAX_CELL_CHARS), index in differing)


# Plots


def _plot(widget: PlotWidget, expected: Points | None, got: Points | None) -> PlotPicture | None:
    """Return the picture of two sets of points, or None if they are not points or are equal."""
    if expected is None or got is None:
        return None
    expected_points, actual_points = (
        tuple(_drawn_points(*pair)) for pair in ((expected, got), (got, expected))
    )
    if not any(point.differs for point in (*expected_points, *actual_points)):
        return None
    return PlotPicture(
        expected=expected_points, got=actual_points, x=widget.x, y=widget.y, joined=widget.joined
    )


def _drawn_points(points: Points, other_points: Points) -> Iterator[PlotPoint]:
    """Yield `points` as they are drawn. A point differs if it is not in `other_points`."""
    by_x: dict[float, list[float]] = {}
    for x, y in other_points:
        by_x.setdefault(x, []).append(y)
    for x, y in points:
        is_matched = any(equal(Atom(y), Atom(candidate)) for candidate in by_x.get(x, ()))
        yield PlotPoint(x, y, differs=not is_matched)
