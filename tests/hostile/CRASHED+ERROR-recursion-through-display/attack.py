"""Recurses through `repr` in C with the limit raised as far as it goes."""

import sys


class Nested:
    def __repr__(self):
        return repr([self])


def answer(n):
    sys.setrecursionlimit(10**9)
    return repr(Nested())


def double(n):
    return 2 * n
