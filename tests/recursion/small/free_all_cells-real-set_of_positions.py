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


def free_all_cells(board, positions):
    free_these(board, set(positions))


def free_these(board, positions):
    if positions:
        free_cell(board, positions.pop())
        free_these(board, positions)
