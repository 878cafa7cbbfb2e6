def free_all_cells(board, positions):
    match positions:
        case [first, *rest]:
            free_cell(board, first)
            free_all_cells(board, rest)
        case _:
            pass
