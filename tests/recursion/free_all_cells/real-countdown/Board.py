def free_all_cells(board, positions, aantal=None):
    if aantal is None:
        aantal = len(positions)
    if aantal > 0:
        free_cell(board, positions[aantal - 1])
        free_all_cells(board, positions, aantal - 1)
