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
    """Who handed it in, if the platform tells."""
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
        """When it was handed in, None if unknown."""
        return None if self.attempt is None else self.attempt.submitted

    @property
    def is_marked_late(self) -> bool:
        """Whether the platform says that it came late."""
        return self.attempt is not None and self.attempt.is_late is True


def with_lateness(tasks: Iterable[Task], deadline: Deadline) -> list[Task]:
    """Return `tasks`, with those handed in after the `deadline` marked late.

    A task without a time is not late. Raises `UsageError` if times cannot be compared.
    """
    return [
        task
        if task.submitted is None
        else replace(task, lateness=deadline.lateness(task.submitted))
        for task in tasks
    ]
