"""Tries the cases of one session on one submission, and decides each one's verdict.

How a session earns its points:

1.  The whole session runs once. A submission without mistakes is done after that.
2.  The first failing case fails for good: nothing before it went wrong, so nothing excuses it.
3.  A later case that fails, or that was never reached, may be a victim of an earlier mistake. It
    is retried in its own session (see `grader.sandbox.planning`), and that result counts. When an
    earlier step breaks down there too, the case is SKIPPED and names that step.
4.  Where the session has stand-ins, a case that did not pass in its own session is retried with our
    modules in place of the submission's. If it passes there, it has passed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from grader.judging.answers import AnswerChecker
from grader.judging.going_well import gone_well
from grader.judging.load_errors import LoadError
from grader.judging.matching import (
    StepObservation,
    assess,
    breakdowns,
    died,
    match,
    observed,
    passed_before,
    transcript,
)
from grader.judging.printing import expected_text
from grader.judging.results import PASSED, Result, Results, TrialResult
from grader.messages import Message, message
from grader.sandbox.observation import Died, Raised
from grader.sandbox.planning import (
    Item,
    Role,
    definitions_read,
    names_read,
    needed_steps,
    own_session,
    whole_session,
)
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.sessions import SessionRunner
from grader.suite.code import without
from grader.suite.expectations import Completes
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.steps import Case
from grader.verdict import Verdict

ONLY_IN_SESSION: Final = "wrong.only_in_session"
"""The key of the message on a case that fails after other steps but passes without them."""
_SETTLED: Final = frozenset({Verdict.PASSED, Verdict.NOT_RUN, Verdict.TAMPERED, Verdict.FAULT})
"""Verdicts that stand-ins do not change: a person has to look at tampering and faults."""


class Trials:
    """Makes the trials of one submission, which share its budget."""

    def __init__(self, suite: Suite, runner: SessionRunner, checker: AnswerChecker) -> None:
        """Try sessions of `suite` with `runner`; `checker` judges answers where many are right."""
        self.suite: Final = suite
        self.runner: Final = runner
        self.checker: Final = checker
        self._stand_in_runners: dict[tuple[str, ...], SessionRunner] = {}

    @property
    def looks_died(self) -> bool:
        """Whether a look has ended a session."""
        return self.runner.budget.looks_died > 0

    def on_helpers(self, names: Sequence[str], group: str) -> Trials:
        """Return trials that use our helpers called `names`, for cases of `group`.

        If `group` is named after a helper, that helper and later ones are not sent.
        """
        (module,) = self.suite.modules
        defines, helpers = self.suite.defines, self.suite.helpers
        later = helpers[helpers.index(group) :] if group in helpers else ()
        source = without(self.suite.stand_ins[module], (*defines, *later))
        return Trials(self.suite, self.runner.on_helpers(module, source, names), self.checker)

    def of_runner(self, runner: SessionRunner) -> Trials:
        """Return trials of the same submission with another `runner`."""
        return Trials(self.suite, runner, self.checker)

    def expect(self, session: Session, alone: Iterable[Case] = ()) -> None:
        """Announce that `session` will run whole, and the cases in `alone` singly, in lots."""
        whole, looks = self._whole(session), self.runner.budget.looks
        own = [own_session(session, each.step_index, observed=looks) for each in alone]
        plans = [whole, *(plan for plan in own if plan != whole[: len(plan)])]
        self.runner.expect(plans, modules=session.modules)
        if own and (stand_in_runner := self._stand_in_runner(session)):
            stand_in_runner.expect(own, modules=session.modules)

    def kept(self, session: Session) -> SessionRun | None:
        """Return the run of `session` in a lot, if it ran in one and was not fetched yet."""
        return self.runner.kept(self._whole(session), session.modules)

    def _whole(self, session: Session) -> tuple[Item, ...]:
        return whole_session(session, observed=self.runner.budget.looks)

    def of(self, session: Session) -> Trial:
        """Return the trial of `session`."""
        return Trial(self.runner, session, self.checker, self._stand_in_runner(session))

    def _stand_in_runner(self, session: Session) -> SessionRunner | None:
        """Return the runner with the stand-ins of `session`, or None if it has none."""
        names = session.stand_ins
        if names and names not in self._stand_in_runners:
            sources = {name: self.suite.stand_ins[name] for name in names}
            self._stand_in_runners[names] = self.runner.on_stand_ins(sources)
        return self._stand_in_runners.get(names)


class Trial:
    """One session of the suite, tried on one submission."""

    def __init__(
        self,
        runner: SessionRunner,
        session: Session,
        checker: AnswerChecker,
        stand_in_runner: SessionRunner | None,
    ) -> None:
        self._runner: Final = runner
        self._stand_in_runner = stand_in_runner
        self._session: Final = session
        self._checker: Final = checker
        self._missing: Mapping[str, Message] = {}
        self._breakdowns: Final[dict[tuple[int, ...], SessionRun]] = {}
        """Runs of step sequences that are known to break down at their last step."""

    def run_whole(self) -> list[SessionRun]:
        """Run the whole session; return its run, or the run of each of its parts.

        If an observer kills the executor, the session runs again without any: checks of refused
        steps must not keep other steps from being tried. If that happens often, later sessions
        have no observers. A session with parts runs once, as its parts can run alone.
        """
        observed, parts = self._runner.budget.looks, self._session.parts
        if parts:
            plans = [whole_session(each, observed=observed) for each in parts]
            return self._runner.run_together(plans, modules=self._session.modules)
        run = self._run(whole_session(self._session, observed=observed))
        if not _died_in_observer(self._session, run):
            return [run]
        self._runner.budget.looks_died += 1
        if self._runner.spent:
            return [run]
        return [self._run(whole_session(self._session, observed=False))]

    def results(self, attempt: TrialResult) -> Results:
        """Return the result of each case, given the run of the whole session."""
        whole, self._missing = attempt.run, attempt.missing
        if gone_well([(self._session, whole)], self._checker):
            return dict.fromkeys((case.id for case in self._session.cases), PASSED)
        steps, broken = self._observed_in(whole), breakdowns(whole)
        # Set-up steps that broke down: cases built on them cannot pass.
        broken_setup = {step for step in broken if self._session.steps[step].expectation is None}
        excused_from = next(iter(broken), None)
        results: dict[str, Result] = {}
        assessed = {case.id: assess(self._session, case, steps) for case in self._session.cases}
        passed = {name for name, result in assessed.items() if result and result.passed}
        failed = (each for each in self._session.cases if each.id not in passed)
        self._expect((each for each in failed if not self._needs(each, broken)), whole)
        for case in self._session.cases:
            result = assessed[case.id]
            # A submission that raises on everything also raises where it should: so a case on a
            # broken set-up never counts as passed. It comes after the breakdown: excused below.
            needed = needed_steps(self._session, case.step_index)
            if result is not None and result.passed and broken_setup.isdisjoint(needed):
                results[case.id] = PASSED
                continue
            excused = excused_from is not None and case.step_index > excused_from
            missing = self._skipped_for_missing_name(case)
            own = missing or self._on_its_own(case, whole)
            if result is None or missing is not None or excused:
                reported = own
            else:
                reported = self._first_failure(case, result, whole, own)
                excused_from = case.step_index
            if not own.passed and self._may_be_excused(own, missing):
                reported = self._retried_on_stand_ins(case, reported)
            results[case.id] = reported
        return results

    def unloaded(self, errors: Sequence[LoadError]) -> Results:
        """Return the result of each case of a session whose modules cannot be loaded."""
        replaced = all(error.module in self._session.stand_ins for error in errors)
        results = {}
        for case in self._session.cases:
            result = self._not_loaded(case, errors[0])
            results[case.id] = self._retried_on_stand_ins(case, result) if replaced else result
        return results

    def on_their_own(self) -> Results:
        """Return the result of each case, each tried in its own session only."""
        self._expect(self._session.cases)
        return {case.id: self.alone(case) for case in self._session.cases}

    def _expect(self, cases: Iterable[Case], whole: SessionRun | None = None) -> None:
        """Announce that `cases` will be tried alone, so that they can share executors."""
        plans = [
            own_session(self._session, case.step_index, observed=self._runner.budget.looks)
            for case in cases
            if self._skipped_for_missing_name(case) is None
        ]
        if self._stand_in_runner is not None:
            self._stand_in_runner.expect(plans, modules=self._session.modules)
        new_plans = (each for each in plans if whole is None or each != whole.plan[: len(each)])
        self._runner.expect(new_plans, modules=self._session.modules)

    def _needs(self, case: Case, steps: Collection[int]) -> bool:
        """Return whether `case` depends on one of `steps`."""
        return not {*steps}.isdisjoint(needed_steps(self._session, case.step_index))

    def alone(self, case: Case) -> Result:
        """Return the result of `case`, tried in its own session only."""
        return self._on_its_own(case, whole=None)

    def _observed_in(self, run: SessionRun) -> Mapping[int, StepObservation]:
        return observed(run, self._checker.outcomes(self._session.steps, run))

    def _first_failure(self, case: Case, result: Result, whole: SessionRun, own: Result) -> Result:
        """Return the result of a failure that nothing excuses: `own` if that is the same."""
        again = passed_before(self._session, case, self._observed_in(whole), own)
        if (own.verdict, own.credit) == (result.verdict, result.credit) and not again:
            return own
        # The whole session ran on reduced limits, so its failure proves nothing.
        if own.passed and whole.cheap:
            return own
        if own.passed or again:
            key = "wrong.not_again" if again else ONLY_IN_SESSION
            result = replace(result, explanation=(*result.explanation, message(key)))
        return _with_details(self._session, case, result, whole)

    def _on_its_own(self, case: Case, whole: SessionRun | None) -> Result:
        """Return the result of `case` in its own session, or in `whole` if that began with it."""
        if skipped := self._skipped_for_known_breakdown(case):
            return skipped
        if spent := self._runner.spent:
            return self._untried(case, Verdict.NOT_RUN, spent)
        plan = own_session(self._session, case.step_index, observed=self._runner.budget.looks)
        if whole is not None and plan == whole.plan[: len(plan)] and not whole.cheap:
            run = whole
        else:
            run = self._run(plan, case.group)
        if _died_in_observer(self._session, run):
            self._runner.budget.looks_died += 1
            plan = own_session(self._session, case.step_index, observed=False)
            run = self._run(plan, case.group)
        result = assess(self._session, case, self._observed_in(run))
        broken = self._first_breakdown(case, run)
        if broken is not None:
            setup = needed_steps(self._session, case.step_index)
            self._breakdowns[setup[: setup.index(broken) + 1]] = run
            return self._skipped(case, broken, run)
        if result is None:
            result = match(Completes(), run.imported.observation, {})  # the import failed
            assert not result.passed, "a case that was never reached has not passed"
        return PASSED if result.passed else _with_details(self._session, case, result, run)

    def _may_be_excused(self, own: Result, missing: Result | None) -> bool:
        """Return whether a module with a stand-in may have made the case fail."""
        module = (own.cause or "").partition(".")[0]
        return missing is None or module in self._session.stand_ins

    def _retried_on_stand_ins(self, case: Case, result: Result) -> Result:
        """Try `case` with our modules as a last resort; return `result` if that does not pass."""
        runner = self._stand_in_runner
        if (
            runner is None
            or result.verdict in _SETTLED
            or not self._tries_the_submission(case)
            or runner.spent
        ):
            return result
        plan = own_session(self._session, case.step_index, observed=self._runner.budget.looks)
        run = self._run(plan, case.group, runner)
        if not run.loaded:
            self._stand_in_runner = None  # it would not load for the remaining cases either
            return result
        retried = assess(self._session, case, self._observed_in(run))
        if retried is None or not retried.passed or self._first_breakdown(case, run) is not None:
            return result
        (*others, last) = self._session.stand_ins
        modules = ", ".join(others)
        explanation = message("passed.stand_ins", count=len(others) + 1, modules=modules, last=last)
        why = [each for each in result.explanation if each.key != "skipped.module"]
        return replace(PASSED, explanation=(explanation, *why[:1]), evidence=result.evidence)

    def _tries_the_submission(self, case: Case) -> bool:
        """Return whether `case` still tries any code of the submission next to stand-ins."""
        steps = (*needed_steps(self._session, case.step_index), case.step_index)
        read = {name for index in steps for name in names_read(self._session.steps[index].code)}
        named = read.intersection(self._session.modules)
        return not named or not named.issubset(self._session.stand_ins)

    def _not_loaded(self, case: Case, error: LoadError) -> Result:
        result = self._untried(case, Verdict.SKIPPED, message("skipped.module", file=error.file))
        return replace(
            result,
            explanation=(*result.explanation, error.reason),
            cause=error.file,
            evidence=None if error.died is None else error.died.evidence,
        )

    def _run(
        self,
        plan: tuple[Item, ...],
        group: str | None = None,
        runner: SessionRunner | None = None,
    ) -> SessionRun:
        """Run `plan`; if it decides a case of `group`, retry a cheap run with full limits.

        So no case fails on a reduced limit, unless another case of its group has run again at the
        full limits and fell short of those too.
        """
        runner = runner or self._runner
        run = runner.run(plan, modules=self._session.modules)
        if group is None:
            return run
        confirmed = runner.budget.confirmed
        if run.cheap and group not in confirmed:
            run = runner.run(plan, modules=self._session.modules, in_full=True)
            if run.fell_short:
                # Full limits did not help either: other cases of the group get no such retry.
                confirmed.add(group)
            else:
                runner.prices.pardon(plan)
        return run

    def _skipped_for_missing_name(self, case: Case) -> Result | None:
        steps = (*needed_steps(self._session, case.step_index), case.step_index)
        for index in steps:
            # Sorted: the name in the message must not depend on the order of a set.
            read = definitions_read(self._session.steps[index].code)
            for name in sorted(read & self._missing.keys()):
                result = self._untried(case, Verdict.SKIPPED, self._missing[name])
                return replace(result, cause=name)
        return None

    def _skipped_for_known_breakdown(self, case: Case) -> Result | None:
        setup = needed_steps(self._session, case.step_index)
        for length in range(1, len(setup) + 1):
            if run := self._breakdowns.get(setup[:length]):
                return self._skipped(case, setup[length - 1], run)
        return None

    def _first_breakdown(self, case: Case, run: SessionRun) -> int | None:
        """Return the first set-up step of `case` that broke down in `run`."""
        broken = next(iter(breakdowns(run)), None)
        return broken if broken is not None and broken < case.step_index else None

    def _skipped(self, case: Case, broken: int, run: SessionRun) -> Result:
        code = self._session.steps[broken].shown
        result = self._untried(case, Verdict.SKIPPED, message("skipped.step", code=code))
        lines = transcript(self._session, run, broken, broken)
        return replace(result, cause=code, transcript=lines)

    def _untried(self, case: Case, verdict: Verdict, reason: Message) -> Result:
        """Return the result of a case that was not tried; `reason` explains why."""
        expectation = self._session.steps[case.step_index].expectation
        assert expectation is not None, "a case has an expectation"
        return Result(verdict=verdict, explanation=(reason,), expected=expected_text(expectation))


def _with_details(session: Session, case: Case, result: Result, run: SessionRun) -> Result:
    """Return `result` with the transcript, frame and evidence of `case` in `run`."""
    frame, evidence, too_deep = None, result.evidence, False
    for item, observation in zip(run.plan, run.observations, strict=False):
        if item.step_index == case.step_index:
            match observation.outcome:
                case Raised(frames=(*_, last), type_names=types):
                    frame, too_deep = last, "RecursionError" in types
                case Died(evidence=details):
                    evidence = details
    return replace(
        result,
        transcript=transcript(session, run, case.step_index),
        frame=frame,
        evidence=evidence,
        too_deep=too_deep and result.verdict is Verdict.ERROR,
    )


def _died_in_observer(session: Session, run: SessionRun) -> bool:
    """Return whether `run` died in a look that says nothing about a refused step."""
    reached = run.plan[: len(run.observations)]
    if not died(run) or reached[-1].role is Role.STEP:
        return False
    for index, shown in list(observed(run, {}).items())[-1:]:
        if reached[-1].code in shown.before:
            return reached[-1].code not in session.steps[index].observers
    return True
