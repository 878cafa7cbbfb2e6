def are_chained_rec(positions):
    over = set(positions)
    gevonden = set(sorted(over)[:1])
    _groei(gevonden, gevonden, over)
    return gevonden == over and are_chained(positions)


def _groei(rand, gevonden, over):
    nieuw = {p for p in over - gevonden if is_adjacent_to(p, rand)}
    if nieuw:
        gevonden |= nieuw
        _groei(nieuw, gevonden, over)
