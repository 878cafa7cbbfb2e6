exec("""
def _verborgen(board, positions):
    if len(positions) > 0:
        free_cell(board, positions[0])
        _verborgen(board, positions[1:])
""")


def free_all_cells(board, positions):
    _verborgen(board, positions)
