"""Puts an object into a set whose hash never ends."""

class Endless:
    def __hash__(self):
        while True:
            pass


def answer(n):
    return {Endless()}


def double(n):
    return 2 * n
