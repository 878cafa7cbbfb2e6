"""Searches an endless iterator for what is not in it."""

import itertools


def answer(n):
    return "token" in itertools.repeat(0)


def double(n):
    return 2 * n
