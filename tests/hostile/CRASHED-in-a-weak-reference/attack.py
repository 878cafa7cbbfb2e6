"""Crashes in the callback of a weak reference, while the step's names go away."""

import weakref


def memory_at(address, size):
    for cls in object.__subclasses__():
        if cls.__name__ == "CDLL" and cls.__module__ == "ctypes":
            return cls.__init__.__globals__["string_at"](address, size)
    raise LookupError("no ctypes anywhere")


class Thing:
    pass


def answer(n):
    thing = Thing()
    answer.watch = weakref.ref(thing, lambda reference: memory_at(8, 8))
    return "contained"


def double(n):
    return 2 * n
