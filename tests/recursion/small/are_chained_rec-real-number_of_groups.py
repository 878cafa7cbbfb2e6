def neighbours(position):
    x, y = position
    return [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]


def are_chained_rec(positions):
    return count_groups(set(positions)) < 2


def count_groups(positions):
    if not positions:
        return 0
    fill(positions, min(positions))
    return 1 + count_groups(positions)


def fill(positions, one):
    positions.discard(one)
    for near in neighbours(one):
        if near in positions:
            fill(positions, near)
