"""Calls a function that is wrapped in itself thirty thousand times, in C."""

import functools
import sys


class Wrapped:
    def __init__(self, inner):
        self.inner = inner

    def __call__(self):
        return functools.reduce(lambda a, b: self.inner(), [0, 1])


def answer(n):
    sys.setrecursionlimit(10**9)
    call = int
    for _ in range(30_000):
        call = Wrapped(call)
    return call()


def double(n):
    return 2 * n
