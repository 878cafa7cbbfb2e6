"""Boards: squares of cells that are empty or filled.

A board is a tuple of its dimension and the set of the positions of its filled cells. The memory of
an empty board is thus independent of its dimension, and looking up a cell takes constant time. Only
make_board, copy_board, is_proper_board, dimension, get_all_filled_positions, is_filled_at,
fill_cell and free_cell know that; all other functions use these.
"""

import Block
import Position


def make_board(dimension=10, positions_to_fill=frozenset()):
    """Return a new board of the given dimension, with the cells at the given positions filled.

    Positions that are not on the board are ignored. The board does not change if the given
    collection changes afterwards.

    Assumptions: the dimension is a positive integer, all positions are proper, and they are a list,
    a tuple, a set or a frozenset.
    """
    board = (dimension, set())
    fill_all_cells(board, positions_to_fill)
    return board


def copy_board(board):
    """Return a new board with the dimension and the filled cells of the given one.

    Assumptions: the board is proper.
    """
    return (dimension(board), get_all_filled_positions(board))


def is_proper_board(board):
    """Check whether the given value is a board.

    That is a tuple of a positive integer and a set of positions that are proper for a board of
    that dimension.

    Assumptions: none.
    """
    if not isinstance(board, tuple) or len(board) != 2:
        return False
    size, filled = board
    if not Position.is_integer(size) or size <= 0 or not isinstance(filled, set):
        return False
    for position in filled:
        if not Position.is_proper_position_for_board(size, position):
            return False
    return True


def dimension(board):
    """Return the number of rows, and of columns, of the board.

    Assumptions: the board is proper.
    """
    size, _ = board
    return size


def get_all_filled_positions(board):
    """Return a set of the positions of all filled cells.

    The board does not change if the resulting set is changed.

    Assumptions: the board is proper.
    """
    _, filled = board
    return set(filled)


def is_filled_at(board, position):
    """Check whether the cell at the given position is filled; no cell is filled off the board.

    Assumptions: the board and the position are proper.
    """
    _, filled = board
    return position in filled


def is_filled_row(board, row):
    """Check whether all cells of the given row are filled.

    The result is false if the board has no such row, or if the row is not an integer.

    There is no for statement in this function.

    Assumptions: the board is proper.
    """
    if not _has_line(board, row):
        return False
    column = 1
    while column <= dimension(board) and is_filled_at(board, (column, row)):
        column += 1
    return column > dimension(board)


def is_filled_column(board, column):
    """Check whether all cells of the given column are filled.

    The result is false if the board has no such column, or if the column is not an integer.

    There is no while statement in this function.

    Assumptions: the board is proper.
    """
    if not _has_line(board, column):
        return False
    for row in range(1, dimension(board) + 1):
        if not is_filled_at(board, (column, row)):
            return False
    return True


def _has_line(board, number):
    """Check whether the given value is the number of a row, and thus of a column, of the board.

    Assumptions: the board is proper.
    """
    return Position.is_proper_position_for_board(dimension(board), (number, number))


def get_all_filled_rows(board):
    """Return a list of the numbers of all full rows, in ascending order.

    There is no for statement in this function.

    Assumptions: the board is proper.
    """
    full_rows = []
    row = 1
    while row <= dimension(board):
        if is_filled_row(board, row):
            full_rows.append(row)
        row += 1
    return full_rows


def get_all_filled_columns(board):
    """Return a tuple of the numbers of all full columns, in descending order.

    There is no while statement in this function.

    Assumptions: the board is proper.
    """
    full_columns = []
    for column in range(dimension(board), 0, -1):
        if is_filled_column(board, column):
            full_columns.append(column)
    return tuple(full_columns)


def fill_cell(board, position):
    """Fill the cell at the given position.

    Nothing happens if that cell is filled, or if the position is not on the board.

    Assumptions: the board and the position are proper.
    """
    size, filled = board
    if Position.is_proper_position_for_board(size, position):
        filled.add(position)


def fill_all_cells(board, positions):
    """Fill the cells at all given positions.

    Nothing happens for cells that are filled, and for positions that are not on the board.

    Assumptions: the board and all positions are proper, the positions are a list, a tuple, a set or
    a frozenset.
    """
    for position in positions:
        fill_cell(board, position)


def free_cell(board, position):
    """Empty the cell at the given position.

    Nothing happens if that cell is empty, or if the position is not on the board.

    Assumptions: the board and the position are proper.
    """
    _, filled = board
    filled.discard(position)


def free_all_cells(board, positions):
    """Empty the cells at all given positions.

    Nothing happens for cells that are empty, and for positions that are not on the board. The
    collection of positions does not change. This function is recursive.

    Assumptions: the board and all positions are proper, the positions are a tuple or a list.
    """
    if len(positions) > 0:
        free_cell(board, positions[0])
        free_all_cells(board, positions[1:])


