def are_chained_rec(positions):
    rest = sorted(set(positions))
    return _hang_aan(rest, [], []) if rest else True


def _hang_aan(rest, keten, later):
    keten = keten + [rest[0]]
    return _kijk_verder(later + rest[1:], keten, [])


def _kijk_verder(rest, keten, later):
    if rest == []:
        return later == []
    if is_adjacent_to(rest[0], keten):
        return _hang_aan(rest, keten, later)
    return _kijk_verder(rest[1:], keten, later + [rest[0]])
