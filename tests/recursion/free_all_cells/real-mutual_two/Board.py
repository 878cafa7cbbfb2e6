def free_all_cells(board, positions):
    if len(positions) != 0:
        free_cell(board, positions[0])
        _free_the_others(board, positions[1:])


def _free_the_others(board, positions):
    if len(positions) != 0:
        free_cell(board, positions[0])
        free_all_cells(board, positions[1:])
