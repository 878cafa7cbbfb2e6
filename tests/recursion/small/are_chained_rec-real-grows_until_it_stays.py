def neighbours(position):
    x, y = position
    return [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]


def are_chained_rec(positions, chain=None):
    positions = frozenset(positions)
    if chain is None:
        chain = frozenset(list(sorted(positions))[:1])
    more = chain | frozenset(p for p in positions if set(neighbours(p)) & chain)
    if more == chain:
        return chain == positions
    return are_chained_rec(positions, more)
