"""Detects clean sessions: every step was reached, none broke down, every case passed.

Most submissions in a class behave the same, and byte-identical observations are the same object
(see `grader.sandbox.sessions`). So a run that was clean once is recognised by the identities of its
observations, and not matched again. The cache key contains neither the student nor the line at
which an exception was raised.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Final, TypeAlias
from weakref import WeakKeyDictionary

from grader.judging.answers import AnswerChecker
from grader.judging.matching import assess, breakdowns, observations_by_step
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
"""The observations of clean runs of each session, by cache key. The cache keeps them alive so that
Python does not reuse their ids. It does not keep the sessions of unused suites alive."""


def clean_sessions(
    runs: Sequence[tuple[Session, SessionRun]], checker: AnswerChecker
) -> list[Session]:
    """Return the sessions in `runs` whose run was clean."""
    uncached = {s: run for s, run in runs if _key(run) not in _CACHED_RUNS.get(s, ())}
    outcomes = checker.outcomes_together((session.steps, run) for session, run in uncached.items())
    checked_runs = zip(uncached.items(), outcomes, strict=True)
    failed = {
        session
        for (session, run), results in checked_runs
        if not _check_and_cache(session, run, results)
    }
    return [session for session, _ in runs if session not in failed]


def find_failed_cases(session: Session, run: SessionRun, checker: AnswerChecker) -> list[Case]:
    """Return the cases of `session` that failed in `run`; empty if the run did not complete."""
    if not run.completed:
        return []
    steps = observations_by_step(run, checker.outcomes(session.steps, run))
    results = ((case, assess(session, case, steps)) for case in session.cases)
    return [case for case, result in results if not (result and result.passed)]


def _key(run: SessionRun) -> _Key:
    """Return the cache key of `run`: everything that determines whether it was clean."""
    return tuple(map(_identity, run.observations))


def _identity(observation: Observation) -> Hashable:
    """Return the id of `observation`; for an exception, its contents without the frames.

    An exception has frames, which differ between submissions, so its id would never match.
    """
    outcome = observation.outcome
    if not isinstance(outcome, Raised):
        return id(observation)
    output = (
        observation.stdout,
        observation.own_stdout,
        observation.overflowed,
        observation.read_offsets,
    )
    return outcome.type_names, outcome.message, output


def _check_and_cache(session: Session, run: SessionRun, checked: Mapping[int, Result]) -> bool:
    """Return whether `run` of `session` was clean; if so, cache its observations.

    `checked` has the checkers' results by step index.
    """
    steps = observations_by_step(run, checked)
    if len(steps) < len(session.steps) or breakdowns(run):
        return False
    results = (assess(session, case, steps) for case in session.cases)
    if not all(result is not None and result.passed for result in results):
        return False
    cached = _CACHED_RUNS.setdefault(session, {})
    if len(cached) >= _MAX_CACHED:
        cached.clear()
    cached[_key(run)] = run.observations
    return True
