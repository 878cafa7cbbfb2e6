"""From points to the number that stands in a gradebook: scaled and rounded, exactly."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

_NUMBER: Final = re.compile(r"-?[0-9]{1,12}(\.[0-9]{0,12})?")
_DIGITS: Final = 9
"""A score is a sum of floats: what comes after these digits is noise, and would spoil a half."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    """How a score becomes a mark."""

    out_of: Decimal | None = None
    """What the full score is worth; None for as many as there are points."""
    step: Decimal = Decimal("0.01")
    """Marks are multiples of it."""
    half_even: bool = False
    """Whether a half goes to the even multiple, and not up."""

    def mark(self, score: float, max_score: float) -> Decimal:
        """Return the mark for `score` of `max_score` points."""
        exact = Fraction(str(round(score, _DIGITS)))
        if self.out_of is not None and max_score:
            exact *= Fraction(self.out_of) / Fraction(str(round(max_score, _DIGITS)))
        steps = exact / Fraction(self.step)
        count = round(steps) if self.half_even else math.floor(steps + Fraction(1, 2))
        return self.step * count

    def __str__(self) -> str:
        half = "to even" if self.half_even else "up"
        rounded = f"rounded to multiples of {self.step:f}, halves {half}"
        return rounded if self.out_of is None else f"out of {self.out_of:f}, {rounded}"


def number(text: str) -> Decimal | None:
    """Return the number that `text` writes, with a decimal point or a comma; None if none."""
    plain = text.strip().replace(",", ".")
    return Decimal(plain) if _NUMBER.fullmatch(plain) else None
