"""Deletes its own names, its module and its built-ins while it is graded; a later step does without, and other sessions begin anew."""

import sys


def answer(n):
    for name in list(globals()):
        if name not in {"sys", "answer"}:
            globals().pop(name)
    del sys.modules["attack"]
    del globals()["answer"]
    return "contained"


def double(n):
    return 2 * n
