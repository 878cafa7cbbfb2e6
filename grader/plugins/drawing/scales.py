"""Numbers on an axis: where they lie, which of them have a tick, and how they are written."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_STEPS: Final = (1, 2, 5, 10)
_FINEST: Final = 1e-300
"""Nearer to each other floats have no room for round numbers between them."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A stretch of numbers, and how long it is in a drawing."""

    low: float
    high: float
    length: float

    @classmethod
    def around(cls, numbers: Iterable[float], length: float) -> Scale:
        """Return the scale on which all `numbers` lie, of which there is one at least."""
        some = list(numbers)
        low, high = min(some), max(some)
        return cls(low, high, length) if low < high else cls(low - 1, high + 1, length)

    def at(self, number: float) -> float:
        """Return how far from its beginning `number` lies."""
        return (number - self.low) / (self.high - self.low) * self.length

    def ticks(self, most: int) -> list[float]:
        """Return round numbers on it, about as many as `most` and no more."""
        rough = (self.high - self.low) / most
        if rough < _FINEST:
            return [self.low]
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(each * power for each in _STEPS if each * power >= rough * (1 - 1e-9))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [number * step for number in range(first, last + 1)][: most + 1]


def written(number: float) -> str:
    """Return `number` in at most seven characters or so."""
    return f"{number:.4g}"
