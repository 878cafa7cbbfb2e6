"""Points are exact: the shares of a group add up to it, whatever fails and in which order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.judging.results import (
    SHOWN_DIGITS,
    Result,
    ScoredCase,
    case_worths,
    points_earned,
    round_points,
)
from grader.verdict import Verdict, Visibility

_FAILED = [verdict for verdict in Verdict if verdict is not Verdict.PASSED]
_POINTS = st.decimals(0, 1000, places=2).map(float)
_SHARES = st.none() | st.decimals(0, 1, places=3).map(float)
_VERDICTS = st.lists(st.sampled_from(Verdict), min_size=1, max_size=40)
_CASES = st.lists(
    st.builds(ScoredCase, st.sampled_from(Visibility), st.sampled_from([None, "a", "b", "c"])),
    min_size=1,
    max_size=40,
)
_RESULTS = st.sampled_from(Verdict).flatmap(
    lambda verdict: st.builds(
        Result,
        verdict=st.just(verdict),
        is_half_right=st.booleans() if verdict is Verdict.WRONG else st.just(value=False),
    )
)
_PUBLIC, _HIDDEN, _STAFF = map(ScoredCase, (Visibility.PUBLIC, Visibility.HIDDEN, Visibility.STAFF))
_PASSED, _WRONG = Result(verdict=Verdict.PASSED), Result(verdict=Verdict.WRONG)
_HALF_RIGHT = Result(verdict=Verdict.WRONG, is_half_right=True)


def worth(points: float, count: int) -> list[Fraction]:
    """Return what `count` public cases are worth."""
    return case_worths(points, [_PUBLIC] * count)


def of_public(points: float, verdicts: Sequence[Verdict]) -> Fraction:
    """Return what a group of public cases with these verdicts has earned."""
    results = [Result(verdict=verdict) for verdict in verdicts]
    return sum(points_of(points, [_PUBLIC] * len(verdicts), results), Fraction(0))


def points_of(
    points: float,
    cases: Sequence[ScoredCase],
    results: Sequence[Result],
    share: float | None = None,
) -> list[Fraction]:
    """Return what each of the `cases` of a group earns with these `results`."""
    return points_earned(case_worths(points, cases, share), cases, results)


@pytest.mark.parametrize(
    ("points", "count", "share"),
    [(1, 1, 1.0), (1, 2, 0.5), (1, 3, 0.3333), (2, 3, 0.6667), (0.1, 1, 0.1), (0, 5, 0.0)],
)
def test_shares(points: float, count: int, share: float) -> None:
    """A group's points are shared equally, and shown in four digits."""
    assert [share] * count == [round_points(each) for each in worth(points, count)]


def test_group_without_cases_is_refused() -> None:
    """Its points would be nobody's; no suite that loads has one."""
    with pytest.raises(AssertionError, match="group without cases"):
        worth(1.0, 0)


@pytest.mark.parametrize("count", [1, 3, 7, 10, 997])
def test_all_passed_is_all_points(count: int) -> None:
    """No rounding of shares keeps anybody from the full points."""
    for points in (0.1, 0.3, 1.0, 2.5, 4.0):
        assert Fraction(str(points)) == of_public(points, [Verdict.PASSED] * count)
        assert points == round_points(of_public(points, [Verdict.PASSED] * count))


@pytest.mark.parametrize("verdict", _FAILED)
def test_only_passed_earns_points(verdict: Verdict) -> None:
    """Every other verdict, those that are nobody's fault included, earns nothing by itself."""
    assert Fraction(0) == of_public(4.0, [verdict])
    assert Fraction(2) == of_public(4.0, [verdict, Verdict.PASSED])


def test_a_third_is_a_third() -> None:
    """Thirds of a tenth are not rounded before they are added."""
    third = of_public(0.1, [Verdict.PASSED, Verdict.WRONG, Verdict.WRONG])
    assert Fraction(1, 30) == third
    assert 0.1 == round_points(third * 3)


@given(_POINTS, _VERDICTS)
def test_points_stay_within_the_group(points: float, verdicts: list[Verdict]) -> None:
    """Nobody earns less than nothing or more than the group."""
    assert 0 <= of_public(points, verdicts) <= Fraction(str(points))


@given(_POINTS, _VERDICTS, st.randoms())
def test_order_does_not_matter(
    points: float, verdicts: list[Verdict], chance: random.Random
) -> None:
    """The same verdicts in another order earn the same."""
    shuffled = list(verdicts)
    chance.shuffle(shuffled)
    assert of_public(points, verdicts) == of_public(points, shuffled)


@given(_POINTS, _VERDICTS, st.data())
def test_passing_more_never_costs_points(
    points: float, verdicts: list[Verdict], data: st.DataObject
) -> None:
    """A case that passes after all never lowers the points."""
    index = data.draw(st.integers(0, len(verdicts) - 1))
    better = [*verdicts[:index], Verdict.PASSED, *verdicts[index + 1 :]]
    assert of_public(points, verdicts) <= of_public(points, better)


@given(st.lists(st.tuples(_POINTS, _VERDICTS), min_size=1, max_size=8), st.randoms())
def test_the_score_is_the_sum_of_the_groups(
    groups: list[tuple[float, list[Verdict]]], chance: random.Random
) -> None:
    """Adding in another order gives the same score, to the last digit."""
    score = round_points(sum((of_public(*group) for group in groups), Fraction(0)))
    chance.shuffle(groups)
    assert score == round_points(sum((of_public(*group) for group in groups), Fraction(0)))
    assert round(score, SHOWN_DIGITS) == score


