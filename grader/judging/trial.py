"""Runs the cases of one session on one submission, and decides their verdicts.

The verdicts are decided as follows:

1.  The whole session runs once. For a submission without mistakes, that is all.
2.  The first failing case has failed: no earlier failure can be the cause.
3.  A later case that fails or is not reached can be affected by an earlier mistake. It is retried
    in its own session (see `grader.sandbox.planning`), and that result counts. If an earlier step
    breaks down in its own session too, the case is SKIPPED and names that step.
4.  If the session has stand-ins, a case that did not pass in its own session is retried with our
    modules in place of the submission's. If it passes with them, it has passed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from grader.judging.answers import AnswerChecker
from grader.judging.clean_runs import clean_sessions
from grader.judging.load_errors import LoadError
from grader.judging.matching import (
    StepObservation,
    assess,
    breakdowns,
    executor_died,
    match,
    observations_by_step,
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
    needed_steps,
    own_session,
    read_definitions,
    read_names,
    whole_session,
)
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.sessions import SessionRunner
from grader.suite.expectations import Completes
from grader.suite.session import Session
from grader.suite.steps import Case
from grader.verdict import Verdict

ONLY_IN_SESSION: Final = "wrong.only_in_session"
"""The key of the message about a case that fails after other steps but passes without them."""
_SETTLED: Final = frozenset({Verdict.PASSED, Verdict.NOT_RUN, Verdict.TAMPERED, Verdict.FAULT})
"""Verdicts that stand-ins do not change: a person has to look at tampering and faults."""


class Trial:
    """One session of the suite on one submission."""

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
        self._missing_names: Mapping[str, Message] = {}
        """Messages about names that the submission does not define, keyed by name; `results` sets
        them."""
        self._breakdowns: Final[dict[tuple[int, ...], SessionRun]] = {}
        """Runs in which the last of these steps broke down, keyed by the sequence of steps."""

    def run_whole(self) -> list[SessionRun]:
        """Run the whole session; return its run, or a run for each of its parts.

        If an observer kills the executor, the session runs again without observers, because checks
        of refused steps must not prevent other steps from running. The death is counted, and after
        a few deaths, sessions have no more observers. A session with parts runs only once,
        because its parts can run alone later.
        """
        observed, parts = self._runner.budget.includes_looks, self._session.parts
        if parts:
            plans = [whole_session(part, observed=observed) for part in parts]
            return self._runner.run_together(plans, modules=self._session.modules)
        run = self._run(whole_session(self._session, observed=observed))
        if not _died_in_observer(self._session, run):
            return [run]
        self._runner.budget.deaths_in_looks += 1
        if self._runner.why_exhausted:
            return [run]
        return [self._run(whole_session(self._session, observed=False))]

    def results(self, attempt: TrialResult) -> Results:
        """Return the result of each case, given `attempt`, the run of the whole session.

        Cases that did not pass are retried in their own sessions and on stand-ins. Stores the
        missing names of `attempt` for these retries.
        """
        whole_run, self._missing_names = attempt.run, attempt.missing
        if clean_sessions([(self._session, whole_run)], self._checker):
            return dict.fromkeys((case.id for case in self._session.cases), PASSED)
        steps, broken_steps = self._observations_in(whole_run), breakdowns(whole_run)
        # Cases that depend on a set-up step that broke down cannot pass.
        broken_setup = {
            step for step in broken_steps if self._session.steps[step].expectation is None
        }
        # A mistake can affect everything after it, so later cases are judged in their own sessions.
        excused_from = next(iter(broken_steps), None)
        results: dict[str, Result] = {}
        assessed = {case.id: assess(self._session, case, steps) for case in self._session.cases}
        passed = {name for name, result in assessed.items() if result and result.passed}
        failed = (case for case in self._session.cases if case.id not in passed)
        self._expect(
            (case for case in failed if not self._depends_on_any(case, broken_steps)), whole_run
        )
        for case in self._session.cases:
            result = assessed[case.id]
            # A submission that always raises also raises where it should. So a case with a broken
            # set-up does not count as passed. It comes after the breakdown, so it is excused below.
            needed = needed_steps(self._session, case.step_index)
            if result is not None and result.passed and broken_setup.isdisjoint(needed):
                results[case.id] = PASSED
                continue
            is_excused = excused_from is not None and case.step_index > excused_from
            missing_result = self._skipped_for_missing_name(case)
            own_result = missing_result or self._own_session_result(case, whole_run)
            if result is None or missing_result is not None or is_excused:
                final_result = own_result
            else:
                final_result = self._first_failure_result(case, result, whole_run, own_result)
                excused_from = case.step_index
            if not own_result.passed and self._could_pass_on_stand_ins(own_result, missing_result):
                final_result = self._retry_on_stand_ins(case, final_result)
            results[case.id] = final_result
        return results

    def results_if_not_loaded(self, errors: Sequence[LoadError]) -> Results:
        """Return the result of each case if `errors` prevent the session from loading.

        Cases are retried on stand-ins if every module at fault has one.
        """
        # Stand-ins for only some of the modules would not make the session load.
        can_be_replaced = all(error.module in self._session.stand_ins for error in errors)
        results = {}
        for case in self._session.cases:
            result = self._not_loaded_result(case, errors[0])
            results[case.id] = self._retry_on_stand_ins(case, result) if can_be_replaced else result
        return results

    def run_own_sessions(self) -> Results:
        """Run each case in its own session only; return the results."""
        self._expect(self._session.cases)
        return {case.id: self.run_own_session(case) for case in self._session.cases}

    def _expect(self, cases: Iterable[Case], whole_run: SessionRun | None = None) -> None:
        """Announce that `cases` will run in their own sessions, so that they can share executors.

        Sessions that `whole_run` has already covered are left out.
        """
        plans = [
            own_session(self._session, case.step_index, observed=self._runner.budget.includes_looks)
            for case in cases
            if self._skipped_for_missing_name(case) is None
        ]
        if self._stand_in_runner is not None:
            self._stand_in_runner.expect(plans, modules=self._session.modules)
        new_plans = (
            plan for plan in plans if whole_run is None or plan != whole_run.plan[: len(plan)]
        )
        self._runner.expect(new_plans, modules=self._session.modules)

    def _depends_on_any(self, case: Case, steps: Collection[int]) -> bool:
        """Return whether `case` depends on one of `steps`."""
        return not {*steps}.isdisjoint(needed_steps(self._session, case.step_index))

    def run_own_session(self, case: Case) -> Result:
        """Run `case` in its own session only; return the result."""
        return self._own_session_result(case, whole_run=None)

    def _observations_in(self, run: SessionRun) -> Mapping[int, StepObservation]:
        """Return the observations in `run` by step index, with the checkers' results."""
        return observations_by_step(run, self._checker.outcomes(self._session.steps, run))

    def _first_failure_result(
        self, case: Case, result: Result, whole_run: SessionRun, own_result: Result
    ) -> Result:
        """Return the result of `case`, whose failure no earlier failure excuses.

        `result` comes from `whole_run`, and `own_result` from the case's own session. `own_result`
        is returned if both agree and the same step did not pass earlier, or if `own_result`
        passed and the whole session exceeded only a reduced limit.
        """
        passed_earlier = passed_before(
            self._session, case, self._observations_in(whole_run), own_result
        )
        agrees = own_result.verdict is result.verdict and own_result.credit == result.credit
        if agrees and not passed_earlier:
            return own_result
        # Exceeding only a reduced limit proves nothing: with full limits, the session might pass.
        if own_result.passed and whole_run.had_cheap_limit:
            return own_result
        if own_result.passed or passed_earlier:
            key = "wrong.not_again" if passed_earlier else ONLY_IN_SESSION
            result = replace(result, explanation=(*result.explanation, message(key)))
        return _with_details(self._session, case, result, whole_run)

    def _own_session_result(self, case: Case, whole_run: SessionRun | None) -> Result:
        """Run `case` in its own session, unless `whole_run` began with it; return the result.

        Nothing runs if the set-up is known to break down or if the budget is spent. If the set-up
        breaks down now, the run is stored, so that later cases with this set-up are skipped.
        """
        if skipped := self._skipped_for_known_breakdown(case):
            return skipped
        if reason := self._runner.why_exhausted:
            return self._untried_result(case, Verdict.NOT_RUN, reason)
        plan = own_session(
            self._session, case.step_index, observed=self._runner.budget.includes_looks
        )
        if (
            whole_run is not None
            and plan == whole_run.plan[: len(plan)]
            and not whole_run.had_cheap_limit
        ):
            run = whole_run
        else:
            run = self._run(plan, case.group)
        if _died_in_observer(self._session, run):
            # A look is ours, so its death must not decide the case.
            self._runner.budget.deaths_in_looks += 1
            plan = own_session(self._session, case.step_index, observed=False)
            run = self._run(plan, case.group)
        result = assess(self._session, case, self._observations_in(run))
        broken_step = self._first_breakdown(case, run)
        if broken_step is not None:
            setup = needed_steps(self._session, case.step_index)
            self._breakdowns[setup[: setup.index(broken_step) + 1]] = run
            return self._skipped_result(case, broken_step, run)
        if result is None:
            result = match(Completes(), run.imported.observation, {})  # the import failed
            assert not result.passed, "a case that was not reached cannot have passed"
        return PASSED if result.passed else _with_details(self._session, case, result, run)

    def _could_pass_on_stand_ins(self, own_result: Result, missing_result: Result | None) -> bool:
        """Return whether the case could pass on stand-ins, given its `own_result`.

        `missing_result` is the result if the case lacks a name, else None. Stand-ins supply the
        name only if they replace its module.
        """
        module = (own_result.cause or "").partition(".")[0]
        return missing_result is None or module in self._session.stand_ins

    def _retry_on_stand_ins(self, case: Case, result: Result) -> Result:
        """Run `case` with our modules as a last resort; return PASSED and why, or else `result`.

        If our modules cannot be loaded, later cases are not retried.
        """
        runner = self._stand_in_runner
        if (
            runner is None
            or result.verdict in _SETTLED
            or not self._uses_submission_code(case)
            or runner.why_exhausted
        ):
            return result
        plan = own_session(
            self._session, case.step_index, observed=self._runner.budget.includes_looks
        )
        run = self._run(plan, case.group, runner)
        if not run.is_loaded:
            self._stand_in_runner = None  # loading would fail for the remaining cases as well
            return result
        retry = assess(self._session, case, self._observations_in(run))
        if retry is None or not retry.passed or self._first_breakdown(case, run) is not None:
            return result
        (*leading, last) = self._session.stand_ins
        modules = ", ".join(leading)
        explanation = message(
            "passed.stand_ins", count=len(leading) + 1, modules=modules, last=last
        )
        reasons = [reason for reason in result.explanation if reason.key != "skipped.module"]
        return replace(PASSED, explanation=(explanation, *reasons[:1]), evidence=result.evidence)

    def _uses_submission_code(self, case: Case) -> bool:
        """Return whether `case` uses any code of the submission once stand-ins are in place."""
        steps = (*needed_steps(self._session, case.step_index), case.step_index)
        read = {name for index in steps for name in read_names(self._session.steps[index].code)}
        modules = read.intersection(self._session.modules)
        return not modules or not modules.issubset(self._session.stand_ins)

    def _not_loaded_result(self, case: Case, error: LoadError) -> Result:
        """Return the result of `case`, skipped because of `error`."""
        result = self._untried_result(
            case, Verdict.SKIPPED, message("skipped.module", file=error.file)
        )
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
        """Run `plan` and return the run.

        If the run is for a case of `group` and exceeded a reduced limit, run `plan` again with full
        limits, unless another case of the group has exceeded full limits before.
        """
        runner = runner or self._runner
        run = runner.run(plan, modules=self._session.modules)
        if group is None:
            return run
        confirmed = runner.budget.confirmed_groups
        if run.had_cheap_limit and group not in confirmed:
            run = runner.run(plan, modules=self._session.modules, at_full_price=True)
            if run.exceeded_a_limit:
                # Full limits did not help: no more retries for this group.
                confirmed.add(group)
            else:
                runner.prices.pardon(plan)
        return run

    def _skipped_for_missing_name(self, case: Case) -> Result | None:
        """Return the result of `case` if it needs a missing name, else None."""
        steps = (*needed_steps(self._session, case.step_index), case.step_index)
        for index in steps:
            # Sorted, because the name in the message must not depend on the order of a set.
            read = read_definitions(self._session.steps[index].code)
            for name in sorted(read & self._missing_names.keys()):
                result = self._untried_result(case, Verdict.SKIPPED, self._missing_names[name])
                return replace(result, cause=name)
        return None

    def _skipped_for_known_breakdown(self, case: Case) -> Result | None:
        """Return the result of `case` if its set-up is known to break down, else None."""
        setup = needed_steps(self._session, case.step_index)
        for length in range(1, len(setup) + 1):
            if run := self._breakdowns.get(setup[:length]):
                return self._skipped_result(case, setup[length - 1], run)
        return None

    def _first_breakdown(self, case: Case, run: SessionRun) -> int | None:
        """Return the index of the first set-up step of `case` that broke down in `run`, or None."""
        broken_step = next(iter(breakdowns(run)), None)
        return broken_step if broken_step is not None and broken_step < case.step_index else None

    def _skipped_result(self, case: Case, broken_step: int, run: SessionRun) -> Result:
        """Return the result of `case`, skipped because step `broken_step` broke down in `run`."""
        code = self._session.steps[broken_step].display_text
        result = self._untried_result(case, Verdict.SKIPPED, message("skipped.step", code=code))
        lines = transcript(self._session, run, broken_step, broken_step)
        return replace(result, cause=code, transcript=lines)

    def _untried_result(self, case: Case, verdict: Verdict, reason: Message) -> Result:
        """Return a result with `verdict` for a case that was not run; `reason` explains why."""
        expectation = self._session.steps[case.step_index].expectation
        assert expectation is not None, "every case has an expectation"
        return Result(verdict=verdict, explanation=(reason,), expected=expected_text(expectation))


def _with_details(session: Session, case: Case, result: Result, run: SessionRun) -> Result:
    """Return `result` with the transcript, the frame and the evidence of `case` from `run`."""
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
    """Return whether `run` died in a look other than one that checks a refused step."""
    reached = run.plan[: len(run.observations)]
    if not executor_died(run) or reached[-1].role is Role.STEP:
        return False
    for index, observation in list(observations_by_step(run, {}).items())[-1:]:
        if reached[-1].code in observation.before:
            return reached[-1].code not in session.steps[index].observers
    return True
