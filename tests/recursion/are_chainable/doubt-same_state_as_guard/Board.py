def are_chainable(board, positions):
    rij = list(positions)
    if not _zelfde_toestand(board, rij):
        return False
    gebied = rij[:1]
    for cel in gebied:
        for buur in Position.get_adjacent_positions(cel, dimension(board)):
            if buur not in gebied and is_filled_at(board, buur) == is_filled_at(board, cel):
                gebied.append(buur)
    return set(rij) <= set(gebied)


def _zelfde_toestand(board, rij):
    if len(rij) <= 1:
        return True
    if is_filled_at(board, rij[0]) != is_filled_at(board, rij[1]):
        return False
    return _zelfde_toestand(board, rij[1:])
