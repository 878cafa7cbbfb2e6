"""Creates the pictures of one record, which show public cases that failed, up to a limit.

Both boards of a picture have the same size and numbering. A cell that only one of them has is
missing from the other. Positions are drawn on the last board that the session should have shown
earlier, without cells that might have changed since. If there is none, they are drawn on a board
that is just big enough.

For a value that is not a board, or is too large, the functions return None. Nothing in this module
raises.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice, product
from typing import Final

from grader.judging.pictures import AnyPicture
from grader.judging.results import Result
from grader.plugins.drawing.board_reading import Cells, read_boards, read_marks, read_pairs
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
from grader.suite.code import number_arguments
from grader.suite.expectations import Prints, Returns
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.steps import Case, Step
from grader.values.tree import Atom, Sequence, Value
from grader.verdict import Visibility

_MAX_PARTS: Final = 6
"""The number of elements that are searched for boards in a value that is not a board itself."""
_EMPTY_CELL: Final = Cell("", Look(Drawing.EMPTY))
_PERMANENT: Final = frozenset(
    {Drawing.WALL, Drawing.NUMBER, Drawing.WHITE_GIVEN, Drawing.BLACK_GIVEN}
)
"""The kinds of cells that no move changes."""
_MAX_PER_CASE: Final = 2
"""Pictures per case."""
_COLLECTION_STARTS: Final = ("[", "(")
"""How steps begin that show several results at once. Such results do not form a board."""


def pictures(
    expected: Value | None, got: Value, board: Board, known_cells: Cells | None
) -> Iterator[Picture]:
    """Yield the pictures of two values that should be equal but are not.

    If the values are not boards, their elements are drawn where they differ. `known_cells` has the
    cells of the board that positions refer to, keyed by row and column number, or is None if that
    board is not known.
    """
    picture = _picture(expected, got, board, known_cells)
    if picture is not None:
        yield picture
        return
    match expected, got:
        case Sequence(items=expected_items), Sequence(items=actual_items) if (
            len(expected_items) == len(actual_items) <= _MAX_PARTS
        ):
            for index, items in enumerate(zip(expected_items, actual_items, strict=True)):
                part = _picture(*items, board, known_cells)
                if part is not None:
                    yield replace(part, part=index)
        case _:
            return


def known_board(session: Session, index: int, board: Board) -> Cells | None:
    """Return the cells of the last board that `session` should have shown before step `index`.

    They are keyed by row and column number. If there are actions between that board and `index`,
    all cells that a move can change are emptied. If no board was shown, but the session created a
    board of a known size, return an empty board of that size. Otherwise return None.
    """
    last_shown = _last_shown_board(session, index, board)
    if last_shown is not None or board.made_by is None:
        return last_shown
    numbers = _constructor_numbers(session, index, board.made_by)[:2]
    if not numbers or not all(0 < number <= MAX_SIDE for number in numbers):
        return None
    base = board.layout.base
    # A single number is the size of both sides.
    rows, columns = (range(base, base + count) for count in (numbers[0], numbers[-1]))
    return dict.fromkeys(product(rows, columns), _EMPTY_CELL)


def _last_shown_board(session: Session, index: int, board: Board) -> Cells | None:
    """Return the board that step `index` uses, as an earlier step should last have shown it.

    If there are actions after that step, all cells that a move can change are emptied. Return None
    if no earlier step shows the board.
    """
    names = session.steps[index].uses
    is_current = True
    for step in reversed(session.steps[:index]):
        value = _expected_value(step)
        boards = None if value is None else read_boards(None, value, board)
        if boards is not None and step.uses & names:
            cells = _number_cells(boards.got, _height(boards.got), board, from_top=boards.from_top)
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
    """Return the numbers in the call of `made_by` that created the board of step `index`.

    Return an empty list if there is no such call, or no number in it.
    """
    names = session.steps[index].uses
    for step in reversed(session.steps[:index]):
        if names.intersection(step.binds):
            if numbers := number_arguments(step.code, made_by):
                return numbers
            # This step might copy the board, which can have another name in it.
            names = names - {*step.binds} | step.uses
    return []


def _expected_value(step: Step) -> Value | None:
    """Return the value that `step` is expected to print or return, or None for other steps."""
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
    expected: Value | None, got: Value, board: Board, known_cells: Cells | None
) -> Picture | None:
    """Return the picture of two values, or None if they are not boards or look the same."""
    picture = None
    if expected is not None:
        picture = _picture_of_positions(expected, got, board, known_cells) or _picture_of_marks(
            expected, got, board, known_cells
        )
    picture = picture or _picture_of_cells(expected, got, board)
    if picture is None or (picture.expected is not None and not any(picture.differing_cells())):
        return None
    return picture


def _picture_of_cells(expected: Value | None, got: Value, board: Board) -> Picture | None:
    """Return the picture of two values that contain the cells of a board, row by row."""
    boards = read_boards(expected, got, board)
    if boards is None:
        return None
    if not boards.from_top:  # positions in lists and arrays are counted from 0, as in Python
        board = board.with_changes(base=0)
    height = max(_height(boards.got), _height(boards.expected or {}))
    actual = _number_cells(boards.got, height, board, from_top=boards.from_top)
    expected_cells = None
    if boards.expected is not None:
        expected_cells = _number_cells(boards.expected, height, board, from_top=boards.from_top)
    return _frame(expected_cells, actual, board)


def _picture_of_marks(
    expected: Value, got: Value, board: Board, known_cells: Cells | None
) -> Picture | None:
    """Return the picture of two dicts from positions to marks.

    Return None if the values are not such dicts, or if the board would be too large.
    """
    expected_marks, actual_marks = read_marks(expected, board), read_marks(got, board)
    if expected_marks is None or actual_marks is None or not expected_marks:
        return None
    if any(cell.look.drawing is Drawing.UNKNOWN for cell in expected_marks.values()):
        return None
    expected_cells, actual_cells = (
        {_row_and_column(position, board): cell for position, cell in marks.items()}
        for marks in (expected_marks, actual_marks)
    )
    background = _background([*expected_cells, *actual_cells], board, known_cells)
    if background is None:
        return None
    blank = dict.fromkeys(background, _EMPTY_CELL)
    framed = _frame(blank | expected_cells, blank | actual_cells, board)
    is_sized = _are_on_board({*expected_cells, *actual_cells}, known_cells)
    return framed and replace(framed, sized=is_sized)


def _picture_of_positions(
    expected: Value, got: Value, board: Board, known_cells: Cells | None
) -> Picture | None:
    """Return the picture of two collections of positions.

    Return None if the suite does not draw positions, if the values are not such collections, or if
    the board would be too large.
    """
    expected_pairs, actual_pairs = read_pairs(expected), read_pairs(got)
    if not board.positions or expected_pairs is None or actual_pairs is None:
        return None
    if not (expected_pairs or actual_pairs):
        return None
    expected_cells, actual_cells = (
        [_row_and_column(pair, board) for pair in pairs] for pairs in (expected_pairs, actual_pairs)
    )
    background = _background([*expected_cells, *actual_cells], board, known_cells)
    if background is None:
        return None

    def with_chosen(chosen: Iterable[tuple[int, int]]) -> Cells:
        return background | {
            position: replace(background.get(position, _EMPTY_CELL), chosen=True)
            for position in chosen
        }

    framed = _frame(with_chosen(expected_cells), with_chosen(actual_cells), board)
    is_sized = _are_on_board({*expected_cells, *actual_cells}, known_cells)
    return framed and replace(framed, of_positions=True, sized=is_sized)


def _are_on_board(positions: set[tuple[int, int]], known_cells: Cells | None) -> bool:
    """Return whether the board is known, and all `positions` are on it."""
    return known_cells is not None and known_cells.keys() >= positions


def _row_and_column(pair: tuple[int, int], board: Board) -> tuple[int, int]:
    """Return the row number and column number of a position of the exercise."""
    first, second = pair
    return (second, first) if board.layout.column_first else (first, second)


def _background(
    positions: list[tuple[int, int]], board: Board, known_cells: Cells | None
) -> Cells | None:
    """Return the cells of the board on which `positions` are drawn: `known_cells`, if given.

    Otherwise return an empty board that is just big enough, or None if it would be too large.
    """
    if known_cells is not None:
        return known_cells
    base = board.layout.base
    rows = _span((row for row, _ in positions), base)
    columns = _span((column for _, column in positions), base)
    if max(len(rows), len(columns)) > MAX_SIDE:
        return None
    return {(row, column): _EMPTY_CELL for row in rows for column in columns}


def _span(numbers: Iterable[int], base: int | None = None) -> range:
    """Return the range from the lowest of `numbers`, or `base` if that is lower, to the highest."""
    values = list(numbers)
    return range(min(values if base is None else [*values, base]), max(values) + 1)


def _height(cells: Cells) -> int:
    return max((row for row, _ in cells), default=-1) + 1  # without cells, the height is 0


def _number_cells(cells: Cells, height: int, board: Board, *, from_top: bool) -> Cells:
    """Return `cells`, whose keys count from 0, keyed by the exercise's row and column numbers."""
    layout = board.layout
    is_flipped = from_top and layout.from_bottom
    return {
        (layout.base + (height - 1 - row if is_flipped else row), layout.base + column): cell
        for (row, column), cell in cells.items()
    }


