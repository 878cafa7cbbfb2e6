from functools import partial


def free_all_cells(board, positions):
    stap = partial(_stap, board)
    stap(list(positions))


def _stap(board, rest):
    if rest:
        free_cell(board, rest.pop())
        partial(_stap, board)(rest)
