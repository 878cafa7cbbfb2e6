"""Grades one submission: runs its sessions, decides each case, makes the record.

The judge is the trusted side. It knows the suite and the expected answers; it sends code to an
executor and gets observations back; it alone decides. It never imports, compiles, evaluates or
unpickles anything from a submission.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import takewhile
from typing import Final, TypeAlias

from grader.intake.submission import Submission
from grader.judging.answers import AnswerChecker
from grader.judging.counterexamples import CounterexampleResult, counterexamples
from grader.judging.flakes import SEEDS, FlakeGuard
from grader.judging.going_well import failing, gone_well
from grader.judging.helpers import retried_with_our_helpers
from grader.judging.load_errors import LoadErrors, missing_in, missing_names, nothing_defined
from grader.judging.preparing import program_of, with_given
from grader.judging.record import Advice, Record
from grader.judging.recording import Recorder, Rulings
from grader.judging.remarks import Remarks
from grader.judging.results import PASSED, Result, Results, TrialResult
from grader.judging.source_hints import why_idle
from grader.judging.stops import stop_messages
from grader.judging.surveyed import SurveyJudge
from grader.judging.trial import Trial, Trials
from grader.messages import Message, message
from grader.sandbox.budget import Budget, Prices
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.sessions import SessionRunner
from grader.suite.code import written_files
from grader.suite.hidden import sessions_in_order, together
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.verdict import Verdict, Visibility

# Siblings are tried only once all points are settled.


class _SiblingTrials:
    """Runs siblings on one submission; see `grader.judging.counterexamples`."""

    def __init__(
        self,
        suite: Suite,
        trials: Trials,
        load_errors: LoadErrors,
        explained: Callable[[TrialResult, Results], Results],
    ) -> None:
        """Run siblings with `trials`, and pass their results through `explained`."""
        self._suite: Final = suite
        self._trials: Final = trials
        self._load_errors: Final = load_errors
        self._explained: Final = explained

    def gone_well(self, siblings: tuple[Session, ...]) -> Collection[Session]:
        """Return the `siblings` that go well when run once, one after the other."""
        if self._trials.runner.spent:
            return ()
        joined = together(siblings)
        # A single sibling is not joined: it runs alone anyway.
        if not joined.parts:
            return ()
        runs = self._trials.of(joined).run_whole()
        return gone_well([*zip(joined.parts, runs, strict=True)], self._trials.checker)

    def expect(self, siblings: Sequence[Session]) -> None:
        """Announce that `siblings` will be tried alone, so that they can share executors."""
        for each in siblings:
            self._trials.expect(each)

    def alone(self, sibling: Session) -> CounterexampleResult | None:
        """Run `sibling`, a session for counterexamples that earns no points, by itself.

        Returns None if the budget is spent.
        """
        if self._trials.runner.spent:
            return None
        if self._load_errors.known(sibling.modules):
            return CounterexampleResult(results={}, died=False)
        trial = self._trials.of(sibling)
        (run,) = trial.run_whole()
        results: Results = {}
        if run.loaded:
            attempt = TrialResult(
                sibling, run, missing_in(self._suite, self._load_errors.submission, sibling, run)
            )
            results = self._explained(attempt, trial.results(attempt))
        return CounterexampleResult(results=results, died=run.died is not None)


Reseeded: TypeAlias = Callable[[], Sequence[Sandbox]]
"""Returns a sandbox for each of `grader.judging.flakes.OTHER_SEEDS`; raises `ZygoteError`."""


def grade(
    suite: Suite,
    submission: Submission,
    zygote: Sandbox,
    reseeded: Reseeded | None = None,
) -> Record:
    """Return the record of `submission` on `suite`; raises `ZygoteError` when the host fails.

    With `reseeded` sandboxes, started only if a submission needs them, luck earns no points.
    """
    if submission.ungradable is not None or not submission.parts:
        reasons = () if submission.ungradable is None else (submission.ungradable,)
        return Recorder(suite, submission, zygote.isolation).ungradable(reasons)
    submission = with_given(suite, submission)
    program = program_of(suite, submission)
    sessions = sessions_in_order(suite, least=SEEDS)
    program.lasts = len(sessions) > 1  # a single executor need not return the compiled code
    # Shared by the runners of all seeds: more seeds must not mean a larger budget.
    budget, prices = Budget(), Prices(suite.limits)

    def runner(sandbox: Sandbox) -> SessionRunner:
        return SessionRunner(sandbox, program, suite.limits, budget, prices=prices)

    recorder = Recorder(suite, submission, zygote.isolation)
    marks = Trials(suite, runner(zygote), AnswerChecker(suite, zygote))
    guard = None
    if reseeded is not None:
        own, others = {*recorder.own_files}, lambda: [runner(sandbox) for sandbox in reseeded()]
        guard = FlakeGuard(sessions, program, own, marks, others)
    return _Grading(recorder, sessions, marks, guard).record()


# Groups with such a verdict get no probes, which would use up their limits as well.
_SLOW: Final = frozenset({Verdict.TIMED_OUT, Verdict.MEMORY, Verdict.NOT_RUN})


class _NothingToTry(Exception):
    """No part of a submission can be tried; the reasons are for its student."""

    def __init__(self, reasons: Sequence[Message], evidence: str | None = None) -> None:
        """Keep the reasons, and evidence for staff."""
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
        """Whether a session went well in its own process, but not after others."""
        self._announced: Final[set[Session]] = set()
        """Sessions whose follow-up runs have been announced."""
        self._load_errors: Final = LoadErrors(
            self._suite.modules,
            recorder.submission,
            trials.runner,
            replaceable=self._suite.stand_ins,
        )

    def record(self) -> Record:
        """Run the submission session by session, and return its record."""
        try:
            self._run_sessions()
            if self._guard is not None:
                self._results.update(self._guard.late_corrections())
            self._excuse_helpers()
        except _NothingToTry as nothing:
            return self._recorder.ungradable(nothing.reasons, nothing.evidence)
        idle = why_idle(self._recorder.submission, self._remarks.idle)
        remarks = [*self._load_errors.reasons(), *idle, *self._remarks.for_student()]
        rules, advice_items = self._rulings_and_advice()
        # The survey costs an executor run, so it is made only if something needs it.
        given = self._surveyed.given_lines if self._suite.handed_out else None
        stops = self._stops
        record = self._recorder.graded(self._results, remarks, rules, advice_items, given, stops)
        for_staff = self._guard.staff_remarks() if self._guard is not None else ()
        if self._trials.looks_died:
            for_staff = (*for_staff, message("staff.looks"))
        used = self._runner.budget.staff_remarks(self._suite.limits)
        for_staff = (*for_staff, *used, *self._remarks.for_staff())
        record = replace(record, staff_remarks=(*record.staff_remarks, *for_staff))
        tries = _SiblingTrials(self._suite, self._trials, self._load_errors, self._explained)
        examples = counterexamples(self._suite, record.groups, tries)
        return self._recorder.with_counterexamples(record, examples)

    def _run_sessions(self) -> None:
        """Put the results of all sessions into `_results`; raises `_NothingToTry`."""
        for number, session in enumerate(self._sessions):
            if number == 1:  # only the first run shows whether the code mentions sources of luck
                for each in self._sessions[1:]:
                    if not each.parts:
                        (self._guard or self._trials).expect(each)
            self._results.update(self._results_of(session))
            if not session.parts:
                self._announce_follow_ups(number + 1)

    def _announce_follow_ups(self, number: int) -> None:
        """Announce follow-up runs for sessions from `number` on that have already run in lots."""
        for each in self._sessions[number:]:
            # The guard knows which seed's turn it is.
            tries = self._guard or self._trials
            run = None if each.parts or each in self._announced else tries.kept(each)
            if run is not None:
                self._announced.add(each)
                if alone := failing(each, run, self._trials.checker):
                    tries.expect(each, alone)

    def _excuse_helpers(self) -> None:
        """Retry failed cases with our helpers and update `_results`.

        Nothing is retried if the submission's results depend on luck.
        """
        suite = self._suite
        if suite.stand_ins and suite.helpers and not (self._guard and self._guard.is_lucky):
            defined = [name for name in suite.helpers if name not in self._missing_names]
            corrected = retried_with_our_helpers(
                suite, self._results, defined, self._results_with_helpers
            )
            self._results.update(corrected)

    def _results_with_helpers(
        self, helpers: Sequence[str], group: str, cases: Collection[str]
    ) -> Results:
        """Return the results of `cases` of `group` with our `helpers`; empty if nothing loads."""
        suite = self._suite
        affected = [each for each in suite.sessions if any(case.id in cases for case in each.cases)]
        sessions = sessions_in_order(suite.changed(sessions=tuple(affected)))
        grading = _Grading(self._recorder, sessions, self._trials.on_helpers(helpers, group), None)
        try:
            grading._run_sessions()
        except _NothingToTry:
            return {}
        return grading._results

    def _results_of(self, session: Session) -> Results:
        """Return the result of each case of `session`; raises `_NothingToTry`."""
        if session.parts:
            return self._results_of_parts(session)
        trial = self._trials.of(session)
        if self._runner.spent is not None:
            return trial.on_their_own()
        run = None
        if not self._load_errors.blocking(session):
            trial, (run,) = self._run_whole(session)
        if run is None or not (run.loaded or self._load_errors.has_loaded(session)):
            return self._not_loaded(trial, session, run)
        attempt = self._attempt(session, run)
        self._record_attempt(attempt)
        results = trial.results(attempt)
        if self._guard is not None:
            results = self._guard.guarded(attempt, results)
        return self._explained(attempt, results)

    def _results_of_parts(self, session: Session) -> Results:
        """Return the results of the parts of `session`, which run together at first.

        Parts that went well before the first failure have passed. Those that went well after it
        run together once more. All others run by themselves, so that no mistake costs more than
        in separate sessions.
        """
        results: dict[str, Result] = {}
        tried: Mapping[Session, TrialResult] = {}
        succeeded: Collection[Session] = ()
        if self._runner.spent is None and not self._load_errors.blocking(session):
            tried = self._run_parts(session)
            runs = [(part, attempt.run) for part, attempt in tried.items()]
            succeeded = set(gone_well(runs, self._trials.checker))
        leading = tuple(takewhile(succeeded.__contains__, session.parts))
        for part in leading:
            found = {case.id: PASSED for case in part.cases}
            results.update(found)
            if self._guard is not None:
                self._guard.note(tried[part], found)
        others = session.parts[len(leading) :]
        if again := tuple(part for part in others if part in succeeded):
            results.update(self._results_of(together(again)))
        failed = [part for part in others if part not in succeeded]
        for part in failed:
            alone = failing(part, tried[part].run, self._trials.checker) if tried else ()
            (self._guard or self._trials).expect(part, alone)
        for part in failed:
            results.update(self._results_of(part))
            if (
                tried
                and tried[part].run.went_on
                and not written_files(each.code for each in part.steps)
            ):
                # A pass with an explanation came from a stand-in: no evidence about the submission.
                results_of_part = (results[case.id] for case in part.cases)
                self._only_alone |= all(
                    each.passed and not each.explanation for each in results_of_part
                )
        return results

    def _run_parts(self, session: Session) -> Mapping[Session, TrialResult]:
        """Run `session` as a whole; return the run of each of its parts."""
        _, runs = self._run_whole(session)
        first = self._attempt(session.parts[0], runs[0])
        self._record_attempt(first)
        return {
            part: first._replace(session=part, run=run)
            for part, run in zip(session.parts, runs, strict=True)
        }

    def _run_whole(self, session: Session) -> tuple[Trial, list[SessionRun]]:
        if self._guard is not None:
            return self._guard.run_whole(session)
        trial = self._trials.of(session)
        return trial, trial.run_whole()

    def _attempt(self, session: Session, run: SessionRun) -> TrialResult:
        return TrialResult(
            session, run, missing_in(self._suite, self._recorder.submission, session, run)
        )

    def _not_loaded(self, trial: Trial, session: Session, run: SessionRun | None) -> Results:
        """Return the results of a session that cannot be loaded; raise if no session can."""
        self._load_errors.load_alone(session.modules, run)
        # A module that cannot be imported may still run as a program in another session.
        may_run = any(each.runs for each in self._suite.sessions) and not session.runs
        if not may_run and (errors := self._load_errors.blocking_all()):
            evidence = next((each.died.evidence for each in errors if each.died), None)
            raise _NothingToTry(self._load_errors.reasons(), evidence)
        return trial.unloaded(self._load_errors.explained(session, run))

    def _record_attempt(self, attempt: TrialResult) -> None:
        """Record what `attempt` shows about the submission as a whole."""
        if attempt.run.loaded and not attempt.session.runs:
            self._load_errors.note_loaded(attempt.session)
        self._remarks.record(attempt)
        if attempt.run.loaded and not (attempt.session.runs or self._results):
            self._check_defined(attempt.run)
        self._missing_names.update(attempt.missing)

    def _rulings_and_advice(self) -> tuple[Rulings, tuple[Advice, ...]]:
        """Return the rulings on the suite's rules, and the advice if it asks for any."""
        suite = self._suite
        if not suite.rules and not suite.advice:
            return (), ()
        rulings = self._surveyed.rulings(
            missing=self._missing_names,
            unloadable={module for module in suite.modules if self._load_errors.known([module])},
            only_alone=self._only_alone and not (self._guard and self._guard.is_lucky),
            slow={
                case.partition("/")[0]
                for case, result in self._results.items()
                if result.verdict in _SLOW
            },
        )
        return tuple(rulings), self._surveyed.advice() if suite.advice else ()

    def _explained(self, attempt: TrialResult, results: Results) -> Results:
        """Return `results`, adding to public ones what further runs show about the calls.

        That is why they went too deep, and the calls themselves if the suite draws them.
        """
        session = attempt.session
        if session.visibility is not Visibility.PUBLIC:
            return results
        if any(each.too_deep for each in results.values()):
            results = self._surveyed.why_too_deep(session, results)
        if self._suite.widgets.calls and not all(each.passed for each in results.values()):
            results = self._surveyed.with_calls(session, results)
        return results

    @cached_property
    def _surveyed(self) -> SurveyJudge:
        recorder = self._recorder
        parts = recorder.submission.parts
        return SurveyJudge(self._suite, recorder.own_files, parts, self._trials)

    def _check_defined(self, run: SessionRun) -> None:
        """Raise `_NothingToTry` for a single module that defines none of the required names."""
        missing = missing_names(self._suite.defines, run.imported.defined)
        if len(self._suite.modules) == 1 and 0 < len(missing) == len(self._suite.defines):
            raise _NothingToTry((nothing_defined(missing, self._recorder.submission), *self._stops))

    @property
    def _stops(self) -> list[Message]:
        """Messages about where modules stopped."""
        return [*stop_messages(self._recorder.submission, self._remarks.stops.values())]
