def free_all_cells(board, positions):
    for position in positions:
        free_cell(board, position)
