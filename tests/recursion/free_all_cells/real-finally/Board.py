def free_all_cells(board, positions):
    if not positions:
        return
    try:
        free_cell(board, positions[0])
    finally:
        free_all_cells(board, positions[1:])
