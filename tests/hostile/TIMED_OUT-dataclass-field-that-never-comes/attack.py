"""Returns a data class whose field is a property that loops; the clocks run while a value is encoded."""

import dataclasses


@dataclasses.dataclass
class Box:
    value: int


def loop(self):
    while True:
        pass


def answer(n):
    box = Box(1)
    Box.value = property(loop)
    return box


def double(n):
    return 2 * n
