"""Blocks: non-empty, chained groups of dots around an anchor.

A block is a set of the positions of its dots, relative to the anchor (0, 0), which need not be a
dot itself. Only make_block, get_all_dot_positions, is_proper_block, add_dot and remove_dot know
that; all other functions use these.
"""

import random

import Position

ANCHOR = (0, 0)


def make_block(dot_positions):
    """Return a new block with dots at the given positions.

    The block does not change if the given set changes afterwards.

    Assumptions: the positions are a non-empty set of proper positions that are chained.
    """
    return set(dot_positions)


def get_all_dot_positions(block):
    """Return a set of the positions of all dots of the block.

    The block does not change if the resulting set is changed.

    Assumptions: the block is proper.
    """
    return set(block)


def is_proper_block(block):
    """Check whether the given value is a block.

    That is a set with at least one element, whose elements are proper positions that are chained.

    Assumptions: none.
    """
    if not isinstance(block, set) or len(block) == 0:
        return False
    for dot_position in block:
        if not Position.is_proper_position(dot_position):
            return False
    return Position.are_chained(block)


def add_dot(block, dot_position):
    """Add a dot at the given position to the block.

    Nothing happens if the block has that dot, or if the dot is not adjacent to a dot of the block.

    Assumptions: the block and the position are proper.
    """
    if Position.is_adjacent_to(dot_position, block):
        block.add(dot_position)


def remove_dot(block, dot_position):
    """Remove the dot at the given position from the block.

    Nothing happens if the block does not have that dot, if it is the only one, or if the other
    dots would not be chained.

    Assumptions: the block and the position are proper.
    """
    remaining = block - {dot_position}
    if len(remaining) > 0 and Position.are_chained(remaining):
        block.discard(dot_position)


def get_horizontal_offsets_from_anchor(block):
    """Return the smallest and the largest horizontal distance of a dot to the anchor, as a tuple.

    Distances of dots to the left of the anchor are negative.

    Assumptions: the block is proper.
    """
    columns = []
    for column, _ in get_all_dot_positions(block):
        columns.append(column)
    return (min(columns), max(columns))


def get_vertical_offsets_from_anchor(block):
    """Return the smallest and the largest vertical distance of a dot to the anchor, as a tuple.

    Distances of dots below the anchor are negative.

    Assumptions: the block is proper.
    """
    rows = []
    for _, row in get_all_dot_positions(block):
        rows.append(row)
    return (min(rows), max(rows))


def are_equivalent(block, other_block):
    """Check whether the dots of one block, all moved over one distance, are those of the other.

    Assumptions: both blocks are proper.
    """
    corner = _get_lower_left_corner(block)
    other_corner = _get_lower_left_corner(other_block)
    moved = _get_dots_seen_from(block, corner)
    return moved == _get_dots_seen_from(other_block, other_corner)


def is_normalized(block):
    """Check whether the anchor of the block is one of its dots.

    Assumptions: the block is proper.
    """
    return ANCHOR in get_all_dot_positions(block)


def normalize(block):
    """Return a new block that is normalized and equivalent to the given one.

    The leftmost dot, and the lowest one of those, becomes the anchor.

    Assumptions: the block is proper.
    """
    new_anchor = min(get_all_dot_positions(block))
    return make_block(_get_dots_seen_from(block, new_anchor))


def _get_lower_left_corner(block):
    """Return the position where the leftmost column and the lowest row of the block meet.

    Assumptions: the block is proper.
    """
    leftmost, _ = get_horizontal_offsets_from_anchor(block)
    lowest, _ = get_vertical_offsets_from_anchor(block)
    return (leftmost, lowest)


def _get_dots_seen_from(block, origin):
    """Return a set of the positions of the dots, relative to the given origin.

    Assumptions: the block is proper, the origin is a proper position.
    """
    column, row = origin
    moved = set()
    for dot_position in get_all_dot_positions(block):
        moved.add(Position.translate_over(dot_position, -column, -row))
    return moved


def print_block(block):
    """Print the block, top row first.

    A dot is shown as "#", the anchor as "A" if it is a dot and as "a" if it is not.

    Assumptions: the block is proper.
    """
    dots = get_all_dot_positions(block)
    leftmost, rightmost = get_horizontal_offsets_from_anchor(block)
    lowest, highest = get_vertical_offsets_from_anchor(block)
    for row in range(max(highest, 0), min(lowest, 0) - 1, -1):
        line = ""
        for column in range(min(leftmost, 0), max(rightmost, 0) + 1):
            line += _get_symbol((column, row), dots)
        print(line)


def _get_symbol(position, dots):
    """Return the character that shows what is at the given position.

    Assumptions: the position and the dots are proper.
    """
    if position == ANCHOR:
        return "A" if position in dots else "a"
    return "#" if position in dots else "."


standard_blocks = (
    # a single dot
    make_block({(0, 0)}),
    # horizontal bars of 2 to 5 dots
    make_block({(0, 0), (1, 0)}),
    make_block({(-1, 0), (0, 0), (1, 0)}),
    make_block({(-3, 0), (-2, 0), (-1, 0), (0, 0)}),
    make_block({(0, 2), (1, 2), (2, 2), (3, 2), (4, 2)}),
    # vertical bars of 2 to 5 dots
    make_block({(0, 0), (0, 1)}),
    make_block({(0, -1), (0, 0), (0, 1)}),
    make_block({(-2, 2), (-2, 3), (-2, 4), (-2, 5)}),
    make_block({(0, -6), (0, -5), (0, -4), (0, -3), (0, -2)}),
    # corners of 3 dots
    make_block({(-1, 0), (0, 0), (0, 1)}),
    make_block({(0, 0), (0, 1), (1, 0)}),
    make_block({(0, 0), (0, -1), (1, 0)}),
    make_block({(-1, 0), (0, 0), (0, -1)}),
    # corners of 5 dots
    make_block({(-2, 0), (-1, 0), (0, 0), (0, 1), (0, 2)}),
    make_block({(0, 2), (1, 2), (2, 2), (2, 1), (2, 0)}),
    make_block({(2, 0), (1, 0), (0, 0), (0, -1), (0, -2)}),
    make_block({(-2, -2), (-1, -2), (0, -2), (-2, -1), (-2, 0)}),
    # squares of 2 by 2 and 3 by 3 dots
    make_block({(0, 0), (1, 0), (0, 1), (1, 1)}),
    make_block({(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (2, 2)}),
)
"""The blocks with which the game is played."""


def select_standard_block():
    """Return one of the standard blocks, chosen at random.

    Assumptions: none.
    """
    return random.choice(standard_blocks)  # noqa: S311 - a game keeps no secrets
