"""Proves a finished suite: the reference must pass every case, also in the case's own session."""

from __future__ import annotations

from pathlib import Path

from grader.deriving.doubts import SpecProblem
from grader.intake.submissions import Entry, read
from grader.judge import grade, runner_for
from grader.sandbox.nursery import Nursery
from grader.sessions import Gate
from grader.suite import Suite
from grader.trial import Budget, Trial
from grader.verdict import Verdict


def prove(suite: Suite, reference: Path, zygote: Nursery) -> None:
    """Raise `SpecProblem` for the first case of `suite` that the reference does not pass."""
    submission = read(Entry(reference.stem, reference.parent), suite.module, suite.defines)
    record = grade(suite, submission, zygote, Gate())
    for case in record.cases:
        if case.verdict is not Verdict.PASSED:
            raise _problem(case.spec_line, case.id, "in the whole session", case.verdict)
    runner = runner_for(suite, submission, zygote, Gate())
    for session in suite.sessions:
        findings = Trial(runner, session, Budget(suite.limits)).on_their_own()
        for tried in session.cases:
            verdict = findings[tried.id].outcome.verdict
            if verdict is not Verdict.PASSED:
                line = session.steps[tried.step_index].line
                raise _problem(line, tried.id, "in its own session", verdict)


def _problem(line: int | None, case_id: str, where: str, verdict: Verdict) -> SpecProblem:
    return SpecProblem(
        line or 1,
        f"the reference does not pass {case_id} {where}: {verdict.value}",
        help="a step may need an earlier one that does not count as an action",
    )
