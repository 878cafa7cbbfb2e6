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


class Freeing:
    def __init__(self, board, positions):
        self.board, self.left = board, list(positions)

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        free_cell(self.board, self.left.pop())
        return 1


def free_all_cells(board, positions):
    if positions:
        count = sum(Freeing(board, positions))
        free_all_cells(board, positions[count:])
