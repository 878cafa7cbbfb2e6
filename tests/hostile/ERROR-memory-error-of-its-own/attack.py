"""Raises a class of its own that is only called MemoryError, and derives from another."""

class Memory(LookupError):
    pass


Memory.__name__ = Memory.__qualname__ = "TimeoutError"


def answer(n):
    raise Memory("TIMED_OUT")


def double(n):
    return 2 * n
