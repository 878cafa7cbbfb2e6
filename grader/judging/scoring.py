"""Turns verdicts into points. The points of a group are shared by its cases.

They are shared equally, unless a hidden suite says which part of them the cases that are not public
earn together. Rules that are broken take points away, of a group or of the whole, and never more
than was earned. Arithmetic is exact until a number is shown, so that points do not depend on the
order of adding.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Final

from grader.suite.rules import Rule
from grader.verdict import Verdict, Visibility

SHOWN_DIGITS: Final = 4
"""Digits after the point in records: enough to add up to the score without surprise."""


def worths(
    group_points: float, visibilities: Sequence[Visibility], hidden_share: float | None = None
) -> list[Fraction]:
    """Return what each case of a group is worth; of each there is its visibility.

    `hidden_share` is the part of the points for the cases that are not public, where there are
    public ones too. Without it, or with cases of one kind only, all weigh the same.
    """
    points, count = _exact(group_points), len(visibilities)
    assert count, "the loader refuses a group without cases, and a draw keeps one of each pool"
    public_count = visibilities.count(Visibility.PUBLIC)
    if hidden_share is None or public_count in {0, count}:
        return [points / count] * count
    public = points * (1 - _exact(hidden_share)) / public_count
    other = points * _exact(hidden_share) / (count - public_count)
    return [public if each is Visibility.PUBLIC else other for each in visibilities]


def earned(worths: Iterable[Fraction], verdicts: Iterable[Verdict]) -> Fraction:
    """Return the points that a group has earned: of each case its worth and its verdict."""
    pairs = zip(worths, verdicts, strict=True)
    passed = (worth for worth, verdict in pairs if verdict is Verdict.PASSED)
    return sum(passed, start=Fraction(0))


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
