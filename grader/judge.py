"""Grades one submission: runs its sessions, decides each case, makes the record.

The judge is the trusted side. It knows the suite and what is expected; it sends an executor code to
run and gets observations back; it alone decides. It never imports, compiles, evaluates or
unpickles anything of a submission.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from grader import __version__, obstacles
from grader.matching.matches import expected_text
from grader.matching.outcome import Outcome
from grader.messages import Message, message
from grader.record import (
    CaseResult,
    Conditions,
    GroupResult,
    Record,
    SubmittedFile,
)
from grader.sandbox.zygote import Isolation, Zygote
from grader.scoring import case_points, earned, shown
from grader.sessions import Gate, Program, SessionRun, SessionRunner
from grader.submission import SourceFile, Submission
from grader.suite import Case, Prints, Session, Suite
from grader.trial import Budget, Finding, Trial
from grader.verdict import Status, Verdict


def grade(suite: Suite, submission: Submission, zygote: Zygote, gate: Gate) -> Record:
    """Return the record of `submission` on `suite`; raises `ZygoteError` when the host fails."""
    if submission.obstacle is not None or submission.main is None:
        reasons = () if submission.obstacle is None else (submission.obstacle,)
        return ungradable(suite, submission, zygote.isolation, reasons)
    runner = runner_for(suite, submission, zygote, gate)
    return _Grading(suite, submission, zygote.isolation, runner).record()


def runner_for(suite: Suite, submission: Submission, zygote: Zygote, gate: Gate) -> SessionRunner:
    """Return what runs the sessions of `suite` on a submission that has something to run."""
    assert submission.main is not None, "without a main file there is nothing to run"
    program = _program(suite, submission, submission.main)
    return SessionRunner(zygote, program, suite.limits, gate)


def ungradable(
    suite: Suite, submission: Submission, isolation: Isolation, reasons: Sequence[Message]
) -> Record:
    """Return the record of a submission of which nothing can be run, for these reasons."""
    outcome = Outcome(verdict=Verdict.SKIPPED, explanation=(message("skipped.ungradable"),))
    return _record(
        suite,
        submission,
        isolation,
        {case.id: Finding(outcome=outcome) for session in suite.sessions for case in session.cases},
        status=Status.UNGRADABLE,
        remarks=(*reasons, *submission.remarks),
    )


def fault(suite: Suite, submission: Submission, isolation: Isolation, evidence: str) -> Record:
    """Return the record of a submission that we failed to grade; it costs nobody points."""
    outcome = Outcome(verdict=Verdict.FAULT, explanation=(message("fault.ours"),))
    finding = Finding(outcome=outcome, evidence=evidence)
    return _record(
        suite,
        submission,
        isolation,
        {case.id: finding for session in suite.sessions for case in session.cases},
        status=Status.FAULT,
        remarks=(message("fault.ours"), *submission.remarks),
    )


def _program(suite: Suite, submission: Submission, main: SourceFile) -> Program:
    sources = {name: (file.name, file.text) for name, file in submission.modules.items()}
    sources[suite.module] = (main.name, main.text)
    # The suite's files win: a submission cannot bring an easier puzzle of its own.
    files = {**submission.data, **{name: text.encode() for name, text in suite.files.items()}}
    return Program.of(suite.module, sources, files)


class _Grading:
    """One submission on its way through the sessions of a suite."""

    def __init__(
        self, suite: Suite, submission: Submission, isolation: Isolation, runner: SessionRunner
    ) -> None:
        self._suite: Final = suite
        self._submission: Final = submission
        self._isolation: Final = isolation
        self._runner: Final = runner
        self._budget: Final = Budget(suite.limits)
        self._findings: Final[dict[str, Finding]] = {}
        self._prints = False

    def record(self) -> Record:
        for number, session in enumerate(self._suite.sessions):
            trial = Trial(self._runner, session, self._budget)
            run = trial.run_whole()
            if number == 0 and (reason := self._hopeless(run)):
                return ungradable(self._suite, self._submission, self._isolation, (reason,))
            assert run is not None, "a program that compiled once compiles again"
            self._prints = self._prints or _prints_unasked(session, run)
            self._findings.update(trial.findings(run, self._missing(run)))
        remarks = (message("remark.prints"),) if self._prints else ()
        return _record(
            self._suite,
            self._submission,
            self._isolation,
            self._findings,
            status=Status.GRADED,
            remarks=(*self._submission.remarks, *remarks),
        )

    def _hopeless(self, run: SessionRun | None) -> Message | None:
        """Return why nothing of the submission can be run, if that is so."""
        if run is None:
            error = self._runner.compile_error
            assert error is not None, "the runner says why"
            return obstacles.compile_failure(self._submission, error)
        if not run.loaded:
            return obstacles.import_failure(self._submission, run.imported.observation)
        missing = self._missing(run)
        if self._suite.defines and len(missing) == len(self._suite.defines):
            return obstacles.nothing_defined(missing)
        return None

    def _missing(self, run: SessionRun) -> Mapping[str, str]:
        return obstacles.missing_names(self._suite.defines, run.imported.defined)


def _prints_unasked(session: Session, run: SessionRun) -> bool:
    return any(
        observation.stdout and not isinstance(session.steps[item.step_index].expectation, Prints)
        for item, observation in zip(run.plan, run.observations, strict=False)
        if session.steps[item.step_index].expectation is not None
    )


def _record(
    suite: Suite,
    submission: Submission,
    isolation: Isolation,
    findings: Mapping[str, Finding],
    *,
    status: Status,
    remarks: tuple[Message, ...],
) -> Record:
    groups, score = [], Fraction(0)
    for group in suite.groups:
        cases = [
            (session, case)
            for session in suite.sessions
            for case in session.cases
            if case.group == group.id
        ]
        points = earned(group.points, (findings[case.id].outcome.verdict for _, case in cases))
        score += points
        worth = case_points(group.points, len(cases))
        results = [_case_result(submission, s, c, findings[c.id], worth) for s, c in cases]
        groups.append(
            GroupResult(
                id=group.id,
                title=group.title,
                points=shown(points),
                max_points=group.points,
                cases=tuple(results),
            )
        )
    return Record(
        id=submission.student,
        student=submission.student,
        exercise=suite.exercise,
        title=suite.title,
        language=suite.language,
        spec=suite.spec,
        status=status,
        score=shown(score),
        max_score=suite.max_score,
        remarks=remarks,
        groups=tuple(groups),
        files=_files(submission),
        conditions=Conditions(
            suite_sha256=suite.sha256,
            grader_version=__version__,
            python_version=isolation.python_version,
            isolation=isolation.level,
            layers=isolation.layers,
            limits=suite.limits,
        ),
    )


def _case_result(
    submission: Submission, session: Session, case: Case, finding: Finding, worth: float
) -> CaseResult:
    step = session.steps[case.step_index]
    outcome = finding.outcome
    expected = outcome.expected
    if expected is None and step.expectation is not None and not outcome.passed:
        expected = expected_text(step.expectation)
    return CaseResult(
        id=case.id,
        group=case.group,
        code=step.code,
        verdict=outcome.verdict,
        points=worth if outcome.passed else 0.0,
        max_points=worth,
        visibility=session.visibility,
        explanation=outcome.explanation,
        expected=expected,
        got=outcome.got,
        transcript=finding.transcript,
        source=None if finding.frame is None else obstacles.source_line(submission, finding.frame),
        cause=finding.cause,
        spec_line=step.line,
        staff_evidence=finding.evidence,
    )


def _files(submission: Submission) -> tuple[SubmittedFile, ...]:
    encodings = {file.name: file.encoding for file in submission.modules.values()}
    if submission.main is not None:
        encodings[submission.main.name] = submission.main.encoding
    return tuple(
        SubmittedFile(
            name=name,
            size_bytes=len(data),
            sha256=hashlib.sha256(data).hexdigest(),
            encoding=encodings.get(name),
        )
        for name, data in sorted(submission.raw.items())
    )
