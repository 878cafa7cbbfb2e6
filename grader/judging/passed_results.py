"""Caches the results of fully passed cases and groups, which are the same for every student.

Most of a class passes most groups, so each result is built once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Final, TypeVar

from grader.judging.record import CaseResult, GroupResult
from grader.judging.results import (
    PASSED,
    ScoredCase,
    case_worths,
    exact,
    hidden_tally,
    round_points,
)
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.steps import Case, Group
from grader.verdict import Verdict

_MAX_CASES: Final = 8192
_MAX_GROUPS: Final = 2048

_T = TypeVar("_T")


def is_plain(case: CaseResult) -> bool:
    """Return whether `case` passed without any explanation or evidence."""
    return case.verdict is Verdict.PASSED and not (case.explanation or case.staff_evidence)


def cache_plain_cases(work: Callable[[CaseResult], _T]) -> Callable[[CaseResult], _T]:
    """Return `work` with a cache for plain cases, keyed by identity.

    Most students share the same case objects.
    """
    cache: dict[int, tuple[CaseResult, _T]] = {}

    @wraps(work)
    def with_cache(case: CaseResult) -> _T:
        """Return the cached result of `work` for `case`, calling it if necessary."""
        entry = cache.get(id(case))
        if entry is not None:  # `cache` keeps the case alive, so that its id is not reused
            return entry[1]
        result = work(case)
        if is_plain(case):
            if len(cache) >= _MAX_CASES:
                cache.clear()
            cache[id(case)] = case, result
        return result

    return with_cache


def passed_groups(suite: Suite) -> tuple[GroupResult, ...]:
    """Return the results of all groups for a submission that passes all cases of `suite`."""
    return tuple(passed_group(suite, group) for group in suite.groups)


def passed_group(suite: Suite, group: Group) -> GroupResult:
    """Return the result of `group` of `suite` for a submission that passes all its cases."""
    cases = suite.cases[group.id]
    return _passed_group(group.id, group.title, group.points, cases, suite.hidden_share)


@lru_cache(_MAX_GROUPS)
def _passed_group(
    name: str,
    title: str,
    points: float,
    cases: tuple[tuple[Session, Case], ...],
    hidden_share: float | None,
) -> GroupResult:
    """Return the result of a group whose `cases` have all passed; cached."""
    scored_cases = [
        ScoredCase(session.visibility, session.steps[case.step_index].clause)
        for session, case in cases
    ]
    shown_worths = map(round_points, case_worths(points, scored_cases, hidden_share))
    return GroupResult(
        id=name,
        title=title,
        points=round_points(exact(points)),
        max_points=points,
        cases=tuple(
            plain_passed_case(session, case, worth, worth)
            for (session, case), worth in zip(cases, shown_worths, strict=True)
        ),
        hidden=hidden_tally(scored_cases, [PASSED] * len(cases)),
    )


@lru_cache(_MAX_CASES)
def plain_passed_case(session: Session, case: Case, points: float, max_points: float) -> CaseResult:
    """Return the result of a case that passed without explanation; shared by all submissions."""
    step = session.steps[case.step_index]
    return CaseResult(
        id=case.id,
        group=case.group,
        code=step.display_text,
        verdict=Verdict.PASSED,
        points=points,
        max_points=max_points,
        visibility=session.visibility,
        spec_line=step.line,
    )
