"""Blocks as a sorted list of dots.

A question that is answered with no may return nothing at all, which counts as no.
"""

import random

import Position


def make_block(dot_positions):
    """Make a block."""
    return sorted(dot_positions)


def get_all_dot_positions(block):
    """Which dots does it have?"""
    return set(block)


def is_proper_block(block):
    """Is this a list of chained dots, in order, each of them once?"""
    if isinstance(block, list) and block != []:
        for dot in block:
            if not Position.is_proper_position(dot):
                return None
        return block == sorted(set(block)) and Position.are_chained(block)
    return None


def add_dot(block, dot_position):
    """Add a dot if it fits."""
    if dot_position not in block and Position.is_adjacent_to(dot_position, block):
        block.append(dot_position)
        block.sort()


def remove_dot(block, dot_position):
    """Remove a dot if the block holds together without it, put it back otherwise."""
    if dot_position in block and len(block) > 1:
        block.remove(dot_position)
        if not Position.are_chained(block):
            block.append(dot_position)
            block.sort()


def get_horizontal_offsets_from_anchor(block):
    """How far does it reach to the left and to the right?"""
    return (block[0][0], block[-1][0])


def get_vertical_offsets_from_anchor(block):
    """How far does it reach down and up?"""
    lowest = highest = block[0][1]
    for _, row in block:
        if row < lowest:
            lowest = row
        elif row > highest:
            highest = row
    return (lowest, highest)


def are_equivalent(block, other_block):
    """Do they have the same shape?"""
    first, other_first = block[0], other_block[0]
    delta_x, delta_y = other_first[0] - first[0], other_first[1] - first[1]
    return move(block, delta_x, delta_y) == other_block


def is_normalized(block):
    """Is the anchor a dot?"""
    return block.count((0, 0))


def normalize(block):
    """Which block has the same shape and the dot in the middle of the list as its anchor?"""
    column, row = block[len(block) // 2]
    return move(block, -column, -row)


def move(block, delta_x, delta_y):
    """Which block has all its dots that far away?"""
    moved = []
    for dot in block:
        moved.append(Position.translate_over(dot, delta_x, delta_y))
    return moved


def print_block(block):
    """Print the block."""
    lowest, highest = get_vertical_offsets_from_anchor(block)
    for row in range(max(highest, 0), min(lowest, 0) - 1, -1):
        line = ""
        for column in range(min(block[0][0], 0), max(block[-1][0], 0) + 1):
            symbol = "*" if (column, row) in block else " "
            if column == row == 0:
                symbol = "A" if symbol == "*" else "a"
            line += symbol
        print(line.rstrip())


standard_blocks = (
    make_block([(0, 0)]),
    make_block([(0, 0), (1, 0)]),
    make_block([(-1, 0), (0, 0), (1, 0)]),
    make_block([(-3, 0), (-2, 0), (-1, 0), (0, 0)]),
    make_block([(0, 2), (1, 2), (2, 2), (3, 2), (4, 2)]),
    make_block([(0, 0), (0, 1)]),
    make_block([(0, -1), (0, 0), (0, 1)]),
    make_block([(-2, 2), (-2, 3), (-2, 4), (-2, 5)]),
    make_block([(0, -6), (0, -5), (0, -4), (0, -3), (0, -2)]),
    make_block([(-1, 0), (0, 0), (0, 1)]),
    make_block([(0, 0), (0, 1), (1, 0)]),
    make_block([(0, 0), (0, -1), (1, 0)]),
    make_block([(-1, 0), (0, 0), (0, -1)]),
    make_block([(-2, 0), (-1, 0), (0, 0), (0, 1), (0, 2)]),
    make_block([(0, 2), (1, 2), (2, 2), (2, 1), (2, 0)]),
    make_block([(2, 0), (1, 0), (0, 0), (0, -1), (0, -2)]),
    make_block([(-2, -2), (-1, -2), (0, -2), (-2, -1), (-2, 0)]),
    make_block([(0, 0), (1, 0), (0, 1), (1, 1)]),
    make_block([(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (2, 2)]),
)


def select_standard_block():
    """Choose a block."""
    return random.choice(standard_blocks)  # noqa: S311 - a game keeps no secrets
