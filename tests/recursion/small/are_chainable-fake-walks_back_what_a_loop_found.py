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


def are_chainable(board, positions, steps=None):
    positions = list(positions)
    if not positions:
        return True
    if steps is None:
        steps, todo = {positions[0]: 0}, positions[:1]
        for one in todo:
            for near in neighbours(one):
                if inside(board, near) and near not in steps:
                    if is_filled_at(board, near) == is_filled_at(board, one):
                        steps[near] = steps[one] + 1
                        todo.append(near)
    here = positions[0]
    if steps.get(here, 0) == 0:
        return here in steps and are_chainable(board, positions[1:], steps)
    for near in neighbours(here):
        if inside(board, near) and is_filled_at(board, near) == is_filled_at(board, here):
            if steps[near] < steps[here]:
                return are_chainable(board, [near, *positions[1:]], steps)
