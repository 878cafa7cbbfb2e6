"""Raises with a traceback that it made up, of ten thousand frames at lines that do not exist."""

import sys
import types


def answer(n):
    made_up = None
    for line in range(10_000):
        made_up = types.TracebackType(made_up, sys._getframe(), -1, 2_000_000_000 - line)
    raise ValueError("made up").with_traceback(made_up)


def double(n):
    return 2 * n
