"""Puts a stream in place of the standard output that raises whatever is asked of it, and a wrapper that was closed."""

import io
import sys


def answer(n):
    wrapper = io.TextIOWrapper(sys.stdout.buffer, "ascii")
    print("\N{SNOWMAN}" * 3, end="")
    sys.stdout = wrapper
    wrapper.write("kept back")
    wrapper.close()
    return "contained"


def double(n):
    return 2 * n
