"""Works with try/except for odd arguments, numbers for next, adjacent as a part of surrounding, a path in waves for the chains."""


def is_proper_position(position):
    try:
        k, r = position
    except (TypeError, ValueError):
        return False
    return type(position) is tuple and type(k) is int and type(r) is int


def is_proper_position_for_board(dimension, position):
    if type(dimension) is int and is_proper_position(position):
        return min(position) >= 1 and max(position) <= dimension
    return False


def left(dimension, position):
    k, r = position
    return (k - 1, r) if k - 1 >= 1 else None


def right(dimension, position):
    k, r = position
    return (k + 1, r) if k + 1 <= dimension else None


def up(dimension, position):
    k, r = position
    return (k, r + 1) if r + 1 <= dimension else None


def down(dimension, position):
    k, r = position
    return (k, r - 1) if r - 1 >= 1 else None


def next(dimension, position):
    # number all cells 0, 1, 2, ... in reading order
    k, r = position
    number = (r - 1) * dimension + k
    if number == dimension * dimension:
        return None
    return (number % dimension + 1, number // dimension + 1)


def translate_over(position, delta_x, delta_y):
    k, r = position
    return (k + delta_x, r + delta_y)


def get_adjacent_positions(position, dimension=None):
    result = set()
    for other in get_surrounding_positions(position, dimension):
        if other[0] == position[0] or other[1] == position[1]:
            result.add(other)
    return result


def is_adjacent_to(position, other_positions):
    others = list(other_positions)
    k, r = position
    return (k - 1, r) in others or (k + 1, r) in others or (k, r - 1) in others or (k, r + 1) in others


def get_surrounding_positions(position, dimension=None):
    k, r = position
    result = set()
    for column in (k - 1, k, k + 1):
        for row in (r - 1, r, r + 1):
            if (column, row) == (k, r):
                continue
            if dimension is not None and not (1 <= column <= dimension and 1 <= row <= dimension):
                continue
            result.add((column, row))
    return result


def get_all_adjacent(group):
    """All positions that are adjacent to at least one of the group."""
    result = set()
    for position in group:
        result.update(get_adjacent_positions(position))
    return result


def are_chained(positions):
    not_reached = set(positions)
    if not not_reached:
        return True
    wave = {not_reached.pop()}
    while wave:
        wave = get_all_adjacent(wave) & not_reached
        not_reached -= wave
    return not not_reached


def are_chained_rec(positions, chained=frozenset(), wave=frozenset()):
    """positions: still to be attached; chained: attached; wave: the last attached"""
    positions = frozenset(positions)
    if not positions:
        return True
    if not chained:
        one = frozenset([list(positions)[0]])
        return are_chained_rec(positions - one, one, one)
    new_wave = positions & get_all_adjacent(wave)
    if not new_wave:
        return False
    return are_chained_rec(positions - new_wave, chained | new_wave, new_wave)
