"""A board is a list of the dimension and a dictionary with a bit pattern (an int) per row that is not empty; while with a changing position, recursion in layers."""
from Position import *
from Position import _is_number
from Block import *


def make_board(dimension=10, positions_to_fill=frozenset()):
    board = [dimension, {}]
    fill_all_cells(board, positions_to_fill)
    return board


def copy_board(board):
    return make_board(dimension(board), get_all_filled_positions(board))


def is_proper_board(board):
    """
    [N, rows] with N a positive int and rows a dict: row number -> pattern,
    0 < pattern < 2 ** N  (bit k-1 is set if column k is filled)
    """
    if not isinstance(board, list) or len(board) != 2:
        return False
    n, rows = board
    if not _is_number(n) or n <= 0 or not isinstance(rows, dict):
        return False
    for row, pattern in rows.items():
        if not is_proper_position_for_board(n, (1, row)):
            return False
        if not _is_number(pattern) or pattern <= 0 or pattern >= 2 ** n:
            return False
    return True


def dimension(board):
    return board[0]


def get_all_filled_positions(board):
    result = set()
    for row, pattern in board[1].items():
        for column in range(1, dimension(board) + 1):
            if pattern & (1 << (column - 1)):
                result.add((column, row))
    return result


def is_filled_at(board, position):
    if not is_proper_position_for_board(dimension(board), position):
        return False
    column, row = position
    return (board[1].get(row, 0) >> (column - 1)) & 1 == 1


def is_filled_row(board, row):
    if not is_proper_position_for_board(dimension(board), (1, row)):
        return False
    column = dimension(board)
    while column > 0:
        if not is_filled_at(board, (column, row)):
            return False
        column -= 1
    return True


def is_filled_column(board, column):
    if not is_proper_position_for_board(dimension(board), (column, 1)):
        return False
    count = 0
    for row in range(dimension(board)):
        count += is_filled_at(board, (column, row + 1))
    return count == dimension(board)


def get_all_filled_rows(board, row=1):
    found = []
    while row <= dimension(board):
        if is_filled_row(board, row):
            found += [row]
        row += 1
    return found


def get_all_filled_columns(board):
    found = ()
    for column in range(1, dimension(board) + 1):
        if is_filled_column(board, column):
            found = (column,) + found
    return found


def fill_cell(board, position):
    if not is_filled_at(board, position) and is_proper_position_for_board(dimension(board), position):
        column, row = position
        board[1][row] = board[1].get(row, 0) + 2 ** (column - 1)


def fill_all_cells(board, positions):
    for position in positions:
        fill_cell(board, position)


def free_cell(board, position):
    if is_filled_at(board, position):
        column, row = position
        board[1][row] -= 2 ** (column - 1)
        if board[1][row] == 0:
            del board[1][row]


def free_all_cells(board, positions):
    if positions:
        free_cell(board, positions[-1])
        free_all_cells(board, positions[:-1])


def free_row(board, row):
    if _is_number(row):
        for column in range(1, dimension(board) + 1):
            free_cell(board, (column, row))


def free_column(board, column):
    if _is_number(column):
        for row in range(1, dimension(board) + 1):
            free_cell(board, (column, row))


def _cells_under(block, position):
    cells = []
    for dot in get_all_dot_positions(block):
        cells.append(translate_over(dot, position[0], position[1]))
    return cells


def can_be_dropped_at(board, block, position):
    free = True
    for cell in _cells_under(block, position):
        free = free and is_proper_position_for_board(dimension(board), cell) and not is_filled_at(board, cell)
    return free


def get_droppable_positions(board, block):
    n = dimension(board)
    L, R = get_horizontal_offsets_from_anchor(block)
    B, A = get_vertical_offsets_from_anchor(block)
    droppable = []
    for column in range(1 - L, n - R + 1):
        for row in range(1 - B, n - A + 1):
            if can_be_dropped_at(board, block, (column, row)):
                droppable.append((column, row))
    return droppable


def drop_at(board, block, position):
    if can_be_dropped_at(board, block, position):
        fill_all_cells(board, _cells_under(block, position))


def clear_full_rows_and_columns(board):
    to_free = []
    for row in get_all_filled_rows(board):
        for column in range(1, dimension(board) + 1):
            to_free.append((column, row))
    for column in get_all_filled_columns(board):
        for row in range(1, dimension(board) + 1):
            to_free.append((column, row))
    for cell in to_free:
        free_cell(board, cell)


def are_chainable(board, positions, reached=None):
    """Let the group of reached cells grow until it has all positions, or does not grow any more."""
    if reached is None:
        reached = set(list(positions)[:1])
    if reached.issuperset(positions):
        return True
    bigger = set(reached)
    for cell in reached:
        for neighbour in get_adjacent_positions(cell, dimension(board)):
            if is_filled_at(board, neighbour) == is_filled_at(board, cell):
                bigger.add(neighbour)
    if bigger == reached:
        return False
    return are_chainable(board, positions, bigger)


def print_board(board):
    for row in range(dimension(board), 0, -1):
        text = ""
        for column in range(1, dimension(board) + 1):
            text += "# " if is_filled_at(board, (column, row)) else ". "
        print(text, row)
    print(*range(1, dimension(board) + 1))