def _frame(
    expected: Mapping[tuple[int, int], Cell] | None,
    got: Mapping[tuple[int, int], Cell],
    board: Board,
) -> Picture | None:
    """Return the picture of both boards in a common frame, or None if it would be too large.

    The cells are keyed by row and column number.
    """
    positions = {*got, *(expected or ())}
    rows, columns = _span(row for row, _ in positions), _span(column for _, column in positions)
    if max(len(rows), len(columns)) > MAX_SIDE:
        return None
    row_order = rows[::-1] if board.layout.from_bottom else rows

    def grid_of(cells: Mapping[tuple[int, int], Cell]) -> Grid:
        return tuple(tuple(cells.get((row, column)) for column in columns) for row in row_order)

    return Picture(
        layout=board.layout,
        expected=None if expected is None else grid_of(expected),
        got=grid_of(got),
        first_row=rows[0],
        first_column=columns[0],
    )


class PictureMaker:
    """Creates the pictures of one record."""

    def __init__(self, suite: Suite, existing: Iterable[AnyPicture] = ()) -> None:
        """Prepare to create pictures for `suite`. The `existing` ones count towards the limits."""
        self._suite: Final = suite
        self._pictures_left = MAX_PICTURES
        self._cells_left = MAX_CELLS
        for picture in existing:
            self._admit(picture)

    def pictures(self, session: Session, case: Case, result: Result) -> tuple[AnyPicture, ...]:
        """Return the pictures of a case with this `result`, and count them towards the limits.

        A case that is not public has no pictures, because they would reveal what it expects.
        """
        if session.visibility is not Visibility.PUBLIC or not self._pictures_left:
            return ()
        candidates = islice(self._candidates(session, case, result), _MAX_PER_CASE)
        return tuple(picture for picture in candidates if self._admit(picture))

    def _candidates(self, session: Session, case: Case, result: Result) -> Iterator[AnyPicture]:
        """Yield the pictures of widgets, or else of boards, and then the picture of calls."""
        from_widgets = [*self._widget_pictures(case, result)]
        yield from from_widgets or self._board_pictures(session, case, result)
        if result.calls is not None:
            yield result.calls

    def _widget_pictures(self, case: Case, result: Result) -> Iterator[AnyPicture]:
        """Yield the pictures of the values in `result` that the group's widgets can show."""
        values = result.values
        if values is None or values.expected is None:
            return
        for widget in self._suite.widgets.for_group(case.group):
            picture = widget_picture(widget, values.expected, values.got)
            if picture is not None:
                yield picture

    def _board_pictures(self, session: Session, case: Case, result: Result) -> Iterator[AnyPicture]:
        """Yield the pictures of the boards in `result`, if the suite has a board."""
        values, board = result.values, self._suite.board
        if values is None or board is None:
            return
        if session.steps[case.step_index].code.startswith(_COLLECTION_STARTS):
            board = board.with_changes(positions=False)
        known_cells = known_board(session, case.step_index, board)
        yield from pictures(values.expected, values.got, board, known_cells)

    def _admit(self, picture: AnyPicture) -> bool:
        """Return whether `picture` is within the limits, and if so, count it towards them."""
        if not self._pictures_left or picture.weight > self._cells_left:
            return False
        self._pictures_left -= 1
        self._cells_left -= picture.weight
        return True
