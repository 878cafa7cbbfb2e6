"""Grades one submission: runs its sessions, decides each case, makes the record.

The judge is the trusted side. It knows the suite and what is expected; it sends an executor code to
run and gets observations back; it alone decides. It never imports, compiles, evaluates or
unpickles anything of a submission.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from fractions import Fraction
from typing import Final

from grader import __version__
from grader.display import one_line, shown_text
from grader.matching.matches import expected_text, match
from grader.matching.outcome import Outcome
from grader.messages import Message, message
from grader.observation import Frame, Raised
from grader.record import (
    CaseResult,
    Conditions,
    GroupResult,
    Record,
    SourceLine,
    SubmittedFile,
)
from grader.sandbox.zygote import Isolation, Zygote
from grader.scoring import case_points, earned, shown
from grader.sessions import CompileError, Gate, Program, SessionRun, SessionRunner
from grader.submission import SourceFile, Submission
from grader.suite import Case, Completes, Prints, Session, Suite
from grader.trial import Budget, Finding, Trial
from grader.verdict import Status, Verdict

_NEAR: Final = 0.75
"""How alike a defined name must be to be offered as the one that was meant."""


def grade(suite: Suite, submission: Submission, zygote: Zygote, gate: Gate) -> Record:
    """Return the record of `submission` on `suite`; raises `ZygoteError` when the host fails."""
    if submission.obstacle is not None or submission.main is None:
        reasons = () if submission.obstacle is None else (submission.obstacle,)
        return ungradable(suite, submission, zygote.isolation, reasons)
    runner = SessionRunner(zygote, _program(suite, submission, submission.main), suite.limits, gate)
    return _Grading(suite, submission, zygote.isolation, runner).record()


def compile_error(suite: Suite, submission: Submission, program: CompileError) -> Message:
    """Return what to tell a student whose file does not compile."""
    source = submission.main.text.splitlines() if submission.main else []
    line = program.line or 0
    text = source[line - 1] if 0 < line <= len(source) else ""
    return message(
        "ungradable.syntax" if line else "ungradable.source",
        file=one_line(submission.main.name if submission.main else suite.module),
        line=line,
        message=one_line(program.message),
        text=one_line(text.strip(), 120),
    )


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
            assert self._runner.compile_error is not None, "the runner says why"
            return compile_error(self._suite, self._submission, self._runner.compile_error)
        if not run.loaded:
            return self._import_failure(run)
        missing = self._missing(run)
        if self._suite.defines and len(missing) == len(self._suite.defines):
            near = ", ".join(one_line(name) for name in missing.values() if name)
            key = "ungradable.names_near" if near else "ungradable.names"
            return message(key, names=", ".join(missing), near=near)
        return None

    def _import_failure(self, run: SessionRun) -> Message:
        observation = run.imported.observation
        outcome = match(Completes(), observation, {})
        parameters = {"type": "", "message": "", "line": 0, "text": ""}
        key = f"ungradable.import.{outcome.verdict.value.lower()}"
        if isinstance(observation.outcome, Raised):
            raised = observation.outcome
            parameters |= {
                "type": one_line(raised.type_names[0]),
                "message": one_line(raised.message),
            }
            if raised.type_names[0] == "EOFError":
                key = "ungradable.import.input"
            if raised.frames:
                line = _source_line(self._submission, raised.frames[-1])
                parameters |= {"line": line.line, "text": one_line(line.text.strip(), 120)}
        return message(key, **parameters)

    def _missing(self, run: SessionRun) -> Mapping[str, str]:
        """Return each name that should be defined and is not, with a defined name that is near."""
        defined = run.imported.defined
        missing = [name for name in self._suite.defines if name not in defined]
        by_folded = {name.casefold().replace("_", ""): name for name in sorted(defined)}
        near = {}
        for name in missing:
            folded = name.casefold().replace("_", "")
            close = get_close_matches(folded, by_folded, n=1, cutoff=_NEAR)
            near[name] = by_folded[close[0]] if close else ""
        return near


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
        source=None if finding.frame is None else _source_line(submission, finding.frame),
        cause=finding.cause,
        spec_line=step.line,
        staff_evidence=finding.evidence,
    )


def _source_line(submission: Submission, frame: Frame) -> SourceLine:
    sources = {file.name: file for file in submission.modules.values()}
    if submission.main is not None:
        sources[submission.main.name] = submission.main
    file = sources.get(frame.file)
    lines = file.text.splitlines() if file else []
    text = lines[frame.line - 1] if 0 < frame.line <= len(lines) else ""
    return SourceLine(
        file=one_line(frame.file),
        line=frame.line,
        function=one_line(frame.function),
        text=shown_text(text, 300),
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
