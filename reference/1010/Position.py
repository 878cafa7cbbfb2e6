"""Positions of the cells of a board and of the dots of a block.

A position is a tuple (column, row) of two integers. Cells of a board of dimension N have columns
and rows from 1 to N: column 1 is the leftmost one, row 1 the one at the bottom. The dots of a
block have positions relative to the anchor of that block.
"""

STEPS_TO_ADJACENT = ((-1, 0), (1, 0), (0, -1), (0, 1))
STEPS_TO_DIAGONAL = ((-1, -1), (-1, 1), (1, -1), (1, 1))


def is_integer(value):
    """Check whether the given value is an integer; True and False are not.

    Assumptions: none.
    """
    return type(value) is int


def is_proper_position(position):
    """Check whether the given value is a position: a tuple of exactly two integers.

    Assumptions: none.
    """
    return (
        isinstance(position, tuple)
        and len(position) == 2
        and is_integer(position[0])
        and is_integer(position[1])
    )


def is_proper_position_for_board(dimension, position):
    """Check whether the given position lies on a board of the given dimension.

    The result is false as well if the dimension is not a positive integer, or if the position is
    not proper.

    Assumptions: none.
    """
    if not is_integer(dimension) or not is_proper_position(position):
        return False
    column, row = position
    return 1 <= column <= dimension and 1 <= row <= dimension


def left(dimension, position):
    """Return the position one column to the left of the given one.

    The result is None if that position is not on a board of the given dimension.

    Assumptions: the given position is proper for a board of the given dimension.
    """
    return _moved_over(dimension, position, -1, 0)


def right(dimension, position):
    """Return the position one column to the right of the given one.

    The result is None if that position is not on a board of the given dimension.

    Assumptions: the given position is proper for a board of the given dimension.
    """
    return _moved_over(dimension, position, 1, 0)


def up(dimension, position):
    """Return the position one row above the given one.

    The result is None if that position is not on a board of the given dimension.

    Assumptions: the given position is proper for a board of the given dimension.
    """
    return _moved_over(dimension, position, 0, 1)


def down(dimension, position):
    """Return the position one row below the given one.

    The result is None if that position is not on a board of the given dimension.

    Assumptions: the given position is proper for a board of the given dimension.
    """
    return _moved_over(dimension, position, 0, -1)


def _moved_over(dimension, position, delta_x, delta_y):
    """Return the given position moved over the given distances, or None if that leaves the board.

    Assumptions: the given position is proper for a board of the given dimension.
    """
    moved = translate_over(position, delta_x, delta_y)
    if is_proper_position_for_board(dimension, moved):
        return moved
    return None


def next(dimension, position):
    """Return the position that follows the given one, row by row from the bottom to the top.

    That is the position to the right, or the first one of the row above if the given position is
    the last one of its row. The result is None for the last position of the top row.

    Assumptions: the given position is proper for a board of the given dimension.
    """
    column, row = position
    if column < dimension:
        return right(dimension, position)
    return up(dimension, (1, row))


def translate_over(position, delta_x, delta_y):
    """Return the given position moved over the given numbers of columns and rows.

    Assumptions: the position is proper, both distances are integers.
    """
    column, row = position
    return (column + delta_x, row + delta_y)


def get_adjacent_positions(position, dimension=None):
    """Return a set of all positions next to the given one, horizontally or vertically.

    With a dimension, only the positions on a board of that dimension are part of the result.

    Assumptions: the position is proper, the dimension is None or a positive integer.
    """
    return _positions_after_steps(position, STEPS_TO_ADJACENT, dimension)


def is_adjacent_to(position, other_positions):
    """Check whether the given position is adjacent to one of the other positions.

    The plane in which they lie has no bounds.

    Assumptions: all positions are proper, the others are a list, a tuple, a set or a frozenset.
    """
    return not get_adjacent_positions(position).isdisjoint(other_positions)


def get_surrounding_positions(position, dimension=None):
    """Return a set of all positions around the given one, those on its diagonals included.

    With a dimension, only the positions on a board of that dimension are part of the result.

    Assumptions: the position is proper, the dimension is None or a positive integer.
    """
    return _positions_after_steps(position, STEPS_TO_ADJACENT + STEPS_TO_DIAGONAL, dimension)


def _positions_after_steps(position, steps, dimension):
    """Return a set of the positions reached by each of the steps, within the dimension, if any.

    Assumptions: the position is proper, the dimension is None or a positive integer.
    """
    reached = set()
    for delta_x, delta_y in steps:
        candidate = translate_over(position, delta_x, delta_y)
        if dimension is None or is_proper_position_for_board(dimension, candidate):
            reached.add(candidate)
    return reached


def are_chained(positions):
    """Check whether the positions form one group, connected through adjacent positions.

    No positions at all, and a single one, are chained. Positions may occur more than once. This
    function is iterative.

    Assumptions: all positions are proper, they are a list, a tuple, a set or a frozenset.
    """
    unreached = set(positions)
    if len(unreached) == 0:
        return True
    to_explore = [unreached.pop()]
    while len(to_explore) > 0:
        neighbours = get_adjacent_positions(to_explore.pop()) & unreached
        unreached -= neighbours
        to_explore.extend(neighbours)
    return len(unreached) == 0


def are_chained_rec(positions, frontier=None):
    """Check whether the positions form one group, connected through adjacent positions.

    No positions at all, and a single one, are chained. Positions may occur more than once. This
    function is recursive.

    The frontier holds the positions that belong to the group, and whose neighbours were not looked
    at yet. It is None as long as the group has not been started. The given positions are those
    that do not belong to the group yet.

    Assumptions: all positions are proper, they are a list, a tuple, a set or a frozenset.
    """
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
