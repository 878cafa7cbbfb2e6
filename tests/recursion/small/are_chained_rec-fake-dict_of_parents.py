def neighbours(position):
    x, y = position
    return [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]


def are_chained_rec(positions, parent=None):
    """Union-find by loops; the recursion compares the roots one by one."""
    positions = list(positions)
    if parent is None:
        parent = {p: p for p in positions}
        for _ in positions:
            for p in positions:
                for q in neighbours(p):
                    if q in parent:
                        parent[p] = parent[q] = min(parent[p], parent[q])
    if len(positions) < 2:
        return True
    return parent[positions[0]] == parent[positions[1]] and are_chained_rec(positions[1:], parent)
