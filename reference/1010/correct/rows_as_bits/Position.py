"""Directions in a tuple and one general step function, union-find for the iterative chain and four explicit recursive calls for the other."""

DIRECTIONS = ((-1, 0), (1, 0), (0, 1), (0, -1))
DIAGONALS = ((-1, -1), (-1, 1), (1, -1), (1, 1))


def _is_number(x):
    return isinstance(x, int) and x is not True and x is not False


def is_proper_position(position):
    return (isinstance(position, tuple) and len(position) == 2
            and _is_number(position[0]) and _is_number(position[1]))


def is_proper_position_for_board(dimension, position):
    return (_is_number(dimension) and dimension > 0
            and is_proper_position(position)
            and 0 < position[0] <= dimension
            and 0 < position[1] <= dimension)


def _step(dimension, position, direction):
    """Position one step further, None if that is not on the board."""
    new = translate_over(position, direction[0], direction[1])
    if dimension is None or is_proper_position_for_board(dimension, new):
        return new
    return None


def left(dimension, position):
    return _step(dimension, position, (-1, 0))


def right(dimension, position):
    return _step(dimension, position, (1, 0))


def up(dimension, position):
    return _step(dimension, position, (0, 1))


def down(dimension, position):
    return _step(dimension, position, (0, -1))


def next(dimension, position):
    return right(dimension, position) or up(dimension, (1, position[1]))


def translate_over(position, delta_x, delta_y):
    (k, r) = position
    return (k + delta_x, r + delta_y)


def _steps(dimension, position, directions):
    result = set()
    for direction in directions:
        result.add(_step(dimension, position, direction))
    result.discard(None)
    return result


def get_adjacent_positions(position, dimension=None):
    return _steps(dimension, position, DIRECTIONS)


def is_adjacent_to(position, other_positions):
    for neighbour in get_adjacent_positions(position):
        if neighbour in other_positions:
            return True
    return False


def get_surrounding_positions(position, dimension=None):
    return _steps(dimension, position, DIRECTIONS + DIAGONALS)


def _find_boss(boss, position):
    while boss[position] != position:
        position = boss[position]
    return position


def are_chained(positions):
    """Union-find: every position has a boss, adjacent ones get the same boss."""
    boss = {}
    for position in positions:
        boss[position] = position
    groups = len(boss)
    for position in boss:
        for neighbour in (right(None, position), up(None, position)):
            if neighbour in boss:
                boss1 = _find_boss(boss, position)
                boss2 = _find_boss(boss, neighbour)
                if boss1 != boss2:
                    boss[boss1] = boss2
                    groups -= 1
    return groups <= 1


def are_chained_rec(positions, current=None, todo=None):
    """Walk recursively over the positions and tick them off in todo."""
    if todo is None:
        todo = set(positions)
        if len(todo) <= 1:
            return True
        return are_chained_rec(positions, max(todo), todo)
    if current in todo:
        todo.remove(current)
        are_chained_rec(positions, left(None, current), todo)
        are_chained_rec(positions, right(None, current), todo)
        are_chained_rec(positions, up(None, current), todo)
        are_chained_rec(positions, down(None, current), todo)
    return len(todo) == 0
