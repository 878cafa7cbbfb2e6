def free_all_cells(board, positions, i=0):
    """Empty the cells from index i on."""
    if i < len(positions):
        free_cell(board, positions[i])
        return free_all_cells(board, positions, i + 1)
