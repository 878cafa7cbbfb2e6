"""Board is a list of dimension and set of filled cells, a block is simply a set; isinstance everywhere, short functions, stack for chains."""


def is_proper_position(position):
    """Check whether the given position is a tuple of two integer numbers."""
    if not isinstance(position, tuple) or len(position) != 2:
        return False
    for number in position:
        # True and False are numbers for Python, but not for us
        if not isinstance(number, int) or isinstance(number, bool):
            return False
    return True


def is_proper_position_for_board(dimension, position):
    """Check whether the position lies on a board of the given dimension."""
    if not isinstance(dimension, int) or dimension <= 0:
        return False
    if not is_proper_position(position):
        return False
    column, row = position
    return 1 <= column <= dimension and 1 <= row <= dimension


def left(dimension, position):
    column, row = position
    if column > 1:
        return (column - 1, row)
    return None


def right(dimension, position):
    column, row = position
    if column < dimension:
        return (column + 1, row)
    return None


def up(dimension, position):
    column, row = position
    if row < dimension:
        return (column, row + 1)
    return None


def down(dimension, position):
    column, row = position
    if row > 1:
        return (column, row - 1)
    return None


def next(dimension, position):
    """Next position from left to right and then from bottom to top."""
    to_the_right = right(dimension, position)
    if to_the_right is not None:
        return to_the_right
    if position[1] == dimension:
        return None
    return (1, position[1] + 1)


def translate_over(position, delta_x, delta_y):
    return (position[0] + delta_x, position[1] + delta_y)


def get_adjacent_positions(position, dimension=None):
    """Set of all positions directly left, right, above or below."""
    result = set()
    for step in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        neighbour = translate_over(position, step[0], step[1])
        if dimension is None or is_proper_position_for_board(dimension, neighbour):
            result.add(neighbour)
    return result


def is_adjacent_to(position, other_positions):
    return not get_adjacent_positions(position).isdisjoint(other_positions)


def get_surrounding_positions(position, dimension=None):
    """Set of all positions around, also diagonally."""
    result = set()
    for delta_x in range(-1, 2):
        for delta_y in range(-1, 2):
            neighbour = translate_over(position, delta_x, delta_y)
            if neighbour != position:
                if dimension is None or is_proper_position_for_board(dimension, neighbour):
                    result.add(neighbour)
    return result


def are_chained(positions):
    """Iterative: take all that can be reached from an arbitrary position."""
    to_reach = set(positions)
    if len(to_reach) == 0:
        return True
    stack = [to_reach.pop()]
    while len(stack) > 0:
        current = stack.pop()
        for neighbour in get_adjacent_positions(current):
            if neighbour in to_reach:
                to_reach.remove(neighbour)
                stack.append(neighbour)
    return len(to_reach) == 0


def are_chained_rec(positions, chained=frozenset(), not_yet=frozenset()):
    """
    Recursive: chained are the positions that are already attached but whose
    neighbours we still have to look at; not_yet are those not attached.
    (positions is only used in the first call.)
    """
    if len(positions) > 0:
        everything = frozenset(positions)
        first = frozenset([min(everything)])
        return are_chained_rec((), first, everything - first)
    if len(not_yet) == 0:
        return True
    if len(chained) == 0:
        return False
    current = min(chained)
    attached = not_yet & get_adjacent_positions(current)
    return are_chained_rec((), (chained - {current}) | attached, not_yet - attached)
