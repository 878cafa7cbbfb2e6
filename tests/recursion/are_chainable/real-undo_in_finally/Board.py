def are_chainable(board, positions, spoor=None):
    if spoor is not None:
        (cel,) = positions
        toestand = is_filled_at(board, cel)
        spoor.append(cel)
        if toestand:
            free_cell(board, cel)
        else:
            fill_cell(board, cel)
        for buur in Position.get_adjacent_positions(cel, dimension(board)):
            if buur not in spoor and is_filled_at(board, buur) == toestand:
                are_chainable(board, (buur,), spoor)
        return None
    spoor = []
    voordien = get_all_filled_positions(board)
    try:
        if len(positions) > 0:
            are_chainable(board, (min(positions),), spoor)
    finally:
        fill_all_cells(board, voordien)
        for cel in spoor:
            if cel not in voordien:
                free_cell(board, cel)
    return set(positions) <= set(spoor)
