def _free_recursive(board, positions):
    if len(positions) > 0:
        free_cell(board, positions[0])
        _free_recursive(board, positions[1:])


def free_all_cells(board, positions):
    for position in positions:
        free_cell(board, position)
