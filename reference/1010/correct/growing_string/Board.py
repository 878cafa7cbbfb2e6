"""A board is a dictionary with its size and one long string of the cells, no longer than up to the last filled cell (so empty for an empty board); recursion by flipping cells in a copy."""
import Position
import Block

EMPTY = "."
FULL = "#"


def make_board(dimension=10, positions_to_fill=frozenset()):
    board = {"size": dimension, "cells": ""}
    fill_all_cells(board, positions_to_fill)
    return board


def copy_board(board):
    return dict(board)


def is_proper_board(board):
    """
    Dictionary with size (a number > 0) and cells, a string of "." and "#",
    row after row from below; at most size * size signs and the last is no ".".
    """
    try:
        size = board["size"]
        cells = board["cells"]
    except (TypeError, LookupError):
        return False
    if type(board) is not dict or type(size) is not int or type(cells) is not str:
        return False
    if size <= 0 or len(cells) > size * size or cells.endswith(EMPTY):
        return False
    return cells.count(EMPTY) + cells.count(FULL) == len(cells)


def dimension(board):
    return board["size"]


def get_all_filled_positions(board):
    filled = set()
    n = dimension(board)
    for i in range(len(board["cells"])):
        if board["cells"][i] == FULL:
            filled.add((i % n + 1, i // n + 1))
    return filled


def is_filled_at(board, position):
    n = dimension(board)
    if not Position.is_proper_position_for_board(n, position):
        return False
    i = (position[1] - 1) * n + position[0] - 1
    return i < len(board["cells"]) and board["cells"][i] == FULL


def _set_cell(board, position, sign):
    n = dimension(board)
    i = (position[1] - 1) * n + position[0] - 1
    cells = board["cells"].ljust(i + 1, EMPTY)
    board["cells"] = (cells[:i] + sign + cells[i + 1:]).rstrip(EMPTY)


def is_number_on_board(board, number):
    """Is this the number of a row or column of the board?"""
    return type(number) is int and number in range(1, dimension(board) + 1)


def is_filled_row(board, row):
    if not is_number_on_board(board, row):
        return False
    position = (1, row)
    while position is not None and is_filled_at(board, position):
        position = Position.right(dimension(board), position)
    return position is None


def is_filled_column(board, column):
    if not is_number_on_board(board, column):
        return False
    full = True
    for row in range(1, dimension(board) + 1):
        if not is_filled_at(board, (column, row)):
            full = False
    return full


def get_all_filled_rows(board):
    rows = list(range(1, dimension(board) + 1))
    i = 0
    while i < len(rows):
        if is_filled_row(board, rows[i]):
            i += 1
        else:
            rows.pop(i)
    return rows


def get_all_filled_columns(board):
    columns = set()
    for column in range(1, dimension(board) + 1):
        if is_filled_column(board, column):
            columns.add(column)
    return tuple(sorted(columns, reverse=True))


def fill_cell(board, position):
    if Position.is_proper_position_for_board(dimension(board), position):
        _set_cell(board, position, FULL)


def fill_all_cells(board, positions):
    for position in positions:
        fill_cell(board, position)


def free_cell(board, position):
    if Position.is_proper_position_for_board(dimension(board), position):
        _set_cell(board, position, EMPTY)


def free_all_cells(board, positions, i=0):
    if i == len(positions):
        return None
    free_cell(board, positions[i])
    return free_all_cells(board, positions, i + 1)


def free_row(board, row):
    if not is_number_on_board(board, row):
        return None
    position = (1, row)
    while position is not None:
        free_cell(board, position)
        position = Position.right(dimension(board), position)


def free_column(board, column):
    if not is_number_on_board(board, column):
        return None
    position = (column, 1)
    while position is not None:
        free_cell(board, position)
        position = Position.up(dimension(board), position)


def can_be_dropped_at(board, block, position):
    n = dimension(board)
    for (x, y) in Block.get_all_dot_positions(block):
        k = position[0] + x
        r = position[1] + y
        if k < 1 or k > n or r < 1 or r > n:
            return False
        if is_filled_at(board, (k, r)):
            return False
    return True


def get_droppable_positions(board, block):
    n = dimension(board)
    most_left, most_right = Block.get_horizontal_offsets_from_anchor(block)
    lowest, highest = Block.get_vertical_offsets_from_anchor(block)
    positions = set()
    for row in range(1 - lowest, n - highest + 1):
        for column in range(1 - most_left, n - most_right + 1):
            if can_be_dropped_at(board, block, (column, row)):
                positions.add((column, row))
    return sorted(positions)


def drop_at(board, block, position):
    if not can_be_dropped_at(board, block, position):
        return None
    cells = set()
    for (x, y) in Block.get_all_dot_positions(block):
        cells.add((x + position[0], y + position[1]))
    fill_all_cells(board, cells)


def clear_full_rows_and_columns(board):
    filled = get_all_filled_positions(board)
    rows = get_all_filled_rows(board)
    columns = get_all_filled_columns(board)
    for (k, r) in filled:
        if k in columns or r in rows:
            free_cell(board, (k, r))


def are_chainable(board, positions, current=None):
    """
    From the first position on, all connected cells in the same state are
    flipped (in a copy): if all positions have been flipped it is fine.
    With current: only flip everything that is connected with current.
    """
    if len(positions) == 0:
        return True
    if current is None:
        first = list(positions)[0]
        state = is_filled_at(board, first)
        copy = copy_board(board)
        are_chainable(copy, positions, first)
        for position in positions:
            if is_filled_at(copy, position) == state:
                return False
        return True
    state = is_filled_at(board, current)
    if state:
        free_cell(board, current)
    else:
        fill_cell(board, current)
    for neighbour in Position.get_adjacent_positions(current, dimension(board)):
        if is_filled_at(board, neighbour) == state:
            are_chainable(board, positions, neighbour)
    return True


def print_board(board):
    n = dimension(board)
    for row in range(n, 0, -1):
        line = ""
        for column in range(1, n + 1):
            line = line + (FULL if is_filled_at(board, (column, row)) else EMPTY)
        print("%2d %s" % (row, line))
    print("   " + "1234567890"[:n])
