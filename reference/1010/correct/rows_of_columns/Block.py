"""Blocks as a dictionary: for each column that has dots, the set of their rows."""

from random import randint

from Position import are_chained_rec, is_adjacent_to, is_proper_position


def make_block(dot_positions):
    """Return a block with these dots."""
    block = {}
    for column, row in dot_positions:
        block.setdefault(column, set()).add(row)
    return block


def get_all_dot_positions(block):
    """Return a new set with the dots."""
    dots = set()
    for column in block:
        for row in block[column]:
            dots.add((column, row))
    return dots


def is_proper_block(block):
    """Check whether this is a dictionary of non-empty sets of rows, all chained."""
    if type(block) is not dict or len(block) == 0:
        return False
    for column in block:
        if type(block[column]) is not set or len(block[column]) == 0:
            return False
        for row in block[column]:
            if not is_proper_position((column, row)):
                return False
    return are_chained_rec(get_all_dot_positions(block))


def add_dot(block, dot_position):
    """Add the dot if it touches the block."""
    column, row = dot_position
    if is_adjacent_to(dot_position, get_all_dot_positions(block)):
        block.setdefault(column, set()).add(row)


def remove_dot(block, dot_position):
    """Remove the dot if the others stay together."""
    others = get_all_dot_positions(block)
    others.discard(dot_position)
    if len(others) > 0 and are_chained_rec(others):
        block.clear()
        block.update(make_block(others))


def get_horizontal_offsets_from_anchor(block):
    """Return the first and the last column with dots."""
    return (min(block), max(block))


def get_vertical_offsets_from_anchor(block):
    """Return the lowest and the highest row with dots."""
    rows = set()
    for column in block:
        rows.update(block[column])
    return (min(rows), max(rows))


def are_equivalent(block, other_block):
    """Check whether the dots have the same distances to the first one."""
    return _with_first_dot_as_anchor(block) == _with_first_dot_as_anchor(other_block)


def is_normalized(block):
    """Check whether the anchor is a dot."""
    return 0 in block.get(0, ())


def normalize(block):
    """Return the block seen from its first dot."""
    return _with_first_dot_as_anchor(block)


def _with_first_dot_as_anchor(block):
    """Return a block with the same dots around another anchor: the first in reading order."""
    first_column = min(block)
    first_row = min(block[first_column])
    moved = {}
    for column in block:
        moved[column - first_column] = set()
        for row in block[column]:
            moved[column - first_column].add(row - first_row)
    return moved


def print_block(block):
    """Print the block, its anchor in brackets."""
    dots = get_all_dot_positions(block)
    left, right = get_horizontal_offsets_from_anchor(block)
    bottom, top = get_vertical_offsets_from_anchor(block)
    for row in range(max(0, top), min(0, bottom) - 1, -1):
        for column in range(min(0, left), max(0, right) + 1):
            character = "o" if (column, row) in dots else " "
            if (column, row) == (0, 0):
                print("[" + character + "]", end="")
            else:
                print(" " + character + " ", end="")
        print()


def select_standard_block():
    """Return a random standard block."""
    return standard_blocks[randint(0, len(standard_blocks) - 1)]  # noqa: S311 - only a game


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
