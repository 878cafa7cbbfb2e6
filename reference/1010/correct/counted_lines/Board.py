"""Boards that keep count: how many cells of each row and of each column are filled.

A board is a dictionary of its size, the filled cells, and two dictionaries of counts. A line that
has no count is empty. A question that is answered with no may return nothing at all, which counts
as no.
"""

import Block
import Position


def make_board(dimension=10, positions_to_fill=frozenset()):
    """Make a board."""
    board = {"size": dimension, "filled": {}, "per row": {}, "per column": {}}
    fill_all_cells(board, positions_to_fill)
    return board


def copy_board(board):
    """Make the same board."""
    copy = {"size": board["size"]}
    for key in ("filled", "per row", "per column"):
        copy[key] = board[key].copy()
    return copy


def is_proper_board(board):
    """Is this a board with cells in the right place, and counts that are right?"""
    if not isinstance(board, dict) or set(board) != {"size", "filled", "per row", "per column"}:
        return None
    if not isinstance(board["size"], int) or board["size"] < 1:
        return None
    if not isinstance(board["filled"], dict):
        return None
    for position in board["filled"]:
        if not Position.is_proper_position_for_board(board["size"], position):
            return None
    return board == make_board(board["size"], board["filled"])


def dimension(board):
    """How large is the board?"""
    return board["size"]


def get_all_filled_positions(board):
    """Which cells are filled?"""
    return set(board["filled"])


def is_filled_at(board, position):
    """Is this cell filled?"""
    return board["filled"].get(position)


def is_filled_row(board, row):
    """Is this row full?"""
    if type(row) is int:
        return board["per row"].get(row) == board["size"]
    return None


def is_filled_column(board, column):
    """Is this column full?"""
    if type(column) is int:
        return board["per column"].get(column) == board["size"]
    return None


def get_all_filled_rows(board):
    """Which rows are full?"""
    full = []
    row = 0
    while row < dimension(board):
        row += 1
        if is_filled_row(board, row):
            full += [row]
    return full


def get_all_filled_columns(board):
    """Which columns are full?"""
    full = set()
    for column in range(1, dimension(board) + 1):
        if is_filled_column(board, column):
            full.add(column)
    return tuple(sorted(full, reverse=True))


def fill_cell(board, position):
    """Fill the cell."""
    on_board = Position.is_proper_position_for_board(board["size"], position)
    if on_board and not is_filled_at(board, position):
        board["filled"][position] = True
        count(board, position, 1)


def count(board, position, change):
    """Count a cell that was filled or emptied; counts of 0 are not kept."""
    for key, number in zip(("per column", "per row"), position, strict=True):
        board[key][number] = board[key].get(number, 0) + change
        if board[key][number] == 0:
            del board[key][number]


def fill_all_cells(board, positions):
    """Fill them all."""
    for position in positions:
        fill_cell(board, position)


def free_cell(board, position):
    """Empty the cell."""
    if board["filled"].pop(position, False):
        count(board, position, -1)


def free_all_cells(board, positions):
    """Empty them all: one half, and then the other half."""
    if len(positions) == 1:
        free_cell(board, positions[0])
    elif len(positions) > 1:
        middle = len(positions) // 2
        free_all_cells(board, positions[:middle])
        free_all_cells(board, positions[middle:])


def free_row(board, row):
    """Empty the row."""
    position = (1, row)
    while Position.is_proper_position_for_board(dimension(board), position):
        free_cell(board, position)
        position = Position.translate_over(position, 1, 0)


def free_column(board, column):
    """Empty the column."""
    position = (column, 1)
    while Position.is_proper_position_for_board(dimension(board), position):
        free_cell(board, position)
        position = Position.translate_over(position, 0, 1)


def can_be_dropped_at(board, block, position):
    """Does the block fit there?"""
    blocked = False
    for column, row in Block.get_all_dot_positions(block):
        cell = Position.translate_over(position, column, row)
        if not Position.is_proper_position_for_board(dimension(board), cell):
            blocked = True
        if is_filled_at(board, cell):
            blocked = True
    return not blocked


def get_droppable_positions(board, block):
    """Where does the block fit?  Its lower left corner passes over all cells of the board."""
    left, right = Block.get_horizontal_offsets_from_anchor(block)
    bottom, top = Block.get_vertical_offsets_from_anchor(block)
    found = []
    corner = (1, 1)
    while corner is not None:
        column, row = corner
        if column + right - left <= dimension(board) and row + top - bottom <= dimension(board):
            anchor = Position.translate_over(corner, -left, -bottom)
            if can_be_dropped_at(board, block, anchor):
                found.append(anchor)
        corner = Position.next(dimension(board), corner)
    return sorted(found)


def drop_at(board, block, position):
    """Drop the block if it fits."""
    if can_be_dropped_at(board, block, position):
        for column, row in Block.get_all_dot_positions(block):
            fill_cell(board, Position.translate_over(position, column, row))


def clear_full_rows_and_columns(board):
    """Empty the full lines: first collect the cells, then empty them."""
    to_empty = []
    for column, row in get_all_filled_positions(board):
        if is_filled_row(board, row) or is_filled_column(board, column):
            to_empty.append((column, row))
    free_all_cells(board, to_empty)


def are_chainable(board, positions, region=None):
    """Do they lie in one region?  Only the first of them has to reach all others.

    The region is what was found of it already; the first position is on its edge.
    """
    if len(positions) == 0:
        return True
    first, *_ = positions
    if region is None:
        region = {first}
    filled = bool(is_filled_at(board, first))
    for neighbour in Position.get_adjacent_positions(first, dimension(board)):
        if neighbour not in region and bool(is_filled_at(board, neighbour)) == filled:
            region.add(neighbour)
            are_chainable(board, [neighbour], region)
    return region.issuperset(positions)


def print_board(board):
    """Print the board."""
    for row in range(dimension(board), 0, -1):
        line = str(row) + "\t"
        for column in range(1, dimension(board) + 1):
            line += "X" if is_filled_at(board, (column, row)) else "-"
        print(line)
    line = "\t"
    for column in range(1, dimension(board) + 1):
        line += str(column % 10)
    print(line)
