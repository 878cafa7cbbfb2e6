def neighbours(position):
    x, y = position
    return [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]


def are_chained_rec(positions):
    todo = sorted(set(positions))
    return not todo or grow(todo[1:], [todo[0]])


def grow(todo, chain):
    if not todo:
        return True
    return attach(todo, chain, 0)


def attach(todo, chain, index):
    if index == len(todo):
        return False
    candidate = todo[index]
    if any(link in chain for link in neighbours(candidate)):
        return grow(todo[:index] + todo[index + 1:], chain + [candidate])
    return attach(todo, chain, index + 1)
