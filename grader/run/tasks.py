"""The submissions to grade."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from grader.intake.lateness import Deadline, Lateness
from grader.intake.submissions import Entry, HandIn, collected
from grader.suite.model import Suite

if TYPE_CHECKING:  # `grader check` of one file needs neither plan nor store
    from grader.intake.people import Person
    from grader.intake.plan import PlanEntry
    from grader.store.graded import KeptHandIn
    from grader.store.runs import AttemptFacts


@dataclass(frozen=True, slots=True)
class Task:
    """One submission to grade on one suite."""

    suite: Suite
    entry: Entry | KeptHandIn | PlanEntry
    person: Person | None = None
    """Who handed it in, if the platform says so."""
    attempt: AttemptFacts | None = None
    lateness: Lateness | None = None

    def hand_in(self) -> HandIn:
        """Return the hand-in; raises `ValueError` if the stored one is damaged."""
        match self.entry:
            case Entry() as entry:
                hand_in = collected(entry)
            case kept_or_planned:
                hand_in = kept_or_planned.hand_in()
        return replace(hand_in, lateness=self.lateness)

    @property
    def known_sha256(self) -> str | None:
        """The hash of the hand-in, if it is known without reading it."""
        return getattr(self.entry, "sha256", None)  # stored hand-ins have one

    @property
    def submitted(self) -> datetime | None:
        """When it was handed in, or None if unknown."""
        return None if self.attempt is None else self.attempt.submitted

    @property
    def is_marked_late(self) -> bool:
        """Whether the platform says that it was late."""
        return self.attempt is not None and self.attempt.is_late is True

    @property
    def own_deadline(self) -> str | None:
        """The student's own deadline, from the stored run or else from the roster."""
        stored = None if self.attempt is None else self.attempt.deadline
        return stored or getattr(self.entry, "deadline", None)


def with_lateness(tasks: Iterable[Task], deadline: Deadline) -> list[Task]:
    """Return `tasks`, with those handed in after the `deadline` marked late.

    A task without a time is late only if the platform says so. Raises `UsageError` if times cannot
    be compared.
    """
    return [_with_lateness(task, deadline) for task in tasks]


def _with_lateness(task: Task, deadline: Deadline) -> Task:
    attempt = task.attempt
    if attempt is None:
        return task
    if task.own_deadline is not None:
        deadline = deadline.own(task.own_deadline)
        attempt = replace(attempt, deadline=deadline.text)
    if attempt.submitted is not None:
        lateness = deadline.lateness(attempt.submitted)
    else:
        lateness = deadline.unknown() if attempt.is_late else None
    return replace(task, attempt=attempt, lateness=lateness)
