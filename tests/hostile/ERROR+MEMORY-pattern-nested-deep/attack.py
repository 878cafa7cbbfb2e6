"""Compiles a pattern of five thousand groups in groups."""

import re


def answer(n):
    return re.compile("(" * 5000 + ")" * 5000)


def double(n):
    return 2 * n
