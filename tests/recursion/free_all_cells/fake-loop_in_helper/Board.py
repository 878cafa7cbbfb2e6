def free_all_cells(board, positions):
    _free_all_cells_rec(board, list(positions))


def _free_all_cells_rec(board, rest):
    while len(rest) > 0:
        free_cell(board, rest.pop())
