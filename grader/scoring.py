"""Turns verdicts into points. The points of a group are shared equally by its cases.

Arithmetic is exact until a number is shown, so that points do not depend on the order of adding.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from typing import Final

from grader.verdict import Verdict

SHOWN_DIGITS: Final = 4
"""Digits after the point in records: enough to add up to the score without surprise."""


def case_points(group_points: float, case_count: int) -> float:
    """Return what one of `case_count` cases is worth in a group of `group_points`."""
    return shown(_exact(group_points) / case_count)


def earned(group_points: float, verdicts: Iterable[Verdict]) -> Fraction:
    """Return the points that a group with these verdicts has earned."""
    given = list(verdicts)
    passed = sum(verdict is Verdict.PASSED for verdict in given)
    return _exact(group_points) * passed / len(given)


@cache
def _exact(points: float) -> Fraction:
    """Return the decimal number that the suite says, not its nearest binary neighbour."""
    return Fraction(str(points))


def shown(points: Fraction) -> float:
    """Return `points` as it stands in a record."""
    return round(float(points), SHOWN_DIGITS)
