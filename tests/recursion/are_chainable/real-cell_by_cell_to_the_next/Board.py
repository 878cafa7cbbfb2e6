def are_chainable(board, positions):
    rij = sorted(positions)
    if len(rij) < 2:
        return True
    return _weg(board, rij[0], rij[1], set()) and are_chainable(board, rij[1:])


def _weg(board, van, naar, gehad):
    if van == naar:
        return True
    gehad.add(van)
    for buur in Position.get_adjacent_positions(van, dimension(board)):
        if buur not in gehad and is_filled_at(board, buur) == is_filled_at(board, van):
            if _weg(board, buur, naar, gehad):
                return True
    return False
