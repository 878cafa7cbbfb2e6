"""Full rows and columns are emptied right away."""

import Block
import Position


def make_board(dimension=10, positions_to_fill=frozenset()):
    board = (dimension, set())
    fill_all_cells(board, positions_to_fill)
    return board


def copy_board(board):
    return (dimension(board), get_all_filled_positions(board))


def is_proper_board(board):
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
    size, _ = board
    return size


def get_all_filled_positions(board):
    _, filled = board
    return set(filled)


def is_filled_at(board, position):
    _, filled = board
    return position in filled


def is_filled_row(board, row):
    if not _has_line(board, row):
        return False
    column = 1
    while column <= dimension(board) and is_filled_at(board, (column, row)):
        column += 1
    return column > dimension(board)


def is_filled_column(board, column):
    if not _has_line(board, column):
        return False
    for row in range(1, dimension(board) + 1):
        if not is_filled_at(board, (column, row)):
            return False
    return True


def _has_line(board, number):
    return Position.is_proper_position_for_board(dimension(board), (number, number))


def get_all_filled_rows(board):
    full_rows = []
    row = 1
    while row <= dimension(board):
        if is_filled_row(board, row):
            full_rows.append(row)
        row += 1
    return full_rows


def get_all_filled_columns(board):
    full_columns = []
    for column in range(dimension(board), 0, -1):
        if is_filled_column(board, column):
            full_columns.append(column)
    return tuple(full_columns)


def fill_cell(board, position):
    size, filled = board
    if Position.is_proper_position_for_board(size, position):
        filled.add(position)


def fill_all_cells(board, positions):
    for position in positions:
        fill_cell(board, position)


def free_cell(board, position):
    _, filled = board
    filled.discard(position)


def free_all_cells(board, positions):
    if len(positions) > 0:
        free_cell(board, positions[0])
        free_all_cells(board, positions[1:])


def free_row(board, row):
    if _has_line(board, row):
        for column in range(1, dimension(board) + 1):
            free_cell(board, (column, row))


def free_column(board, column):
    if _has_line(board, column):
        for row in range(1, dimension(board) + 1):
            free_cell(board, (column, row))


def can_be_dropped_at(board, block, position):
    for covered in _get_covered_positions(block, position):
        if is_filled_at(board, covered):
            return False
        if not Position.is_proper_position_for_board(dimension(board), covered):
            return False
    return True


def _get_covered_positions(block, position):
    column, row = position
    covered = []
    for dot_position in Block.get_all_dot_positions(block):
        covered.append(Position.translate_over(dot_position, column, row))
    return covered


def get_droppable_positions(board, block):
    leftmost, rightmost = Block.get_horizontal_offsets_from_anchor(block)
    lowest, highest = Block.get_vertical_offsets_from_anchor(block)
    droppable = []
    for column in range(1 - leftmost, dimension(board) - rightmost + 1):
        for row in range(1 - lowest, dimension(board) - highest + 1):
            if can_be_dropped_at(board, block, (column, row)):
                droppable.append((column, row))
    return droppable


def drop_at(board, block, position):
    if can_be_dropped_at(board, block, position):
        fill_all_cells(board, _get_covered_positions(block, position))
        clear_full_rows_and_columns(board)


def clear_full_rows_and_columns(board):
    full_rows = get_all_filled_rows(board)
    full_columns = get_all_filled_columns(board)
    for row in full_rows:
        free_row(board, row)
    for column in full_columns:
        free_column(board, column)


def are_chainable(board, positions, frontier=None, reached=frozenset()):
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
