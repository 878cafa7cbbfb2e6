def free_all_cells(board, positions):
    """Empty the cells at all given positions."""
    _free_from(board, positions, 0)


def _free_from(board, positions, index):
    if index == len(positions):
        return
    free_cell(board, positions[index])
    _free_from(board, positions, index + 1)
