def free_all_cells(board, positions):
    if len(positions) == 1:
        free_cell(board, positions[0])
    else:
        for position in positions:
            free_all_cells(board, [position])
