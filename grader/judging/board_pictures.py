"""Makes pictures of what was expected and what came, where a suite says how its boards look.

The boards of a picture have the same size and the same numbers: where one of them has a cell that
the other has not, that other has nothing there. Positions are drawn on the last board that the
session was to show before, as far as that can still be true, or on one that is just big enough.

What is *expected* is read strictly: it is a board only if all of it is. What *came* is read
leniently, in the way in which the expected board was read: a mark that the board does not have
stays what it is, and where there is no cell there is none. Whatever is not a board, or too large,
is None; nothing here refuses anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Final, TypeAlias

from grader.suite.board import MAX_SIDE, Board, Cell, Drawing, Grid, Look, Picture
from grader.suite.code import numbers_given
from grader.suite.model import Prints, Returns, Session, Step
from grader.values.display import one_line
from grader.values.tree import Array, Atom, Collection, Plain, Scalar, Sequence, Value
from grader.values.tree import Mapping as Pairs

Cells: TypeAlias = dict[tuple[int, int], Cell]
"""Cells by row and column."""
_MAX_MARK_CHARS: Final = 8
_MAX_LABEL_CHARS: Final = 3
_LONG_BITS: Final = 64
"""The text of a longer number is not made: that takes long."""
_LEAST_SIDE: Final = 2
"""Less than two rows or columns is a word, or a list of words."""

_Split: TypeAlias = Callable[[str], list[str]]
_SPLITS: Final[tuple[_Split, ...]] = (list, str.split)
"""Marks stand side by side, or have blanks between them."""
_MAX_PARTS: Final = 6
"""Elements of a value that are looked at for boards, when it is none itself."""
_OPEN: Final = Cell("", Look(Drawing.EMPTY))
_LASTING: Final = frozenset(
    {Drawing.WALL, Drawing.NUMBER, Drawing.WHITE_GIVEN, Drawing.BLACK_GIVEN}
)
"""What no move takes away."""


def pictures(
    expected: Value | None, got: Value, board: Board, known: Cells | None
) -> Iterator[Picture]:
    """Yield what can be drawn of two values that should be the same, and are not.

    `known` are the cells of the board that positions are on, by number, if that is known.
    """
    whole = _picture(expected, got, board, known)
    if whole is not None:
        yield whole
        return
    match expected, got:
        case Sequence(items=wanted), Sequence(items=given) if (
            len(wanted) == len(given) <= _MAX_PARTS
        ):
            for index, (one, other) in enumerate(zip(wanted, given, strict=True)):
                part = _picture(one, other, board, known)
                if part is not None:
                    yield replace(part, part=index)
        case _:
            return


def known_board(session: Session, index: int, board: Board) -> Cells | None:
    """Return the last board that `session` was to show before step `index`, by number.

    When something has happened since, only what no move takes away is left of it. Where there is
    none, and the session made one of a size, it is an open one of that size.
    """
    shown = _last_shown(session, index, board)
    if shown is not None or board.made_by is None:
        return shown
    numbers = _numbers_given(session, index, board.made_by)[:2]
    if not numbers or not all(0 < each <= MAX_SIDE for each in numbers):
        return None
    base = board.layout.base
    rows, columns = (range(base, base + each) for each in (numbers[0], numbers[-1]))
    return dict.fromkeys(product(rows, columns), _OPEN)


def _last_shown(session: Session, index: int, board: Board) -> Cells | None:
    """Return what is known of the board that step `index` works on from an earlier one."""
    names = session.steps[index].uses
    is_current = True
    for step in reversed(session.steps[:index]):
        shown = _shown(step)
        both = None if shown is None else _boards_of(None, shown, board)
        if both is not None and step.uses & names:
            cells = _numbered(both.got, _height(both.got), board, from_top=both.from_top)
            return cells if is_current else {at: _lasting(cell) for at, cell in cells.items()}
        if names.intersection(step.binds):
            return None
        is_current = is_current and not step.acts
    return None


def _numbers_given(session: Session, index: int, made_by: str) -> list[int]:
    """Return the numbers that made the board that step `index` works on, if a step before says."""
    names = session.steps[index].uses
    for step in reversed(session.steps[:index]):
        if names.intersection(step.binds):
            if numbers := numbers_given(step.code, made_by):
                return numbers
            names = names - {*step.binds} | step.uses  # such as a copy
    return []


def _shown(step: Step) -> Value | None:
    match step.expectation:
        case Prints(text):
            return Atom(text)
        case Returns(value):
            return value
        case _:
            return None


def _lasting(cell: Cell) -> Cell:
    return cell if cell.look.drawing in _LASTING else _OPEN


def _picture(
    expected: Value | None, got: Value, board: Board, known: Cells | None
) -> Picture | None:
    drawn = None
    if expected is not None:
        drawn = _of_positions(expected, got, board, known) or _of_marks(expected, got, board, known)
    drawn = drawn or _of_cells(expected, got, board)
    if drawn is None or (drawn.expected is not None and not any(drawn.differing())):
        return None
    return drawn


def _of_cells(expected: Value | None, got: Value, board: Board) -> Picture | None:
    both = _boards_of(expected, got, board)
    if both is None:
        return None
    height = max(_height(both.got), _height(both.expected or {}))
    given = _numbered(both.got, height, board, from_top=both.from_top)
    wanted = None
    if both.expected is not None:
        wanted = _numbered(both.expected, height, board, from_top=both.from_top)
    return _framed(wanted, given, board)


def _of_marks(expected: Value, got: Value, board: Board, known: Cells | None) -> Picture | None:
    wanted, given = _marks_of(expected, board), _marks_of(got, board)
    if wanted is None or given is None or not wanted:
        return None
    if any(cell.look.drawing is Drawing.UNKNOWN for cell in wanted.values()):
        return None
    one, other = ({_cell_at(p, board): c for p, c in cells.items()} for cells in (wanted, given))
    ground = _ground([*one, *other], board, known)
    if ground is None:
        return None
    blank = dict.fromkeys(ground, _OPEN)
    framed = _framed(blank | one, blank | other, board)
    sized = known is not None and known.keys() >= {*one, *other}
    return None if framed is None else replace(framed, sized=sized)


def _of_positions(expected: Value, got: Value, board: Board, known: Cells | None) -> Picture | None:
    wanted, given = _pairs_of(expected), _pairs_of(got)
    if not board.positions or wanted is None or given is None or not (wanted or given):
        return None
    one, other = ([_cell_at(pair, board) for pair in pairs] for pairs in (wanted, given))
    ground = _ground([*one, *other], board, known)
    if ground is None:
        return None

    def marked(chosen: Iterable[tuple[int, int]]) -> Cells:
        return ground | {at: replace(ground.get(at, _OPEN), chosen=True) for at in chosen}

    framed = _framed(marked(one), marked(other), board)
    sized = known is not None and known.keys() >= {*one, *other}
    return None if framed is None else replace(framed, of_positions=True, sized=sized)


def _cell_at(pair: tuple[int, int], board: Board) -> tuple[int, int]:
    """Return the numbers of row and column in a position of the exercise."""
    first, second = pair
    return (second, first) if board.layout.column_first else (first, second)


def _ground(places: list[tuple[int, int]], board: Board, known: Cells | None) -> Cells | None:
    """Return the board below `places`; None when it would be too large."""
    if known is not None:
        return known
    base = board.layout.base
    rows = _span((row for row, _ in places), base)
    columns = _span((column for _, column in places), base)
    if max(len(rows), len(columns)) > MAX_SIDE:
        return None
    return {(row, column): _OPEN for row in rows for column in columns}


def _span(numbers: Iterable[int], base: int | None = None) -> range:
    """Return the numbers from the lowest, or from `base` if that is lower, to the highest."""
    found = list(numbers)
    return range(min(found if base is None else [*found, base]), max(found) + 1)


def _height(cells: Cells) -> int:
    return max((row for row, _ in cells), default=-1) + 1


def _numbered(cells: Cells, height: int, board: Board, *, from_top: bool) -> Cells:
    """Return `cells`, counted from 0, by the numbers that the exercise gives them."""
    layout = board.layout
    turned = from_top and layout.from_bottom
    return {
        (layout.base + (height - 1 - row if turned else row), layout.base + column): cell
        for (row, column), cell in cells.items()
    }


def _framed(
    expected: Mapping[tuple[int, int], Cell] | None,
    got: Mapping[tuple[int, int], Cell],
    board: Board,
) -> Picture | None:
    """Return both boards, by number, in a frame that holds them; None when that is too large."""
    places = {*got, *(expected or ())}
    rows, columns = _span(row for row, _ in places), _span(column for _, column in places)
    if max(len(rows), len(columns)) > MAX_SIDE:
        return None
    downwards = rows[::-1] if board.layout.from_bottom else rows

    def grid(cells: Mapping[tuple[int, int], Cell]) -> Grid:
        return tuple(tuple(cells.get((row, column)) for column in columns) for row in downwards)

    return Picture(
        layout=board.layout,
        expected=None if expected is None else grid(expected),
        got=grid(got),
        first_row=rows[0],
        first_column=columns[0],
    )


@dataclass(frozen=True, slots=True)
class _Both:
    """Two boards, read in the same way."""

    expected: Cells | None
    got: Cells
    from_top: bool
    """Whether the first row is the top one, as in a text, whatever number it has."""


def _boards_of(expected: Value | None, got: Value, board: Board) -> _Both | None:
    """Return the cells of two boards, counted from 0; None where these are no boards.

    Without anything expected, what came has to be a board by itself.
    """
    model = got if expected is None else expected
    for split in _SPLITS:
        rows = _rows(model, split)
        if rows is None or not _is_board(rows, board):
            continue
        given = _given_rows(got, rows, split, board)
        if given is None or not _resembles(given, board):
            return None
        turned = board.layout.column_first and not _is_text(model)
        return _Both(
            None if expected is None else _placed(rows, board, turned=turned),
            _placed(given, board, turned=turned),
            _is_text(model),
        )
    return None


def _given_rows(
    got: Value, wanted: list[list[str]], split: _Split, board: Board
) -> list[list[str]] | None:
    """Return the marks of what came, without the blanks between them if that makes a board."""
    for each in _SPLITS:
        rows = _rows(got, each)
        if rows and _is_board(rows, board) and list(map(len, rows)) == list(map(len, wanted)):
            return rows
    return _rows(got, split)


def _pairs_of(value: Value) -> list[tuple[int, int]] | None:
    """Return the pairs of numbers in a collection of nothing else; None for any other value."""
    match value:
        case Collection(items=items) | Sequence(items=items) if len(items) <= MAX_SIDE**2:
            pairs = [_pair(item) for item in items]
            return None if None in pairs else sorted({pair for pair in pairs if pair})
        case _:
            return None


def _marks_of(value: Value, board: Board) -> Cells | None:
    """Return the cells in a dict from pairs of numbers to marks, by pair; None for any other."""
    if not isinstance(value, Pairs) or len(value.items) > MAX_SIDE**2:
        return None
    cells = {}
    for key, item in value.items:
        pair, mark = _pair(key), _mark(item)
        if pair is None or mark is None:
            return None
        cells[pair] = _cell(mark, board)
    return cells


def _cell(mark: str, board: Board) -> Cell:
    """Return the cell that `mark` stands for."""
    shown = one_line(mark, _MAX_MARK_CHARS)
    look = board.looks.get(mark)
    if look is None and board.numbers is not None and _is_whole(mark):
        look = Look(board.numbers, mark if len(mark) <= _MAX_LABEL_CHARS else "…")
    if look is None:
        look = Look(Drawing.UNKNOWN, one_line(mark[:_MAX_LABEL_CHARS]))
    return Cell(shown, look)


def _is_whole(mark: str) -> bool:
    return mark.isascii() and mark.removeprefix("-").isdigit()


def _pair(value: Value) -> tuple[int, int] | None:
    match value:
        case Sequence("tuple", (one, other)):
            first, second = _content(one), _content(other)
            if type(first) is int and type(second) is int:
                return first, second
    return None


def _content(value: Value) -> Plain | type:
    """Return what a simple value holds; a type, which no mark is, for any other."""
    return value.value if isinstance(value, Atom | Scalar) else type(value)


def _mark(value: Value) -> str | None:
    match _content(value):
        case str() as text:
            return text
        case int() as large if large.bit_length() >= _LONG_BITS:
            return None
        case bool() | int() | float() | None as content:
            return str(content)[: 2 * _MAX_MARK_CHARS]
        case _:
            return None


def _rows(value: Value, split: _Split) -> list[list[str]] | None:
    """Return the marks of `value`, row by row; None for what has no rows, or too many."""
    match value:
        case Atom(str() as text) | Scalar(value=str() as text):
            return _text_rows(text.rstrip().splitlines(), split)
        case Array(shape=(height, width), items=items) if max(height, width) <= MAX_SIDE:
            return _value_rows(items[at : at + width] for at in range(0, height * width, width))
        case Sequence(items=items) if 0 < len(items) <= MAX_SIDE:
            texts = [item.value for item in items if isinstance(item, Atom)]
            if len(texts) == len(items):
                lines = [text for text in texts if isinstance(text, str)]
                return _text_rows(lines, split) if len(lines) == len(items) else None
            rows = [item.items for item in items if isinstance(item, Sequence)]
            return _value_rows(iter(rows)) if len(rows) == len(items) else None
        case _:
            return None


def _text_rows(lines: list[str], split: _Split) -> list[list[str]] | None:
    if len(lines) > MAX_SIDE or any(len(line) > 10 * MAX_SIDE for line in lines):
        return None
    rows = [split(line) for line in lines]
    return None if any(len(row) > MAX_SIDE for row in rows) else rows


def _value_rows(rows: Iterator[tuple[Value, ...]]) -> list[list[str]] | None:
    marks = []
    for row in islice(rows, MAX_SIDE + 1):
        own = [_mark(item) for item in row[: MAX_SIDE + 1]]
        if None in own or len(own) > MAX_SIDE:
            return None
        marks.append([mark for mark in own if mark is not None])
    return marks


def _is_board(rows: list[list[str]], board: Board) -> bool:
    widths = {len(row) for row in rows}
    return (
        len(rows) >= _LEAST_SIDE
        and len(widths) == 1
        and min(widths) >= _LEAST_SIDE
        and all(_is_known(mark, board) for row in rows for mark in row)
    )


def _resembles(rows: list[list[str]], board: Board) -> bool:
    """Return whether at least half of what came are marks of the board."""
    known = [_is_known(mark, board) for row in rows for mark in row]
    return 0 < len(known) <= 2 * sum(known)


def _is_known(mark: str, board: Board) -> bool:
    return _cell(mark, board).look.drawing is not Drawing.UNKNOWN


def _placed(rows: list[list[str]], board: Board, *, turned: bool) -> Cells:
    return {
        (j, i) if turned else (i, j): _cell(mark, board)
        for i, row in enumerate(rows)
        for j, mark in enumerate(row)
    }


def _is_text(value: Value) -> bool:
    """Return whether the rows of `value` are lines of text."""
    if isinstance(value, Sequence) and value.items:
        value = value.items[0]
    return isinstance(value, Atom | Scalar)
