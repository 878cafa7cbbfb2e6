"""`--attempt best`: all attempts are graded, and of each student the one that earns most counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from grader.cli.sources import Planned
from grader.intake.plan import PlanEntry

_Name: TypeAlias = tuple[str, str]
"""Exercise and student."""
Scores: TypeAlias = Callable[[Sequence[Planned]], Mapping[_Name, float]]
"""Grades plans, and returns what each student has earned."""


def with_best_attempts(plans: list[Planned], scores: Scores) -> list[Planned]:
    """Return `plans` with the attempt of each student that earns most, the latest of equals.

    All first attempts are graded, then all second ones, and so on; who has no more of them comes
    with her latest, which is known by then.
    """
    entries = [(planned.exercise or "", each) for planned in plans for each in planned.plan.entries]
    most = max((len(each.attempts) for _, each in entries), default=1)
    if most == 1:
        return plans
    best: dict[_Name, tuple[float, int]] = {}
    for place in range(most):
        these = [_with(planned, dict.fromkeys(_names_in(planned), place)) for planned in plans]
        earned = scores(these)
        for exercise, each in entries:
            name = exercise, each.student
            if place < len(each.attempts):
                best[name] = max(best.get(name, (-1.0, 0)), (earned.get(name, 0.0), place))
    chosen = {name: place for name, (_, place) in best.items()}
    return [_with(planned, chosen) for planned in plans]


def _names_in(planned: Planned) -> list[_Name]:
    """Return the students in a plan, each with the exercise."""
    return [(planned.exercise or "", each.student) for each in planned.plan.entries]


def _with(planned: Planned, places: Mapping[_Name, int]) -> Planned:
    """Return `planned` with the attempt of each student that is at its place, or else the last."""

    def moved(entry: PlanEntry, name: _Name) -> PlanEntry:
        return replace(entry, attempt=entry.attempts[min(places[name], len(entry.attempts) - 1)])

    entries = map(moved, planned.plan.entries, _names_in(planned))
    return replace(planned, plan=replace(planned.plan, entries=tuple(entries)))
