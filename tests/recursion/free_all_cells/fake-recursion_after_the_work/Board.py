def free_all_cells(board, positions, nog_bezig=True):
    if nog_bezig:
        for position in positions:
            free_cell(board, position)
    if len(positions) > 0:
        free_all_cells(board, positions[1:], False)
