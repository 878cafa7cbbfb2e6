"""Writes ten million characters without a newline; only the beginning is kept, and the limit is one on characters."""

import sys


def answer(n):
    sys.stdout.write("x" * 10_000_000)


def double(n):
    return 2 * n
