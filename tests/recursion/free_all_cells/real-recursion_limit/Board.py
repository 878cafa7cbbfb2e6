import sys


def free_all_cells(board, positions):
    if sys.getrecursionlimit() < 5000:
        sys.setrecursionlimit(5000)
    if len(positions) > 0:
        free_cell(board, positions[0])
        free_all_cells(board, positions[1:])
