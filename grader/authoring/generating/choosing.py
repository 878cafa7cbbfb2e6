"""Chooses few sessions that together kill what all candidates kill.

A program is *killed* by a session when it fails a case of it. The choice is greedy: again and again
the session that kills most of what is left, and among equals the one with fewest steps, then the
first. That is not always the smallest set, but close to it, and the same each time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from grader.suite.model import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A session that may be chosen."""

    id: str
    steps: int
    kills: frozenset[str]
    """The programs that fail a case of it."""
    groups: Mapping[str, int]
    """How many cases it has of each group."""


def choose(
    candidates: Sequence[Candidate],
    *,
    usual: int,
    most: int,
    group_cases: int,
    twice: int = 2,
) -> list[Candidate]:
    """Return at most `most` of the `candidates`, best first.

    First each program is killed that can be. Only that is worth more than the `usual` number of
    sessions: up to it, each group that any candidate has cases of gets at least `group_cases`, and
    then each program is killed `twice`, by different sessions, so that what one of them misses
    under other circumstances is found all the same.
    """
    chosen: list[Candidate] = []
    left = list(candidates)
    killed: Counter[str] = Counter()
    cases: Counter[str] = Counter()

    def take(best: Candidate) -> None:
        left.remove(best)
        chosen.append(best)
        killed.update(best.kills)
        cases.update(best.groups)

    # Kills first: nothing else justifies more than the usual number of sessions.
    while len(chosen) < most and (best := _best(left, _under(killed, left, 1))):
        take(best)
    while len(chosen) < usual and (best := _thin(left, cases, group_cases)):
        take(best)
    for times in range(2, twice + 1):
        while len(chosen) < usual and (best := _best(left, _under(killed, left, times))):
            take(best)
    return chosen


def _under(killed: Counter[str], left: Sequence[Candidate], times: int) -> set[str]:
    """Return the programs that are killed fewer than `times` and that some session can kill."""
    return {each for one in left for each in one.kills if killed[each] < times}


def _best(left: Sequence[Candidate], wanted: Collection[str]) -> Candidate | None:
    best, most = None, (0, 0)
    for candidate in left:
        gain = (len(candidate.kills.intersection(wanted)), -candidate.steps)
        if gain[0] and gain > most:
            best, most = candidate, gain
    return best


def _thin(left: Sequence[Candidate], cases: Counter[str], wanted: int) -> Candidate | None:
    """Return the session that has most cases of groups that still have too few, if any."""
    best, most = None, (0, 0)
    for candidate in left:
        missing = sum(
            min(count, wanted - cases[group])
            for group, count in candidate.groups.items()
            if cases[group] < wanted
        )
        if missing and (missing, -candidate.steps) > most:
            best, most = candidate, (missing, -candidate.steps)
    return best


_EXPECTATION_KEYS: Final = frozenset(
    {"returns", "as_lists", "stdout", "raises", "same_as", "group", "line", "action"}
)


def busy_cases(
    session: Session,
    failing: Iterable[frozenset[str]],
    spare: Counter[str],
) -> frozenset[str]:
    """Return the cases of `session` that are needed, greedily the fewest.

    `failing` are the cases that each wrong program fails; one of these must stay for each program.
    Of each group as many stay as there are not to `spare`; what is left out is taken off there.
    """
    left = [cases for cases in failing if cases]
    busy: set[str] = set()
    while left:
        shown = Counter(case for cases in left for case in cases)
        # The later one of equals: it comes after more of the session.
        best = max(session.cases, key=lambda case: (shown[case.id], case.step_index)).id
        busy.add(best)
        left = [cases for cases in left if best not in cases]
    for case in session.cases:
        if case.id not in busy:
            if spare[case.group] > 0:
                spare[case.group] -= 1
            else:
                busy.add(case.id)
    return frozenset(busy)


def trimmed(document: Mapping[str, Any], session: Session, busy: frozenset[str]) -> dict[str, Any]:
    """Return the `document` of `session` with its `busy` cases only."""
    idle = {case.step_index for case in session.cases if case.id not in busy}
    last = max(case.step_index for case in session.cases if case.id in busy)
    steps = []
    for index, step in enumerate(document["steps"][: last + 1]):
        if index not in idle:
            steps.append(step)
        elif session.steps[index].acts:
            steps.append({key: each for key, each in step.items() if key not in _EXPECTATION_KEYS})
    return {**document, "steps": steps}
