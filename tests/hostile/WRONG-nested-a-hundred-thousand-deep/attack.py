"""Returns a list in a list in a list, a hundred thousand deep; values have a greatest depth."""

def answer(n):
    nest = []
    for _ in range(100_000):
        nest = [nest]
    return nest


def double(n):
    return 2 * n
