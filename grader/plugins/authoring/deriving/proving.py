"""Proves a derived suite on its reference, and completes it with what runs show.

If a case needs an earlier step in the reference, that step becomes an action. If a refused step
changes an observer in the reference, students need not leave it unchanged either.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from grader.intake.submission import Submission
from grader.intake.submissions import Entry, read
from grader.judging.flakes import OTHER_SEEDS
from grader.judging.judge import grade
from grader.judging.matching import assess, observed, unchanged
from grader.judging.preparing import runner_for
from grader.plugins.authoring.deriving.derivation import Derivation, DerivationError
from grader.plugins.authoring.deriving.doubts import SpecError, dependent
from grader.plugins.authoring.proof import (
    UNPROVEN_HELP,
    UNSTEADY_HELP,
    Needs,
    unproven,
    unsteady,
    with_fields,
)
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


def completed(done: Derivation, suite: Suite, reference: Path, sandbox: Sandbox) -> Derivation:
    """Return the derivation with all that its cases need on the `reference`.

    `suite` is the suite so far. Handwritten sessions stay as they are.
    """
    submission = _submission(suite, reference)
    needs = Needs(suite, submission, sandbox)
    looks = _Looks(runner_for(suite, submission, sandbox))
    doubts, dependent_cases = [*done.doubts], set()
    sessions = [*done.document["sessions"]]
    for index, session in enumerate(suite.sessions[: done.session_count]):
        sessions[index], cases = _completed_session(sessions[index], session, looks, needs)
        for case in cases:
            doubts.append(dependent(session.steps[case.step_index].line or 1, case.id))
            dependent_cases.add(case.id)
    return replace(
        done,
        document={**done.document, "sessions": sessions},
        doubts=tuple(sorted(doubts, key=lambda doubt: doubt.line)),
        dependent=frozenset(dependent_cases),
    )


def _completed_session(
    written: Mapping[str, Any], session: Session, looks: _Looks, needs: Needs
) -> tuple[dict[str, Any], list[Case]]:
    """Return `written`, the data of `session`, with its needs; and cases that no step helps."""
    acting = looks.acting(session)
    observers = [code for code in written.get("observers", ()) if code not in acting]
    session = _observed_by(session, observers)
    extra: dict[int, dict[str, Any]] = {}
    for index, left in looks.changing(session):
        extra[index] = {"unchanged": [*left]}
        session = with_fields(session, [index], observers=left)
    acts, helpless = needs.of(session)
    steps = [
        step | extra.get(index, {}) | acts.get(index, {})
        for index, step in enumerate(written["steps"])
    ]
    # An action must not be an observer, which would repeat it.
    acting |= {step["do"] for step in steps if {"action", "always"} & step.keys()}
    observers = [code for code in observers if code not in acting]
    completed = {**written, "observers": observers, "steps": steps}
    return {key: value for key, value in completed.items() if value != []}, helpless


def prove(suite: Suite, reference: Path, sandbox: Sandbox, dependent: Collection[str] = ()) -> None:
    """Raise `DerivationError` with all cases that the reference fails, and rules that it breaks.

    Cases that are `dependent` need not hold in a session of their own.
    """
    submission = _submission(suite, reference)
    record = grade(suite, submission, sandbox)
    problems = [
        SpecError(1, f"the reference breaks the rule {rule.id}", help=_RULE_HELP)
        for rule in record.rules
        if rule.verdict is RuleVerdict.BROKEN
    ]
    for case in record.cases:
        if case.verdict is not Verdict.PASSED:
            said = case.staff_evidence if case.verdict is Verdict.FAULT else None
            where = "in the whole session"
            problems.append(_problem(case.spec_line, case.id, where, case.verdict, said))
    # Only if whole sessions pass, else each problem would be reported twice.
    if not problems:
        problems = [
            _problem(session.steps[case.step_index].line, case.id, "in its own session", verdict)
            for session, case, verdict in unproven(suite, submission, sandbox)
            if case.id not in dependent
        ]
    if problems:
        raise DerivationError(problems)


def prove_steady(suite: Suite, reference: Path) -> None:
    """Raise `DerivationError` with the cases that the reference passes only by luck."""
    lucky = unsteady(suite, _submission(suite, reference))
    cases = [(session, case) for session in suite.sessions for case in session.cases]
    if lucky:
        raise DerivationError(
            [
                SpecError(
                    session.steps[case.step_index].line or 1,
                    f"on another date or with another random seed, the reference fails {case.id}: "
                    f"{lucky[case.id].value}",
                    help=UNSTEADY_HELP,
                )
                for session, case in cases
                if case.id in lucky
            ]
        )


def _problem(
    line: int | None, case_id: str, where: str, verdict: Verdict, said: str | None = None
) -> SpecError:
    return SpecError(
        line or 1,
        f"the reference does not pass {case_id} {where}: {verdict.value}",
        help=said or UNPROVEN_HELP,
    )


def _submission(suite: Suite, reference: Path) -> Submission:
    return read(Entry(reference.stem, reference.parent), suite.modules, suite.defines)


class _Looks:
    """Finds out on the reference what the observers of a session do."""

    def __init__(self, reference: SessionRunner) -> None:
        self._runner: Final = reference

    def acting(self, session: Session) -> frozenset[str]:
        """Return the observers of `session` that change its results, such as `stack.pop()`."""
        codes = frozenset(code for step in session.steps for code in step.observers)
        undisturbed = self._passed(session, ()) if codes else []
        return frozenset(code for code in codes if self._passed(session, [code]) != undisturbed)

    def _passed(self, session: Session, observers: Collection[str]) -> list[bool]:
        """Return which cases pass with these `observers`, changes that they see aside."""
        plan = whole_session(_observed_by(session, observers))
        seen = observed(self._runner.run(plan, modules=session.modules), {})
        alone = _observed_by(session, ())
        return [
            result is not None and result.passed
            for case in alone.cases
            if not isinstance(alone.steps[case.step_index].expectation, Accepts)
            for result in [assess(alone, case, seen)]
        ]

    def changing(self, session: Session) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield the refused steps that change an observer, each with the unchanged observers."""
        run = self._runner.run(whole_session(session), modules=session.modules)
        for index, seen in observed(run, {}).items():
            observers = session.steps[index].observers
            changed = {
                each
                for each in {*seen.before} & {*seen.after}
                if not unchanged(each, seen.before[each], seen.after[each]).passed
            }
            if not changed.isdisjoint(observers):
                yield index, tuple(each for each in observers if each not in changed)


def _observed_by(session: Session, observers: Collection[str]) -> Session:
    """Return `session` with only these observers."""
    steps = (
        step.changed(observers=tuple(code for code in step.observers if code in observers))
        for step in session.steps
    )
    return session.changed(steps=tuple(steps))


def with_causes(
    derive: Callable[[Sandbox], Derivation], sandbox: Sandbox, packages: Sequence[str]
) -> Derivation:
    """Return the derivation in `sandbox`; raises `DerivationError` that marks random problems.

    After problems, it derives again with other seeds of chance and of hashes: problems that change
    do not come from a mistake in the spec.
    """
    try:
        return derive(sandbox)
    except DerivationError as failed:
        problems = failed.problems
    steady = {(each.line, each.message) for each in problems}
    for seed in OTHER_SEEDS:
        with new_sandbox(packages, seed) as other:
            try:
                derive(other)
            except DerivationError as failed:
                steady &= {(each.line, each.message) for each in failed.problems}
            else:
                # It succeeded, so all problems depend on chance.
                steady = set()
    raise DerivationError(
        [
            each
            if (each.line, each.message) in steady
            else SpecError(
                each.line, f"{each.message}; this differs from run to run", help=UNSTEADY_HELP
            )
            for each in problems
        ]
    )
