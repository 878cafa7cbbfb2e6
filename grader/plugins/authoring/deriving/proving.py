"""Proves a derived suite on its reference, and completes it with facts from these runs.

If the reference passes a case only after an earlier step, that step becomes an action. If a refused
step changes an observer of the reference, submissions need not leave that observer unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from grader.intake.submission import Submission
from grader.intake.submissions import Entry, read_submission
from grader.judging.flakes import OTHER_SEEDS
from grader.judging.judge import grade
from grader.judging.matching import assess, compare_observer, observations_by_step
from grader.judging.preparing import runner_for
from grader.plugins.authoring.deriving.derivation import Derivation
from grader.plugins.authoring.deriving.doubts import DerivationError, SpecError, dependent_case
from grader.plugins.authoring.proof import (
    UNPROVEN_HELP,
    UNSTEADY_HELP,
    StepNeeds,
    failing_cases,
    set_fields,
    unsteady_cases,
)
from grader.plugins.authoring.solutions import failure_text
from grader.sandbox.planning import whole_session
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.sandbox.sessions import SessionRunner
from grader.suite.expectations import Accepts
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.steps import Case
from grader.verdict import RuleVerdict, Verdict

_RULE_HELP: Final = (
    "fix the reference, or the rule in exercise.yaml; grader check on the reference shows why"
)


def complete_derivation(
    derivation: Derivation, suite: Suite, reference: Path, sandbox: Sandbox
) -> Derivation:
    """Return `derivation` with the actions and observers that its cases need.

    These are found by running `suite`, which is parsed from the derivation, on the `reference`.
    A case that still fails when it runs without the other cases is recorded as dependent, with a
    doubt. Handwritten sessions stay unchanged.
    """
    submission = _read_submission(suite, reference)
    needs = StepNeeds(suite, submission, sandbox)
    probe = _ObserverProbe(runner_for(suite, submission, sandbox))
    doubts, dependent_ids = [*derivation.doubts], set()
    sessions = [*derivation.document["sessions"]]
    for index, session in enumerate(suite.sessions[: derivation.session_count]):
        sessions[index], cases = _complete_session(sessions[index], session, probe, needs)
        for case in cases:
            doubts.append(dependent_case(session.steps[case.step_index].line or 1, case.id))
            dependent_ids.add(case.id)
    return replace(
        derivation,
        document={**derivation.document, "sessions": sessions},
        doubts=tuple(sorted(doubts, key=lambda doubt: doubt.line)),
        dependent=frozenset(dependent_ids),
    )


def _complete_session(
    document: Mapping[str, Any], session: Session, probe: _ObserverProbe, needs: StepNeeds
) -> tuple[dict[str, Any], list[Case]]:
    """Return `document`, the data of `session`, with its actions and observers.

    Also return the cases that fail on their own, whichever steps become actions.
    """
    acting = probe.acting_observers(session)
    observers = [code for code in document.get("observers", ()) if code not in acting]
    session = _with_observers(session, observers)
    unchanged_fields: dict[int, dict[str, Any]] = {}
    for index, unchanged_observers in probe.changing_refusals(session):
        unchanged_fields[index] = {"unchanged": [*unchanged_observers]}
        session = set_fields(session, [index], observers=unchanged_observers)
    action_fields, failing = needs.needed_fields(session)
    steps = [
        step | unchanged_fields.get(index, {}) | action_fields.get(index, {})
        for index, step in enumerate(document["steps"])
    ]
    # An observer must not be an action, because observing would repeat the action.
    acting |= {step["do"] for step in steps if {"action", "always"} & step.keys()}
    observers = [code for code in observers if code not in acting]
    completed = {**document, "observers": observers, "steps": steps}
    return {key: value for key, value in completed.items() if value != []}, failing


def prove(suite: Suite, reference: Path, sandbox: Sandbox, dependent: Collection[str] = ()) -> None:
    """Raise `DerivationError` if the reference fails cases or breaks rules of `suite`.

    Cases in `dependent` need not pass in their own sessions.
    """
    submission = _read_submission(suite, reference)
    record = grade(suite, submission, sandbox)
    problems = [
        # Rules are in the settings, so no line of the spec is to blame.
        SpecError(1, f"the reference breaks the rule {rule.id}", help=_RULE_HELP)
        for rule in record.rules
        if rule.verdict is RuleVerdict.BROKEN
    ]
    for case in record.cases:
        if case.verdict is not Verdict.PASSED:
            evidence = None
            if case.verdict is Verdict.FAULT and case.staff_evidence:
                evidence = f"correct what failed: {case.staff_evidence}"
            scope = "in the whole session"
            problems.append(_problem(case.spec_line, case.id, scope, case.verdict, evidence))
    # Own sessions are tried only if whole sessions pass, so that no problem is reported twice.
    if not problems:
        problems = [
            _problem(session.steps[case.step_index].line, case.id, "in its own session", verdict)
            for session, case, verdict in failing_cases(suite, submission, sandbox)
            if case.id not in dependent
        ]
    if problems:
        raise DerivationError(problems)


def prove_steady(suite: Suite, reference: Path) -> None:
    """Raise `DerivationError` if the reference passes cases of `suite` only by luck."""
    lucky = unsteady_cases(suite, _read_submission(suite, reference))
    cases = [(session, case) for session in suite.sessions for case in session.cases]
    if lucky:
        raise DerivationError(
            [
                SpecError(
                    session.steps[case.step_index].line or 1,
                    f"on another date or with another random seed, the reference fails {case.id}: "
                    f"{failure_text(lucky[case.id])}",
                    help=UNSTEADY_HELP,
                )
                for session, case in cases
                if case.id in lucky
            ]
        )


def _problem(
    line: int | None, case_id: str, scope: str, verdict: Verdict, evidence: str | None = None
) -> SpecError:
    """Return the error for a case that the reference does not pass, with the `evidence` as help."""
    return SpecError(
        line or 1,
        f"the reference does not pass {case_id} {scope}: {failure_text(verdict)}",
        help=evidence or UNPROVEN_HELP,
    )


def _read_submission(suite: Suite, reference: Path) -> Submission:
    return read_submission(Entry(reference.stem, reference.parent), suite.modules, suite.defines)


class _ObserverProbe:
    """Runs the reference to find observers that act, and refused steps that change an observer."""

    def __init__(self, reference: SessionRunner) -> None:
        self._runner: Final = reference

    def acting_observers(self, session: Session) -> frozenset[str]:
        """Return the observers that change results of `session`, such as `stack.pop()`."""
        codes = frozenset(code for step in session.steps for code in step.observers)
        undisturbed = self._case_results(session, ()) if codes else []
        return frozenset(
            code for code in codes if self._case_results(session, [code]) != undisturbed
        )

    def _case_results(self, session: Session, observers: Collection[str]) -> list[bool]:
        """Return whether each case passes with these `observers`, ignoring what they show.

        Cases with a checker are omitted, because no checkers run here.
        """
        plan = whole_session(_with_observers(session, observers))
        observations = observations_by_step(self._runner.run(plan, modules=session.modules), {})
        unobserved = _with_observers(session, ())
        return [
            result is not None and result.passed
            for case in unobserved.cases
            if not isinstance(unobserved.steps[case.step_index].expectation, Accepts)
            for result in [assess(unobserved, case, observations)]
        ]

    def changing_refusals(self, session: Session) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield the index of each refused step that changes the value of an observer.

        The index is paired with the observers that the step leaves unchanged.
        """
        run = self._runner.run(whole_session(session), modules=session.modules)
        for index, observation in observations_by_step(run, {}).items():
            observers = session.steps[index].observers
            changed = {
                code
                for code in {*observation.before} & {*observation.after}
                if not compare_observer(
                    code, observation.before[code], observation.after[code]
                ).passed
            }
            if not changed.isdisjoint(observers):
                yield index, tuple(code for code in observers if code not in changed)


