"""Turns points into gradebook marks, with exact scaling and rounding."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

_NUMBER: Final = re.compile(r"-?[0-9]{1,12}(\.[0-9]{0,12})?")
_DIGITS: Final = 9
"""A score is a sum of floats: further digits are noise, and could round a half the wrong way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    """How scores are turned into marks."""

    out_of: Decimal | None = None
    """The mark for the full score; None to use the number of points."""
    step: Decimal = Decimal("0.01")
    """The step size: marks are multiples of it."""
    half_even: bool = False
    """Whether halves are rounded to even instead of up."""

    def mark(self, score: float, max_score: float) -> Decimal:
        """Return the mark for `score` out of `max_score` points.

        If `max_score` is 0, only the rounding applies.
        """
        # Exact fractions, so that decimal halves are recognised as halves.
        exact = Fraction(str(round(score, _DIGITS)))
        if self.out_of is not None and max_score:
            exact *= Fraction(self.out_of) / Fraction(str(round(max_score, _DIGITS)))
        steps = exact / Fraction(self.step)
        count = round(steps) if self.half_even else math.floor(steps + Fraction(1, 2))
        return self.step * count

    def __str__(self) -> str:
        """Describe the scaling for the user."""
        direction = "to even" if self.half_even else "up"
        rounding = f"rounded to multiples of {self.step:f}, halves {direction}"
        return rounding if self.out_of is None else f"out of {self.out_of:f}, {rounding}"


def parse_number(text: str) -> Decimal | None:
    """Parse a number with a decimal point or comma; return None if `text` is not a number."""
    plain = text.strip().replace(",", ".")
    return Decimal(plain) if _NUMBER.fullmatch(plain) else None
