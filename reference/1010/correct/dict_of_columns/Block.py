"""A block is a sorted list of tuples; everything is looked up in the list with in, tries on a deepcopy first."""
from copy import deepcopy
from random import randint

import Position


def make_block(dot_positions):
    return sorted(dot_positions)


def get_all_dot_positions(block):
    return set(block)


def is_proper_block(block):
    """
    A block is a sorted list with at least one dot, without doubles,
    all dots are proper positions and they are chained.
    """
    if type(block) != list or block == []:
        return False
    for dot in block:
        if not Position.is_proper_position(dot):
            return False
    if sorted(set(block)) != block:
        return False
    return Position.are_chained(block)


def add_dot(block, dot_position):
    if dot_position in block:
        return
    if Position.is_adjacent_to(dot_position, block):
        block.append(dot_position)
        block.sort()


def remove_dot(block, dot_position):
    if dot_position not in block:
        return
    if len(block) == 1:
        return
    test = deepcopy(block)
    test.remove(dot_position)
    if Position.are_chained(test):
        block.remove(dot_position)


def get_horizontal_offsets_from_anchor(block):
    smallest = block[0][0]
    biggest = block[0][0]
    for dot in block:
        if dot[0] < smallest:
            smallest = dot[0]
        if dot[0] > biggest:
            biggest = dot[0]
    return (smallest, biggest)


def get_vertical_offsets_from_anchor(block):
    smallest = block[0][1]
    biggest = block[0][1]
    for dot in block:
        if dot[1] < smallest:
            smallest = dot[1]
        if dot[1] > biggest:
            biggest = dot[1]
    return (smallest, biggest)


def are_equivalent(block, other_block):
    # both are sorted, so the dots correspond one to one
    if len(block) != len(other_block):
        return False
    delta_x = other_block[0][0] - block[0][0]
    delta_y = other_block[0][1] - block[0][1]
    for i in range(len(block)):
        if Position.translate_over(block[i], delta_x, delta_y) != other_block[i]:
            return False
    return True


def is_normalized(block):
    if (0, 0) in block:
        return True
    return False


def normalize(block):
    if is_normalized(block):
        return deepcopy(block)
    # the last dot of the list becomes the anchor
    anchor = block[-1]
    new_block = []
    for dot in block:
        new_block.append(Position.translate_over(dot, -anchor[0], -anchor[1]))
    return make_block(new_block)


def print_block(block):
    (L, R) = get_horizontal_offsets_from_anchor(block)
    (B, A) = get_vertical_offsets_from_anchor(block)
    row = max(A, 0)
    while row >= min(B, 0):
        column = min(L, 0)
        while column <= max(R, 0):
            if (column, row) == (0, 0):
                print("X", end=" ")
            elif (column, row) in block:
                print("o", end=" ")
            else:
                print(" ", end=" ")
            column += 1
        print()
        row -= 1


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
