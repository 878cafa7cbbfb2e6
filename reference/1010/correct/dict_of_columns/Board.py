"""A board is a dictionary with the dimension and, per column that is not empty, the set of its filled rows; chains by depth-first recursion that really changes a copy; prints to the screen when a block does not fit."""
from copy import deepcopy

import Block
import Position


def make_board(dimension=10, positions_to_fill=frozenset()):
    board = {"dimension": dimension, "columns": {}}
    for position in positions_to_fill:
        fill_cell(board, position)
    return board


def copy_board(board):
    return deepcopy(board)


def is_proper_board(board):
    """
    - a dictionary with exactly the keys "dimension" and "columns"
    - the dimension is a number > 0
    - columns: number of the column -> non-empty set of rows, on the board
    """
    if type(board) != dict:
        return False
    if len(board) != 2 or "dimension" not in board or "columns" not in board:
        return False
    N = board["dimension"]
    columns = board["columns"]
    if type(N) != int or N < 1 or type(columns) != dict:
        return False
    for column in columns:
        if type(columns[column]) != set or len(columns[column]) == 0:
            return False
        for row in columns[column]:
            if not Position.is_proper_position_for_board(N, (column, row)):
                return False
    return True


def dimension(board):
    return board["dimension"]


def get_all_filled_positions(board):
    filled = set()
    for column in board["columns"]:
        for row in board["columns"][column]:
            filled.add((column, row))
    return filled


def is_filled_at(board, position):
    if position[0] not in board["columns"]:
        return False
    return position[1] in board["columns"][position[0]]


def is_filled_row(board, row):
    if type(row) != int or row < 1 or row > dimension(board):
        return False
    position = (1, row)
    while position != None:
        if not is_filled_at(board, position):
            return False
        position = Position.right(dimension(board), position)
    return True


def is_filled_column(board, column):
    if type(column) != int or column < 1 or column > dimension(board):
        return False
    for row in range(1, dimension(board) + 1):
        if not is_filled_at(board, (column, row)):
            return False
    return True


def get_all_filled_rows(board):
    rows = []
    row = dimension(board)
    while row > 0:
        if is_filled_row(board, row):
            rows.insert(0, row)
        row -= 1
    return rows


def get_all_filled_columns(board):
    columns = []
    for column in range(1, dimension(board) + 1):
        if is_filled_column(board, column):
            columns.append(column)
    columns.reverse()
    return tuple(columns)


def fill_cell(board, position):
    if not Position.is_proper_position_for_board(dimension(board), position):
        return
    column = position[0]
    row = position[1]
    if column not in board["columns"]:
        board["columns"][column] = set()
    board["columns"][column].add(row)


def fill_all_cells(board, positions):
    for position in positions:
        fill_cell(board, position)


def free_cell(board, position):
    if not is_filled_at(board, position):
        return
    column = position[0]
    row = position[1]
    board["columns"][column].remove(row)
    # an empty board may not use memory for its columns
    if len(board["columns"][column]) == 0:
        del board["columns"][column]


def free_all_cells(board, positions):
    if len(positions) == 0:
        return
    free_cell(board, positions[0])
    free_all_cells(board, positions[1:])


def free_row(board, row):
    if type(row) == int and row >= 1 and row <= dimension(board):
        for column in range(1, dimension(board) + 1):
            free_cell(board, (column, row))


def free_column(board, column):
    if type(column) == int and column >= 1 and column <= dimension(board):
        for row in range(1, dimension(board) + 1):
            free_cell(board, (column, row))


def can_be_dropped_at(board, block, position):
    for dot in Block.get_all_dot_positions(block):
        cell = Position.translate_over(position, dot[0], dot[1])
        if not Position.is_proper_position_for_board(dimension(board), cell):
            return False
        if is_filled_at(board, cell):
            return False
    return True


def get_droppable_positions(board, block):
    (L, R) = Block.get_horizontal_offsets_from_anchor(block)
    (B, A) = Block.get_vertical_offsets_from_anchor(block)
    N = dimension(board)
    droppable = []
    row = 1 - B
    while row <= N - A:
        column = 1 - L
        while column <= N - R:
            if can_be_dropped_at(board, block, (column, row)):
                droppable.append((column, row))
            column += 1
        row += 1
    droppable.sort()
    return droppable


def drop_at(board, block, position):
    if not can_be_dropped_at(board, block, position):
        print("the block cannot be dropped at", position)
        return
    for dot in Block.get_all_dot_positions(block):
        fill_cell(board, Position.translate_over(position, dot[0], dot[1]))


def clear_full_rows_and_columns(board):
    rows = get_all_filled_rows(board)
    columns = get_all_filled_columns(board)
    for row in rows:
        free_row(board, row)
    for column in columns:
        free_column(board, column)


def are_chainable(board, positions, current=None, visited=None):
    """
    Visit (recursively) all cells that can be reached from the first position,
    afterwards all positions must be visited.
    """
    if current is None:
        if len(positions) == 0:
            return True
        visited = set()
        for position in positions:
            if visited == set():
                are_chainable(board, positions, position, visited)
        for position in positions:
            if position not in visited:
                return False
        return True
    visited.add(current)
    for neighbour in Position.get_adjacent_positions(current, dimension(board)):
        if neighbour not in visited:
            if is_filled_at(board, neighbour) == is_filled_at(board, current):
                are_chainable(board, positions, neighbour, visited)
    return True


def print_board(board):
    N = dimension(board)
    for row in range(N, 0, -1):
        print(str(row).rjust(3), end=" |")
        for column in range(1, N + 1):
            if is_filled_at(board, (column, row)):
                print(" X", end=" ")
            else:
                print("  ", end=" ")
        print("|")
    print("     ", end="")
    for column in range(1, N + 1):
        print(str(column).rjust(2), end=" ")
    print()
