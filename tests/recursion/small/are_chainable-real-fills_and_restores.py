def make_board(dimension=10, positions_to_fill=frozenset()):
    board = {"dimension": dimension, "filled": set()}
    for position in positions_to_fill:
        fill_cell(board, position)
    return board


def inside(board, position):
    return 1 <= position[0] <= board["dimension"] and 1 <= position[1] <= board["dimension"]


def is_filled_at(board, position):
    return position in board["filled"]


def fill_cell(board, position):
    if inside(board, position):
        board["filled"].add(position)


def free_cell(board, position):
    board["filled"].discard(position)


def get_all_filled_positions(board):
    return set(board["filled"])


def neighbours(position):
    x, y = position
    return [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]


def are_chainable(board, positions, reached=None):
    positions = list(positions)
    if not positions:
        return True
    if reached is None:
        reached = spread(make_board(board["dimension"], board["filled"]),
                         positions[0], is_filled_at(board, positions[0]))
    if positions[0] not in reached:
        return False
    return are_chainable(board, positions[1:], reached)


def spread(board, position, state):
    if not inside(board, position) or is_filled_at(board, position) != state:
        return set()
    if state:
        free_cell(board, position)
    else:
        fill_cell(board, position)
    found = {position}
    for near in neighbours(position):
        found |= spread(board, near, state)
    return found
