"""Grades one submission: runs its sessions, decides each case, and builds the record.

The judge is the trusted side. It has the suite and the expected answers, sends code to an executor,
gets observations back, and alone decides. It never imports, compiles, evaluates or unpickles
anything from a submission.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import takewhile
from typing import Final, TypeAlias

from grader.intake.submission import Submission
from grader.judging.answers import AnswerChecker
from grader.judging.clean_runs import clean_sessions, find_failed_cases
from grader.judging.counterexamples import find_counterexamples
from grader.judging.flakes import SEEDS, FlakeGuard
from grader.judging.helpers import retry_with_our_helpers
from grader.judging.load_errors import LoadErrors
from grader.judging.missing_names import missing_names, missing_names_in, nothing_defined
from grader.judging.preparing import build_program, with_given_code
from grader.judging.record import Advice, Record
from grader.judging.recording import Recorder, Rulings
from grader.judging.remarks import Remarks
from grader.judging.results import PASSED, Result, Results, TrialResult
from grader.judging.sibling_trials import SiblingTrials
from grader.judging.source_hints import idleness_messages
from grader.judging.stops import stop_messages
from grader.judging.survey_judge import SurveyJudge
from grader.judging.trial import Trial
from grader.judging.trials import Trials
from grader.messages import Message, message
from grader.sandbox.budget import Budget, Prices
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.sessions import SessionRunner
from grader.suite.code import written_files
from grader.suite.hidden import join_sessions, ordered_sessions
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.verdict import Verdict, Visibility

OtherSeedSandboxes: TypeAlias = Callable[[], Sequence[Sandbox]]
"""Returns a sandbox for each of `grader.judging.flakes.OTHER_SEEDS`. Can raise `ZygoteError`."""


def grade(
    suite: Suite,
    submission: Submission,
    zygote: Sandbox,
    reseeded: OtherSeedSandboxes | None = None,
) -> Record:
    """Grade `submission` on `suite` and return its record. Raises `ZygoteError` if the host fails.

    With `reseeded`, results that depend on luck earn no points. `reseeded` is called, and so starts
    its sandboxes, only if the submission mentions sources of luck.
    """
    if submission.ungradable is not None or not submission.parts:
        reasons = () if submission.ungradable is None else (submission.ungradable,)
        return Recorder(suite, submission, zygote.isolation).ungradable_record(reasons)
    submission = with_given_code(suite, submission)
    program = build_program(suite, submission)
    sessions = ordered_sessions(suite, least=SEEDS)
    program.is_reused = len(sessions) > 1  # a single executor need not return the compiled code
    # The runners of all seeds share one budget, so that more seeds do not make it larger.
    budget, prices = Budget(), Prices(suite.limits)

    def make_runner(sandbox: Sandbox) -> SessionRunner:
        return SessionRunner(sandbox, program, suite.limits, budget, prices=prices)

    recorder = Recorder(suite, submission, zygote.isolation)
    marks = Trials(suite, make_runner(zygote), AnswerChecker(suite, zygote))
    guard = None
    if reseeded is not None:
        own_modules = {*recorder.student_files}
        guard = FlakeGuard(
            sessions,
            program,
            own_modules,
            marks,
            lambda: [make_runner(sandbox) for sandbox in reseeded()],
        )
    return _Grading(recorder, sessions, marks, guard).record()


# Groups in which a case has such a verdict are not probed: probes would reach their limits, too.
_LIMIT_VERDICTS: Final = frozenset({Verdict.TIMED_OUT, Verdict.MEMORY, Verdict.NOT_RUN})


class _NothingToTry(Exception):
    """No part of a submission can be tried; the reasons are shown to the student."""

    def __init__(self, reasons: Sequence[Message], evidence: str | None = None) -> None:
        """Store the `reasons`, and optional `evidence` for staff."""
        super().__init__()
        self.reasons: Final = reasons
        self.evidence: Final = evidence


class _Grading:
    """Runs the sessions of a suite on one submission, and collects their results."""

    def __init__(
        self,
        recorder: Recorder,
        sessions: Sequence[Session],
        trials: Trials,
        guard: FlakeGuard | None,
    ) -> None:
        self._recorder: Final = recorder
        self._suite: Final = recorder.suite
        self._sessions: Final = sessions
        self._runner: Final = trials.runner
        self._guard: Final = guard
        self._trials: Final = trials
        self._results: Final[dict[str, Result]] = {}
        self._remarks: Final = Remarks()
        self._missing_names: Final[set[str]] = set()
        self._only_alone = False
        """Whether a session passed in its own process, but not after other sessions."""
        self._announced: Final[set[Session]] = set()
        """Sessions whose follow-up runs have been announced."""
        self._load_errors: Final = LoadErrors(
            self._suite.modules,
            recorder.submission,
            trials.runner,
            replaceable=self._suite.stand_ins,
        )

    def record(self) -> Record:
        """Run all sessions on the submission and return its record.

        Points are settled first; counterexamples are searched for at the end.
        """
        try:
            self._run_sessions()
            if self._guard is not None:
                self._results.update(self._guard.corrections_for_earlier_sessions())
            self._retry_with_helpers()
        except _NothingToTry as error:
            return self._recorder.ungradable_record(error.reasons, error.evidence)
        idle_messages = idleness_messages(self._recorder.submission, self._remarks.idle)
        remarks = [*self._load_errors.reasons(), *idle_messages, *self._remarks.student_remarks()]
        rules, advice_items = self._rulings_and_advice()
        # The survey takes an executor run, so it is made only if it is needed.
        given_lines = self._survey_judge.given_lines if self._suite.handed_out else None
        stops = self._stops
        record = self._recorder.graded_record(
            self._results, remarks, rules, advice_items, given_lines, stops
        )
        staff_remarks = self._guard.staff_remarks() if self._guard is not None else ()
        if self._trials.looks_died:
            staff_remarks = (*staff_remarks, message("staff.looks"))
        budget_remarks = self._runner.budget.staff_remarks(self._suite.limits)
        staff_remarks = (*staff_remarks, *budget_remarks, *self._remarks.staff_remarks())
        record = replace(record, staff_remarks=(*record.staff_remarks, *staff_remarks))
        sibling_trials = SiblingTrials(self._suite, self._trials, self._load_errors, self._explain)
        examples = find_counterexamples(self._suite, record.groups, sibling_trials)
        return self._recorder.with_counterexamples(record, examples)

    def _run_sessions(self) -> None:
        """Run all sessions and add their results to `_results`.

        Raises `_NothingToTry` if no part of the submission can be tried.
        """
        for index, session in enumerate(self._sessions):
            if index == 1:  # only the first run reveals whether the code mentions sources of luck
                for later_session in self._sessions[1:]:
                    if not later_session.parts:
                        (self._guard or self._trials).expect(later_session)
            self._results.update(self._results_of(session))
            if not session.parts:
                self._announce_follow_ups(index + 1)

    def _announce_follow_ups(self, start: int) -> None:
        """Announce the runs that follow when cases failed in sessions that already ran in lots.

        Only sessions from index `start` on are considered, each once.
        """
        for session in self._sessions[start:]:
            # The guard determines which seed the session runs with.
            trials = self._guard or self._trials
            run = (
                None
                if session.parts or session in self._announced
                else trials.peek_lot_run(session)
            )
            if run is not None:
                self._announced.add(session)
                if failed_cases := find_failed_cases(session, run, self._trials.checker):
                    trials.expect(session, failed_cases)

    def _retry_with_helpers(self) -> None:
        """Retry failed cases with our helpers, and update `_results` with those that now pass.

        Nothing is retried if the submission's results depend on luck.
        """
        suite = self._suite
        if suite.stand_ins and suite.helpers and not (self._guard and self._guard.is_lucky):
            defined = [name for name in suite.helpers if name not in self._missing_names]
            corrected = retry_with_our_helpers(
                suite, self._results, defined, self._results_with_helpers
            )
            self._results.update(corrected)

    def _results_with_helpers(
        self, helpers: Sequence[str], group: str, cases: Collection[str]
    ) -> Results:
        """Run `cases` of `group` with our `helpers` and return their results.

        Return {} if no part of the submission can be tried with these helpers.
        """
        suite = self._suite
        affected = [
            session for session in suite.sessions if any(case.id in cases for case in session.cases)
        ]
        sessions = ordered_sessions(suite.with_changes(sessions=tuple(affected)))
        # Without a guard: `_retry_with_helpers` retries nothing if results depend on luck.
        grading = _Grading(
            self._recorder, sessions, self._trials.with_helpers(helpers, group), None
        )
        try:
            grading._run_sessions()
        except _NothingToTry:
            return {}
        return grading._results

    def _results_of(self, session: Session) -> Results:
        """Run `session`, or its parts; return the result of each case.

        Raises `_NothingToTry` if no part of the submission can be tried.
        """
        if session.parts:
            return self._results_of_parts(session)
        trial = self._trials.trial_of(session)
        if self._runner.why_exhausted is not None:
            return trial.run_own_sessions()
        run = None
        if not self._load_errors.errors_blocking(session):
            trial, (run,) = self._run_whole(session)
        if run is None or not (run.is_loaded or self._load_errors.has_loaded(session)):
            return self._results_if_not_loaded(trial, session, run)
        attempt = self._attempt(session, run)
        self._record_attempt(attempt)
        results = trial.results(attempt)
        if self._guard is not None:
            results = self._guard.correct_for_luck(attempt, results)
        return self._explain(attempt, results)

    def _results_of_parts(self, session: Session) -> Results:
        """Run the parts of `session` together; return the results of their cases.

        Parts before the first failed part have passed. Parts after it that did not fail run
        together once more. All failed parts run again alone, so that no mistake costs more than it
        would in separate sessions. Sets `_only_alone` if such a part passes then.
        """
        results: dict[str, Result] = {}
        attempts: Mapping[Session, TrialResult] = {}
        succeeded: Collection[Session] = ()
        if self._runner.why_exhausted is None and not self._load_errors.errors_blocking(session):
            attempts = self._run_parts(session)
            runs = [(part, attempt.run) for part, attempt in attempts.items()]
            succeeded = set(clean_sessions(runs, self._trials.checker))
        leading = tuple(takewhile(succeeded.__contains__, session.parts))
        for part in leading:
            passed = {case.id: PASSED for case in part.cases}
            results.update(passed)
            if self._guard is not None:
                self._guard.record_stable(attempts[part], passed)
        remaining = session.parts[len(leading) :]
        if rerun := tuple(part for part in remaining if part in succeeded):
            results.update(self._results_of(join_sessions(rerun)))
        failed = [part for part in remaining if part not in succeeded]
        for part in failed:
            failed_cases = (
                find_failed_cases(part, attempts[part].run, self._trials.checker)
                if attempts
                else ()
            )
            (self._guard or self._trials).expect(part, failed_cases)
        for part in failed:
            results.update(self._results_of(part))
            if (
                attempts
                and attempts[part].run.completed
                and not written_files((step.code for step in part.steps), updates=True)
            ):
                # A pass with an explanation is due to a stand-in, and proves nothing.
                results_of_part = (results[case.id] for case in part.cases)
                self._only_alone |= all(
                    result.passed and not result.explanation for result in results_of_part
                )
        return results

    def _run_parts(self, session: Session) -> Mapping[Session, TrialResult]:
        """Run `session`, which has parts, in one process; return the attempt at each part."""
        _, runs = self._run_whole(session)
        first = self._attempt(session.parts[0], runs[0])
        self._record_attempt(first)
        return {
            part: first._replace(session=part, run=run)
            for part, run in zip(session.parts, runs, strict=True)
        }

    def _run_whole(self, session: Session) -> tuple[Trial, list[SessionRun]]:
        """Run `session` with the seed that the guard chooses; return the trial and the runs."""
        if self._guard is not None:
            return self._guard.run_whole(session)
        trial = self._trials.trial_of(session)
        return trial, trial.run_whole()

    def _attempt(self, session: Session, run: SessionRun) -> TrialResult:
        """Return `run` of `session`, together with the names that the submission lacks."""
        return TrialResult(
            session, run, missing_names_in(self._suite, self._recorder.submission, session, run)
        )

    def _results_if_not_loaded(
        self, trial: Trial, session: Session, run: SessionRun | None
    ) -> Results:
        """Return the results of `session`, which could not be loaded.

        Loads each module alone first, to learn which are at fault. Raises `_NothingToTry` if no
        session can be loaded.
        """
        self._load_errors.load_alone(session.modules, run)
        # A module that cannot be imported might still run as a program in another session.
        may_run = any(s.runs_programs for s in self._suite.sessions) and not session.runs_programs
        if not may_run and (errors := self._load_errors.errors_if_all_blocked()):
            evidence = next((error.died.evidence for error in errors if error.died), None)
            raise _NothingToTry(self._load_errors.reasons(), evidence)
        return trial.results_if_not_loaded(self._load_errors.errors_in(session, run))

    def _record_attempt(self, attempt: TrialResult) -> None:
        """Record what `attempt` reveals about the submission: loaded modules, missing names.

        Raises `_NothingToTry` if the first attempt shows that no required name is defined.
        """
        if attempt.run.is_loaded and not attempt.session.runs_programs:
            self._load_errors.record_loaded(attempt.session)
        self._remarks.record(attempt)
        if attempt.run.is_loaded and not (attempt.session.runs_programs or self._results):
            self._require_defined_names(attempt.run)
        self._missing_names.update(attempt.missing)

    def _rulings_and_advice(self) -> tuple[Rulings, tuple[Advice, ...]]:
        """Return the rulings on the suite's rules, and advice if the suite enables it."""
        suite = self._suite
        if not suite.rules and not suite.advice:
            return (), ()
        rulings = self._survey_judge.rulings(
            missing=self._missing_names,
            unloadable={
                module for module in suite.modules if self._load_errors.known_errors([module])
            },
            only_alone=self._only_alone and not (self._guard and self._guard.is_lucky),
            # The id of a case begins with the id of its group.
            slow={
                case_id.partition("/")[0]
                for case_id, result in self._results.items()
                if result.verdict in _LIMIT_VERDICTS
            },
        )
        return tuple(rulings), self._survey_judge.advice() if suite.advice else ()

    def _explain(self, attempt: TrialResult, results: Results) -> Results:
        """Return `results` with explanations of the calls added, from further runs.

        Only results of public sessions are explained: why cases recursed too deeply, and, if
        the suite has calls drawn, which calls were made.
        """
        session = attempt.session
        if session.visibility is not Visibility.PUBLIC:
            return results
        if any(result.too_deep for result in results.values()):
            results = self._survey_judge.explain_deep_recursion(session, results)
        if self._suite.widgets.calls and not all(result.passed for result in results.values()):
            results = self._survey_judge.add_calls(session, results)
        return results

    @cached_property
    def _survey_judge(self) -> SurveyJudge:
        """The judge of the suite's rules. It is made on first use, as many suites have none."""
        recorder = self._recorder
        parts = recorder.submission.parts
        return SurveyJudge(self._suite, recorder.student_files, parts, self._trials)

    def _require_defined_names(self, run: SessionRun) -> None:
        """Raise `_NothingToTry` if the suite's only module defines none of the required names."""
        missing = missing_names(self._suite.defines, run.imported.defined)
        if len(self._suite.modules) == 1 and 0 < len(missing) == len(self._suite.defines):
            raise _NothingToTry((nothing_defined(missing, self._recorder.submission), *self._stops))

    @property
    def _stops(self) -> list[Message]:
        """Messages about where modules stopped, and why."""
        return [*stop_messages(self._recorder.submission, self._remarks.stops.values())]
