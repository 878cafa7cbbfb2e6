def free_all_cells(board, positions):
    if len(positions) > 0:
        for position in positions:
            free_cell(board, position)
        free_all_cells(board, [])
