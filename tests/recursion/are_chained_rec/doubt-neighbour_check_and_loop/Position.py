def are_chained_rec(positions):
    posities = list(set(positions))
    if len(posities) < 2:
        return True
    return _hebben_buren(posities, posities) and are_chained(posities)


def _hebben_buren(te_doen, alle):
    if te_doen == []:
        return True
    if not is_adjacent_to(te_doen[0], alle):
        return False
    return _hebben_buren(te_doen[1:], alle)
