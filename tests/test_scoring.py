"""Points are exact: the shares of a group add up to it, whatever fails and in which order."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.scoring import SHOWN_DIGITS, case_points, earned, shown
from grader.verdict import Verdict

_FAILED = [verdict for verdict in Verdict if verdict is not Verdict.PASSED]
_POINTS = st.decimals(0, 1000, places=2).map(float)
_VERDICTS = st.lists(st.sampled_from(Verdict), min_size=1, max_size=40)


@pytest.mark.parametrize(
    ("points", "count", "share"),
    [(1, 1, 1.0), (1, 2, 0.5), (1, 3, 0.3333), (2, 3, 0.6667), (0.1, 1, 0.1), (0, 5, 0.0)],
)
def test_shares(points: float, count: int, share: float) -> None:
    """A group's points are shared equally, and shown in four digits."""
    assert share == case_points(points, count)


@pytest.mark.parametrize("count", [1, 3, 7, 10, 997])
def test_all_passed_is_all_points(count: int) -> None:
    """No rounding of shares keeps anybody from the full points."""
    for points in (0.1, 0.3, 1.0, 2.5, 4.0):
        assert Fraction(str(points)) == earned(points, [Verdict.PASSED] * count)
        assert points == shown(earned(points, [Verdict.PASSED] * count))


@pytest.mark.parametrize("verdict", _FAILED)
def test_only_passed_earns_points(verdict: Verdict) -> None:
    """Every other verdict, those that are nobody's fault included, earns nothing by itself."""
    assert Fraction(0) == earned(4.0, [verdict])
    assert Fraction(2) == earned(4.0, [verdict, Verdict.PASSED])


def test_a_third_is_a_third() -> None:
    """Thirds of a tenth are not rounded before they are added."""
    third = earned(0.1, [Verdict.PASSED, Verdict.WRONG, Verdict.WRONG])
    assert Fraction(1, 30) == third
    assert 0.1 == shown(third * 3)


@given(_POINTS, _VERDICTS)
def test_points_stay_within_the_group(points: float, verdicts: list[Verdict]) -> None:
    """Nobody earns less than nothing or more than the group."""
    assert 0 <= earned(points, verdicts) <= Fraction(str(points))


@given(_POINTS, _VERDICTS, st.randoms())
def test_order_does_not_matter(
    points: float, verdicts: list[Verdict], chance: random.Random
) -> None:
    """The same verdicts in another order earn the same."""
    shuffled = list(verdicts)
    chance.shuffle(shuffled)
    assert earned(points, verdicts) == earned(points, shuffled)


@given(_POINTS, _VERDICTS, st.data())
def test_passing_more_never_costs_points(
    points: float, verdicts: list[Verdict], data: st.DataObject
) -> None:
    """A case that passes after all never lowers the points."""
    index = data.draw(st.integers(0, len(verdicts) - 1))
    better = [*verdicts[:index], Verdict.PASSED, *verdicts[index + 1 :]]
    assert earned(points, verdicts) <= earned(points, better)


@given(st.lists(st.tuples(_POINTS, _VERDICTS), min_size=1, max_size=8), st.randoms())
def test_the_score_is_the_sum_of_the_groups(
    groups: list[tuple[float, list[Verdict]]], chance: random.Random
) -> None:
    """Adding in another order gives the same score, to the last digit."""
    score = shown(sum((earned(*group) for group in groups), Fraction(0)))
    chance.shuffle(groups)
    assert score == shown(sum((earned(*group) for group in groups), Fraction(0)))
    assert round(score, SHOWN_DIGITS) == score


@given(_POINTS, st.integers(1, 50))
def test_shown_shares_are_near_the_exact_ones(points: float, count: int) -> None:
    """What a case is shown to be worth is off by half a unit in the last digit at most."""
    exact = Fraction(str(points)) / count
    assert abs(Fraction(case_points(points, count)) - exact) <= Fraction(
        51, 10 ** (SHOWN_DIGITS + 2)
    )
