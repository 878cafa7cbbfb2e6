def are_chainable(board, positions, _recursief=False):
    if not _recursief:
        return are_chainable(board, positions, _recursief=True)
    gebied = list(positions)[:1]
    for cel in gebied:
        for buur in Position.get_adjacent_positions(cel, dimension(board)):
            if buur not in gebied and is_filled_at(board, buur) == is_filled_at(board, cel):
                gebied.append(buur)
    return set(positions) <= set(gebied)
