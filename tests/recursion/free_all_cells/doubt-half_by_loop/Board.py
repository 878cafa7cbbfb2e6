def free_all_cells(board, positions):
    midden = (len(positions) + 1) // 2
    for position in positions[:midden]:
        free_cell(board, position)
    if len(positions) > 1:
        free_all_cells(board, positions[midden:])
