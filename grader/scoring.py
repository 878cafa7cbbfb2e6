"""Turns verdicts into points. The points of a group are shared equally by its cases.

Rules that are broken take points away, of a group or of the whole, and never more than was earned.
Arithmetic is exact until a number is shown, so that points do not depend on the order of adding.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from typing import Final

from grader.demands import Rule
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


def penalties(broken: Iterable[Rule], earned: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Return what each of the `broken` rules costs, by its id, in their order.

    `earned` are the points of each group. A rule takes what it says as far as it is there: what one
    has taken cannot be taken again.
    """
    kept = dict(earned)
    from_score = Fraction(0)
    costs = {}
    for rule in broken:
        of_score = sum(kept.values(), start=Fraction(0)) - from_score
        of_group = of_score if rule.group is None else min(of_score, kept[rule.group])
        if rule.cap is not None:
            cost = max(Fraction(0), of_group - _exact(rule.cap))
        else:
            cost = min(of_group, _exact(rule.points or 0.0))
        if rule.group is None:
            from_score += cost
        else:
            kept[rule.group] -= cost
        costs[rule.id] = cost
    return costs


@cache
def _exact(points: float) -> Fraction:
    """Return the decimal number that the suite says, not its nearest binary neighbour."""
    return Fraction(str(points))


def shown(points: Fraction) -> float:
    """Return `points` as it stands in a record."""
    return round(float(points), SHOWN_DIGITS)
