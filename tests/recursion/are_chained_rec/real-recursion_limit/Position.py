import sys


def are_chained_rec(positions):
    oude_limiet = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(oude_limiet + 10 * len(positions))
        return _keten_rec(frozenset(positions), frozenset())
    finally:
        sys.setrecursionlimit(oude_limiet)


def _keten_rec(over, rand):
    kan = over & rand if rand else over
    if not kan:
        return not over
    positie = min(kan)
    return _keten_rec(over - {positie}, rand | get_adjacent_positions(positie))
