def neighbours(position):
    x, y = position
    return [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]

import itertools


def are_chained_rec(positions):
    cells = sorted(set(positions))
    linked = {(a, b) for a in cells for b in neighbours(a) if b in cells}
    for k, i, j in itertools.product(cells, repeat=3):
        if (i, k) in linked and (k, j) in linked:
            linked.add((i, j))
    return all_linked(cells, linked)


def all_linked(cells, linked):
    if len(cells) < 2:
        return True
    return (cells[0], cells[1]) in linked and all_linked(cells[1:], linked)
