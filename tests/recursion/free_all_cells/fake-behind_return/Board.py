def free_all_cells(board, positions):
    for position in positions:
        free_cell(board, position)
    return
    if len(positions) > 0:
        free_all_cells(board, positions[1:])
