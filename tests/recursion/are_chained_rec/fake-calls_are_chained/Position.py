def are_chained_rec(positions):
    """Check whether the positions are chained (recursive)."""
    return are_chained(positions)
