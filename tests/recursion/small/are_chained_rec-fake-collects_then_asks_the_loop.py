def neighbours(position):
    x, y = position
    return [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]


def by_list(positions):
    positions = set(positions)
    todo = [positions.pop()] if positions else []
    for one in todo:
        for near in neighbours(one):
            if near in positions:
                positions.remove(near)
                todo.append(near)
    return not positions


def are_chained_rec(positions, gathered=frozenset()):
    positions = list(positions)
    if positions:
        return are_chained_rec(positions[1:], gathered | {positions[0]})
    return by_list(gathered)
