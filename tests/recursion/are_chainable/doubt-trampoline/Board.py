def are_chainable(board, positions):
    begin = set(list(positions)[:1])
    stap = lambda: _groei(board, set(positions), begin, begin)
    while True:
        stap = stap()
        if isinstance(stap, bool):
            return stap


def _groei(board, doelen, gebied, rand):
    if doelen <= gebied:
        return True
    if not rand:
        return False
    nieuw = set()
    for cel in rand:
        for buur in Position.get_adjacent_positions(cel, dimension(board)):
            if is_filled_at(board, buur) == is_filled_at(board, cel):
                nieuw.add(buur)
    return lambda: _groei(board, doelen, gebied | nieuw, nieuw - gebied)
