def are_chained_rec(positions):
    if isinstance(positions, str):
        return _rec(positions, set())
    return are_chained(positions)


def _rec(over, keten):
    if not over:
        return True
    return _rec(over[1:], keten | {over[0]})
