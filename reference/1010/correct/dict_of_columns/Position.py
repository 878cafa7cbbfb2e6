"""Everything written out with type(x) == int, if/elif for each direction, positions unpacked by index, iterative chains by sweeping until nothing changes."""
import sys

# the recursive functions go deep on big boards
sys.setrecursionlimit(20000)


def is_proper_position(position):
    if type(position) != tuple:
        return False
    if len(position) != 2:
        return False
    if type(position[0]) == int and type(position[1]) == int:
        return True
    else:
        return False


def is_proper_position_for_board(dimension, position):
    if type(dimension) != int:
        return False
    if dimension < 1:
        return False
    if is_proper_position(position) == False:
        return False
    if position[0] < 1 or position[0] > dimension:
        return False
    if position[1] < 1 or position[1] > dimension:
        return False
    return True


def left(dimension, position):
    if position[0] == 1:
        return None
    else:
        return (position[0] - 1, position[1])


def right(dimension, position):
    if position[0] == dimension:
        return None
    else:
        return (position[0] + 1, position[1])


def up(dimension, position):
    if position[1] == dimension:
        return None
    else:
        return (position[0], position[1] + 1)


def down(dimension, position):
    if position[1] == 1:
        return None
    else:
        return (position[0], position[1] - 1)


def next(dimension, position):
    if position == (dimension, dimension):
        return None
    elif position[0] == dimension:
        return (1, position[1] + 1)
    else:
        return (position[0] + 1, position[1])


def translate_over(position, delta_x, delta_y):
    new_column = position[0] + delta_x
    new_row = position[1] + delta_y
    return (new_column, new_row)


def get_adjacent_positions(position, dimension=None):
    k = position[0]
    r = position[1]
    adjacent = {(k - 1, r), (k + 1, r), (k, r - 1), (k, r + 1)}
    if dimension == None:
        return adjacent
    inside = set()
    for pos in adjacent:
        if is_proper_position_for_board(dimension, pos):
            inside.add(pos)
    return inside


def is_adjacent_to(position, other_positions):
    for other in other_positions:
        if abs(other[0] - position[0]) + abs(other[1] - position[1]) == 1:
            return True
    return False


def get_surrounding_positions(position, dimension=None):
    k = position[0]
    r = position[1]
    around = {(k - 1, r - 1), (k, r - 1), (k + 1, r - 1),
              (k - 1, r), (k + 1, r),
              (k - 1, r + 1), (k, r + 1), (k + 1, r + 1)}
    if dimension == None:
        return around
    inside = set()
    for pos in around:
        if is_proper_position_for_board(dimension, pos):
            inside.add(pos)
    return inside


def are_chained(positions):
    """Keep sweeping over the others until nothing can be attached anymore."""
    others = list(set(positions))
    if others == []:
        return True
    chain = [others[0]]
    del others[0]
    changed = True
    while changed:
        changed = False
        still_others = []
        for pos in others:
            if is_adjacent_to(pos, chain):
                chain.append(pos)
                changed = True
            else:
                still_others.append(pos)
        others = still_others
    return others == []


def are_chained_rec(positions, chain=None):
    """chain = the positions attached last (they are no longer in positions)"""
    rest = set(positions)
    if chain is None:
        if len(rest) == 0:
            return True
        return are_chained_rec(rest, [rest.pop()])
    if len(rest) == 0:
        return True
    if chain == []:
        return False
    attached = get_adjacent_positions(chain[0]) & rest
    return are_chained_rec(rest - attached, chain[1:] + list(attached))
