def free_all_cells(board, positions):
    _free(board, *positions)


def _free(board, *cells):
    if cells:
        first, *others = cells
        free_cell(board, first)
        _free(board, *others)
