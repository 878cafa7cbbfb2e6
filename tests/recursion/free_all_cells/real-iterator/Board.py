def free_all_cells(board, positions):
    _free_next(board, iter(positions))


def _free_next(board, cells):
    cell = next(cells, None)
    if cell is not None:
        free_cell(board, cell)
        _free_next(board, cells)
