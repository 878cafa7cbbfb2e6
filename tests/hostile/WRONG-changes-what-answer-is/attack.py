"""Turns its own function into something else while it runs: code, defaults, dictionary, module."""

import sys
import types


def other(n):
    return "contained"


def answer(n):
    answer.__code__ = other.__code__
    answer.__defaults__ = (None,) * 100
    module = types.ModuleType("attack")
    sys.modules[__name__].__class__ = type("Lying", (types.ModuleType,), {"__dict__": {}})
    sys.modules[__name__] = module
    return answer(n)


def double(n):
    return 2 * n
