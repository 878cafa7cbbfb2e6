def are_chained_rec(positions):
    volgende = _stap(frozenset(positions), None)
    while callable(volgende):
        volgende = volgende()
    return volgende


def _stap(over, rand):
    kan = over if rand is None else over & rand
    if not kan:
        return not over
    positie = min(kan)
    return lambda: _stap(over - {positie}, (rand or frozenset()) | get_adjacent_positions(positie))
