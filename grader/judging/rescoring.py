"""Rescores a record for a suite that asks the same with other points.

Nothing is run: the record says which cases passed. The points of a case there show which share of
its worth it earned, if it was worth anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from grader.intake.lateness import Lateness
from grader.judging.counterexamples import needs_one
from grader.judging.helpers import PARTLY_RIGHT
from grader.judging.lateness import LATENESS, late_result
from grader.judging.plain import is_plain, passed_group
from grader.judging.record import CaseResult, GroupResult, Record, RuleResult
from grader.judging.results import SHOWN_DIGITS, AskedCase, exact, penalties, shown, worths
from grader.suite.model import Suite
from grader.suite.steps import Group
from grader.verdict import RuleVerdict, Status, Verdict

_HALVES: Final = 2
"""A case earns nothing, half or all of its worth, unless helpers were replaced for it."""
_ROUNDED: Final = 10**-SHOWN_DIGITS
"""Points in a record may be off by half of this, and what a case is worth as well."""


class _Untold(Exception):
    """The new points cannot be derived from the record."""


def rescored(record: Record, suite: Suite, lateness: Lateness | None = None) -> Record | None:
    """Return `record` with the points of `suite`, which must ask the same as its own.

    `lateness` replaces the recorded one, as deadlines may have changed.

    The result equals the record that grading would give; None if it cannot be derived.
    """
    if record.status is not Status.GRADED:
        return None
    try:
        scored = [
            _group(group, old, suite)
            for group, old in zip(suite.groups, record.groups, strict=True)
        ]
        rules, lost = _rules(record, suite, dict(zip(_ids(record), scored, strict=True)))
    except (_Untold, ValueError):  # `zip` raises ValueError if groups were added or left out
        return None
    score = sum((points for points, _ in scored), start=Fraction(0)) - lost
    max_score = sum(group.max_points for _, group in scored)
    if lateness is not None:
        taken, late = late_result(lateness, score, exact(max_score))
        score, rules = score - taken, (*rules, late)
    return replace(
        record,
        title=suite.title,
        score=shown(score),
        max_score=max_score,
        groups=tuple(group for _, group in scored),
        rules=rules,
        conditions=replace(record.conditions, suite_sha256=suite.sha256),
    )


def _ids(record: Record) -> list[str]:
    return [group.id for group in record.groups]


def _group(group: Group, old: GroupResult, suite: Suite) -> tuple[Fraction, GroupResult]:
    """Return the exact points that `group` has earned, and its result; raises `_Untold`."""
    cases = suite.cases[group.id]
    if old.id != group.id or [each.id for each in old.cases] != [case.id for _, case in cases]:
        raise _Untold
    if all(map(is_plain, old.cases)):
        return exact(group.points), passed_group(suite, group)
    if needs_one(suite, old) and not old.searched:
        raise _Untold  # points decide for which groups the search is cut short
    counts = not any(case.cause in suite.helpers for case in old.cases)
    max_points = group.points if counts else 0.0
    asked = [
        AskedCase(session.visibility, session.steps[case.step_index].clause)
        for session, case in cases
    ]
    each_worth = worths(max_points, asked, suite.hidden_share)
    parts = _parts(old.cases)
    points = [
        worth if part == 1 else worth * part for worth, part in zip(each_worth, parts, strict=True)
    ]
    lost = sum((w - p for w, p in zip(each_worth, points, strict=True)), start=Fraction(0))
    earned = exact(max_points) - lost
    return earned, replace(
        old,
        title=group.title,
        points=shown(earned),
        max_points=max_points,
        cases=tuple(
            replace(case, points=shown(own), max_points=shown(worth))
            for case, worth, own in zip(old.cases, each_worth, points, strict=True)
        ),
    )


def _parts(cases: Sequence[CaseResult]) -> list[Fraction]:
    """Return the share of its worth that each of `cases` has earned; raises `_Untold`."""
    if all(case.verdict is Verdict.PASSED for case in cases):
        return [Fraction(1)] * len(cases)
    if not all(case.max_points for case in cases):
        raise _Untold
    return list(map(_part, cases))


def _part(case: CaseResult) -> Fraction:
    # Points in a record are rounded, so that their ratio is only nearly a half.
    part = Fraction(round(_HALVES * case.points / case.max_points), _HALVES)
    for said in case.explanation:
        if said.key == PARTLY_RIGHT:
            part = 1 - Fraction(str(dict(said.parameters)["cost"]))
    if abs(case.points - case.max_points * part) > _ROUNDED:
        raise _Untold  # another share, which nobody knows exactly
    return part


def _rules(
    record: Record, suite: Suite, scored: dict[str, tuple[Fraction, GroupResult]]
) -> tuple[tuple[RuleResult, ...], Fraction]:
    """Return the results of rules, and their total cost; raises `_Untold`."""
    rules = {rule.id: rule for rule in suite.rules}
    found = [result for result in record.rules if result.id != LATENESS]
    if any(result.id not in rules for result in found):
        raise _Untold
    before = {group.id: group for group in record.groups}
    for result in found:
        if result.group is not None and _weight(before[result.group]) != _weight(
            scored[result.group][1]
        ):
            raise _Untold
    broken = [rules[result.id] for result in found if result.verdict is RuleVerdict.BROKEN]
    costs = penalties(broken, {name: points for name, (points, _) in scored.items()})
    results = tuple(
        replace(
            each,
            penalty=shown(costs.get(each.id, Fraction(0))),
            costs=rules[each.id].costs,
        )
        for each in found
    )
    return results, sum(costs.values(), start=Fraction(0))


def _weight(group: GroupResult) -> tuple[bool, bool]:
    """Return the facts about a group's points that the verdict on a rule depends on."""
    return bool(group.points), 0 < group.max_points == group.points
