"""Leaves out of a session what is idle: cases that show nothing which others do not show as well.

What brings later lines into their state stays, though nothing is expected of it any more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from grader.suite import Session

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
