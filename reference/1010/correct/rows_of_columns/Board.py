"""Boards as a dictionary: for each row with filled cells the set of their columns.

The dimension stands under the key "dimension". Rows without filled cells have no key.
"""

from Block import (
    get_all_dot_positions,
    get_horizontal_offsets_from_anchor,
    get_vertical_offsets_from_anchor,
)
from Position import get_adjacent_positions, is_proper_position_for_board, translate_over
from Position import next as position_after


def make_board(dimension=10, positions_to_fill=frozenset()):
    """Return a board with these cells filled."""
    board = {"dimension": dimension}
    fill_all_cells(board, positions_to_fill)
    return board


def copy_board(board):
    """Return a board with the same cells filled."""
    return make_board(dimension(board), get_all_filled_positions(board))


def is_proper_board(board):
    """Check whether this is a dictionary with a dimension, and sets of columns for some rows."""
    if type(board) is not dict or "dimension" not in board:
        return False
    size = board["dimension"]
    if type(size) is not int or size <= 0:
        return False
    for row in board:
        if row != "dimension":
            if type(board[row]) is not set:
                return False
            for column in board[row]:
                if not is_proper_position_for_board(size, (column, row)):
                    return False
    return True


def dimension(board):
    """Return the number of rows."""
    return board["dimension"]


def get_all_filled_positions(board):
    """Return a new set with the filled positions."""
    filled = set()
    position = (1, 1)
    while position is not None:
        if is_filled_at(board, position):
            filled.add(position)
        position = position_after(dimension(board), position)
    return filled


def is_filled_at(board, position):
    """Check whether this cell is filled."""
    column, row = position
    return row in board and column in board[row]


def is_filled_row(board, row):
    """Check whether the row is full."""
    return type(row) is int and row in board and len(board[row]) == dimension(board)


def is_filled_column(board, column):
    """Check whether the column is full."""
    if type(column) is not int:
        return False
    count = 0
    for row in range(1, dimension(board) + 1):
        if is_filled_at(board, (column, row)):
            count += 1
    return count == dimension(board)


def get_all_filled_rows(board):
    """Return the full rows from low to high."""
    rows = []
    row = dimension(board)
    while row > 0:
        if is_filled_row(board, row):
            rows.insert(0, row)
        row -= 1
    return rows


def get_all_filled_columns(board):
    """Return the full columns from right to left."""
    columns = ()
    for column in range(1, dimension(board) + 1):
        if is_filled_column(board, column):
            columns = (column, *columns)
    return columns


def fill_cell(board, position):
    """Fill the cell if it is on the board."""
    column, row = position
    if is_proper_position_for_board(dimension(board), position):
        board.setdefault(row, set()).add(column)


def fill_all_cells(board, positions):
    """Fill each of the cells."""
    for position in positions:
        fill_cell(board, position)


def free_cell(board, position):
    """Empty the cell if it is filled."""
    column, row = position
    if is_filled_at(board, position):
        board[row].remove(column)
        if len(board[row]) == 0:
            del board[row]


def free_all_cells(board, positions, start=0):
    """Empty each of the cells from index start on."""
    if start < len(positions):
        free_all_cells(board, positions, start + 1)
        free_cell(board, positions[start])


def free_row(board, row):
    """Empty the row."""
    if type(row) is int:
        for column in range(1, dimension(board) + 1):
            free_cell(board, (column, row))


def free_column(board, column):
    """Empty the column."""
    if type(column) is int:
        for row in range(1, dimension(board) + 1):
            free_cell(board, (column, row))


def can_be_dropped_at(board, block, position):
    """Check whether all dots come down on empty cells."""
    for dot in get_all_dot_positions(block):
        cell = translate_over(position, dot[0], dot[1])
        if not is_proper_position_for_board(dimension(board), cell) or is_filled_at(board, cell):
            return False
    return True


def get_droppable_positions(board, block):
    """Return the positions where the block can be dropped, in order."""
    left, right = get_horizontal_offsets_from_anchor(block)
    bottom, top = get_vertical_offsets_from_anchor(block)
    positions = []
    for row in range(1 - bottom, dimension(board) - top + 1):
        for column in range(1 - left, dimension(board) - right + 1):
            if can_be_dropped_at(board, block, (column, row)):
                positions.append((column, row))
    positions.sort()
    return positions


def drop_at(board, block, position):
    """Drop the block there if that is possible."""
    if can_be_dropped_at(board, block, position):
        for dot in get_all_dot_positions(block):
            fill_cell(board, translate_over(position, dot[0], dot[1]))


def clear_full_rows_and_columns(board):
    """Empty what is full."""
    rows, columns = get_all_filled_rows(board), get_all_filled_columns(board)
    for row in rows:
        free_row(board, row)
    for column in columns:
        free_column(board, column)


def are_chainable(board, positions, visited=None):
    """Check whether the positions lie in one region: walk through it, neighbour by neighbour.

    The cells that were visited are only known from the second call on. From then on, the positions
    hold the one cell from which the walk goes on.
    """
    if visited is not None:
        (position,) = positions
        visited.add(position)
        for neighbour in get_adjacent_positions(position, dimension(board)):
            same = is_filled_at(board, neighbour) == is_filled_at(board, position)
            if same and neighbour not in visited:
                are_chainable(board, [neighbour], visited)
        return True
    visited = set()
    for position in positions:
        if len(visited) == 0:
            are_chainable(board, [position], visited)
        elif position not in visited:
            return False
    return True


def print_board(board):
    """Print the board with its numbers."""
    for row in range(dimension(board), 0, -1):
        print(f"{row:3}", end=" ")
        for column in range(1, dimension(board) + 1):
            print(" X" if is_filled_at(board, (column, row)) else " .", end=" ")
        print()
    print("   ", end="")
    for column in range(1, dimension(board) + 1):
        print(f"{column:3}", end="")
    print()
