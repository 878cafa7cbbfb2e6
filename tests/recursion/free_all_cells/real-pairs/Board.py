def free_all_cells(board, positions):
    if len(positions) == 1:
        free_cell(board, positions[0])
    elif len(positions) >= 2:
        free_cell(board, positions[0])
        free_cell(board, positions[1])
        free_all_cells(board, positions[2:])
