"""Raises an exception with a message, and of a class with a name, of a million characters; both are clipped."""

def answer(n):
    raise type("E" * 1_000_000, (Exception,), {})("m" * 1_000_000)


def double(n):
    return 2 * n
