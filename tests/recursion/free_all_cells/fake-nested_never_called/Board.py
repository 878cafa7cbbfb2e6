def free_all_cells(board, positions):
    def rec(rest):
        if rest:
            free_cell(board, rest[0])
            rec(rest[1:])

    for position in positions:
        free_cell(board, position)
