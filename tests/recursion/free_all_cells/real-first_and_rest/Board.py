def free_all_cells(board, positions):
    """Maak alle gegeven cellen leeg."""
    if len(positions) == 0:
        return
    free_cell(board, positions[0])
    free_all_cells(board, positions[1:])
