"""Recurses through equality in C, with lists that hold each other."""

import sys


def answer(n):
    sys.setrecursionlimit(10**9)
    left, right = [], []
    left.append(right)
    right.append(left)
    return left == right


def double(n):
    return 2 * n
