def free_all_cells(board, positions):
    _recursie(len(positions))
    for position in positions:
        free_cell(board, position)


def _recursie(n):
    if n == 0:
        return 0
    return 1 + _recursie(n - 1)