def _with_observers(session: Session, observers: Collection[str]) -> Session:
    """Return a copy of `session` with only these `observers`."""
    steps = (
        step.with_changes(observers=tuple(code for code in step.observers if code in observers))
        for step in session.steps
    )
    return session.with_changes(steps=tuple(steps))


def derive_marking_unsteady(
    derive: Callable[[Sandbox], Derivation], sandbox: Sandbox, packages: Sequence[str]
) -> Derivation:
    """Call `derive` with `sandbox`, and return the derivation.

    If there are problems, `derive` is called again in new sandboxes with other random and hash
    seeds. Problems that differ between seeds do not come from a mistake in the spec. Raises
    `DerivationError` with the problems of the first call, and marks those that differ.
    """
    try:
        return derive(sandbox)
    except DerivationError as error:
        problems = error.problems
    steady = {(problem.line, problem.message) for problem in problems}
    for seed in OTHER_SEEDS:
        with new_sandbox(packages, seed) as reseeded:
            try:
                derive(reseeded)
            except DerivationError as error:
                steady &= {(problem.line, problem.message) for problem in error.problems}
            else:
                # There are no problems with this seed, so all of them depend on the seed.
                steady = set()
    raise DerivationError(
        [
            problem
            if (problem.line, problem.message) in steady
            else SpecError(
                problem.line,
                f"{problem.message}; this differs from run to run",
                help=UNSTEADY_HELP,
            )
            for problem in problems
        ]
    )
