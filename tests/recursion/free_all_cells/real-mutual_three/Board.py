def free_all_cells(board, positions):
    _controleer(board, tuple(positions))


def _controleer(board, positions):
    if positions:
        _maak_leeg(board, positions)


def _maak_leeg(board, positions):
    free_cell(board, positions[0])
    _sla_over(board, positions)


def _sla_over(board, positions):
    _controleer(board, positions[1:])
