def free_all_cells(board, positions):
    stap = _free_step(board, positions)
    while True:
        if stap is None:
            break
        stap = stap()


def _free_step(board, positions):
    if len(positions) == 0:
        return None
    free_cell(board, positions[0])
    return lambda: _free_step(board, positions[1:])
