def free_all_cells(board, positions):
    if False:
        free_all_cells(board, positions[1:])
    for position in positions:
        free_cell(board, position)
