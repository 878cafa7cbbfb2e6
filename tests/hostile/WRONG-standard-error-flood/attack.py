"""Writes without end to sys.stderr and through warnings; nobody reads it and nothing of it is kept."""

import sys
import warnings


def answer(n):
    for _ in range(200):
        sys.stderr.write("ESCAPED: " * 10_000)
        sys.__stderr__.buffer.write(b"ESCAPED: " * 10_000)
    warnings.warn("ESCAPED: a warning")
    return "contained"


def double(n):
    return 2 * n
