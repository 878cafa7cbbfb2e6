"""The cases of a hand-in from which a search for repairs starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from grader.judging.record import GroupResult, Record
from grader.sandbox.planning import Item, own_session, whole_session
from grader.suite.limits import Limits
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.steps import Case
from grader.verdict import Verdict

LocatedCase: TypeAlias = tuple[Session, Case]
_UNTRIED: Final = frozenset({Verdict.PASSED, Verdict.FAULT, Verdict.NOT_RUN, Verdict.TAMPERED})
"""Verdicts of cases that pass, or in which no answer of the code was judged."""


class RepairTrial(NamedTuple):
    """A plan to run under `limits`, with the cases that should pass in it."""

    session: Session
    plan: tuple[Item, ...]
    cases: frozenset[Case]
    limits: Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class StartingCases:
    """The failing and passing cases of a hand-in, from which a search starts."""

    failing: Sequence[LocatedCase]
    """The failing cases of the groups, with the shortest sessions first."""
    passing: Sequence[LocatedCase]
    """All passing cases, with those of the groups first."""
    sessions: Sequence[RepairTrial]
    """Whole sessions, with their passing cases."""


def find_cases(suite: Suite, record: Record, groups: Sequence[GroupResult]) -> StartingCases:
    """Return the failing cases of `groups`, and all passing cases.

    Cases with an `_UNTRIED` verdict, and sessions that run programs, are omitted.
    """
    located = {
        case.id: (session, case)
        for session in suite.sessions
        if not session.runs_programs
        for case in session.cases
    }
    results = [result for result in record.cases if result.id in located]
    requested = {group.id for group in groups}
    failed = [
        located[result.id]
        for result in results
        if result.group in requested and result.verdict not in _UNTRIED
    ]
    passed = [result for result in results if result.verdict is Verdict.PASSED]
    passed_ids = {result.id for result in passed}
    passed.sort(key=lambda result: result.group not in requested)
    return StartingCases(
        failing=sorted(
            failed,
            key=lambda located_case: len(own_session(located_case[0], located_case[1].step_index)),
        ),
        passing=[located[result.id] for result in passed],
        sessions=[
            RepairTrial(session, whole_session(session), frozenset(cases), suite.limits)
            for session in suite.sessions
            if not session.runs_programs
            and (cases := [case for case in session.cases if case.id in passed_ids])
        ],
    )
