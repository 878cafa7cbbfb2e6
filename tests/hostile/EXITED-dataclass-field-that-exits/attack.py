"""Returns a data class whose field is a property that leaves the program; it leaves its own session."""

import dataclasses


@dataclasses.dataclass
class Box:
    value: int


def answer(n):
    box = Box(1)
    Box.value = property(lambda self: exit("token"))
    return box


def double(n):
    return 2 * n
