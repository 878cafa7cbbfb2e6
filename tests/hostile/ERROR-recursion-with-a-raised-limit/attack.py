"""Raises Python's limit to a billion and recurses; the limit has a ceiling."""

import sys


def answer(n):
    sys.setrecursionlimit(10**9)
    return 1 + answer(n)


def double(n):
    return 2 * n
