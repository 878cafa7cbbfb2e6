def are_chained_rec(positions, rest=frozenset()):
    posities = set(positions)
    try:
        aantal = len(posities)
    except TypeError:
        return are_chained_rec(posities | rest)
    return aantal <= 1 or are_chained(posities)
