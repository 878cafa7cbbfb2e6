"""Adds up an endless iterator in a single call into C."""

import itertools


def answer(n):
    return sum(itertools.repeat(0))


def double(n):
    return 2 * n
