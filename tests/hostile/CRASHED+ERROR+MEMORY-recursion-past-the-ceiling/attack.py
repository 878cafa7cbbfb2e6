"""Takes the real function for the limit from behind ours, and overflows the stack; its process ends, no other."""

import sys


def answer(n):
    real = sys.setrecursionlimit.__closure__[1].cell_contents
    real(2**31 - 1)
    return nest(())


def nest(value):
    return repr(Nested(value))


class Nested:
    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return nest(self)


def double(n):
    return 2 * n
