def free_all_cells(board, positions):
    if len(positions) > 0:
        free_cell(board, list(positions)[0])
        free_all_cells(board, list(positions)[1:])
