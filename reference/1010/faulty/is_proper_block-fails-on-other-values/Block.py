"""The number of dots is asked of values that have none."""

import random

import Position

ANCHOR = (0, 0)


def make_block(dot_positions):
    return set(dot_positions)


def get_all_dot_positions(block):
    return set(block)


def is_proper_block(block):
    if len(block) == 0 or not isinstance(block, set):
        return False
    for dot_position in block:
        if not Position.is_proper_position(dot_position):
            return False
    return Position.are_chained(block)


def add_dot(block, dot_position):
    if Position.is_adjacent_to(dot_position, block):
        block.add(dot_position)


def remove_dot(block, dot_position):
    remaining = block - {dot_position}
    if len(remaining) > 0 and Position.are_chained(remaining):
        block.discard(dot_position)


def get_horizontal_offsets_from_anchor(block):
    columns = []
    for column, _ in get_all_dot_positions(block):
        columns.append(column)
    return (min(columns), max(columns))


def get_vertical_offsets_from_anchor(block):
    rows = []
    for _, row in get_all_dot_positions(block):
        rows.append(row)
    return (min(rows), max(rows))


def are_equivalent(block, other_block):
    corner = _get_lower_left_corner(block)
    other_corner = _get_lower_left_corner(other_block)
    moved = _get_dots_seen_from(block, corner)
    return moved == _get_dots_seen_from(other_block, other_corner)


def is_normalized(block):
    return ANCHOR in get_all_dot_positions(block)


def normalize(block):
    new_anchor = min(get_all_dot_positions(block))
    return make_block(_get_dots_seen_from(block, new_anchor))


def _get_lower_left_corner(block):
    leftmost, _ = get_horizontal_offsets_from_anchor(block)
    lowest, _ = get_vertical_offsets_from_anchor(block)
    return (leftmost, lowest)


def _get_dots_seen_from(block, origin):
    column, row = origin
    moved = set()
    for dot_position in get_all_dot_positions(block):
        moved.add(Position.translate_over(dot_position, -column, -row))
    return moved


def print_block(block):
    dots = get_all_dot_positions(block)
    leftmost, rightmost = get_horizontal_offsets_from_anchor(block)
    lowest, highest = get_vertical_offsets_from_anchor(block)
    for row in range(max(highest, 0), min(lowest, 0) - 1, -1):
        line = ""
        for column in range(min(leftmost, 0), max(rightmost, 0) + 1):
            line += _get_symbol((column, row), dots)
        print(line)


def _get_symbol(position, dots):
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


def select_standard_block():
    return random.choice(standard_blocks)  # noqa: S311 - a game keeps no secrets
