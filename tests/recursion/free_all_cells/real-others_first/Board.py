def free_all_cells(board, positions):
    if not positions:
        return None
    else:
        free_all_cells(board, positions[:-1])
        free_cell(board, positions[-1])
