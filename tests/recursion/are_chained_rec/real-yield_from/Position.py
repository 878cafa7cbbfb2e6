def are_chained_rec(positions):
    over = set(positions)
    aantal = len(over)
    return aantal == 0 or len(set(_bereik(over.pop(), over))) == aantal


def _bereik(positie, over):
    yield positie
    for buur in get_adjacent_positions(positie):
        if buur in over:
            over.remove(buur)
            yield from _bereik(buur, over)
