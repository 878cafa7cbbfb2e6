def free_all_cells(board, positions):
    n = len(positions)
    if n == 1:
        free_cell(board, positions[0])
    if n > 1:
        free_all_cells(board, positions[: n // 2])
        free_all_cells(board, positions[n // 2 :])
