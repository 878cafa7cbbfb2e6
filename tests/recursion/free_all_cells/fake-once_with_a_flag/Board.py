def free_all_cells(board, positions, _started=False):
    if not _started:
        return free_all_cells(board, positions, True)
    for position in positions:
        free_cell(board, position)
