def are_chained_rec(positions):
    over = set(positions)
    aantal = len(over)
    if aantal == 0:
        return True
    return _tel(min(over), over) == aantal


def _tel(positie, over):
    if positie not in over:
        return 0
    over.remove(positie)
    return 1 + sum(_tel(buur, over) for buur in get_adjacent_positions(positie))
