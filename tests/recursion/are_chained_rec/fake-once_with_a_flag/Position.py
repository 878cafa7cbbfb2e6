def are_chained_rec(positions, klaar=False):
    if not klaar:
        return are_chained_rec(set(positions), True)
    return are_chained(positions)
