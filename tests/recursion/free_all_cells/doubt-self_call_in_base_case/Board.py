def free_all_cells(board, positions):
    if len(positions) == 1:
        free_cell(board, positions[0])
        return free_all_cells(board, positions[1:])
    for position in positions:
        free_cell(board, position)
