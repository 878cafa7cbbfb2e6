"""Raises an exception whose text never comes; the clocks run while it is asked for."""

class Endless(Exception):
    def __str__(self):
        while True:
            pass


def answer(n):
    raise Endless


def double(n):
    return 2 * n
