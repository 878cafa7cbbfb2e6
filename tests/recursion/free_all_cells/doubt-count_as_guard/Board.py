def free_all_cells(board, positions):
    if _aantal(positions) > 0:
        for position in positions:
            free_cell(board, position)


def _aantal(positions):
    if len(positions) == 0:
        return 0
    return 1 + _aantal(positions[1:])
