"""Tells which sessions went well: every step was reached, none broke down, every case has passed.

Most of a class shows the very same. What is the same to the byte is observed as one object, see
`grader.sandbox.sessions`, so a session that went well once is known again by its observations, and
nothing is matched anew. Whose they are plays no part in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from weakref import WeakKeyDictionary

from grader.judging.answers import AnswerChecker
from grader.judging.matching import assess, breakdowns, observed
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
    known = [_is_known(*each) for each in tried]
    anew = [each for each, is_known in zip(tried, known, strict=True) if not is_known]
    checker.ask_together((session.steps, run) for session, run in anew)
    return [
        session
        for (session, run), is_known in zip(tried, known, strict=True)
        if is_known or _has_gone_well(session, run, checker)
    ]


def _is_known(session: Session, run: SessionRun) -> bool:
    return tuple(map(id, run.observations)) in _KEPT.get(session, ())


def _has_gone_well(session: Session, run: SessionRun, checker: AnswerChecker) -> bool:
    seen = observed(run, checker.outcomes(session.steps, run))
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
