def free_all_cells(board, positions):
    global free_all_cells
    free_all_cells = _met_een_lus
    free_all_cells(board, positions)


def _met_een_lus(board, positions):
    for position in positions:
        free_cell(board, position)
