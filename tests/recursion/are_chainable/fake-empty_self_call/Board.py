def are_chainable(board, positions):
    gebied = list(positions)[:1]
    if len(gebied) > 0:
        are_chainable(board, [])
    for cel in gebied:
        for buur in Position.get_adjacent_positions(cel, dimension(board)):
            if buur not in gebied and is_filled_at(board, buur) == is_filled_at(board, cel):
                gebied.append(buur)
    return set(positions) <= set(gebied)
