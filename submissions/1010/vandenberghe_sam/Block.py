import random
import Position


def make_block(dot_positions):
    """
        TO DO: complete this function.
    """
    pass


def get_all_dot_positions(block):
    """
        TO DO: complete this function.
    """
    pass


def is_proper_block(block):
    """
        TO DO: complete this function.
    """
    pass


def add_dot(block, dot_position):
    """
        TO DO: complete this function.
    """
    pass


def remove_dot(block, dot_position):
    """
        TO DO: complete this function.
    """
    pass


def get_horizontal_offsets_from_anchor(block):
    """
        TO DO: complete this function.
    """
    pass


def get_vertical_offsets_from_anchor(block):
    """
        TO DO: complete this function.
    """
    pass


def are_equivalent(block, other_block):
    """
        TO DO: complete this function.
    """
    pass


def is_normalized(block):
    """
        TO DO: complete this function.
    """
    pass


def normalize(block):
    """
        TO DO: complete this function.
    """
    pass


def print_block(block):
    left, right = get_horizontal_offsets_from_anchor(block)
    bottom, top = get_vertical_offsets_from_anchor(block)
    for row in range(max(top, 0), min(bottom, 0) - 1, -1):
        for column in range(min(left, 0), max(right, 0) + 1):
            dot = (column, row) in get_all_dot_positions(block)
            print("#" if dot else ".", end=" ")
        print()


standard_blocks = (
    make_block({(0, 0)}),
    make_block({(0, 0), (1, 0)}),
    make_block({(-1, 0), (0, 0), (1, 0)}),
    make_block({(0, 0), (0, 1)}),
    make_block({(0, -1), (0, 0), (0, 1)}),
    make_block({(0, 0), (0, 1), (1, 0)}),
    make_block({(0, 0), (1, 0), (0, 1), (1, 1)}),
)


def select_standard_block():
    return standard_blocks[random.randint(0, len(standard_blocks) - 1)]
