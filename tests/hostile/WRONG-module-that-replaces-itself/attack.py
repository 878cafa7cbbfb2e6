"""Puts an object that lies about everything in the place of its own module while it is imported."""

import sys


class Module:
    def __init__(self, space):
        self.space = space

    def __getattribute__(self, name):
        return object.__getattribute__(self, "space") if name == "__dict__" else None


def answer(n):
    return "contained"


def double(n):
    return 2 * n


sys.modules[__name__] = Module({"answer": answer, "double": double, 1: 2, "\ud800" * 9: 3, "n" * 9999: 4})
