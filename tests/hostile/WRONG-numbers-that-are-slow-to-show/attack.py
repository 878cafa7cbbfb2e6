"""Returns numbers that are slow to write in decimals, with signs and exponents at the edge; long ones travel as hexadecimals and are capped."""

from decimal import Decimal
from fractions import Fraction


def answer(n):
    return [
        (1 << 16_383) - 1,
        -(1 << 16_000),
        Fraction((1 << 9000) + 1, (1 << 9001) - 1),
        Decimal("1e999999"),
        Decimal("-0"),
        Decimal("sNaN123"),
        float("nan"),
        float("-inf"),
        complex("nan+infj"),
        range(-(1 << 70), 1 << 70, 1 << 65),
        1e308 * 10,
        -0.0,
    ]


def double(n):
    return 2 * n
