def free_all_cells(board, positions, diepte=None):
    if diepte is None:
        diepte = len(positions)
    if diepte > 0:
        free_all_cells(board, (), diepte - 1)
    for position in positions:
        free_cell(board, position)
