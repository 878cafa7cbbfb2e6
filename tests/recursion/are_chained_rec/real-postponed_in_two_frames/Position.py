def are_chained_rec(positions, geketend=frozenset(), los=frozenset()):
    """Check whether the positions are chained, without a loop."""
    over = frozenset(positions)
    if len(over) == 0:
        return len(los) == 0
    laatste = min(over) if len(geketend) == 0 else max(over)
    return _verder(over - {laatste}, geketend, los, laatste)


def _verder(over, geketend, los, positie):
    """Check the others: with the position in the chain, or postponed."""
    if len(geketend) == 0 or is_adjacent_to(positie, geketend):
        return are_chained_rec(over | los, geketend | {positie})
    return are_chained_rec(over, geketend, los | {positie})
