"""Calls itself without end; Python's own limit stops that."""

def answer(n):
    return answer(n + 1)


def double(n):
    return 2 * n
