import functools


def are_chained_rec(positions):
    over = set(positions)
    if len(over) == 0:
        return True
    _ontdek(over, over.pop())
    return len(over) == 0


def _ontdek(over, positie):
    ontdek = functools.partial(_ontdek, over)
    buren = over & get_adjacent_positions(positie)
    over.difference_update(buren)
    list(map(ontdek, buren))
