"""Boards of Yin-Yang, as the generator of its hidden suite draws and weighs them.

A board is a dict of cells to `w` or `b`, without the empty ones; it is only there to steer by. What
a line gives is for the reference to say.
"""

from __future__ import annotations

from itertools import product
from typing import TypeAlias

from grader.plugins.authoring.generating import Draws

Cell: TypeAlias = tuple[int, int]
Board: TypeAlias = dict[Cell, str]
OTHER = {"w": "b", "b": "w"}
NAMES = {"w": "wit", "b": "zwart"}
WINDOW = ((0, 0), (0, 1), (1, 0), (1, 1))


def beside(cell: Cell, *, corners: bool) -> list[Cell]:
    """Return the cells at the four sides of `cell`, or also those at its `corners`."""
    row, column = cell
    found = [(down, right) for down, right in product((-1, 0, 1), repeat=2) if down or right]
    return [(row + down, column + right) for down, right in found if corners or not down * right]


def reached(board: Board, cell: Cell, *, corners: bool = False) -> tuple[set[Cell], int]:
    """Return the cells that hang together with `cell`, and how many steps lie between at most.

    With `corners` it is for who takes cells that touch at a corner to hang together.
    """
    found, last, steps = {cell}, {cell}, -1
    while last:
        near = {each for one in last for each in beside(one, corners=corners)} - found
        last = {each for each in near if board.get(each) == board[cell]}
        found |= last
        steps += 1
    return found, steps


def makes_square(board: Board, cell: Cell, colour: str) -> bool:
    """Return whether `cell` in this colour is the last of four."""
    row, column = cell
    return any(
        all(
            board.get(each) == colour
            for each in ((row + down, column), (row, column + right), (row + down, column + right))
        )
        for down, right in product((-1, 1), repeat=2)
    )


def in_pieces(board: Board, colour: str, *, corners: bool = False) -> bool:
    """Return whether this colour is absent, or in more pieces than one; see `reached`."""
    cells = [cell for cell in board if board[cell] == colour]
    return not cells or len(reached(board, cells[0], corners=corners)[0]) < len(cells)


def without_corners(board: Board) -> Board:
    """Return the cells of `board` that touch none of their colour at a corner only."""
    kept: Board = {}
    for cell, colour in board.items():
        more = kept | {cell: colour}
        if reached(more, cell)[0] == reached(more, cell, corners=True)[0]:
            kept = more
    return kept


def comb(size: int) -> Board:
    """Return a solved board of two combs that stick into each other."""
    return {
        (row, column): "b" if column == 0 or (row % 2 == 0 and column < size - 1) else "w"
        for row, column in product(range(size), repeat=2)
    }


def flipped(draws: Draws, board: Board) -> Board:
    """Return `board` with the other colour in a cell or two, or as it is if that makes a square."""
    cells = list(board)
    chosen = [draws.choice(cells) for _ in range(draws.between(1, 2))]
    other = board | {cell: OTHER[board[cell]] for cell in chosen}
    return board if any(makes_square(other, cell, other[cell]) for cell in chosen) else other


def solved_board(draws: Draws, size: int) -> Board:
    """Return any solved board: a walk over all of them, turned and recoloured."""
    board = comb(size)
    for _ in range(12 * size):
        other = flipped(draws, board)
        board = board if in_pieces(other, "w") or in_pieces(other, "b") else other
    return turned(draws, board, size)


def turned(draws: Draws, board: Board, size: int) -> Board:
    """Return `board` in one of 16 views: turned, mirrored, colours swapped."""
    swap, down, right, recolour = (draws.chance(0.5) for _ in range(4))
    last = size - 1

    def seen(cell: Cell) -> Cell:
        row, column = (cell[1], cell[0]) if swap else cell
        return (last - row if down else row), (last - column if right else column)

    return {seen(c): OTHER[colour] if recolour else colour for c, colour in board.items()}


def split_board(draws: Draws, size: int, colours: str, *, corners: bool) -> Board:
    """Return a full board without squares, of which these `colours` are in pieces, and no other.

    These touch at `corners`, so that each hangs together for who counts those; or one does not.
    """
    while True:
        board = solved_board(draws, size)
        for _ in range(4):
            board = flipped(draws, board)
        if [in_pieces(board, each) for each in "wb"] != [each in colours for each in "wb"]:
            continue
        if corners != any(in_pieces(board, each, corners=True) for each in colours):
            return board


def corner_cut_off(draws: Draws, size: int, colour: str, *, last: bool) -> Board:
    """Return a full board without squares, of which this `colour` is in two pieces.

    One of them is the first cell alone, or the last.
    """
    cell, *around = (
        (size - 1 - row, size - 1 - column) if last else (row, column) for row, column in WINDOW
    )
    while True:
        board = solved_board(draws, size) | dict.fromkeys(around, OTHER[colour])
        without = {each: found for each, found in board.items() if each != cell}
        other = without | {cell: colour}
        squares = any(makes_square(other, each, other[each]) for each in around)
        if not (squares or in_pieces(other, OTHER[colour]) or in_pieces(without, colour)):
            return other


