"""Proves that a right program passes each case alone, as cases run after an earlier failure.

A case may need more than the steps that share names with it and are known to act: `next(numbers)`
returns another value each time, `Account.count` counts other objects, `save(values, 'out.txt')`
leaves a file. If the program shows that an earlier step is needed, it becomes an action.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

from grader.errors import SuiteError
from grader.intake.submission import Submission
from grader.judging.answers import AnswerChecker
from grader.judging.flakes import OTHER_SEEDS
from grader.judging.judge import grade
from grader.judging.preparing import runner_for
from grader.judging.trial import Trials
from grader.sandbox.planning import needed_steps
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.steps import Case
from grader.suite.vocabulary import packages_among
from grader.values.foreign_text import one_line
from grader.verdict import Verdict

UNSTEADY_HELP: Final = (
    'where it hangs on the date, say now: "2026-03-02 09:00" in exercise.yaml; where it is drawn, '
    "let an earlier example seed it; of a set, show sorted(...); or skip it: # doctest: +SKIP"
)
UNPROVEN_HELP: Final = "a step may need an earlier one that does not count as an action"
_MAX_NAMED: Final = 5


def trials_of(suite: Suite, right: Submission, sandbox: Sandbox) -> Trials:
    """Return the trials of `suite` on the `right` submission."""
    return Trials(suite, runner_for(suite, right, sandbox), AnswerChecker(suite, sandbox))


def unproven(
    suite: Suite, right: Submission, sandbox: Sandbox
) -> Iterator[tuple[Session, Case, Verdict]]:
    """Yield the cases of `suite` that the `right` submission does not pass in their own session.

    Each comes with its session and its verdict.
    """
    trials = trials_of(suite, right, sandbox)
    for session in suite.sessions:
        results = trials.of(session).on_their_own()
        for case in session.cases:
            if (verdict := results[case.id].verdict) is not Verdict.PASSED:
                yield session, case, verdict


def prove_alone(suite: Suite, reference: Submission, sandbox: Sandbox) -> None:
    """Raise `SuiteError` for cases that the `reference` does not pass in their own sessions.

    Siblings are included: after one failed case, the others of a sibling run alone as well.
    """
    everything = suite.changed(sessions=(*suite.sessions, *suite.siblings))
    failing = [*unproven(everything, reference, sandbox)]
    if failing:
        named = "; ".join(
            f"{case.id} ({verdict.value}), {one_line(session.steps[case.step_index].shown)}"
            for session, case, verdict in failing[:_MAX_NAMED]
        )
        raise SuiteError(
            f"the reference fails cases in their own sessions, {len(failing)} in all: {named}",
            help=UNPROVEN_HELP,
        )


def unsteady(suite: Suite, right: Submission) -> dict[str, Verdict]:
    """Return the cases of `suite` that the `right` submission passes only by luck, with verdicts.

    It runs with other dates, random seeds and hash seeds, as in another year or on another machine;
    a suite that sets `now` keeps its date.
    """
    found: dict[str, Verdict] = {}
    used = {case.group for session in suite.sessions for case in session.cases}
    groups = tuple(group for group in suite.groups if group.id in used)
    asked = suite.changed(rules=(), groups=groups)  # no other group has cases then
    for seed in OTHER_SEEDS:
        with new_sandbox(packages_among(suite.imports), seed) as sandbox:
            cases = grade(asked, right, sandbox).cases
        found |= {each.id: each.verdict for each in cases if each.verdict is not Verdict.PASSED}
    return found


class Needs:
    """Finds the earlier steps that cases need, by running a right program."""

    def __init__(self, suite: Suite, right: Submission, sandbox: Sandbox) -> None:
        """Run sessions of `suite` on the `right` submission."""
        self._trials: Final = trials_of(suite, right, sandbox)

    def of(self, session: Session) -> tuple[dict[int, dict[str, Any]], list[Case]]:
        """Return fields to set on steps of `session`, by index, and the cases that fail anyway.

        The fields mark steps as actions. A case that needs the effect of a refused step fails.
        """
        said: dict[int, dict[str, Any]] = {}
        helpless = []
        for case in session.cases:
            if not self._holds_alone(session, case):
                ways = [*self._ways(session, case)]
                if not ways:
                    helpless.append(case)
                    continue
                # The way with fewer steps is more likely to name those that act themselves.
                key, needed = min(ways, key=lambda way: len(way[1]))
                for index in needed:
                    said.setdefault(index, {})[key] = True
                # later cases may hold with these
                session = with_fields(session, needed, **{key: True})
        return said, helpless

    def _holds_alone(self, session: Session, case: Case) -> bool:
        # A new trial each time: what one session wastes must not count for another.
        return self._trials.of(session).alone(case).passed

    def _ways(self, session: Session, case: Case) -> Iterator[tuple[str, list[int]]]:
        """Yield the ways to make `case` pass: a key, and the steps on which to set it.

        `action` makes a step run for steps that share a name with it, `always` for every later one.
        """
        known = needed_steps(session, case.step_index)
        earlier = [*enumerate(session.steps[: case.step_index])]
        for key in ("action", "always"):
            needed = [i for i, step in earlier if i not in known and step.raises is None]
            if not self._holds_alone(with_fields(session, needed, **{key: True}), case):
                continue
            # Try to drop steps first that look like mere queries.
            for index in sorted(needed, key=lambda index: session.steps[index].acts):
                fewer = [each for each in needed if each != index]
                if self._holds_alone(with_fields(session, fewer, **{key: True}), case):
                    needed = fewer
            yield key, needed
            if len(needed) == 1:  # no way is shorter
                return


def with_fields(session: Session, indexes: Collection[int], **fields: object) -> Session:
    """Return `session` with these `fields` in its steps at `indexes`."""
    steps = (
        step.changed(**fields) if index in indexes else step
        for index, step in enumerate(session.steps)
    )
    return session.changed(steps=tuple(steps))
