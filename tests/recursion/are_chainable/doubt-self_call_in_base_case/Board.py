def are_chainable(board, positions):
    if len(positions) == 0:
        return True
    if len(positions) == 1:
        return are_chainable(board, ())
    gebied = [min(positions)]
    i = 0
    while i < len(gebied):
        for buur in Position.get_adjacent_positions(gebied[i], dimension(board)):
            if buur not in gebied and is_filled_at(board, buur) == is_filled_at(board, gebied[0]):
                gebied.append(buur)
        i += 1
    return set(positions).issubset(gebied)
