def are_chainable(board, positions):
    rij = list(positions)
    if len(rij) <= 1:
        return True
    midden = len(rij) // 2
    if not are_chainable(board, rij[:midden]) or not are_chainable(board, rij[midden:]):
        return False
    gebied = [rij[0]]
    for cel in gebied:
        for buur in Position.get_adjacent_positions(cel, dimension(board)):
            if buur not in gebied and is_filled_at(board, buur) == is_filled_at(board, cel):
                gebied.append(buur)
    return rij[midden] in gebied
