_maak_vrij = lambda board, rest: (
    None if len(rest) == 0 else (free_cell(board, rest[0]), _maak_vrij(board, rest[1:]))
)


def free_all_cells(board, positions):
    _maak_vrij(board, positions)
