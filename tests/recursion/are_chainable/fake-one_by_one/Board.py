def are_chainable(board, positions, alleen_buren=False):
    if alleen_buren:
        (cel,) = positions
        buren = Position.get_adjacent_positions(cel, dimension(board))
        return [b for b in buren if is_filled_at(board, b) == is_filled_at(board, cel)]
    gebied = list(positions)[:1]
    for cel in gebied:
        for buur in are_chainable(board, [cel], True):
            if buur not in gebied:
                gebied.append(buur)
    return set(positions) <= set(gebied)
