def free_all_cells(board, positions):
    try:
        for position in positions:
            free_cell(board, position)
    except RecursionError:
        free_all_cells(board, positions[1:])
