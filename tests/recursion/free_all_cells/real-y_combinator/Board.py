def free_all_cells(board, positions):
    (lambda f: f(f, list(positions)))(
        lambda zelf, rest: rest and (free_cell(board, rest[0]), zelf(zelf, rest[1:]))
    )
