"""Makes the pictures of one record: of public cases that failed, up to a limit.

Both boards of a picture have the same size and numbering; a cell that only one of them has is left
out of the other. Positions are drawn on the last board that the session was to show before, without
the cells that may have changed since, or on one that is just big enough.

A value that is not a board, or too large a one, gives None; nothing here raises.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice, product
from typing import Final

from grader.judging.pictures import AnyPicture
from grader.judging.results import Result
from grader.plugins.drawing.board_reading import Cells, boards_of, marks_of, pairs_of
from grader.plugins.drawing.widget_pictures import widget_picture
from grader.suite.board import (
    MAX_CELLS,
    MAX_PICTURES,
    MAX_SIDE,
    Board,
    Cell,
    Drawing,
    Grid,
    Look,
    Picture,
)
from grader.suite.code import numbers_given
from grader.suite.expectations import Prints, Returns
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.steps import Case, Step
from grader.values.tree import Atom, Sequence, Value
from grader.verdict import Visibility

_MAX_PARTS: Final = 6
"""Elements of a value that are searched for boards, if the value itself is not a board."""
_EMPTY_CELL: Final = Cell("", Look(Drawing.EMPTY))
_PERMANENT: Final = frozenset(
    {Drawing.WALL, Drawing.NUMBER, Drawing.WHITE_GIVEN, Drawing.BLACK_GIVEN}
)
"""Cells that no move changes."""
_MAX_PER_CASE: Final = 2
"""Pictures per case."""
_SEVERAL_ANSWERS: Final = ("[", "(")
"""Starts of steps that ask several questions; the answers together are not a board."""


def pictures(
    expected: Value | None, got: Value, board: Board, known: Cells | None
) -> Iterator[Picture]:
    """Yield the pictures of two values that should be equal but are not.

    `known` are the cells of the board that positions are on, by number, if that is known.
    """
    picture = _picture(expected, got, board, known)
    if picture is not None:
        yield picture
        return
    match expected, got:
        case Sequence(items=wanted), Sequence(items=actual) if (
            len(wanted) == len(actual) <= _MAX_PARTS
        ):
            for index, (one, other) in enumerate(zip(wanted, actual, strict=True)):
                part = _picture(one, other, board, known)
                if part is not None:
                    yield replace(part, part=index)
        case _:
            return


def known_board(session: Session, index: int, board: Board) -> Cells | None:
    """Return the last board that `session` was to show before step `index`, by number.

    If steps have acted since, only the cells that no move changes are kept. If none was shown but
    the session made a board of a known size, an empty board of that size is returned.
    """
    shown = _last_shown(session, index, board)
    if shown is not None or board.made_by is None:
        return shown
    numbers = _constructor_numbers(session, index, board.made_by)[:2]
    if not numbers or not all(0 < each <= MAX_SIDE for each in numbers):
        return None
    base = board.layout.base
    # A single number is the size of both sides.
    rows, columns = (range(base, base + each) for each in (numbers[0], numbers[-1]))
    return dict.fromkeys(product(rows, columns), _EMPTY_CELL)


def _last_shown(session: Session, index: int, board: Board) -> Cells | None:
    """Return the board that step `index` works on, as an earlier step shows it, or None."""
    names = session.steps[index].uses
    is_current = True
    for step in reversed(session.steps[:index]):
        shown = _shown(step)
        boards = None if shown is None else boards_of(None, shown, board)
        if boards is not None and step.uses & names:
            cells = _numbered(boards.got, _height(boards.got), board, from_top=boards.from_top)
            return (
                cells
                if is_current
                else {position: _permanent_cell(cell) for position, cell in cells.items()}
            )
        if names.intersection(step.binds):
            return None
        is_current = is_current and not step.acts
    return None


def _constructor_numbers(session: Session, index: int, made_by: str) -> list[int]:
    """Return the numbers in the call that made the board of step `index`, if there are any."""
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


def _permanent_cell(cell: Cell) -> Cell:
    return cell if cell.look.drawing in _PERMANENT else _EMPTY_CELL


def _picture(
    expected: Value | None, got: Value, board: Board, known: Cells | None
) -> Picture | None:
    picture = None
    if expected is not None:
        picture = _of_positions(expected, got, board, known) or _of_marks(
            expected, got, board, known
        )
    picture = picture or _of_cells(expected, got, board)
    if picture is None or (picture.expected is not None and not any(picture.differing())):
        return None
    return picture


def _of_cells(expected: Value | None, got: Value, board: Board) -> Picture | None:
    boards = boards_of(expected, got, board)
    if boards is None:
        return None
    if not boards.from_top:  # positions in a list or an array are shown as in Python
        board = board.changed(base=0)
    height = max(_height(boards.got), _height(boards.expected or {}))
    actual = _numbered(boards.got, height, board, from_top=boards.from_top)
    wanted = None
    if boards.expected is not None:
        wanted = _numbered(boards.expected, height, board, from_top=boards.from_top)
    return _framed(wanted, actual, board)


def _of_marks(expected: Value, got: Value, board: Board, known: Cells | None) -> Picture | None:
    wanted, actual = marks_of(expected, board), marks_of(got, board)
    if wanted is None or actual is None or not wanted:
        return None
    if any(cell.look.drawing is Drawing.UNKNOWN for cell in wanted.values()):
        return None
    one, other = ({_cell_at(p, board): c for p, c in cells.items()} for cells in (wanted, actual))
    background = _background([*one, *other], board, known)
    if background is None:
        return None
    blank = dict.fromkeys(background, _EMPTY_CELL)
    framed = _framed(blank | one, blank | other, board)
    return framed and replace(framed, sized=_are_on({*one, *other}, known))


def _of_positions(expected: Value, got: Value, board: Board, known: Cells | None) -> Picture | None:
    wanted, actual = pairs_of(expected), pairs_of(got)
    if not board.positions or wanted is None or actual is None or not (wanted or actual):
        return None
    one, other = ([_cell_at(pair, board) for pair in pairs] for pairs in (wanted, actual))
    background = _background([*one, *other], board, known)
    if background is None:
        return None

    def with_chosen(chosen: Iterable[tuple[int, int]]) -> Cells:
        return background | {
            position: replace(background.get(position, _EMPTY_CELL), chosen=True)
            for position in chosen
        }

    framed = _framed(with_chosen(one), with_chosen(other), board)
    return framed and replace(framed, of_positions=True, sized=_are_on({*one, *other}, known))


def _are_on(places: set[tuple[int, int]], known: Cells | None) -> bool:
    """Return whether `places` are all on a board of a known size."""
    return known is not None and known.keys() >= places


def _cell_at(pair: tuple[int, int], board: Board) -> tuple[int, int]:
    """Return the numbers of row and column in a position of the exercise."""
    first, second = pair
    return (second, first) if board.layout.column_first else (first, second)


def _background(places: list[tuple[int, int]], board: Board, known: Cells | None) -> Cells | None:
    """Return the board that `places` are on; None if it would be too large."""
    if known is not None:
        return known
    base = board.layout.base
    rows = _span((row for row, _ in places), base)
    columns = _span((column for _, column in places), base)
    if max(len(rows), len(columns)) > MAX_SIDE:
        return None
    return {(row, column): _EMPTY_CELL for row in rows for column in columns}


def _span(numbers: Iterable[int], base: int | None = None) -> range:
    """Return the numbers from the lowest, or from `base` if that is lower, to the highest."""
    found = list(numbers)
    return range(min(found if base is None else [*found, base]), max(found) + 1)


def _height(cells: Cells) -> int:
    return max((row for row, _ in cells), default=-1) + 1  # no cells have the height 0


def _numbered(cells: Cells, height: int, board: Board, *, from_top: bool) -> Cells:
    """Return `cells`, counted from 0, by the numbers that the exercise uses."""
    layout = board.layout
    is_flipped = from_top and layout.from_bottom
    return {
        (layout.base + (height - 1 - row if is_flipped else row), layout.base + column): cell
        for (row, column), cell in cells.items()
    }


def _framed(
    expected: Mapping[tuple[int, int], Cell] | None,
    got: Mapping[tuple[int, int], Cell],
    board: Board,
) -> Picture | None:
    """Return both boards, by number, in a common frame; None if that is too large."""
    places = {*got, *(expected or ())}
    rows, columns = _span(row for row, _ in places), _span(column for _, column in places)
    if max(len(rows), len(columns)) > MAX_SIDE:
        return None
    row_order = rows[::-1] if board.layout.from_bottom else rows

    def grid(cells: Mapping[tuple[int, int], Cell]) -> Grid:
        return tuple(tuple(cells.get((row, column)) for column in columns) for row in row_order)

    return Picture(
        layout=board.layout,
        expected=None if expected is None else grid(expected),
        got=grid(got),
        first_row=rows[0],
        first_column=columns[0],
    )


class PictureMaker:
    """Makes the pictures of one record."""

    def __init__(self, suite: Suite, existing: Iterable[AnyPicture] = ()) -> None:
        """Make pictures for `suite`; the `existing` ones count towards the limit."""
        self._suite: Final = suite
        self._pictures_left = MAX_PICTURES
        self._cells_left = MAX_CELLS
        for picture in existing:
            self._count(picture)

    def pictures(self, session: Session, case: Case, result: Result) -> tuple[AnyPicture, ...]:
        """Return the pictures of a case with this `result`."""
        if session.visibility is not Visibility.PUBLIC or not self._pictures_left:
            return ()
        found = islice(self._found(session, case, result), _MAX_PER_CASE)
        return tuple(picture for picture in found if self._count(picture))

    def _found(self, session: Session, case: Case, result: Result) -> Iterator[AnyPicture]:
        """Yield the pictures of the group's widget, or else of boards; then the calls."""
        shown = [*self._of_widgets(case, result)]
        yield from shown or self._of_boards(session, case, result)
        if result.calls is not None:
            yield result.calls

    def _of_widgets(self, case: Case, result: Result) -> Iterator[AnyPicture]:
        values = result.values
        if values is None or values.expected is None:
            return
        for widget in self._suite.widgets.of_group(case.group):
            picture = widget_picture(widget, values.expected, values.got)
            if picture is not None:
                yield picture

    def _of_boards(self, session: Session, case: Case, result: Result) -> Iterator[AnyPicture]:
        values, board = result.values, self._suite.board
        if values is None or board is None:
            return
        if session.steps[case.step_index].code.startswith(_SEVERAL_ANSWERS):
            board = board.changed(positions=False)
        known = known_board(session, case.step_index, board)
        yield from pictures(values.expected, values.got, board, known)

    def _count(self, picture: AnyPicture) -> bool:
        """Count `picture` towards the limits; return whether it is within them."""
        if not self._pictures_left or picture.weight > self._cells_left:
            return False
        self._pictures_left -= 1
        self._cells_left -= picture.weight
        return True
