def free_all_cells(board, positions, niveau=0):
    if niveau < len(positions):
        return free_all_cells(board, positions, niveau + 1)
    for position in positions:
        free_cell(board, position)
