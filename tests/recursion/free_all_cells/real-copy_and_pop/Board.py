def free_all_cells(board, positions):
    kopie = list(positions)
    if kopie != []:
        laatste = kopie.pop()
        free_cell(board, laatste)
        free_all_cells(board, kopie)
