def are_chained_rec(positions):
    if len(positions) == 0:
        return True
    return are_chained(positions) and are_chained_rec([])
