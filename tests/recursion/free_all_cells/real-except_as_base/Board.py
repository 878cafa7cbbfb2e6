def free_all_cells(board, positions):
    try:
        free_cell(board, positions[0])
    except IndexError:
        return
    free_all_cells(board, positions[1:])
