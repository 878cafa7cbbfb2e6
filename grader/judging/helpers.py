"""Tries what fails on helpers of ours, so that a wrong helper costs little in what calls it.

A submission of one module is cut into helpers, which build on each other in the order of the suite,
and the suite may have a stand-in for the module. When all sessions have been tried:

1.  Helper after helper, the cases of its group that failed are tried with those before it that are
    wrong replaced by ours. A helper is *wrong* if a case of its group fails then, too.
2.  Cases of other groups that failed are tried with all wrong helpers replaced.

What passes then keeps its verdict, and loses twice the part of its points that the wrong helpers
are of all that the student defines: a sixth where one of twelve is wrong. Where half of them are,
nothing is left, and nothing is tried.

An executor is never sent the function that its cases are about: not what has to be defined, and
not a helper while its own group is tried.
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

_SETTLED: Final = frozenset({Verdict.PASSED, Verdict.TAMPERED, Verdict.FAULT})


def on_helpers_of_ours(suite: Suite, results: Results, own: Sequence[str], tries: Tries) -> Results:
    """Return other results for those of the `results` that a wrong helper is to blame for.

    `own` are the helpers that the submission defines, in the order of the suite. A group is about
    the helper that it is called after.
    """
    failed = _failed_cases(suite, results)
    found: dict[str, Result] = {}
    wrong: list[str] = []

    def try_again(group: str, cases: Sequence[str]) -> bool:
        """Return whether all `cases` pass with the helpers replaced that are wrong."""
        cost = Fraction(2 * len(wrong), max(1, len(own)))
        there = tries(wrong, group, cases) if 0 < cost < 1 and cases else {}
        passing = [case for case in cases if case in there and there[case].passed]
        found.update((case, _excused(results[case], wrong, cost)) for case in passing)
        return len(passing) == len(cases)

    for name in own:
        is_right = try_again(name, failed.pop(name, ()))
        if not is_right:
            wrong.append(name)
    try_again("", [case for cases in failed.values() for case in cases])
    return found


def _failed_cases(suite: Suite, results: Results) -> dict[str, list[str]]:
    """Return the cases of each group that failed, and not for want of a helper."""
    failed: dict[str, list[str]] = defaultdict(list)
    for session in suite.sessions:
        for case in session.cases:
            result = results[case.id]
            if result.verdict not in _SETTLED and result.cause not in suite.helpers:
                failed[case.group].append(case.id)
    return failed


def _excused(result: Result, wrong: Sequence[str], cost: Fraction) -> Result:
    """Return the `result` of a case that passes with the `wrong` helpers replaced, at this cost."""
    (*others, last) = wrong
    said = message(
        "stand_ins.helpers",
        count=len(wrong),
        helpers=", ".join(others),
        last=last,
        cost=str(cost),
    )
    return replace(result, part=1 - cost, explanation=(*result.explanation, said))
