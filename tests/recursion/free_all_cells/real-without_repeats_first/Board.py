def free_all_cells(board, positions):
    uniek = []
    for position in positions:
        if position not in uniek:
            uniek.append(position)
    _free_rec(board, uniek)


def _free_rec(board, positions):
    if len(positions) > 0:
        free_cell(board, positions[0])
        _free_rec(board, positions[1:])
