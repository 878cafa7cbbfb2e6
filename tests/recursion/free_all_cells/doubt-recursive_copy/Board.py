def free_all_cells(board, positions):
    te_doen = _kopie(positions)
    for position in te_doen:
        free_cell(board, position)


def _kopie(positions):
    if len(positions) == 0:
        return []
    return [positions[0]] + _kopie(positions[1:])
