def neighbours(position):
    x, y = position
    return [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]


def are_chained_rec(positions):
    return len(groups(list(set(positions)))) <= 1


def groups(positions):
    """The groups of all but the first, with those that touch the first made one."""
    if not positions:
        return []
    mine = {positions[0]}
    others = []
    near = set(neighbours(positions[0]))
    for group in groups(positions[1:]):
        if group & near:
            mine |= group
        else:
            others.append(group)
    return [mine] + others
