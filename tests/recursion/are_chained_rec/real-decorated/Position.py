import functools


def met_frozenset(f):
    @functools.wraps(f)
    def binnenste(positions, *andere):
        return f(frozenset(positions), *andere)

    return binnenste


@met_frozenset
def are_chained_rec(positions, groep=frozenset()):
    if not positions:
        return True
    if not groep:
        begin = min(positions)
        return are_chained_rec(positions - {begin}, frozenset({begin}))
    raakt = frozenset(filter(lambda p: is_adjacent_to(p, groep), positions))
    return bool(raakt) and are_chained_rec(positions - raakt, groep | raakt)
