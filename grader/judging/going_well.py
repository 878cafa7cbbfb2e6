"""Decides which sessions went well: every step was reached, none broke down, every case passed.

Most submissions of a class behave the same. Observations equal to the byte are one object, see
`grader.sandbox.sessions`, so a session that went well once is recognised by their identities and
not matched again. Neither the student nor the place of an exception in a file matters here.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Final, TypeAlias
from weakref import WeakKeyDictionary

from grader.judging.answers import AnswerChecker
from grader.judging.matching import assess, breakdowns, observed
from grader.judging.results import Result
from grader.sandbox.observation import Observation, Raised
from grader.sandbox.session_runs import SessionRun
from grader.suite.session import Session
from grader.suite.steps import Case

_MAX_KEPT: Final = 64
_Key: TypeAlias = tuple[Hashable, ...]
_KEPT: Final[WeakKeyDictionary[Session, dict[_Key, Sequence[Observation]]]] = WeakKeyDictionary()
"""Observations of sessions that went well, by cache key. Keeping them alive keeps their ids from
being reused."""


def gone_well(tried: Sequence[tuple[Session, SessionRun]], checker: AnswerChecker) -> list[Session]:
    """Return the sessions in `tried` that went well in their runs."""
    new = {s: run for s, run in tried if _key(run) not in _KEPT.get(s, ())}
    checked = checker.outcomes_together((session.steps, run) for session, run in new.items())
    found = zip(new.items(), checked, strict=True)
    wrong = {session for (session, run), of_run in found if not _went_well(session, run, of_run)}
    return [session for session, _ in tried if session not in wrong]


def failing(session: Session, run: SessionRun, checker: AnswerChecker) -> list[Case]:
    """Return the cases of `session` that fail in `run`; empty if it did not run to its end."""
    if not run.went_on:
        return []
    seen = observed(run, checker.outcomes(session.steps, run))
    results = ((case, assess(session, case, seen)) for case in session.cases)
    return [case for case, result in results if not (result and result.passed)]


def _key(run: SessionRun) -> _Key:
    """Return the cache key of `run`: everything that decides whether it went well."""
    return tuple(map(_identity, run.observations))


def _identity(observation: Observation) -> Hashable:
    """Return the id of `observation`, or the content of an exception without its frames."""
    outcome = observation.outcome
    if not isinstance(outcome, Raised):
        return id(observation)
    printed = observation.stdout, observation.own_stdout, observation.overflowed, observation.asked
    return outcome.type_names, outcome.message, printed


def _went_well(session: Session, run: SessionRun, checked: Mapping[int, Result]) -> bool:
    seen = observed(run, checked)
    if len(seen) < len(session.steps) or breakdowns(run):
        return False
    results = (assess(session, case, seen) for case in session.cases)
    if not all(each is not None and each.passed for each in results):
        return False
    kept = _KEPT.setdefault(session, {})
    if len(kept) >= _MAX_KEPT:
        kept.clear()
    kept[_key(run)] = run.observations
    return True
