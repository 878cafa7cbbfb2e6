"""Returns members of an enum with other names, values and classes than they have; the names alone travel."""

import enum


class Colour(enum.Enum):
    RED = "red"

    def __repr__(self):
        return "token"

    __eq__ = lambda self, other: True
    __hash__ = lambda self: 0


Colour.RED._name_ = "\ud800\x1b[31m" * 200


class Bad(enum.IntFlag):
    A = 1


object.__setattr__(Bad.A, "_name_", ["no", "name"])


def answer(n):
    return [Colour.RED, Bad.A]


def double(n):
    return 2 * n
