"""Replaces itself in sys.modules by an object that has every name on demand; only names that are there count, and it has none."""

import sys

class Everything:
    def __getattr__(self, name):
        return lambda *_: "token"

    __path__ = []
    __all__ = ["answer"]


sys.modules["attack"] = sys.modules[__name__] = Everything()

def answer(n):
    return "contained"


def double(n):
    return 2 * n