def spiral(size: int) -> Board:
    """Return a solved board of two long paths that wind inwards beside each other."""
    board = dict.fromkeys(product(range(size), range(size)), "b")
    row, column, down, right = 0, -1, 0, 1
    for length in _lengths(size):
        for _ in range(length):
            row, column = row + down, column + right
            board[row, column] = "w"
        down, right = right, -down
    return board


def _lengths(size: int) -> list[int]:
    """Return how many cells the straight parts have of a path that winds inwards."""
    return [size, size - 1, size - 1, *(each for each in range(size - 3, 0, -2) for _ in range(2))]


def meander(size: int) -> Board:
    """Return a white path from one end to the other that fills every other row of a board."""
    rows = range(size - 1 + size % 2)
    turns = {row: (size - 1) * (row % 4 == 1) for row in rows if row % 2}
    cells = product(rows, range(size))
    return {(row, column): "w" for row, column in cells if turns.get(row, column) == column}


def off_the_border(board: Board) -> Board:
    """Return `board` one cell down and to the right."""
    return {(row + 1, column + 1): colour for (row, column), colour in board.items()}


def with_island(draws: Draws, size: int, colour: str) -> Board:
    """Return a full board without squares, with an island of this `colour` and one other piece.

    The island has a few cells and does not touch the border. The other colour is in one piece, and
    nothing close by tells that the board is not solved: no cell is alone, and no four cells in a
    square have one colour on each diagonal.
    """
    while True:
        top, left = draws.between(1, size - 4), draws.between(1, size - 4)
        down = draws.chance(0.5)
        cells = [(top + step, left) if down else (top, left + step) for step in range(2)]
        board = solved_board(draws, size)
        around = [
            (row + i, column + j) for row, column in cells for i, j in product((-1, 0, 1), repeat=2)
        ]
        board |= dict.fromkeys(around, OTHER[colour]) | dict.fromkeys(cells, colour)
        rest = {cell: each for cell, each in board.items() if cell not in cells}
        whole = not (in_pieces(rest, "w") or in_pieces(rest, "b"))
        if whole and not any(
            makes_square(board, each, board[each]) or crossed(board, each) for each in board
        ):
            return board


def crossed(board: Board, cell: Cell) -> bool:
    """Return whether the square that starts at `cell` has one colour on each diagonal."""
    row, column = cell
    found = [board.get((row + down, column + right)) for down, right in WINDOW]
    return found[0] == found[3] != found[1] == found[2] and None not in found


def across_the_border(size: int, at: int) -> list[list[Cell]]:
    """Return cells that are next to each other for who counts on from the end of a row or column.

    Each list has four cells, which make a square then; `at` says where.
    """
    far = size - 1
    rows = [(at, far), (at + 1, far), (at + 1, 0), (at, 0)]
    upper = [(at, 0), (at + 1, 0), (at, far), (at + 1, far)]
    flat = [(at, far), (at + 1, far), (at + 1, 0), (at + 2, 0)]
    lists = [rows, upper, flat]
    return lists + [[(column, row) for row, column in cells] for cells in lists]


def part(draws: Draws, size: int, share: float) -> Board:
    """Return some cells of a solved board."""
    board = solved_board(draws, size)
    kept = draws.some(list(board), max(2, round(share * size * size)))
    return {cell: board[cell] for cell in kept}


def inside(board: Board, size: int) -> Board:
    """Return the cells of `board` that are not at its border, or all if it has few rows."""
    inner = range(1, size - 1)
    return {
        cell: colour
        for cell, colour in board.items()
        if size < 4 or (cell[0] in inner and cell[1] in inner)
    }


def sparse(board: Board, *more: Board) -> Board:
    """Return the cells of `board`, and of `more`, that do not complete a square of any colours."""
    kept: Board = {}
    for each in (board, *more):
        for cell, colour in each.items():
            if cell not in kept and not makes_square(dict.fromkeys(kept, colour), cell, colour):
                kept[cell] = colour
    return kept


def empty(board: Board, size: int) -> list[Cell]:
    """Return the cells without a colour, row by row."""
    return [cell for cell in product(range(size), range(size)) if cell not in board]


def corners(size: int) -> list[Cell]:
    """Return the corners of a board: a square for who counts from the end in both directions."""
    return [(size - 1, size - 1), (size - 1, 0), (0, size - 1), (0, 0)]


def window(
    draws: Draws, size: int, colour: str, corner: int = 0, at: Cell | None = None
) -> tuple[Board, Cell]:
    """Return three cells of a square in this `colour`, and the fourth: its `corner`, 0 to 3.

    If there is room, a square that is not `at` a place is not at the border, and its rows and
    columns are not the same ones.
    """
    places = range(1, size - 2) if size > 4 else range(size - 1)
    row = draws.choice(places)
    column = draws.choice([each for each in places if each != row] or [row])
    row, column = at or (row, column)
    cells = [(row + down, column + right) for down, right in WINDOW]
    last = cells.pop(corner)
    return dict.fromkeys(draws.shuffled(cells), colour), last


def apart(one: Cell, other: Cell) -> bool:
    """Return whether no square has both cells."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) > 1
