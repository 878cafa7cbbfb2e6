def free_all_cells(board, positions):
    _tel_af(len(positions))
    for position in positions:
        free_cell(board, position)


def _tel_af(n):
    if n > 0:
        _tel_af(n - 1)
