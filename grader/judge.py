"""Grades one submission: runs its sessions, decides each case, makes the record.

The judge is the trusted side. It knows the suite and what is expected; it sends an executor code to
run and gets observations back; it alone decides. It never imports, compiles, evaluates or
unpickles anything of a submission.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from grader import obstacles
from grader.isolation import Isolation
from grader.messages import Message, message
from grader.observation import Died
from grader.record import Record
from grader.recording import Recorder
from grader.sandbox.nursery import Nursery
from grader.sessions import Gate, Program, SessionRun, SessionRunner
from grader.submission import SourceFile, Submission
from grader.suite import Prints, Session, Suite
from grader.trial import Budget, Finding, Trial
from grader.verdict import Visibility


def grade(suite: Suite, submission: Submission, zygote: Nursery, gate: Gate) -> Record:
    """Return the record of `submission` on `suite`; raises `ZygoteError` when the host fails."""
    if submission.obstacle is not None or submission.main is None:
        reasons = () if submission.obstacle is None else (submission.obstacle,)
        return Recorder(suite, submission, zygote.isolation).ungradable(reasons)
    runner = runner_for(suite, submission, zygote, gate)
    return _Grading(suite, submission, zygote.isolation, runner).record()


def runner_for(suite: Suite, submission: Submission, zygote: Nursery, gate: Gate) -> SessionRunner:
    """Return what runs the sessions of `suite` on a submission that has something to run."""
    assert submission.main is not None, "without a main file there is nothing to run"
    program = _program(suite, submission, submission.main)
    return SessionRunner(zygote, program, suite.limits, gate)


def _program(suite: Suite, submission: Submission, main: SourceFile) -> Program:
    sources = {name: (file.name, file.text) for name, file in submission.modules.items()}
    sources[suite.module] = (main.name, main.text)
    # The suite's files win: a submission cannot bring an easier puzzle of its own.
    files = {**submission.data, **{name: text.encode() for name, text in suite.files.items()}}
    return Program.of(suite.module, sources, files, suite.imports)


class _Grading:
    """One submission on its way through the sessions of a suite."""

    def __init__(
        self, suite: Suite, submission: Submission, isolation: Isolation, runner: SessionRunner
    ) -> None:
        self._suite: Final = suite
        self._submission: Final = submission
        self._recorder: Final = Recorder(suite, submission, isolation)
        self._runner: Final = runner
        self._budget: Final = Budget(suite.limits)
        self._findings: Final[dict[str, Finding]] = {}
        self._prints = False

    def record(self) -> Record:
        for number, session in enumerate(_in_turn(self._suite.sessions)):
            trial = Trial(self._runner, session, self._budget)
            run = trial.run_whole()
            if number == 0 and (reason := self._hopeless(run)):
                return self._recorder.ungradable((reason,), _import_evidence(run))
            assert run is not None, "a program that compiled once compiles again"
            if session.visibility is Visibility.PUBLIC:
                self._prints = self._prints or _prints_unasked(session, run)
            self._findings.update(trial.findings(run, self._missing(run)))
        remarks = (message("remark.prints"),) if self._prints else ()
        return self._recorder.graded(self._findings, remarks)

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


def _in_turn(sessions: Iterable[Session]) -> list[Session]:
    """Return `sessions` with the public ones first.

    What a public session shows may then tell nothing of the others, not even by a clock: how long
    a submission lets a hidden session last is its own choice.
    """
    return sorted(sessions, key=lambda session: session.visibility is not Visibility.PUBLIC)


def _import_evidence(run: SessionRun | None) -> str | None:
    """Return how the executor died that was to load the submission, if it did."""
    outcome = None if run is None else run.imported.observation.outcome
    return outcome.evidence if isinstance(outcome, Died) else None


def _prints_unasked(session: Session, run: SessionRun) -> bool:
    return any(
        observation.stdout and not isinstance(session.steps[item.step_index].expectation, Prints)
        for item, observation in zip(run.plan, run.observations, strict=False)
        if session.steps[item.step_index].expectation is not None
    )
