"""How values grow with a size, told from the smallest and the largest size only.

Between those two, the size becomes `r` times as large and the value `v` times. Whoever has to grow
is given little to prove, whoever must not grow much is given room, so that the figures that lie in
between, which are those of noise and of fixed costs, convict nobody:

                 at least                                    at most
    constant     always                                      v <= r ** 0.43
    logarithmic  it grows                                    v <= r ** 0.5
    linear       by a quarter of what the size grows by      v <= 4 * r

For a size that becomes 128 times as large, a cost that is called constant may thus become 8 times
as large, and a logarithmic one 11 times. What was measured then: 0.6 to 1.7 for sets, dicts and
bit masks, 1.6 to 2.8 for a search by halves, 97 to 119 for a search from front to back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

Growth: TypeAlias = Literal["constant", "logarithmic", "linear"]
"""How something may grow, or has to grow, with a size."""

LEAST_RATIO: Final = 16
"""Sizes that are closer together cannot tell a constant cost from a linear one."""
_CONSTANT_EXPONENT: Final = 0.43
_LOGARITHMIC_EXPONENT: Final = 0.5
_LEAST_SLOPE: Final = 0.25
_LINEAR_FACTOR: Final = 4


def at_least(growth: Growth, sizes: Sequence[int], values: Sequence[int]) -> bool:
    """Return whether `values`, one for each of the ascending `sizes`, grow at least like that."""
    grown = values[-1] - values[0]
    match growth:
        case "constant":
            return True
        case "logarithmic":
            return grown > 0
        case "linear":
            return grown > 0 and grown >= _LEAST_SLOPE * (sizes[-1] - sizes[0])


def at_most(growth: Growth, sizes: Sequence[int], values: Sequence[int]) -> bool:
    """Return whether `values`, one for each of the ascending `sizes`, grow at most like that."""
    size_ratio, value_ratio = ratio(sizes), ratio(values)
    match growth:
        case "constant":
            return value_ratio <= math.pow(size_ratio, _CONSTANT_EXPONENT)
        case "logarithmic":
            return value_ratio <= math.pow(size_ratio, _LOGARITHMIC_EXPONENT)
        case "linear":
            return value_ratio <= _LINEAR_FACTOR * size_ratio


def ratio(values: Sequence[int]) -> float:
    """Return how many times the first of `values` the last one is; less than 1 counts as 1."""
    return max(1, values[-1]) / max(1, values[0])
