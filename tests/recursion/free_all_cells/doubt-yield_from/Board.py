def free_all_cells(board, positions):
    for cell in _one_by_one(positions):
        free_cell(board, cell)


def _one_by_one(positions):
    if len(positions) > 0:
        yield positions[0]
        yield from _one_by_one(positions[1:])
