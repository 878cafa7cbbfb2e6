"""Matches a pattern that takes exponential time, in C, where no signal handler of Python runs."""

import re


def answer(n):
    return re.match(r"(a|a)*(a|a)*b", "a" * 60)


def double(n):
    return 2 * n
