"""Crashes in a field of its result, while our side encodes it."""

import dataclasses


def memory_at(address, size):
    for cls in object.__subclasses__():
        if cls.__name__ == "CDLL" and cls.__module__ == "ctypes":
            return cls.__init__.__globals__["string_at"](address, size)
    raise LookupError("no ctypes anywhere")


@dataclasses.dataclass
class Box:
    value: int


def answer(n):
    box = Box(1)
    Box.value = property(lambda self: memory_at(8, 8))
    return box


def double(n):
    return 2 * n
