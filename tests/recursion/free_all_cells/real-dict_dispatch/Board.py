def _klaar(board, positions):
    pass


def _volgende(board, positions):
    free_cell(board, positions[0])
    rest = positions[1:]
    WAT_NU[len(rest) > 0](board, rest)


WAT_NU = {False: _klaar, True: _volgende}


def free_all_cells(board, positions):
    WAT_NU[len(positions) > 0](board, positions)
