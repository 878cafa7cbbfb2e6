def free_all_cells(board, positions):
    """Maak alle cellen leeg (recursief).

    free_cell(board, positions[0])
    free_all_cells(board, positions[1:])
    """
    # if positions: free_all_cells(board, positions[1:])
    for position in positions:
        free_cell(board, position)
