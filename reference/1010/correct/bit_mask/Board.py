"""Boards as one integer: the bit with number (row - 1) * dimension + column - 1 is one cell."""

from collections.abc import Collection

import Block
import Position
from Position import Cell

Board = dict[str, int]


def make_board(
    dimension: int = 10, positions_to_fill: Collection[Cell] = frozenset(), cells: int = 0
) -> Board:
    """Make a board, of which some cells can be given as an integer."""
    board = {"dimension": dimension, "cells": cells}
    fill_all_cells(board, positions_to_fill)
    return board


def copy_board(board: Board) -> Board:
    """Make a board with the same cells."""
    return make_board(cells=board["cells"], dimension=board["dimension"])


def is_proper_board(board: object) -> bool:
    """Tell whether the value is a dictionary of a dimension and an integer with enough bits."""
    if not isinstance(board, dict) or set(board) != {"dimension", "cells"}:
        return False
    size, cells = board["dimension"], board["cells"]
    if not isinstance(size, int) or not isinstance(cells, int):
        return False
    return size > 0 and 0 <= cells < 1 << size * size


def dimension(board: Board) -> int:
    """Give the dimension."""
    return board["dimension"]


def bit(board: Board, position: Cell) -> int:
    """Give the integer with only the bit of that cell, or 0 for a cell that is not there."""
    if not Position.is_proper_position_for_board(board["dimension"], position):
        return 0
    column, row = position
    return 1 << (row - 1) * board["dimension"] + column - 1


def bits_of_row(board: Board, row: object) -> int:
    """Give the integer with the bits of that row, or 0 for a row that is not there."""
    size = board["dimension"]
    return ((1 << size) - 1) * bit(board, (1, row))


def bits_of_column(board: Board, column: object) -> int:
    """Give the integer with the bits of that column, or 0 for a column that is not there."""
    size = board["dimension"]
    return ((1 << size * size) - 1) // ((1 << size) - 1) * bit(board, (column, 1))


def get_all_filled_positions(board: Board) -> set[Cell]:
    """Give the cells whose bits are 1."""
    filled = set()
    cells = board["cells"]
    while cells > 0:
        number = cells.bit_length() - 1
        filled.add((number % board["dimension"] + 1, number // board["dimension"] + 1))
        cells -= 1 << number
    return filled


def is_filled_at(board: Board, position: Cell) -> bool:
    """Tell whether the bit of that cell is 1."""
    return board["cells"] & bit(board, position) > 0


def is_filled_row(board: Board, row: object) -> bool:
    """Tell whether the bits of that row are all 1."""
    bits = bits_of_row(board, row)
    return bits > 0 and board["cells"] & bits == bits


def is_filled_column(board: Board, column: object) -> bool:
    """Tell whether the bits of that column are all 1."""
    bits = bits_of_column(board, column)
    return bits > 0 and board["cells"] & bits == bits


def get_all_filled_rows(board: Board, row: int = 1) -> list[int]:
    """Give the full rows from that row on."""
    if row > dimension(board):
        return []
    above = get_all_filled_rows(board, row + 1)
    return [row, *above] if is_filled_row(board, row) else above


def get_all_filled_columns(board: Board) -> tuple[int, ...]:
    """Give the full columns, the rightmost first."""
    full = []
    for column in range(1, dimension(board) + 1):
        if is_filled_column(board, column):
            full.append(column)
    full.reverse()
    return tuple(full)


def fill_cell(board: Board, position: Cell) -> None:
    """Make the bit 1."""
    board["cells"] |= bit(board, position)


def fill_all_cells(board: Board, positions: Collection[Cell]) -> None:
    """Fill all these cells."""
    for position in positions:
        fill_cell(board, position)


def free_cell(board: Board, position: Cell) -> None:
    """Make the bit 0."""
    board["cells"] &= ~bit(board, position)


def free_all_cells(board: Board, positions: Collection[Cell]) -> None:
    """Empty all these cells: the first, and the others."""
    if positions:
        first, *others = positions
        free_cell(board, first)
        free_all_cells(board, others)


def free_row(board: Board, row: object) -> None:
    """Empty the row; it has no cells if it is not there."""
    for column in range(1, dimension(board) + 1):
        free_cell(board, (column, row))


def free_column(board: Board, column: object) -> None:
    """Empty the column; it has no cells if it is not there."""
    for row in range(1, dimension(board) + 1):
        free_cell(board, (column, row))


def cells_below(block: Block.Block, position: Cell) -> list[Cell]:
    """Give the cells below the block; some may not be there."""
    cells = []
    for dot in Block.get_all_dot_positions(block):
        cells.append(Position.translate_over(position, *dot))
    return cells


def are_empty(board: Board, cells: list[Cell]) -> bool:
    """Tell whether the cells are all there, and none of them is filled."""
    for cell in cells:
        there = Position.is_proper_position_for_board(dimension(board), cell)
        if not there or is_filled_at(board, cell):
            return False
    return True


def can_be_dropped_at(board: Board, block: Block.Block, position: Cell) -> bool:
    """Tell whether there are cells below the block, and none of them is filled."""
    return are_empty(board, cells_below(block, position))


def get_droppable_positions(board: Board, block: Block.Block) -> list[Cell]:
    """Give the places for the block: slide it over the board, column by column."""
    left, right = Block.get_horizontal_offsets_from_anchor(block)
    low, high = Block.get_vertical_offsets_from_anchor(block)
    size = dimension(board)
    places = []
    for column in range(size - right + left):
        for row in range(size - high + low):
            place = (1 - left + column, 1 - low + row)
            if can_be_dropped_at(board, block, place):
                places.append(place)
    return places


def drop_at(board: Board, block: Block.Block, position: Cell) -> None:
    """Fill the cells below the block, if they are all empty."""
    cells = cells_below(block, position)
    if are_empty(board, cells):
        fill_all_cells(board, cells)


def clear_full_rows_and_columns(board: Board) -> None:
    """Empty the cells that lie in a full line."""
    rows, columns = get_all_filled_rows(board), get_all_filled_columns(board)
    numbers = range(1, dimension(board) + 1)
    for column in numbers:
        for row in numbers:
            if column in columns or row in rows:
                free_cell(board, (column, row))


def are_chainable(
    board: Board, positions: Collection[Cell], region: frozenset[Cell] | None = None
) -> bool:
    """Tell whether the positions lie in one region, which grows until it does not grow any more."""
    cells = frozenset(positions)
    if len(cells) <= 1:
        return True
    if region is None:
        region = frozenset({min(cells)})
    grown = set(region)
    for cell in region:
        for neighbour in Position.get_adjacent_positions(cell, dimension(board)):
            if is_filled_at(board, neighbour) == is_filled_at(board, cell):
                grown.add(neighbour)
    if cells <= grown:
        return True
    return len(grown) > len(region) and are_chainable(board, cells, frozenset(grown))


def print_board(board: Board) -> None:
    """Print the board, with its numbers to the left and below."""
    numbers = range(1, dimension(board) + 1)
    for row in reversed(numbers):
        line = f"{row:2} |"
        for column in numbers:
            line += " #" if is_filled_at(board, (column, row)) else "  "
        print(line)
    line = "    "
    for column in numbers:
        line += f"{column % 10:2}"
    print(line)
