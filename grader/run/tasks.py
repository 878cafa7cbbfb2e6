"""Tasks: the submissions to grade, and the suites to grade them on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from grader.intake.lateness import Deadline, Lateness
from grader.intake.submissions import Entry, HandIn, collect_hand_in
from grader.suite.model import Suite

if TYPE_CHECKING:  # `grader check` of one file needs neither plan nor store
    from grader.intake.people import Person
    from grader.intake.plan import PlanEntry
    from grader.store.graded import StoredHandIn
    from grader.store.runs import AttemptFacts


@dataclass(frozen=True, slots=True)
class Task:
    """A submission, and the suite to grade it on."""

    suite: Suite
    entry: Entry | StoredHandIn | PlanEntry
    person: Person | None = None
    """The person who handed it in, if the platform names one."""
    attempt: AttemptFacts | None = None
    """What the platform recorded about the attempt, if anything."""
    lateness: Lateness | None = None

    def hand_in(self) -> HandIn:
        """Read the hand-in from its source or store, and return it with its lateness.

        Raises `ValueError` if the hand-in is damaged in its store.
        """
        match self.entry:
            case Entry() as entry:
                hand_in = collect_hand_in(entry)
            case stored_or_planned:
                hand_in = stored_or_planned.hand_in()
        return replace(hand_in, lateness=self.lateness)

    @property
    def known_sha256(self) -> str | None:
        """The hash of the hand-in if that is known without reading the hand-in, else None."""
        return getattr(self.entry, "sha256", None)  # only hand-ins from a store have one

    @property
    def submitted(self) -> datetime | None:
        """When the submission was handed in, or None if that is unknown."""
        return None if self.attempt is None else self.attempt.submitted

    @property
    def is_marked_late(self) -> bool:
        """Whether the platform marked the submission as late."""
        return self.attempt is not None and self.attempt.is_late is True

    @property
    def own_deadline(self) -> str | None:
        """The student's own deadline from the stored run, or else from the roster, if any."""
        stored = None if self.attempt is None else self.attempt.deadline
        return stored or getattr(self.entry, "deadline", None)


def with_lateness(tasks: Iterable[Task], deadline: Deadline) -> list[Task]:
    """Return `tasks` with their lateness, measured from `deadline` or the student's own deadline.

    If the time of a hand-in is unknown, the hand-in counts as late only if the platform marked it
    as late. Raises `UsageError` if times cannot be compared.
    """
    return [_with_lateness(task, deadline) for task in tasks]


def _with_lateness(task: Task, deadline: Deadline) -> Task:
    """Return `task` with its lateness, and with the text of the student's own deadline, if any."""
    attempt = task.attempt
    if attempt is None:
        return task
    if task.own_deadline is not None:
        deadline = deadline.for_student(task.own_deadline)
        attempt = replace(attempt, deadline=deadline.text)
    if attempt.submitted is not None:
        lateness = deadline.lateness(attempt.submitted)
    else:
        lateness = deadline.unknown_lateness() if attempt.is_late else None
    return replace(task, attempt=attempt, lateness=lateness)
