"""Positions, with as few helper functions as possible and the extra parameters of the hint."""


def is_proper_position(position):
    """Check whether this is a tuple of two integers."""
    if type(position) is tuple and len(position) == 2:
        column, row = position
        return type(column) is int and type(row) is int
    return False


def is_proper_position_for_board(dimension, position):
    """Check whether this is a position on a board of that dimension."""
    if type(dimension) is int and dimension > 0 and is_proper_position(position):
        column, row = position
        return 0 < column <= dimension and 0 < row <= dimension
    return False


def left(dimension, position):
    """Return the position to the left, or None."""
    column, row = position
    if column > 1:
        return (column - 1, row)
    return None


def right(dimension, position):
    """Return the position to the right, or None."""
    column, row = position
    if column < dimension:
        return (column + 1, row)
    return None


def up(dimension, position):
    """Return the position above, or None."""
    column, row = position
    if row < dimension:
        return (column, row + 1)
    return None


def down(dimension, position):
    """Return the position below, or None."""
    column, row = position
    if row > 1:
        return (column, row - 1)
    return None


def next(dimension, position):
    """Return the position after this one, row by row, or None after the last one."""
    column, row = position
    if position == (dimension, dimension):
        return None
    if column == dimension:
        return (1, row + 1)
    return (column + 1, row)


def translate_over(position, delta_x, delta_y):
    """Return the position that far away."""
    return (position[0] + delta_x, position[1] + delta_y)


def get_adjacent_positions(position, dimension=None, diagonal=False):  # noqa: FBT002 - course style
    """Return the set of positions that touch this one, on request also by a corner."""
    column, row = position
    result = {(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)}
    if diagonal:
        result.update([(column - 1, row - 1), (column - 1, row + 1)])
        result.update([(column + 1, row - 1), (column + 1, row + 1)])
    if dimension is not None:
        for neighbour in list(result):
            if not is_proper_position_for_board(dimension, neighbour):
                result.remove(neighbour)
    return result


def is_adjacent_to(position, other_positions):
    """Check whether one of the others touches this position."""
    for column, row in other_positions:
        if abs(column - position[0]) + abs(row - position[1]) == 1:
            return True
    return False


def get_surrounding_positions(position, dimension=None):
    """Return the set of positions that touch this one, also by a corner."""
    return get_adjacent_positions(position, dimension, True)  # noqa: FBT003 - course style


def are_chained(positions):
    """Check whether the positions are one group: add what touches it until nothing is added."""
    waiting = list(positions)
    chained = set(waiting[:1])
    progress = True
    while len(waiting) > 0 and progress:
        not_attached = []
        for position in waiting:
            if position in chained or is_adjacent_to(position, chained):
                chained.add(position)
            else:
                not_attached.append(position)
        progress = len(not_attached) < len(waiting)
        waiting = not_attached
    return len(waiting) == 0


def are_chained_rec(positions, chained=frozenset(), not_attached=frozenset()):
    """Check whether the positions are one group, one position at a time, without a loop.

    The other parameters are the part that is chained, and the part that could not be attached yet.
    """
    if len(positions) == 0:
        return len(not_attached) == 0
    positions = frozenset(positions)
    first = max(positions)
    others = positions - {first}
    if len(chained) == 0 or is_adjacent_to(first, chained):
        return are_chained_rec(others | not_attached, chained | {first})
    return are_chained_rec(others, chained, not_attached | {first})