def free_row(board, row):
    """Empty all cells of the given row.

    Nothing happens if the board has no such row, or if the row is not an integer.

    Assumptions: the board is proper.
    """
    if _has_line(board, row):
        for column in range(1, dimension(board) + 1):
            free_cell(board, (column, row))


def free_column(board, column):
    """Empty all cells of the given column.

    Nothing happens if the board has no such column, or if the column is not an integer.

    Assumptions: the board is proper.
    """
    if _has_line(board, column):
        for row in range(1, dimension(board) + 1):
            free_cell(board, (column, row))


def can_be_dropped_at(board, block, position):
    """Check whether the block can be dropped on the board with its anchor at the given position.

    That is so if each dot comes down on an empty cell of the board. The anchor itself may lie off
    the board or above a filled cell, unless it is a dot.

    Assumptions: the board, the block and the position are proper.
    """
    for covered in _get_covered_positions(block, position):
        if is_filled_at(board, covered):
            return False
        if not Position.is_proper_position_for_board(dimension(board), covered):
            return False
    return True


def _get_covered_positions(block, position):
    """Return a list of the positions below the dots of a block with its anchor at the given one.

    Assumptions: the block and the position are proper.
    """
    column, row = position
    covered = []
    for dot_position in Block.get_all_dot_positions(block):
        covered.append(Position.translate_over(dot_position, column, row))
    return covered


def get_droppable_positions(board, block):
    """Return a list of all positions at which the block can be dropped, in ascending order.

    Only positions that keep the whole block on the board are examined.

    Assumptions: the board and the block are proper.
    """
    leftmost, rightmost = Block.get_horizontal_offsets_from_anchor(block)
    lowest, highest = Block.get_vertical_offsets_from_anchor(block)
    droppable = []
    for column in range(1 - leftmost, dimension(board) - rightmost + 1):
        for row in range(1 - lowest, dimension(board) - highest + 1):
            if can_be_dropped_at(board, block, (column, row)):
                droppable.append((column, row))
    return droppable


def drop_at(board, block, position):
    """Fill the cells below the dots of the block, with its anchor at the given position.

    Nothing happens if the block cannot be dropped there. No rows or columns are cleared.

    Assumptions: the board, the block and the position are proper.
    """
    if can_be_dropped_at(board, block, position):
        fill_all_cells(board, _get_covered_positions(block, position))


def clear_full_rows_and_columns(board):
    """Empty all rows and all columns that are full.

    A cell where two of them cross counts for both. Filled cells above an emptied row stay where
    they are.

    Assumptions: the board is proper.
    """
    full_rows = get_all_filled_rows(board)
    full_columns = get_all_filled_columns(board)
    for row in full_rows:
        free_row(board, row)
    for column in full_columns:
        free_column(board, column)


def are_chainable(board, positions, frontier=None, reached=frozenset()):
    """Check whether all positions lie in one region of cells of the same state.

    Cells that are not among the given ones may link them, if they have that state too. No positions
    at all, and a single one, are chainable. The board does not change. This function is recursive.

    The cells that were reached from one of the positions are collected ring by ring: the frontier
    is the last ring. It is None as long as there is no first ring.

    Assumptions: the board is proper, the positions are a list, a tuple or a set, they are all on
    the board, and the cells at these positions are all filled or all empty.
    """
    missing = set(positions) - reached
    if len(missing) == 0:
        return True
    if frontier is None:
        frontier = {missing.pop()}
        return are_chainable(board, missing, frontier, frontier)
    if len(frontier) == 0:
        return False
    next_frontier = set()
    for position in frontier:
        for neighbour in Position.get_adjacent_positions(position, dimension(board)):
            if is_filled_at(board, neighbour) == is_filled_at(board, position):
                next_frontier.add(neighbour)
    next_frontier -= reached
    return are_chainable(board, missing, next_frontier, reached | next_frontier)


def print_board(board):
    """Print the board, top row first, with the numbers of its rows and columns.

    A filled cell is shown as "#", an empty one as ".".

    Assumptions: the board is proper.
    """
    width = len(str(dimension(board)))
    for row in range(dimension(board), 0, -1):
        line = str(row).rjust(width) + " "
        for column in range(1, dimension(board) + 1):
            symbol = "#" if is_filled_at(board, (column, row)) else "."
            line += " " + symbol.rjust(width)
        print(line)
    line = " " * (width + 1)
    for column in range(1, dimension(board) + 1):
        line += " " + str(column).rjust(width)
    print(line)
