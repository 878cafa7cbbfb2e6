"""Proves that a right program passes each case alone, as it is tried after an earlier failure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from grader.errors import SuiteError
from grader.intake.submission import Submission
from grader.judging.answers import AnswerChecker
from grader.judging.preparing import runner_for
from grader.judging.trial import Trials
from grader.sandbox.gate import Gate
from grader.sandbox.sandbox import Sandbox
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.steps import Case
from grader.values.foreign_text import one_line
from grader.verdict import Verdict

UNPROVEN_HELP: Final = "a step may need an earlier one that does not count as an action"
_MOST_NAMED: Final = 5


def trials_of(suite: Suite, right: Submission, sandbox: Sandbox) -> Trials:
    """Return what makes trials of sessions of `suite` on the `right` submission."""
    gate = Gate()
    return Trials(
        suite, runner_for(suite, right, sandbox, gate), AnswerChecker(suite, sandbox, gate)
    )


def unproven(
    suite: Suite, right: Submission, sandbox: Sandbox
) -> Iterator[tuple[Session, Case, Verdict]]:
    """Yield the cases of `suite` that the `right` submission does not pass in their own session.

    Each comes after its session, and with what it gets there instead.
    """
    trials = trials_of(suite, right, sandbox)
    for session in suite.sessions:
        results = trials.of(session).on_their_own()
        for case in session.cases:
            if (verdict := results[case.id].verdict) is not Verdict.PASSED:
                yield session, case, verdict


def prove_alone(suite: Suite, reference: Submission, sandbox: Sandbox) -> None:
    """Raise `SuiteError` for cases that the `reference` does not pass in their own sessions.

    Siblings have such sessions too: who fails one case of them is tried on the others alone.
    """
    everything = suite.changed(sessions=(*suite.sessions, *suite.siblings))
    failing = [*unproven(everything, reference, sandbox)]
    if failing:
        named = "; ".join(
            f"{case.id} ({verdict.value}), {one_line(session.steps[case.step_index].shown)}"
            for session, case, verdict in failing[:_MOST_NAMED]
        )
        raise SuiteError(
            "the reference does not pass cases in their own sessions, "
            f"{len(failing)} in all: {named}",
            help=UNPROVEN_HELP,
        )
