"""Positions that touch at a corner are taken to be connected."""

STEPS_TO_ADJACENT = ((-1, 0), (1, 0), (0, -1), (0, 1))
STEPS_TO_DIAGONAL = ((-1, -1), (-1, 1), (1, -1), (1, 1))


def is_integer(value):
    return type(value) is int


def is_proper_position(position):
    return (
        isinstance(position, tuple)
        and len(position) == 2
        and is_integer(position[0])
        and is_integer(position[1])
    )


def is_proper_position_for_board(dimension, position):
    if not is_integer(dimension) or not is_proper_position(position):
        return False
    column, row = position
    return 1 <= column <= dimension and 1 <= row <= dimension


def left(dimension, position):
    return _moved_over(dimension, position, -1, 0)


def right(dimension, position):
    return _moved_over(dimension, position, 1, 0)


def up(dimension, position):
    return _moved_over(dimension, position, 0, 1)


def down(dimension, position):
    return _moved_over(dimension, position, 0, -1)


def _moved_over(dimension, position, delta_x, delta_y):
    moved = translate_over(position, delta_x, delta_y)
    if is_proper_position_for_board(dimension, moved):
        return moved
    return None


def next(dimension, position):
    column, row = position
    if column < dimension:
        return right(dimension, position)
    return up(dimension, (1, row))


def translate_over(position, delta_x, delta_y):
    column, row = position
    return (column + delta_x, row + delta_y)


def get_adjacent_positions(position, dimension=None):
    return _positions_after_steps(position, STEPS_TO_ADJACENT, dimension)


def is_adjacent_to(position, other_positions):
    return not get_adjacent_positions(position).isdisjoint(other_positions)


def get_surrounding_positions(position, dimension=None):
    return _positions_after_steps(position, STEPS_TO_ADJACENT + STEPS_TO_DIAGONAL, dimension)


def _positions_after_steps(position, steps, dimension):
    reached = set()
    for delta_x, delta_y in steps:
        candidate = translate_over(position, delta_x, delta_y)
        if dimension is None or is_proper_position_for_board(dimension, candidate):
            reached.add(candidate)
    return reached


def are_chained(positions):
    unreached = set(positions)
    if len(unreached) == 0:
        return True
    to_explore = [unreached.pop()]
    while len(to_explore) > 0:
        neighbours = get_surrounding_positions(to_explore.pop()) & unreached
        unreached -= neighbours
        to_explore.extend(neighbours)
    return len(unreached) == 0


def are_chained_rec(positions, frontier=None):
    unreached = set(positions)
    if len(unreached) == 0:
        return True
    if frontier is None:
        start = unreached.pop()
        return are_chained_rec(unreached, {start})
    if len(frontier) == 0:
        return False
    explored = min(frontier)
    neighbours = get_adjacent_positions(explored) & unreached
    return are_chained_rec(unreached - neighbours, (frontier - {explored}) | neighbours)
