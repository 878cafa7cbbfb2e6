"""Positions. A question that is answered with no may return nothing at all, which counts as no."""


def is_proper_position(position):
    """Is this a tuple of two integers?"""
    try:
        column, row = position
    except (TypeError, ValueError):
        return False
    return isinstance(position, tuple) and type(column) is int and type(row) is int


def is_proper_position_for_board(dimension, position):
    """Is this a position on a board of that dimension?"""
    if is_proper_position(position) and type(dimension) is int:
        column, row = position
        return column > 0 and row > 0 and column <= dimension and row <= dimension
    return None


def left(dimension, position):
    """Go one column to the left."""
    return find_next(dimension, position, -1, 0)


def right(dimension, position):
    """Go one column to the right."""
    return find_next(dimension, position, 1, 0)


def up(dimension, position):
    """Go one row up."""
    return find_next(dimension, position, 0, 1)


def down(dimension, position):
    """Go one row down."""
    return find_next(dimension, position, 0, -1)


def find_next(dimension, position, delta_x, delta_y):
    """Go somewhere on the board; the answer is nothing outside of it."""
    new_position = translate_over(position, delta_x, delta_y)
    if is_proper_position_for_board(dimension, new_position):
        return new_position
    return None


def next(dimension, position):
    """Go to the right, or else to the start of the row above."""
    new_position = right(dimension, position)
    if new_position is None:
        above = up(dimension, position)
        if above is not None:
            new_position = (1, above[1])
    return new_position


def translate_over(position, delta_x, delta_y):
    """Go somewhere."""
    return (position[0] + delta_x, position[1] + delta_y)


def get_adjacent_positions(position, dimension=None):
    """Which positions are next to it?"""
    found = {
        translate_over(position, 1, 0),
        translate_over(position, -1, 0),
        translate_over(position, 0, 1),
        translate_over(position, 0, -1),
    }
    return keep_on_board(found, dimension)


def is_adjacent_to(position, other_positions):
    """Is it next to one of the others?  The number of those is the answer."""
    return len(get_adjacent_positions(position) & set(other_positions))


def get_surrounding_positions(position, dimension=None):
    """Which positions are around it?"""
    found = get_adjacent_positions(position)
    for column, row in get_adjacent_positions(position):
        if column == position[0]:
            found.add((column - 1, row))
            found.add((column + 1, row))
    return keep_on_board(found, dimension)


def keep_on_board(positions, dimension):
    """Which of the positions are on the board, if there is one?"""
    kept = positions.copy()
    if dimension is not None:
        for position in positions:
            if not is_proper_position_for_board(dimension, position):
                kept.remove(position)
    return kept


def are_chained(positions):
    """Is this one group?  Give each position a number, and neighbours the lowest of theirs."""
    numbers = {}
    for position in positions:
        if position not in numbers:
            numbers[position] = len(numbers)
    busy = True
    while busy:
        busy = False
        for position, number in numbers.items():
            lowest = number
            for neighbour in get_adjacent_positions(position):
                lowest = min(lowest, numbers.get(neighbour, lowest))
            if lowest < number:
                numbers[position] = lowest
                busy = True
    return len(set(numbers.values())) <= 1


def are_chained_rec(positions, chain=frozenset()):
    """Is this one group?  The chain is what was found of it already."""
    positions = set(positions)
    if len(positions) == 0:
        return True
    if len(chain) == 0:
        return are_chained_rec(positions, {positions.pop()})
    attached = find_attached(positions.copy(), chain)
    if len(attached) > 0:
        return are_chained_rec(positions - attached, chain | attached)
    return None


def find_attached(positions, chain):
    """Which of the positions are next to the chain?  The set of positions is emptied."""
    if len(positions) == 0:
        return set()
    position = positions.pop()
    attached = find_attached(positions, chain)
    if is_adjacent_to(position, chain):
        attached.add(position)
    return attached
