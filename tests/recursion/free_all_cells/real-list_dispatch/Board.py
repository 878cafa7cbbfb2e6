def free_all_cells(board, positions):
    acties = [_free_nothing, _free_first]
    acties[min(len(positions), 1)](board, positions)


def _free_nothing(board, positions):
    return None


def _free_first(board, positions):
    free_cell(board, positions[0])
    free_all_cells(board, positions[1:])
