def are_chained_rec(positions, geketend=frozenset(), los=frozenset()):
    """Check whether the positions are chained, without a loop."""
    over = frozenset(positions)
    if len(over) == 0:
        return len(los) == 0
    eerste = min(over)
    over = over - {eerste}
    if len(geketend) == 0 or is_adjacent_to(eerste, geketend):
        return are_chained_rec(over | los, geketend | {eerste})
    return are_chained_rec(over, geketend, los | {eerste})
