def neighbours(position):
    x, y = position
    return [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]


def are_chained_rec(positions, chained=frozenset(), waiting=frozenset()):
    todo = frozenset(positions)
    if not todo:
        return not waiting
    if not chained:
        first = min(todo)
        return are_chained_rec(todo - {first}, frozenset({first}), waiting)
    one = min(todo)
    if chained & frozenset(neighbours(one)):
        return are_chained_rec((todo - {one}) | waiting, chained | {one}, frozenset())
    return are_chained_rec(todo - {one}, chained, waiting | {one})
