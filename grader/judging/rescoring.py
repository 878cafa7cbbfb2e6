"""Rescores a record for a suite that has the same cases with other points.

Nothing is run, because the record has the verdicts. The points of a case in the record show which
fraction of its worth it earned, if it was worth anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from grader.intake.lateness import Lateness
from grader.judging.counterexamples import needs_counterexample
from grader.judging.helpers import PARTLY_RIGHT
from grader.judging.lateness import LATENESS, late_result
from grader.judging.passed_results import is_plain, passed_group
from grader.judging.record import CaseResult, GroupResult, Record, RuleResult
from grader.judging.results import (
    SHOWN_DIGITS,
    ScoredCase,
    case_worths,
    exact,
    penalties,
    round_points,
)
from grader.suite.model import Suite
from grader.suite.steps import Group
from grader.verdict import RuleVerdict, Status, Verdict

_HALVES: Final = 2
"""A case earns none, half or all of its worth, unless it passed with our helpers."""
_MAX_ROUNDING: Final = 10**-SHOWN_DIGITS
"""Recorded points can be off by half of this, and so can the worth of a case."""


class _Underivable(Exception):
    """The new points cannot be derived from the record."""


def rescore(record: Record, suite: Suite, lateness: Lateness | None = None) -> Record | None:
    """Return `record` with the points of `suite`, which must have the same cases.

    `lateness` replaces the recorded one, because deadlines might have changed. The result equals
    the record that grading again would give. Return None if it cannot be derived from `record`.
    """
    if record.status is not Status.GRADED:
        return None
    try:
        scored = [
            _rescore_group(group, old, suite)
            for group, old in zip(suite.groups, record.groups, strict=True)
        ]
        rules, lost = _rescore_rules(
            record, suite, dict(zip(_group_ids(record), scored, strict=True))
        )
    except (_Underivable, ValueError):  # `zip` raises ValueError if groups were added or removed
        return None
    score = sum((points for points, _ in scored), start=Fraction(0)) - lost
    max_score = sum(group.max_points for _, group in scored)
    if lateness is not None:
        deduction, lateness_result = late_result(lateness, score, exact(max_score))
        score, rules = score - deduction, (*rules, lateness_result)
    return replace(
        record,
        title=suite.title,
        score=round_points(score),
        max_score=max_score,
        groups=tuple(group for _, group in scored),
        rules=rules,
        conditions=replace(record.conditions, suite_sha256=suite.sha256),
    )


def _group_ids(record: Record) -> list[str]:
    return [group.id for group in record.groups]


def _rescore_group(group: Group, old: GroupResult, suite: Suite) -> tuple[Fraction, GroupResult]:
    """Return the exact points that `group` earns, and its result.

    Raises `_Underivable` if they cannot be derived from `old`.
    """
    cases = suite.cases[group.id]
    if old.id != group.id or [case.id for case in old.cases] != [case.id for _, case in cases]:
        raise _Underivable
    if all(map(is_plain, old.cases)):
        return exact(group.points), passed_group(suite, group)
    if needs_counterexample(suite, old) and not old.searched:
        raise _Underivable  # the points decide which groups are searched
    is_counted = not any(case.cause in suite.helpers for case in old.cases)
    max_points = group.points if is_counted else 0.0
    scored_cases = [
        ScoredCase(session.visibility, session.steps[case.step_index].clause)
        for session, case in cases
    ]
    worths = case_worths(max_points, scored_cases, suite.hidden_share)
    shares = _earned_shares(old.cases)
    points = [
        worth if share == 1 else worth * share for worth, share in zip(worths, shares, strict=True)
    ]
    lost_points = sum((w - p for w, p in zip(worths, points, strict=True)), start=Fraction(0))
    earned_points = exact(max_points) - lost_points
    return earned_points, replace(
        old,
        title=group.title,
        points=round_points(earned_points),
        max_points=max_points,
        cases=tuple(
            replace(case, points=round_points(case_points), max_points=round_points(worth))
            for case, worth, case_points in zip(old.cases, worths, points, strict=True)
        ),
    )


def _earned_shares(cases: Sequence[CaseResult]) -> list[Fraction]:
    """Return the fraction of its worth that each of `cases` earned.

    Raises `_Underivable` if a fraction is unknown.
    """
    if all(case.verdict is Verdict.PASSED for case in cases):
        return [Fraction(1)] * len(cases)
    if not all(case.max_points for case in cases):
        raise _Underivable
    return list(map(_earned_share, cases))


def _earned_share(case: CaseResult) -> Fraction:
    """Return the fraction of its worth that `case` earned.

    Raises `_Underivable` if the fraction is unknown.
    """
    # Recorded points are rounded, so their ratio is only approximately a half.
    share = Fraction(round(_HALVES * case.points / case.max_points), _HALVES)
    for reason in case.explanation:
        if reason.key == PARTLY_RIGHT:
            share = 1 - Fraction(str(dict(reason.parameters)["cost"]))
    if abs(case.points - case.max_points * share) > _MAX_ROUNDING:
        raise _Underivable  # any other fraction is not known exactly
    return share


def _rescore_rules(
    record: Record, suite: Suite, scored: dict[str, tuple[Fraction, GroupResult]]
) -> tuple[tuple[RuleResult, ...], Fraction]:
    """Return the results of rules, and their total cost.

    Raises `_Underivable` if a recorded rule is not in `suite`, or if its verdict could change.
    """
    rules = {rule.id: rule for rule in suite.rules}
    results = [result for result in record.rules if result.id != LATENESS]
    if any(result.id not in rules for result in results):
        raise _Underivable
    old_groups = {group.id: group for group in record.groups}
    for result in results:
        # `adjust_to_points` based the verdict on these facts, so they must be the same.
        if result.group is not None and _points_facts(old_groups[result.group]) != _points_facts(
            scored[result.group][1]
        ):
            raise _Underivable
    broken = [rules[result.id] for result in results if result.verdict is RuleVerdict.BROKEN]
    costs = penalties(broken, {name: points for name, (points, _) in scored.items()})
    new_results = tuple(
        replace(
            result,
            penalty=round_points(costs.get(result.id, Fraction(0))),
            costs=rules[result.id].costs_points,
        )
        for result in results
    )
    return new_results, sum(costs.values(), start=Fraction(0))


def _points_facts(group: GroupResult) -> tuple[bool, bool]:
    """Return whether `group` earned any points, and whether it earned all of them.

    The verdict on a rule depends only on these properties of the points.
    """
    return bool(group.points), 0 < group.max_points == group.points
