def are_chainable(board, positions):
    doelen = set(positions)
    if not doelen:
        return True
    return _vind(board, doelen.pop(), doelen, set())


def _vind(board, cel, doelen, geweest):
    geweest.add(cel)
    doelen.discard(cel)
    return len(doelen) == 0 or any(
        _vind(board, buur, doelen, geweest)
        for buur in Position.get_adjacent_positions(cel, dimension(board))
        if buur not in geweest and is_filled_at(board, buur) == is_filled_at(board, cel)
    )
