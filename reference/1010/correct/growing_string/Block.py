"""A block is a list with two lists, the x and the y of the dots (in the same order)."""
import random

import Position as P


def make_block(dot_positions):
    xs = []
    ys = []
    for (x, y) in dot_positions:
        xs.append(x)
        ys.append(y)
    return [xs, ys]


def get_all_dot_positions(block):
    return set(zip(block[0], block[1]))


def is_proper_block(block):
    """Two lists, equally long and not empty; each pair only once."""
    try:
        xs, ys = block
        dots = get_all_dot_positions(block)
        if type(block) is not list or type(xs) is not list or type(ys) is not list:
            return False
        if not (len(xs) == len(ys) == len(dots)) or len(dots) == 0:
            return False
        for dot in dots:
            if not P.is_proper_position(dot):
                return False
        return P.are_chained(dots)
    except (TypeError, ValueError, LookupError):
        return False


def add_dot(block, dot_position):
    dots = get_all_dot_positions(block)
    if dot_position in dots or not P.is_adjacent_to(dot_position, dots):
        return None
    block[0].append(dot_position[0])
    block[1].append(dot_position[1])


def remove_dot(block, dot_position):
    for i in range(len(block[0])):
        if (block[0][i], block[1][i]) == dot_position and len(block[0]) > 1:
            x = block[0].pop(i)
            y = block[1].pop(i)
            if not P.are_chained(get_all_dot_positions(block)):
                # put it back
                block[0].insert(i, x)
                block[1].insert(i, y)
            return None


def get_horizontal_offsets_from_anchor(block):
    return (min(block[0]), max(block[0]))


def get_vertical_offsets_from_anchor(block):
    ordered = sorted(block[1])
    return (ordered[0], ordered[-1])


def are_equivalent(block, other_block):
    dots = sorted(get_all_dot_positions(block))
    others = sorted(get_all_dot_positions(other_block))
    if len(dots) != len(others):
        return False
    differences = set()
    for i in range(len(dots)):
        differences.add((dots[i][0] - others[i][0], dots[i][1] - others[i][1]))
    return len(differences) == 1


def is_normalized(block):
    for i in range(len(block[0])):
        if block[0][i] == 0 and block[1][i] == 0:
            return True
    return False


def normalize(block):
    """The middle one of the sorted dots becomes the anchor."""
    dots = sorted(get_all_dot_positions(block))
    anchor_x, anchor_y = dots[len(dots) // 2]
    new_dots = set()
    for (x, y) in dots:
        new_dots.add((x - anchor_x, y - anchor_y))
    return make_block(new_dots)


def print_block(block):
    dots = get_all_dot_positions(block)
    all_x = [0] + block[0]
    all_y = [0] + block[1]
    for y in range(max(all_y), min(all_y) - 1, -1):
        for x in range(min(all_x), max(all_x) + 1):
            if x == 0 and y == 0:
                print("+" if (x, y) in dots else "-", end="")
            else:
                print("*" if (x, y) in dots else " ", end="")
        print("")


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
