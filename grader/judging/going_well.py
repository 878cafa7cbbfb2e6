"""Tells which sessions went well: every step was reached, none broke down, every case has passed.

Most of a class shows the very same. What is the same to the byte is observed as one object, see
`grader.sandbox.sessions`, so a session that went well once is known again by its observations, and
nothing is matched anew. Whose they are plays no part in it, nor does where in a file an exception
came from.
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

_MOST_KEPT: Final = 64
_Shown: TypeAlias = tuple[Hashable, ...]
_KEPT: Final[WeakKeyDictionary[Session, dict[_Shown, Sequence[Observation]]]] = WeakKeyDictionary()
"""What was observed where a session went well, by what was shown in each step. As long as they are
kept, none but themselves have their identities."""


def gone_well(tried: Sequence[tuple[Session, SessionRun]], checker: AnswerChecker) -> list[Session]:
    """Return the sessions that went well in their runs, of those that were `tried`."""
    anew = {s: run for s, run in tried if _shown(run) not in _KEPT.get(s, ())}
    checked = checker.outcomes_together((session.steps, run) for session, run in anew.items())
    found = zip(anew.items(), checked, strict=True)
    wrong = {session for (session, run), of_run in found if not _went_well(session, run, of_run)}
    return [session for session, _ in tried if session not in wrong]


def failing(session: Session, run: SessionRun, checker: AnswerChecker) -> list[Case]:
    """Return the cases of `session` that fail in `run`; none if that did not come to its end."""
    if not run.went_on:
        return []
    seen = observed(run, checker.outcomes(session.steps, run))
    results = ((case, assess(session, case, seen)) for case in session.cases)
    return [case for case, result in results if not (result and result.passed)]


def _shown(run: SessionRun) -> _Shown:
    """Return what `run` shows, as far as whether it went well may hang on it."""
    return tuple(map(_telling, run.observations))


def _telling(observation: Observation) -> Hashable:
    """Return the identity of `observation`, or what is told of an exception but for its frames."""
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
    if len(kept) >= _MOST_KEPT:
        kept.clear()
    kept[_shown(run)] = run.observations
    return True
