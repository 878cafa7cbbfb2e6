"""Retries failed cases with our helpers, so that a wrong helper costs little in its callers.

A submission of one module is cut into helpers, which build on each other in the order of the suite,
and the suite may have a stand-in for the module. When all sessions have been tried:

1.  Helper by helper, the failed cases of its group are retried with the wrong helpers before it
    replaced by ours. A helper is *wrong* if a case of its group still fails then.
2.  Failed cases of other groups are retried with all wrong helpers replaced.

Cases that pass then keep their verdict, and lose twice the fraction of the student's helpers that
is wrong: a sixth of their points where one of twelve is. Where half of the helpers are wrong,
there is nothing left to earn, so nothing is retried.

No executor ever gets the function that its cases are about: neither a required name, nor a
helper while its own group is tried.
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

Tries: TypeAlias = Callable[[Sequence[str], str, Collection[str]], Results]
"""Tries cases of a group, given by their ids, with these helpers replaced by ours."""

PARTLY_RIGHT: Final = "stand_ins.helpers"
"""The key of the message on a case that passes with helpers replaced; `cost` is what it loses."""
_SETTLED: Final = frozenset({Verdict.PASSED, Verdict.TAMPERED, Verdict.FAULT})


def retried_with_our_helpers(
    suite: Suite, results: Results, defined: Sequence[str], tries: Tries
) -> Results:
    """Return new results for the failures in `results` that a wrong helper caused.

    `defined` are the submission's helpers, in the order of the suite. A group tests the helper that
    it is named after.
    """
    failed = _failed_cases(suite, results)
    corrected: dict[str, Result] = {}
    wrong: list[str] = []

    def try_again(group: str, cases: Sequence[str]) -> bool:
        """Return whether all `cases` pass with wrong helpers replaced; correct those that do."""
        cost = Fraction(2 * len(wrong), max(1, len(defined)))
        retried = tries(wrong, group, cases) if 0 < cost < 1 and cases else {}
        passing = [case for case in cases if case in retried and retried[case].passed]
        corrected.update((case, _partly_credited(results[case], wrong, cost)) for case in passing)
        return len(passing) == len(cases)

    for name in defined:
        is_right = try_again(name, failed.pop(name, ()))
        if not is_right:
            wrong.append(name)
    try_again("", [case for cases in failed.values() for case in cases])
    return corrected


def _failed_cases(suite: Suite, results: Results) -> dict[str, list[str]]:
    """Return the failed cases of each group, except those that lack a helper."""
    failed: dict[str, list[str]] = defaultdict(list)
    for session in suite.sessions:
        for case in session.cases:
            result = results[case.id]
            if result.verdict not in _SETTLED and result.cause not in suite.helpers:
                failed[case.group].append(case.id)
    return failed


def _partly_credited(result: Result, wrong: Sequence[str], cost: Fraction) -> Result:
    """Return `result` with the partial credit of a case that passes without the `wrong` helpers."""
    (*others, last) = wrong
    explanation = message(
        PARTLY_RIGHT,
        count=len(wrong),
        helpers=", ".join(others),
        last=last,
        cost=str(cost),
    )
    return replace(result, part=1 - cost, explanation=(*result.explanation, explanation))
