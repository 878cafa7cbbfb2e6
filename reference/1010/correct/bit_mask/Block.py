"""Blocks as a list with one item, a frozen set of dots: a change puts another set in its place."""

import random

from Position import (
    Cell,
    are_chained,
    is_adjacent_to,
    is_proper_position,
    translate_over,
)

Block = list[frozenset[Cell]]


def make_block(dot_positions: set[Cell]) -> Block:
    """Make a block of these dots."""
    return [frozenset(dot_positions)]


def get_all_dot_positions(block: Block) -> set[Cell]:
    """Give the dots as a set of their own."""
    (dots,) = block
    return set(dots)


def is_proper_block(block: object) -> bool:
    """Tell whether the value is a list with one frozen set of chained dots."""
    if not isinstance(block, list) or len(block) != 1:
        return False
    (dots,) = block
    if not isinstance(dots, frozenset) or not dots:
        return False
    for dot in dots:
        if not is_proper_position(dot):
            return False
    return are_chained(dots)


def add_dot(block: Block, dot_position: Cell) -> None:
    """Add a dot next to another one."""
    if is_adjacent_to(dot_position, block[0]):
        block[0] |= {dot_position}


def remove_dot(block: Block, dot_position: Cell) -> None:
    """Remove a dot unless that leaves no block."""
    candidate = [block[0] - {dot_position}]
    if is_proper_block(candidate):
        block[:] = candidate


def get_horizontal_offsets_from_anchor(block: Block) -> tuple[int, int]:
    """Give the extreme columns."""
    return min(block[0])[0], max(block[0])[0]


def get_vertical_offsets_from_anchor(block: Block) -> tuple[int, int]:
    """Give the extreme rows: those of the block with columns and rows swapped."""
    swapped = []
    for column, row in block[0]:
        swapped.append((row, column))
    return min(swapped)[0], max(swapped)[0]


def are_equivalent(block: Block, other_block: Block) -> bool:
    """Tell whether the dots, in order, all lie at the same distance of each other."""
    if len(block[0]) != len(other_block[0]):
        return False
    distances = set()
    for dot, other in zip(sorted(block[0]), sorted(other_block[0]), strict=True):
        distances.add((dot[0] - other[0], dot[1] - other[1]))
    return len(distances) == 1


def is_normalized(block: Block) -> bool:
    """Tell whether the anchor is a dot."""
    return (0, 0) in block[0]


def normalize(block: Block) -> Block:
    """Give a block with the last dot as its anchor, or a copy if there is nothing to do."""
    if is_normalized(block):
        return list(block)
    column, row = max(block[0])
    moved = set()
    for dot in block[0]:
        moved.add(translate_over(dot, -column, -row))
    return make_block(moved)


def print_block(block: Block) -> None:
    """Print the block in the smallest rectangle that holds dots and anchor."""
    cells = sorted(block[0] | {(0, 0)})
    rows = set()
    for _, row in cells:
        rows.add(row)
    for row in range(max(rows), min(rows) - 1, -1):
        line = ""
        for column in range(cells[0][0], cells[-1][0] + 1):
            if (column, row) == (0, 0):
                line += "@" if is_normalized(block) else "x"
            else:
                line += "o" if (column, row) in block[0] else "."
        print(line)


def horizontal_bar(first: Cell, length: int) -> Block:
    """Make a block of dots next to each other."""
    column, row = first
    return make_block({(column + delta, row) for delta in range(length)})


def vertical_bar(first: Cell, length: int) -> Block:
    """Make a block of dots above each other."""
    column, row = first
    return make_block({(column, row + delta) for delta in range(length)})


standard_blocks = (
    horizontal_bar((0, 0), 1),
    horizontal_bar((0, 0), 2),
    horizontal_bar((-1, 0), 3),
    horizontal_bar((-3, 0), 4),
    horizontal_bar((0, 2), 5),
    vertical_bar((0, 0), 2),
    vertical_bar((0, -1), 3),
    vertical_bar((-2, 2), 4),
    vertical_bar((0, -6), 5),
    make_block({(-1, 0), (0, 0), (0, 1)}),
    make_block({(0, 0), (0, 1), (1, 0)}),
    make_block({(0, 0), (0, -1), (1, 0)}),
    make_block({(-1, 0), (0, 0), (0, -1)}),
    make_block({(-2, 0), (-1, 0), (0, 0), (0, 1), (0, 2)}),
    make_block({(0, 2), (1, 2), (2, 2), (2, 1), (2, 0)}),
    make_block({(2, 0), (1, 0), (0, 0), (0, -1), (0, -2)}),
    make_block({(-2, -2), (-1, -2), (0, -2), (-2, -1), (-2, 0)}),
    make_block({(column, row) for column in (0, 1) for row in (0, 1)}),
    make_block({(column, row) for column in (0, 1, 2) for row in (0, 1, 2)}),
)


def select_standard_block() -> Block:
    """Give any of the standard blocks."""
    return random.choice(standard_blocks)  # noqa: S311 - a game keeps no secrets
