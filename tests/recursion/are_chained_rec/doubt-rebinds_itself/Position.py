def are_chained_rec(positions):
    globals()["are_chained_rec"] = are_chained
    return are_chained_rec(positions)
