"""Retries failed cases with our helpers, so that callers of a wrong helper lose few points.

A submission of one module is split into helpers, which build on each other in the order of the
suite, and the suite can have a stand-in for the module. Once all sessions have been tried:

1.  For each helper in turn, the failed cases of its group are retried with the wrong helpers before
    it replaced with ours. A helper is *wrong* if a case of its group still fails in this retry.
2.  Failed cases of other groups are retried with all wrong helpers replaced.

Cases that pass in a retry keep their verdict, but earn points. The fraction of points that they
lose is twice the fraction of wrong helpers: a sixth if one helper in twelve is wrong. If half of
the helpers are wrong, no points are left to earn, so nothing is retried.

No executor ever gets our version of the function that its cases test: neither a required name, nor
a helper whose own group is being retried.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final, TypeAlias

from grader.judging.results import Result, Results
from grader.messages import message
from grader.suite.model import Suite
from grader.verdict import Verdict

CaseRunner: TypeAlias = Callable[[Sequence[str], str, Collection[str]], Results]
"""Runs the cases of a group that have the given ids, with the given helpers replaced with ours."""

PARTLY_RIGHT: Final = "stand_ins.helpers"
"""The key of the message about a case that passes with our helpers; its parameter `cost` is the
fraction of the points that is lost."""
_SETTLED: Final = frozenset({Verdict.PASSED, Verdict.TAMPERED, Verdict.FAULT})


def retry_with_our_helpers(
    suite: Suite, results: Results, defined: Sequence[str], run_cases: CaseRunner
) -> Results:
    """Retry the failed cases in `results`; return new results for those that pass now.

    `defined` are the helpers that the submission defines, in the order of the suite. The id of the
    group that tests a helper is the name of the helper. `run_cases` runs cases with our helpers.
    """
    failed = _failed_cases(suite, results)
    corrected: dict[str, Result] = {}
    wrong: list[str] = []

    def retry_group(group: str, cases: Sequence[str]) -> bool:
        """Retry `cases` of `group` and return whether all pass; add passing ones to `corrected`."""
        cost = Fraction(2 * len(wrong), max(1, len(defined)))
        # Without a wrong helper, a retry would only repeat the first run.
        retries = run_cases(wrong, group, cases) if 0 < cost < 1 and cases else {}
        passing = [case for case in cases if case in retries and retries[case].passed]
        corrected.update(
            (case, _with_partial_credit(results[case], wrong, cost)) for case in passing
        )
        return len(passing) == len(cases)

    for name in defined:
        is_right = retry_group(name, failed.pop(name, ()))
        if not is_right:
            wrong.append(name)
    # No group has the id "", so none of our helpers is held back.
    retry_group("", [case for cases in failed.values() for case in cases])
    return corrected


def _failed_cases(suite: Suite, results: Results) -> dict[str, list[str]]:
    """Return the ids of failed cases by group, except cases that failed for lack of a helper."""
    failed: dict[str, list[str]] = defaultdict(list)
    for session in suite.sessions:
        for case in session.cases:
            result = results[case.id]
            if result.verdict not in _SETTLED and result.cause not in suite.helpers:
                failed[case.group].append(case.id)
    return failed


def _with_partial_credit(result: Result, wrong: Sequence[str], cost: Fraction) -> Result:
    """Return `result` with partial credit for a case that passes once `wrong` helpers are replaced.

    `cost` is the fraction of the points that the case loses.
    """
    (*leading, last) = wrong
    explanation = message(
        PARTLY_RIGHT,
        count=len(wrong),
        helpers=", ".join(leading),
        last=last,
        cost=str(cost),
    )
    return replace(result, part=1 - cost, explanation=(*result.explanation, explanation))
