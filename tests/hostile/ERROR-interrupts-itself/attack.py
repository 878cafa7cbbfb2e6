"""Raises KeyboardInterrupt, which stops many a program; it is an exception like any other."""

def answer(n):
    raise KeyboardInterrupt


def double(n):
    return 2 * n
