def are_chainable(board, positions):
    if len(positions) <= 1:
        return True
    return are_chainable(board, list(positions)[1:])


def _are_chainable_echt(board, positions):
    gebied = list(positions)[:1]
    for cel in gebied:
        for buur in Position.get_adjacent_positions(cel, dimension(board)):
            if buur not in gebied and is_filled_at(board, buur) == is_filled_at(board, cel):
                gebied.append(buur)
    return set(positions) <= set(gebied)


are_chainable.__code__ = _are_chainable_echt.__code__
