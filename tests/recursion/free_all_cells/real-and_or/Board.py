def free_all_cells(board, positions):
    return len(positions) > 0 and (
        free_cell(board, positions[0]) or free_all_cells(board, positions[1:])
    )
