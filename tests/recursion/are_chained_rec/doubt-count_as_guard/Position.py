def are_chained_rec(positions):
    if _aantal(list(positions)) <= 1:
        return True
    return are_chained(positions)


def _aantal(positions):
    if positions == []:
        return 0
    return 1 + _aantal(positions[1:])
