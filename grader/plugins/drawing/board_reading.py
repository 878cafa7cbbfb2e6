"""Reads boards from values, if a suite describes how its boards look.

An expected value is read strictly: it is a board only if all of its marks are known. The actual
value is split into rows in the same way, but read leniently: unknown marks are kept, and cells can
be missing. For a value that is not a board, or is too large, the functions return None.
Nothing in this module raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeAlias

from grader.suite.board import MAX_SIDE, Board, Cell, Drawing, Look
from grader.values.foreign_text import one_line
from grader.values.tree import Array, Atom, Collection, Mapping, Plain, Scalar, Sequence, Value

Cells: TypeAlias = dict[tuple[int, int], Cell]
"""Cells, keyed by row and column."""
_MAX_MARK_CHARS: Final = 8
_MAX_LABEL_CHARS: Final = 3
_MAX_BITS: Final = 64
"""Longer numbers are not marks, because converting them to text is slow."""
_MIN_SIDE: Final = 2
"""Text with fewer rows or columns is a word, or a list of words."""

_Splitter: TypeAlias = Callable[[str], list[str]]
_SPLITTERS: Final[tuple[_Splitter, ...]] = (list, str.split)
"""Ways to split a row: into characters, or at whitespace."""


@dataclass(frozen=True, slots=True)
class Boards:
    """An expected and an actual board, read in the same way."""

    expected: Cells | None
    got: Cells
    from_top: bool
    """Whether the first row is at the top, as in text, regardless of how rows are numbered."""


def read_boards(expected: Value | None, got: Value, board: Board) -> Boards | None:
    """Return the cells of two boards, or None if the values are not boards.

    Rows and columns are counted from 0. `board` describes how the boards look.

    Without an expected value, the actual value must be a valid board itself.
    """
    template = got if expected is None else expected
    for split in _SPLITTERS:
        rows = _rows(template, split)
        if rows is None or not _is_board(rows, board):
            continue
        actual = _actual_rows(got, rows, split, board)
        if actual is None or not _resembles(actual, board):
            return None
        is_transposed = board.layout.column_first and not _is_text(template)
        return Boards(
            None if expected is None else _index_cells(rows, board, is_transposed=is_transposed),
            _index_cells(actual, board, is_transposed=is_transposed),
            _is_text(template),
        )
    return None


def _actual_rows(
    got: Value, expected_rows: list[list[str]], split: _Splitter, board: Board
) -> list[list[str]] | None:
    """Return the marks of the actual value row by row, or None if it has no rows.

    The rows are split in the first way that makes them a board of the expected size. If there is no
    such way, they are split with `split`, like the expected rows.
    """
    for alternative in _SPLITTERS:
        rows = _rows(got, alternative)
        if (
            rows
            and _is_board(rows, board)
            and list(map(len, rows)) == list(map(len, expected_rows))
        ):
            return rows
    return _rows(got, split)


def read_pairs(value: Value) -> list[tuple[int, int]] | None:
    """Return the pairs of integers in a collection, sorted and without duplicates.

    Return None for any other value, and for a collection that is too large.
    """
    match value:
        case Collection(items=items) | Sequence(items=items) if len(items) <= MAX_SIDE**2:
            pairs = [_pair(item) for item in items]
            # Sorted, because sets are unordered, and without duplicates, which lists can contain.
            return None if None in pairs else sorted({pair for pair in pairs if pair})
        case _:
            return None


def read_marks(value: Value, board: Board) -> Cells | None:
    """Return the cells of a dict that maps pairs of integers to marks.

    Return None for any other value, and for a dict that is too large.
    """
    if not isinstance(value, Mapping) or len(value.items) > MAX_SIDE**2:
        return None
    cells = {}
    for key, item in value.items:
        pair, mark = _pair(key), _mark(item)
        if pair is None or mark is None:
            return None
        cells[pair] = _cell(mark, board)
    return cells


def _cell(mark: str, board: Board) -> Cell:
    """Return the cell that `mark` represents on `board`. An unknown mark is drawn as text."""
    text = one_line(mark, _MAX_MARK_CHARS)
    look = board.looks.get(mark)
    if look is None and board.numbers is not None and _is_integer(mark):
        look = Look(board.numbers, mark if len(mark) <= _MAX_LABEL_CHARS else "…")
    if look is None:
        look = Look(Drawing.UNKNOWN, one_line(mark[:_MAX_LABEL_CHARS]))
    return Cell(text, look)


def _is_integer(mark: str) -> bool:
    # `isdigit` alone accepts `²` and digits of other scripts.
    return mark.isascii() and mark.removeprefix("-").isdigit()


def _pair(value: Value) -> tuple[int, int] | None:
    """Return the two integers in a tuple, or None for any other value."""
    match value:
        case Sequence("tuple", (first_value, second_value)):
            first, second = _content(first_value), _content(second_value)
            # Not `isinstance`, because a bool is an int too.
            if type(first) is int and type(second) is int:
                return first, second
    return None


def _content(value: Value) -> Plain | type:
    """Return the content of a simple value, or the type of any other value.

    A type is neither a mark nor an integer, so callers reject it.
    """
    return value.value if isinstance(value, Atom | Scalar) else type(value)


def _mark(value: Value) -> str | None:
    """Return the mark that an element of a board contains, or None if it is not a mark."""
    match _content(value):
        case str() as text:
            return text
        case int() as number if number.bit_length() >= _MAX_BITS:
            return None
        case bool() | int() | float() | None as content:
            return str(content)[: 2 * _MAX_MARK_CHARS]
        case _:
            return None


def _rows(value: Value, split: _Splitter) -> list[list[str]] | None:
    """Return the text of each cell of the board `value`, row by row.

    Return None if it has no rows or is too large. `split` splits a line of text into cells.
    """
    match value:
        case Atom(str() as text) | Scalar(value=str() as text):
            return _text_rows(text.rstrip().splitlines(), split)
        case Array(shape=(height, width), items=items) if max(height, width) <= MAX_SIDE:
            return _value_rows(
                items[start : start + width] for start in range(0, height * width, width)
            )
        case Sequence(items=items) if 0 < len(items) <= MAX_SIDE:
            texts = [item.value for item in items if isinstance(item, Atom)]
            if len(texts) == len(items):
                lines = [text for text in texts if isinstance(text, str)]
                return _text_rows(lines, split) if len(lines) == len(items) else None
            rows = [item.items for item in items if isinstance(item, Sequence)]
            return _value_rows(iter(rows)) if len(rows) == len(items) else None
        case _:
            return None


def _text_rows(lines: list[str], split: _Splitter) -> list[list[str]] | None:
    """Return the marks in `lines` of text, or None if there are too many."""
    # Checked before splitting, because a line can have a million characters. The factor allows for
    # whitespace between marks.
    if len(lines) > MAX_SIDE or any(len(line) > 10 * MAX_SIDE for line in lines):
        return None
    rows = [split(line) for line in lines]
    return None if any(len(row) > MAX_SIDE for row in rows) else rows


def _value_rows(rows: Iterator[tuple[Value, ...]]) -> list[list[str]] | None:
    """Return the marks in `rows` of values, or None if some are not marks or there are too many."""
    marks = []
    for row in islice(rows, MAX_SIDE + 1):  # with one row too many, the board is too large
        marks_in_row = [_mark(item) for item in row[: MAX_SIDE + 1]]
        if None in marks_in_row or len(marks_in_row) > MAX_SIDE:
            return None
        marks.append([mark for mark in marks_in_row if mark is not None])
    return marks


def _is_board(rows: list[list[str]], board: Board) -> bool:
    """Return whether `rows` form a rectangle of marks that are known to `board`."""
    widths = {len(row) for row in rows}
    return (
        len(rows) >= _MIN_SIDE
        and len(widths) == 1
        and min(widths) >= _MIN_SIDE
        and all(_is_known(mark, board) for row in rows for mark in row)
    )


def _resembles(rows: list[list[str]], board: Board) -> bool:
    """Return whether at least half of the marks in `rows` are known to `board`."""
    are_known = [_is_known(mark, board) for row in rows for mark in row]
    return 0 < len(are_known) <= 2 * sum(are_known)


def _is_known(mark: str, board: Board) -> bool:
    return _cell(mark, board).look.drawing is not Drawing.UNKNOWN


def _index_cells(rows: list[list[str]], board: Board, *, is_transposed: bool) -> Cells:
    """Return the cells of `rows`, with rows and columns exchanged if `is_transposed`."""
    return {
        (j, i) if is_transposed else (i, j): _cell(mark, board)
        for i, row in enumerate(rows)
        for j, mark in enumerate(row)
    }


def _is_text(value: Value) -> bool:
    """Return whether the rows of `value` are lines of text."""
    if isinstance(value, Sequence) and value.items:
        value = value.items[0]
    return isinstance(value, Atom | Scalar)
