"""A board is a list [dimension, set of the filled positions]."""
from Position import *
from Block import *


def make_board(dimension=10, positions_to_fill=frozenset()):
    board = [dimension, set()]
    fill_all_cells(board, positions_to_fill)
    return board


def copy_board(board):
    return make_board(dimension(board), get_all_filled_positions(board))


def is_proper_board(board):
    """A list of a dimension and a set with only positions on the board."""
    if not isinstance(board, list) or len(board) != 2:
        return False
    if not isinstance(board[0], int) or board[0] <= 0:
        return False
    if not isinstance(board[1], set):
        return False
    for position in board[1]:
        if not is_proper_position_for_board(board[0], position):
            return False
    return True


def dimension(board):
    return board[0]


def get_all_filled_positions(board):
    return set(board[1])


def is_filled_at(board, position):
    return position in board[1]


def is_filled_row(board, row):
    if not isinstance(row, int) or not 1 <= row <= dimension(board):
        return False
    column = 1
    while column <= dimension(board) and is_filled_at(board, (column, row)):
        column += 1
    return column > dimension(board)


def is_filled_column(board, column):
    if not isinstance(column, int) or not 1 <= column <= dimension(board):
        return False
    for row in range(1, dimension(board) + 1):
        if not is_filled_at(board, (column, row)):
            return False
    return True


def get_all_filled_rows(board):
    result = []
    row = 1
    while row <= dimension(board):
        if is_filled_row(board, row):
            result.append(row)
        row += 1
    return result


def get_all_filled_columns(board):
    result = ()
    for column in range(dimension(board), 0, -1):
        if is_filled_column(board, column):
            result += (column,)
    return result


def fill_cell(board, position):
    if is_proper_position_for_board(dimension(board), position):
        board[1].add(position)


def fill_all_cells(board, positions):
    for position in positions:
        fill_cell(board, position)


def free_cell(board, position):
    board[1].discard(position)


def free_all_cells(board, positions):
    """Recursive: first half, second half."""
    if len(positions) == 1:
        free_cell(board, positions[0])
    elif len(positions) > 1:
        middle = len(positions) // 2
        free_all_cells(board, positions[:middle])
        free_all_cells(board, positions[middle:])


def free_row(board, row):
    if isinstance(row, int):
        for column in range(1, dimension(board) + 1):
            free_cell(board, (column, row))


def free_column(board, column):
    if isinstance(column, int):
        for row in range(1, dimension(board) + 1):
            free_cell(board, (column, row))


def can_be_dropped_at(board, block, position):
    for dot in get_all_dot_positions(block):
        cell = translate_over(position, dot[0], dot[1])
        if not is_proper_position_for_board(dimension(board), cell) or is_filled_at(board, cell):
            return False
    return True


def get_droppable_positions(board, block):
    most_left, most_right = get_horizontal_offsets_from_anchor(block)
    lowest, highest = get_vertical_offsets_from_anchor(block)
    result = []
    for column in range(1 - most_left, dimension(board) - most_right + 1):
        for row in range(1 - lowest, dimension(board) - highest + 1):
            if can_be_dropped_at(board, block, (column, row)):
                result.append((column, row))
    return result


def drop_at(board, block, position):
    if can_be_dropped_at(board, block, position):
        for dot in get_all_dot_positions(block):
            fill_cell(board, translate_over(position, dot[0], dot[1]))


def clear_full_rows_and_columns(board):
    rows = get_all_filled_rows(board)
    columns = get_all_filled_columns(board)
    for row in rows:
        free_row(board, row)
    for column in columns:
        free_column(board, column)


def are_chainable(board, positions, frontier=None, seen=None):
    """
    Recursive: each call goes one step further from the first position,
    over cells in the same state.
    """
    if len(positions) == 0:
        return True
    if seen is None:
        start = list(positions)[0]
        return are_chainable(board, set(positions), {start}, {start})
    if seen.issuperset(positions):
        return True
    if len(frontier) == 0:
        return False
    new_frontier = set()
    for position in frontier:
        for neighbour in get_adjacent_positions(position, dimension(board)):
            if neighbour not in seen and is_filled_at(board, neighbour) == is_filled_at(board, position):
                new_frontier.add(neighbour)
    return are_chainable(board, positions, new_frontier, seen | new_frontier)


def print_board(board):
    for row in range(dimension(board), 0, -1):
        line = "%3d " % row
        for column in range(1, dimension(board) + 1):
            line += " o" if is_filled_at(board, (column, row)) else " ."
        print(line)
    line = "    "
    for column in range(1, dimension(board) + 1):
        line += "%2d" % column
    print(line)
