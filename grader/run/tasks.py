"""What is to be graded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from grader.intake.lateness import Deadline, Lateness
from grader.intake.submissions import Entry, HandIn, collected
from grader.store.graded import unpacked_hand_in
from grader.store.runs import AttemptFacts
from grader.suite.model import Suite

if TYPE_CHECKING:  # who checks a single file has no plan
    from grader.intake.people import Person
    from grader.intake.plan import PlanEntry


@dataclass(frozen=True, slots=True)
class KeptHandIn:
    """What a student handed in, as an earlier run has kept it."""

    student: str
    sha256: str
    """The hash of it, by which its record is known again: it need not be read for that."""
    content: Callable[[str], bytes]
    """Returns what has this hash, packed."""


@dataclass(frozen=True, slots=True)
class Task:
    """One submission to grade on one suite."""

    suite: Suite
    entry: Entry | KeptHandIn | PlanEntry
    person: Person | None = None
    """Who handed it in, as far as the platform tells."""
    attempt: AttemptFacts | None = None
    lateness: Lateness | None = None

    def hand_in(self) -> HandIn:
        """Return what was handed in; raises `ValueError` when what was kept is damaged."""
        match self.entry:
            case KeptHandIn(student, sha256, content):
                hand_in = unpacked_hand_in(content(sha256), student)
            case Entry() as entry:
                hand_in = collected(entry)
            case planned:
                hand_in = planned.hand_in()
        return replace(hand_in, lateness=self.lateness)

    @property
    def known_sha256(self) -> str | None:
        """The hash of what was handed in, where it is known without reading it."""
        return self.entry.sha256 if isinstance(self.entry, KeptHandIn) else None

    @property
    def submitted(self) -> datetime | None:
        """When it was handed in, as far as that is known."""
        return None if self.attempt is None else self.attempt.submitted

    @property
    def is_marked_late(self) -> bool:
        """Whether the platform says that it came late."""
        return self.attempt is not None and self.attempt.is_late is True


def with_lateness(tasks: Iterable[Task], deadline: Deadline) -> list[Task]:
    """Return `tasks`, those that came after the `deadline` as late.

    Of which nobody knows when it was handed in, is not. Raises `UsageError` where times cannot be
    compared.
    """
    return [
        task
        if task.submitted is None
        else replace(task, lateness=deadline.lateness(task.submitted))
        for task in tasks
    ]