@given(_POINTS, st.integers(1, 50))
def test_shown_shares_are_near_the_exact_ones(points: float, count: int) -> None:
    """What a case is shown to be worth is off by half a unit in the last digit at most."""
    exact = Fraction(str(points)) / count
    assert abs(Fraction(round_points(worth(points, count)[0])) - exact) <= Fraction(
        51, 10 ** (SHOWN_DIGITS + 2)
    )


# Hidden suites


@pytest.mark.parametrize(
    ("cases", "share", "expected"),
    [
        ([_PUBLIC, _PUBLIC, _HIDDEN], None, ["4/3", "4/3", "4/3"]),
        ([_PUBLIC, _PUBLIC, _HIDDEN], 0.9, ["1/5", "1/5", "18/5"]),
        ([_PUBLIC, _HIDDEN, _STAFF], 0.5, ["2", "1", "1"]),
        ([_PUBLIC, _HIDDEN], 0.0, ["4", "0"]),
        ([_PUBLIC, _HIDDEN], 1.0, ["0", "4"]),
        ([_PUBLIC, _PUBLIC], 0.9, ["2", "2"]),
        ([_HIDDEN, _STAFF], 0.9, ["2", "2"]),
    ],
)
def test_hidden_cases_have_their_share(
    cases: list[ScoredCase], share: float | None, expected: list[str]
) -> None:
    """Where a group has both, the public cases have what the share of the others leaves."""
    assert [Fraction(each) for each in expected] == case_worths(4.0, cases, share)


@given(_POINTS, _CASES, _SHARES)
def test_worths_add_up_to_the_group(
    points: float, cases: list[ScoredCase], share: float | None
) -> None:
    """However the points are shared out, whoever passes everything has all of them."""
    each = case_worths(points, cases, share)
    assert len(cases) == len(each)
    assert all(worth >= 0 for worth in each)
    assert Fraction(str(points)) == sum(points_earned(each, cases, [_PASSED] * len(each)))


# Clauses


def of_clauses(
    *clauses: str | None, visibility: Visibility = Visibility.HIDDEN
) -> list[ScoredCase]:
    """Return cases that these `clauses` settle."""
    return [ScoredCase(visibility, clause) for clause in clauses]


def test_hidden_clauses_weigh_the_same() -> None:
    """However many cases ask a clause, it is worth what others are; a case without one is one."""
    cases = of_clauses("a", "a", "a", "b", None)
    assert [Fraction(each) for each in ("2/3", "2/3", "2/3", "2", "2")] == case_worths(6.0, cases)
    cases.append(ScoredCase(Visibility.PUBLIC, "a"))
    share = [Fraction(each) for each in ("1/3", "1/3", "1/3", "1", "1", "3")]
    assert share == case_worths(6.0, cases, 0.5)


def test_who_keeps_to_a_hidden_clause_now_and_then_does_not() -> None:
    """One case that fails takes the points of its clause, and of no other."""
    cases = of_clauses("a", "a", "b", None)
    results = [_PASSED, _WRONG, _PASSED, _PASSED]
    assert [0, 0, 2, 2] == points_of(6.0, cases, results)


def test_public_cases_stand_alone() -> None:
    """Students see each of them: what a clause quotes makes no difference there."""
    cases = of_clauses("a", "a", visibility=Visibility.PUBLIC)
    assert [2, 0] == points_of(4.0, cases, [_PASSED, _WRONG])


def test_right_exception_with_another_message_earns_half() -> None:
    """Alone and in a clause; beside one that fails it earns nothing."""
    cases = of_clauses("a", "a", "b", "b", None)
    results = [_HALF_RIGHT, _PASSED, _HALF_RIGHT, _WRONG, _HALF_RIGHT]
    assert [Fraction(1, 2), Fraction(1, 2), 0, 0, 1] == points_of(6.0, cases, results)


@given(_POINTS, _CASES, _SHARES, st.data())
def test_a_clause_is_kept_as_well_as_the_worst_of_its_cases(
    points: float, cases: list[ScoredCase], share: float | None, data: st.DataObject
) -> None:
    """Every case has earned the part of its worth that the worst of those it goes with has."""
    results = data.draw(st.lists(_RESULTS, min_size=len(cases), max_size=len(cases)))
    worth = case_worths(points, cases, share)
    each_earned = points_earned(worth, cases, results)
    for index, case in enumerate(cases):
        is_alone = case.clause is None or case.visibility is Visibility.PUBLIC
        together = [
            result
            for number, (other, result) in enumerate(zip(cases, results, strict=True))
            if number == index
            or (
                not is_alone
                and other.clause == case.clause
                and other.visibility is not Visibility.PUBLIC
            )
        ]
        assert worth[index] * min(each.credit for each in together) == each_earned[index]


@given(_POINTS, _CASES, _SHARES, st.data())
def test_better_results_never_cost_points(
    points: float, cases: list[ScoredCase], share: float | None, data: st.DataObject
) -> None:
    """A case that passes after all, or comes half right, lowers the points of no case."""
    results = data.draw(st.lists(_RESULTS, min_size=len(cases), max_size=len(cases)))
    index = data.draw(st.integers(0, len(cases) - 1))
    was = points_of(points, cases, results, share)
    for better in (_HALF_RIGHT, _PASSED):
        if better.credit >= results[index].credit:
            results[index] = better
            now = points_of(points, cases, results, share)
            assert all(before <= after for before, after in zip(was, now, strict=True))
            assert sum(now) <= Fraction(str(points))
