"""Says what is wrong with a board that L-triominoes should cover, all but the hole.

Each cell holds the number of its piece, and pieces may share a number, also where they touch: then
the cells of that number are right if they can be cut into L-triominoes in one way or another. That
needs a bound. A board full of ones can be cut, too, and shows no pieces at all: numbers are there
to tell them apart. So at most `MAX_TOUCHING` pieces of one number may touch. The divide and conquer
that numbers each piece after its level and its quadrant, whose numbers repeat the most, reaches
four on a board of 32 by 32, and no more on larger ones. The bound also keeps the search for a cut
short, whatever a submission sends. How often a number is used elsewhere on the board means nothing:
three numbers are enough to tell all pieces apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Final, TypeAlias

from grader.display import one_line, short_value
from grader.matching.equality import without_scalar
from grader.matching.rows import array_of
from grader.messages import Message, message
from grader.suite import Tiles
from grader.values import Array, Atom, Sequence, Value

MAX_TOUCHING: Final = 4
"""Pieces of one number that may touch."""
HOLE: Final = -1
_PIECE_CELLS: Final = 3
_MAX_LISTED: Final = 6
"""Of the cells that a message is about, so many are named."""
_MAX_FAULTS: Final = 3
"""So many numbers whose cells are no pieces are gone into."""

Cell: TypeAlias = tuple[int, int]
"""Row and column, from 1 on."""
Board: TypeAlias = dict[Cell, int]


def tiling_faults(wanted: Tiles, got: Value) -> Iterator[Message]:
    """Yield what is wrong with `got`; nothing when it is such a tiling."""
    is_list = isinstance(got, Sequence) and got.type_name == "list"
    array = array_of(got) if isinstance(got, Sequence) and is_list else got
    if array is None:
        yield message("wrong.rows_uneven")
    elif not isinstance(array, Array):
        is_none = isinstance(array, Atom) and array.value is None
        key = "tiling.none" if is_none else "tiling.no_board"
        yield message(key, type=one_line(array.type_name))
    elif array.shape != (wanted.rows, wanted.columns):
        shape = " x ".join(map(str, array.shape))
        yield message("tiling.size", rows=wanted.rows, columns=wanted.columns, got=shape)
    else:
        yield from _array_faults(wanted, array)


def _array_faults(wanted: Tiles, array: Array) -> Iterator[Message]:
    board, strange = {}, []
    for index, item in enumerate(map(without_scalar, array.items)):
        row, column = divmod(index, wanted.columns)
        match item:
            case Atom(int() as number) if not isinstance(number, bool):
                board[row + 1, column + 1] = number
            case _:
                strange.append(((row + 1, column + 1), item))
    if strange:
        cells = _listed([cell for cell, _ in strange])
        yield message("tiling.no_int", cells=cells, value=short_value(strange[0][1], 40))
        return
    yield from _hole_faults(wanted.hole, board)
    if uncovered := [cell for cell, number in board.items() if number <= 0 and number != HOLE]:
        yield message("tiling.uncovered", cells=_listed(uncovered))
    yield from _piece_faults({cell: number for cell, number in board.items() if number > 0})


def _hole_faults(wanted: Cell, board: Board) -> Iterator[Message]:
    holes = [cell for cell, number in board.items() if number == HOLE]
    if not holes:
        yield message("tiling.hole_missing", hole=str(wanted))
    elif len(holes) > 1:
        cells = _listed(holes)
        yield message("tiling.holes", count=len(holes), cells=cells, hole=str(wanted))
    elif holes != [wanted]:
        yield message("tiling.hole_elsewhere", cell=str(holes[0]), hole=str(wanted))


def _piece_faults(covered: Board) -> Iterator[Message]:
    found = 0
    for cells in _regions(covered):
        key = _fault_of(cells)
        if key is None:
            continue
        number = short_value(Atom(covered[cells[0]]), 40)
        yield message(key, number=number, count=len(cells), cells=_listed(cells), most=MAX_TOUCHING)
        found += 1
        if found == _MAX_FAULTS:
            return


def _fault_of(cells: list[Cell]) -> str | None:
    """Return the key of what is wrong with `cells`, which touch and have one number."""
    if len(cells) > MAX_TOUCHING * _PIECE_CELLS:
        return "tiling.too_many"
    if len(cells) % _PIECE_CELLS:
        return "tiling.wrong_count"
    if _can_be_cut(frozenset(cells)):
        return None
    return "tiling.straight" if len(cells) == _PIECE_CELLS else "tiling.no_cut"


def _regions(board: Board) -> Iterator[list[Cell]]:
    """Yield the cells that have one number and hang together by their sides, sorted."""
    left = dict.fromkeys(board)
    while left:
        first = next(iter(left))
        del left[first]
        region, waiting = [first], [first]
        while waiting:
            row, column = waiting.pop()
            for cell in (
                (row - 1, column),
                (row + 1, column),
                (row, column - 1),
                (row, column + 1),
            ):
                if cell in left and board[cell] == board[first]:
                    del left[cell]
                    region.append(cell)
                    waiting.append(cell)
        yield sorted(region)


def _can_be_cut(cells: frozenset[Cell]) -> bool:
    """Return whether `cells`, few of them, can be cut into L-triominoes."""
    if not cells:
        return True
    pieces = _pieces_from(min(cells))
    return any(piece <= cells and _can_be_cut(cells - piece) for piece in pieces)


def _pieces_from(first: Cell) -> Iterator[frozenset[Cell]]:
    """Yield the L-triominoes whose first cell, row by row, is this one: squares without a cell."""
    row, column = first
    for left in (column - 1, column):
        square = [(row, left), (row, left + 1), (row + 1, left), (row + 1, left + 1)]
        for cells in combinations(square, _PIECE_CELLS):
            if cells[0] == first:
                yield frozenset(cells)


def _listed(cells: Iterable[Cell]) -> str:
    named = [str(cell) for cell in cells]
    more = len(named) - _MAX_LISTED
    return ", ".join(named[:_MAX_LISTED]) + (f", … (+{more})" if more > 0 else "")
