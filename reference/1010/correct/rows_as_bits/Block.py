"""A block is a dictionary from a row to the set of columns of the dots in that row."""
import random

from Position import is_proper_position, is_adjacent_to, are_chained, translate_over


def make_block(dot_positions):
    block = {}
    for dot in dot_positions:
        _put(block, dot)
    return block


def _put(block, dot):
    block.setdefault(dot[1], set()).add(dot[0])


def get_all_dot_positions(block):
    dots = set()
    for row in block:
        for column in block[row]:
            dots.add((column, row))
    return dots


def is_proper_block(block):
    if not isinstance(block, dict) or not block:
        return False
    for row in block:
        if not isinstance(block[row], set) or not block[row]:
            return False
    for dot in get_all_dot_positions(block):
        if not is_proper_position(dot):
            return False
    return are_chained(get_all_dot_positions(block))


def add_dot(block, dot_position):
    dots = get_all_dot_positions(block)
    if dot_position not in dots and is_adjacent_to(dot_position, dots):
        _put(block, dot_position)


def remove_dot(block, dot_position):
    rest = get_all_dot_positions(block) - {dot_position}
    if rest and are_chained(rest):
        block.clear()
        for dot in rest:
            _put(block, dot)


def get_horizontal_offsets_from_anchor(block):
    columns = set().union(*block.values())
    return min(columns), max(columns)


def get_vertical_offsets_from_anchor(block):
    return min(block), max(block)


def _translated(block, delta_x, delta_y):
    dots = set()
    for dot in get_all_dot_positions(block):
        dots.add(translate_over(dot, delta_x, delta_y))
    return make_block(dots)


def are_equivalent(block, other_block):
    """Try to put the first dot on each of the dots of the other block."""
    dots = get_all_dot_positions(block)
    first = max(dots)
    for other in get_all_dot_positions(other_block):
        moved = _translated(block, other[0] - first[0], other[1] - first[1])
        if moved == other_block:
            return True
    return False


def is_normalized(block):
    return 0 in block and 0 in block[0]


def normalize(block):
    """The dot in the highest row (and there the most right) becomes the anchor."""
    row = max(block)
    return _translated(block, -max(block[row]), -row)


def print_block(block):
    dots = get_all_dot_positions(block)
    L, R = get_horizontal_offsets_from_anchor(block)
    B, A = get_vertical_offsets_from_anchor(block)
    for row in range(max(0, A), min(0, B) - 1, -1):
        for column in range(min(0, L), max(0, R) + 1):
            sign = "#" if (column, row) in dots else "."
            if column == row == 0:
                sign = "@"
            print(sign, end="")
        print()


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
