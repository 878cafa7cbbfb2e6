def are_chained_rec(positions):
    posities = list(positions)
    if len(posities) > 1:
        are_chained_rec(posities[:1])
    return are_chained(posities)
