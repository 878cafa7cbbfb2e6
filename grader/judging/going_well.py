"""Decides which sessions went well: every step was reached, none broke down, every case passed.

Most submissions of a class behave the same. Observations equal to the byte are one object, see
`grader.sandbox.sessions`, so a session that went well once is recognised by their identities and
not matched again. The key has neither the student nor the place of an exception in a file.
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

_MAX_CACHED: Final = 64
_Key: TypeAlias = tuple[Hashable, ...]
_CACHED_RUNS: Final[WeakKeyDictionary[Session, dict[_Key, Sequence[Observation]]]] = (
    WeakKeyDictionary()
)
"""Observations of sessions that went well, by cache key. Keeping them alive keeps their ids from
being reused."""


def gone_well(tried: Sequence[tuple[Session, SessionRun]], checker: AnswerChecker) -> list[Session]:
    """Return the sessions in `tried` that went well in their runs."""
    unknown = {s: run for s, run in tried if _key(run) not in _CACHED_RUNS.get(s, ())}
    outcomes = checker.outcomes_together((session.steps, run) for session, run in unknown.items())
    checked_runs = zip(unknown.items(), outcomes, strict=True)
    wrong = {
        session for (session, run), results in checked_runs if not _went_well(session, run, results)
    }
    return [session for session, _ in tried if session not in wrong]


def failing(session: Session, run: SessionRun, checker: AnswerChecker) -> list[Case]:
    """Return the cases of `session` that fail in `run`; empty if it did not run to its end."""
    if not run.went_on:
        return []
    steps = observed(run, checker.outcomes(session.steps, run))
    results = ((case, assess(session, case, steps)) for case in session.cases)
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
    """Return whether `session` went well in `run`; if so, cache the observations."""
    steps = observed(run, checked)
    if len(steps) < len(session.steps) or breakdowns(run):
        return False
    results = (assess(session, case, steps) for case in session.cases)
    if not all(each is not None and each.passed for each in results):
        return False
    cached = _CACHED_RUNS.setdefault(session, {})
    if len(cached) >= _MAX_CACHED:
        cached.clear()
    cached[_key(run)] = run.observations
    return True
