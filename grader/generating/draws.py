"""Chance that is the same on every version of Python.

Of the module `random` only `random()` is promised to give the same numbers for the same seed in all
versions (its documentation, "Notes on Reproducibility"), so everything here is drawn from that.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

_T = TypeVar("_T")


class Draws:
    """A source of chance that starts from a text."""

    def __init__(self, seed: str) -> None:
        """Start from `seed`: the same text gives the same draws."""
        # The text goes in as bytes of a number: seeding with text itself has changed before.
        self._random: Final = random.Random(int.from_bytes(seed.encode(), "big"))  # noqa: S311 - for tests, not for secrets

    def below(self, count: int) -> int:
        """Return a number from 0 up to but not including `count`."""
        return int(self._random.random() * count)

    def between(self, low: int, high: int) -> int:
        """Return a number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def chance(self, probability: float) -> bool:
        """Return True with this `probability`, between 0 and 1."""
        return self._random.random() < probability

    def choice(self, items: Sequence[_T]) -> _T:
        """Return one of `items`, of which there is at least one."""
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[_T]) -> list[_T]:
        """Return `items` in any order; they must come in the same order each time."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(len(left))]

    def some(self, items: Iterable[_T], count: int) -> list[_T]:
        """Return `count` of `items`, or all where there are fewer, in any order."""
        return self.shuffled(items)[:count]
