"""Tells which sessions went well: every step was reached, none broke down, every case has passed.

Most of a class shows the very same. What is the same to the byte is observed as one object, see
`grader.sandbox.sessions`, so a session that went well once is known again by its observations, and
nothing is matched anew. Whose they are plays no part in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from weakref import WeakKeyDictionary

from grader.judging.answers import AnswerChecker
from grader.judging.matching import assess, breakdowns, observed
from grader.judging.results import Result
from grader.sandbox.observation import Observation
from grader.sandbox.sessions import SessionRun
from grader.suite.model import Session

_MOST_KEPT: Final = 64
_KEPT: Final[WeakKeyDictionary[Session, dict[tuple[int, ...], Sequence[Observation]]]] = (
    WeakKeyDictionary()
)
"""What was observed where a session went well, by the identity of each object. As long as they are
kept, none but themselves has that."""


def gone_well(tried: Sequence[tuple[Session, SessionRun]], checker: AnswerChecker) -> list[Session]:
    """Return the sessions that went well in their runs, of those that were `tried`."""
    anew = {session: run for session, run in tried if not _is_known(session, run)}
    checked = checker.outcomes_together((session.steps, run) for session, run in anew.items())
    found = zip(anew.items(), checked, strict=True)
    wrong = {session for (session, run), of_run in found if not _went_well(session, run, of_run)}
    return [session for session, _ in tried if session not in wrong]


def _is_known(session: Session, run: SessionRun) -> bool:
    return tuple(map(id, run.observations)) in _KEPT.get(session, ())


def _went_well(session: Session, run: SessionRun, checked: Mapping[int, Result]) -> bool:
    seen = observed(run, checked)
    if len(seen) < len(session.steps) or breakdowns(run):
        return False
    results = (assess(session, case, seen) for case in session.cases)
    if not all(each is not None and each.passed for each in results):
        return False
    kept = _KEPT.setdefault(session, {})
    if len(kept) >= _MOST_KEPT:
        kept.clear()
    kept[tuple(map(id, run.observations))] = run.observations
    return True
