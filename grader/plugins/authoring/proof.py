"""Proves that a right program passes each case alone, as cases run after an earlier failure.

A case can need more than the actions that share names with it: `next(numbers)` returns another
value each time, `Account.count` counts other objects too, `save(values, 'out.txt')` leaves a file.
If running the program shows that an earlier step is needed, that step becomes an action.
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
from grader.judging.trials import Trials
from grader.plugins.authoring.solutions import failure_text
from grader.sandbox.planning import needed_steps
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.steps import Case
from grader.suite.vocabulary import optional_packages
from grader.values.foreign_text import count_noun, one_line
from grader.verdict import Verdict

UNSTEADY_HELP: Final = (
    'if the result depends on the date, set now: "2026-03-02 09:00" in exercise.yaml; if it is '
    "random, set the seed in an earlier example; for a set, show sorted(...); or skip the example: "
    "# doctest: +SKIP"
)
UNPROVEN_HELP: Final = (
    "a step might depend on an earlier step that does not count as an action: list that step under"
    " `actions` in exercise.yaml, or write `action: true` on it in a suite of your own"
)
_MAX_LISTED: Final = 5


def trials_of(suite: Suite, right: Submission, sandbox: Sandbox) -> Trials:
    """Return the trials of `suite` on the `right` submission, run in `sandbox`."""
    return Trials(suite, runner_for(suite, right, sandbox), AnswerChecker(suite, sandbox))


def failing_cases(
    suite: Suite, right: Submission, sandbox: Sandbox
) -> Iterator[tuple[Session, Case, Verdict]]:
    """Yield the cases of `suite` that the `right` submission fails in their own sessions.

    Each case comes with the session that contains it, and with its verdict.
    """
    trials = trials_of(suite, right, sandbox)
    for session in suite.sessions:
        results = trials.trial_of(session).run_own_sessions()
        for case in session.cases:
            if (verdict := results[case.id].verdict) is not Verdict.PASSED:
                yield session, case, verdict


def prove_alone(suite: Suite, reference: Submission, sandbox: Sandbox) -> None:
    """Raise `SuiteError` if `reference` fails a case of `suite` in the case's own session.

    Cases of siblings are included, because they too run alone after an earlier case has failed.
    """
    with_siblings = suite.with_changes(sessions=(*suite.sessions, *suite.siblings))
    failures = [*failing_cases(with_siblings, reference, sandbox)]
    if failures:
        examples = "; ".join(
            f"{case.id}, {one_line(session.steps[case.step_index].display_text)}"
            f" ({failure_text(verdict)})"
            for session, case, verdict in failures[:_MAX_LISTED]
        )
        raise SuiteError(
            "if only the steps that a case needs are run before it, the reference fails"
            f" {count_noun(len(failures), 'case')} of {suite.exercise}: {examples}",
            help=UNPROVEN_HELP,
        )


def unsteady_cases(suite: Suite, right: Submission) -> dict[str, Verdict]:
    """Return the cases of `suite` that the `right` submission passes only by luck.

    The submission runs with other dates, random seeds and hash seeds, as it would in another year
    or on another machine; a suite that sets `now` keeps its date. The result maps the ids of the
    cases that fail in such a run to their verdicts.
    """
    verdicts: dict[str, Verdict] = {}
    used_ids = {case.group for session in suite.sessions for case in session.cases}
    groups = tuple(group for group in suite.groups if group.id in used_ids)
    tested_suite = suite.with_changes(rules=(), groups=groups)  # a group must have a case
    for seed in OTHER_SEEDS:
        with new_sandbox(optional_packages(suite.imports), seed) as sandbox:
            cases = grade(tested_suite, right, sandbox).cases
        verdicts |= {case.id: case.verdict for case in cases if case.verdict is not Verdict.PASSED}
    return verdicts


class StepNeeds:
    """Finds the earlier steps that cases depend on, by running a right program."""

    def __init__(self, suite: Suite, right: Submission, sandbox: Sandbox) -> None:
        """Prepare to run sessions of `suite` on the `right` submission in `sandbox`."""
        self._trials: Final = trials_of(suite, right, sandbox)

    def needed_fields(self, session: Session) -> tuple[dict[int, dict[str, Any]], list[Case]]:
        """Return the fields to set on the steps of `session`, and the cases that still fail.

        The fields are keyed by step index and mark steps as actions. A case that depends on the
        effect of a refused step fails whichever steps are marked.
        """
        fields: dict[int, dict[str, Any]] = {}
        failing = []
        for case in session.cases:
            if not self._passes_alone(session, case):
                ways = [*self._ways_to_pass(session, case)]
                if not ways:
                    failing.append(case)
                    continue
                # The way with fewer steps is more likely to mark only steps that change state.
                key, needed = min(ways, key=lambda way: len(way[1]))
                for index in needed:
                    fields.setdefault(index, {})[key] = True
                # Later cases might pass with these fields.
                session = set_fields(session, needed, **{key: True})
        return fields, failing

    def _passes_alone(self, session: Session, case: Case) -> bool:
        """Run `case` in its own session, and return whether it passes."""
        # A new trial each time, so that the limits used up by one session do not affect another.
        return self._trials.trial_of(session).run_own_session(case).passed

    def _ways_to_pass(self, session: Session, case: Case) -> Iterator[tuple[str, list[int]]]:
        """Yield the ways to make `case` pass: a key, and the indexes of the steps that get it.

        `action` makes a step run before later steps that share a name with it, and `always` makes
        it run before every later step.
        """
        already_run = needed_steps(session, case.step_index)
        earlier_steps = [*enumerate(session.steps[: case.step_index])]
        for key in ("action", "always"):
            needed = [
                step_index
                for step_index, step in earlier_steps
                if step_index not in already_run and step.raises is None
            ]
            if not self._passes_alone(set_fields(session, needed, **{key: True}), case):
                continue
            # Try first to drop the steps that look like mere queries.
            for index in sorted(needed, key=lambda index: session.steps[index].acts):
                fewer = [earlier_index for earlier_index in needed if earlier_index != index]
                if self._passes_alone(set_fields(session, fewer, **{key: True}), case):
                    needed = fewer
            yield key, needed
            if len(needed) == 1:  # no other way can have fewer steps
                return


def set_fields(session: Session, indexes: Collection[int], **fields: object) -> Session:
    """Return `session` with `fields` set on its steps at `indexes`."""
    steps = (
        step.with_changes(**fields) if index in indexes else step
        for index, step in enumerate(session.steps)
    )
    return session.with_changes(steps=tuple(steps))
