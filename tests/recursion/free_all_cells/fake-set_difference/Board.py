def free_all_cells(board, positions):
    _, filled = board
    filled.difference_update(positions)
