def free_all_cells(board, positions):
    if positions:
        midden = len(positions) // 2
        free_all_cells(board, positions[:midden])
        free_cell(board, positions[midden])
        free_all_cells(board, positions[midden + 1 :])
