_keten = lambda over, rand: (
    not over
    or bool(over & rand)
    and _keten(over - {min(over & rand)}, rand | get_adjacent_positions(min(over & rand)))
)


def are_chained_rec(positions):
    over = frozenset(positions)
    return _keten(over, frozenset(sorted(over)[:1]))
