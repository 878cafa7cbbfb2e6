"""What is to be graded, and what the machine must have for it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from grader.errors import HostError
from grader.intake.lateness import Deadline, Lateness
from grader.intake.people import Person
from grader.intake.plan import PlanEntry
from grader.intake.submissions import Entry, HandIn, collected
from grader.sandbox.executor import LEAST_LEVEL, Isolation
from grader.sandbox.sandbox import FreshSandbox
from grader.sandbox.zygote import package_folder
from grader.store.hand_ins import unpacked_hand_in
from grader.store.runs import AttemptFacts
from grader.suite.model import Suite
from grader.suite.vocabulary import packages_among


@dataclass(frozen=True, slots=True)
class KeptHandIn:
    """What a student handed in, as an earlier run has kept it."""

    student: str
    content: bytes


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
            case KeptHandIn(student, content):
                hand_in = unpacked_hand_in(content, student)
            case Entry() as entry:
                hand_in = collected(entry)
            case PlanEntry() as planned:
                hand_in = planned.hand_in()
        return replace(hand_in, lateness=self.lateness)

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


def require_isolation(isolation: Isolation, least_level: int = LEAST_LEVEL) -> None:
    """Raise `HostError` when fewer walls than asked would stand around strangers' programs."""
    if isolation.level >= least_level:
        return
    if isolation.level == 0:
        raise HostError(
            "this machine cannot isolate submissions (isolation level 0)",
            help="grade on Linux (on Windows: in WSL2) or in CI; add --trust-submissions only if"
            " you would run every one of them yourself",
        )
    raise HostError(
        f"this machine gives isolation level {isolation.level}, and level {least_level} is asked",
        help="`grader doctor` tells what is missing and what would help;"
        f" --isolation {isolation.level} makes do with less",
    )


def require_system(least_level: int) -> None:
    """Raise `HostError` where this system gives no walls at all, before any worker is started."""
    if sys.platform != "linux":
        require_isolation(FreshSandbox.isolation, least_level)


def require_packages(suites: Iterable[Suite]) -> None:
    """Raise `HostError` when an exercise needs a package that is not installed."""
    for suite in suites:
        for name in packages_among(suite.imports):
            try:
                package_folder(name)
            except HostError as error:
                message = f"the exercise {suite.exercise} needs {name}, which is not installed"
                raise HostError(message, help=error.help) from error
