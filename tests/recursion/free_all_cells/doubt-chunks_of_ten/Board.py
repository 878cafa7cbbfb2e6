def free_all_cells(board, positions):
    for position in positions[:10]:
        free_cell(board, position)
    if len(positions) > 10:
        free_all_cells(board, positions[10:])
