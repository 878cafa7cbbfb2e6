def free_all_cells(board, positions):
    teller = 0

    def doe_verder():
        nonlocal teller
        if teller < len(positions):
            free_cell(board, positions[teller])
            teller += 1
            doe_verder()

    doe_verder()
