def are_chained_rec(positions):
    alle = set(positions)
    if len(alle) <= 1:
        return True
    for positie in alle:
        if not is_adjacent_to(positie, alle):
            return False
    return _rest_is_chained({min(alle)}, alle - {min(alle)})


def _rest_is_chained(rand, rest):
    if rest == set():
        return True
    if rand == set():
        return False
    positie = min(rand)
    buren = rest & get_adjacent_positions(positie)
    return _rest_is_chained((rand | buren) - {positie}, rest - buren)
