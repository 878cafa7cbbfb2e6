def neighbours(position):
    x, y = position
    return [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]


def are_chained_rec(positions):
    left = set(positions)
    if left:
        take(left, left.pop())
    return len(left) == 0


def take(left, position):
    for near in neighbours(position):
        if near in left:
            left.remove(near)
            take(left, near)
