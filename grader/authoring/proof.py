"""Proves that a right program passes each case alone, as it is tried after an earlier failure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from grader.intake.submission import Submission
from grader.judging.answers import AnswerChecker
from grader.judging.judge import runner_for
from grader.judging.trial import Trials
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.sessions import Gate
from grader.suite.model import Suite
from grader.verdict import Verdict

UNPROVEN_HELP: Final = "a step may need an earlier one that does not count as an action"


def unproven(
    suite: Suite, right: Submission, sandbox: Sandbox
) -> Iterator[tuple[str, Verdict, int | None]]:
    """Yield the cases of `suite` that the `right` submission does not pass in their own session.

    Each comes with what it gets there instead, and with its line of the spec if it has one.
    """
    gate = Gate()
    trials = Trials(
        suite, runner_for(suite, right, sandbox, gate), AnswerChecker(suite, sandbox, gate)
    )
    for session in suite.sessions:
        results = trials.of(session).on_their_own()
        for case in session.cases:
            if (verdict := results[case.id].verdict) is not Verdict.PASSED:
                yield case.id, verdict, session.steps[case.step_index].line
