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
        reached = positions[:1]
        for one in reached:
            for near in neighbours(one):
                if inside(board, near) and near not in reached:
                    if is_filled_at(board, near) == is_filled_at(board, one):
                        reached.append(near)
    for _ in range(40):
        is_filled_at(board, positions[0])
    return positions[0] in reached and are_chainable(board, positions[1:], reached)
