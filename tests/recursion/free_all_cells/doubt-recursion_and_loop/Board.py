def free_all_cells(board, positions):
    _free_rec(board, positions)
    for position in positions:
        if is_filled_at(board, position):
            free_cell(board, position)


def _free_rec(board, positions):
    if len(positions) > 0:
        free_cell(board, positions[0])
        _free_rec(board, positions[1:])
