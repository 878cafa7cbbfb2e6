"""Ends the program with an exit code that is an object without a display."""

import sys


class Code:
    def __repr__(self):
        raise KeyError

    __str__ = __int__ = __index__ = __repr__


def answer(n):
    sys.exit(Code())


def double(n):
    return 2 * n
