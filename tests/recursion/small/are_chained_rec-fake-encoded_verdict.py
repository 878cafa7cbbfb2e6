def neighbours(position):
    x, y = position
    return [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]


def are_chained_rec(positions, verdict=None):
    if verdict is None:
        left = set(positions)
        todo = [left.pop()] if left else []
        while todo:
            for near in neighbours(todo.pop()):
                if near in left:
                    left.remove(near)
                    todo.append(near)
        verdict = "no" if left else "yes"
    if len(positions) == 0:
        return verdict == "yes"
    return are_chained_rec(list(positions)[1:], verdict)
