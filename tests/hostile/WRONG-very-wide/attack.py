"""Returns a list of two million elements; values have a greatest size."""

def answer(n):
    return [None] * 2_000_000


def double(n):
    return 2 * n
