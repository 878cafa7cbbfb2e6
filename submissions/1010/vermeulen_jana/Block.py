# blokken - vermeulen jana
# Een blok is een set met de posities van de stippen, gezien vanaf het anker (0, 0)
import random

import Position


def make_block(dot_positions):
    """
        Create a new block with dots at each of the given positions.
    """
    return set(dot_positions)  # kopie!


def get_all_dot_positions(block):
    return block.copy()


def is_proper_block(block):
    """
        ASSUMPTIONS
        - None
        - a block is a non-empty set of proper positions, all chained together
    """
    if not isinstance(block, set) or len(block) == 0:
        return False
    for dot in block:
        if not Position.is_proper_position(dot):
            return False
    return Position.are_chained(block)


def add_dot(block, dot_position):
    if Position.is_adjacent_to(dot_position, block):
        block.add(dot_position)


def remove_dot(block, dot_position):
    # eerst proberen op een kopie
    kopie = get_all_dot_positions(block)
    kopie.discard(dot_position)
    if len(kopie) > 0 and Position.are_chained(kopie):
        block.discard(dot_position)


def get_horizontal_offsets_from_anchor(block):
    kolommen = []
    for (k, r) in get_all_dot_positions(block):
        kolommen.append(k)
    return (min(kolommen), max(kolommen))


def get_vertical_offsets_from_anchor(block):
    rijen = []
    for (k, r) in get_all_dot_positions(block):
        rijen.append(r)
    return (min(rijen), max(rijen))


def verschuif(block, dx, dy):
    """ Geef een nieuw blok waarvan alle stippen verschoven zijn. """
    stippen = set()
    for stip in get_all_dot_positions(block):
        stippen.add(Position.translate_over(stip, dx, dy))
    return make_block(stippen)


def are_equivalent(block, other_block):
    dx = get_horizontal_offsets_from_anchor(other_block)[0] - get_horizontal_offsets_from_anchor(block)[0]
    dy = get_vertical_offsets_from_anchor(other_block)[0] - get_vertical_offsets_from_anchor(block)[0]
    return get_all_dot_positions(verschuif(block, dx, dy)) == get_all_dot_positions(other_block)


def is_normalized(block):
    return (0, 0) in get_all_dot_positions(block)


def normalize(block):
    eerste = sorted(get_all_dot_positions(block))[0]
    return verschuif(block, -eerste[0], -eerste[1])


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
