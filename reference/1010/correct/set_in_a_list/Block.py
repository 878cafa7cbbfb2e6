"""A block is a plain set of dots."""
import random

from Position import *


def make_block(dot_positions):
    """Make a new block; the block has its own copy of the dots."""
    return set(dot_positions)


def get_all_dot_positions(block):
    return block.copy()


def is_proper_block(block):
    if not isinstance(block, set) or len(block) == 0:
        return False
    for dot in block:
        if not is_proper_position(dot):
            return False
    return are_chained(block)


def add_dot(block, dot_position):
    if is_adjacent_to(dot_position, get_all_dot_positions(block)):
        block.add(dot_position)


def remove_dot(block, dot_position):
    remaining = get_all_dot_positions(block)
    remaining.discard(dot_position)
    if len(remaining) > 0 and are_chained(remaining):
        block.discard(dot_position)


def get_horizontal_offsets_from_anchor(block):
    columns = set()
    for dot in get_all_dot_positions(block):
        columns.add(dot[0])
    return (min(columns), max(columns))


def get_vertical_offsets_from_anchor(block):
    rows = set()
    for dot in get_all_dot_positions(block):
        rows.add(dot[1])
    return (min(rows), max(rows))


def translate_block(block, delta_x, delta_y):
    """New block with all dots moved."""
    moved = set()
    for dot in get_all_dot_positions(block):
        moved.add(translate_over(dot, delta_x, delta_y))
    return make_block(moved)


def are_equivalent(block, other_block):
    """Equivalent if both are the same when pushed in the corner."""
    in_corner = translate_block(block, -get_horizontal_offsets_from_anchor(block)[0],
                                -get_vertical_offsets_from_anchor(block)[0])
    other_in_corner = translate_block(other_block, -get_horizontal_offsets_from_anchor(other_block)[0],
                                      -get_vertical_offsets_from_anchor(other_block)[0])
    return get_all_dot_positions(in_corner) == get_all_dot_positions(other_in_corner)


def is_normalized(block):
    return (0, 0) in get_all_dot_positions(block)


def normalize(block):
    anchor = min(get_all_dot_positions(block))
    return translate_block(block, -anchor[0], -anchor[1])


def print_block(block):
    dots = get_all_dot_positions(block)
    most_left, most_right = get_horizontal_offsets_from_anchor(block)
    lowest, highest = get_vertical_offsets_from_anchor(block)
    for row in range(max(highest, 0), min(lowest, 0) - 1, -1):
        line = ""
        for column in range(min(most_left, 0), max(most_right, 0) + 1):
            if (column, row) == (0, 0):
                line += " A" if (0, 0) in dots else " a"
            elif (column, row) in dots:
                line += " o"
            else:
                line += "  "
        print(line)


standard_blocks = (
    make_block({(0, 0)}),
    make_block({(0, 0), (1, 0)}),
    make_block({(-1, 0), (0, 0), (1, 0)}),
    make_block({(-3, 0), (-2, 0), (-1, 0), (0, 0)}),
    make_block({(0, 2), (1, 2), (2, 2), (3, 2), (4, 2)}),
    make_block({(0, 0), (0, 1)}),
    make_block({(0, -1), (0, 0), (0, 1)}),
    make_block({(-2, 2), (-2, 3), (-2, 4), (-2, 5)}),
    make_block({(0, -6), (0, -5), (0, -4), (0, -3), (0, -2)}),
    make_block({(-1, 0), (0, 0), (0, 1)}),
    make_block({(0, 0), (0, 1), (1, 0)}),
    make_block({(0, 0), (0, -1), (1, 0)}),
    make_block({(-1, 0), (0, 0), (0, -1)}),
    make_block({(-2, 0), (-1, 0), (0, 0), (0, 1), (0, 2)}),
    make_block({(0, 2), (1, 2), (2, 2), (2, 1), (2, 0)}),
    make_block({(2, 0), (1, 0), (0, 0), (0, -1), (0, -2)}),
    make_block({(-2, -2), (-1, -2), (0, -2), (-2, -1), (-2, 0)}),
    make_block({(0, 0), (1, 0), (0, 1), (1, 1)}),
    make_block({(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (2, 2)}),
)


def select_standard_block():
    """Return a random standard block."""
    return random.choice(standard_blocks)
