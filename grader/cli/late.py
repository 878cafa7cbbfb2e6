"""Says who handed in late, and of whom nobody knows when."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from grader.cli.terminal import names, say, warn
from grader.intake.lateness import Deadline
from grader.run.tasks import Task
from grader.values.display import one_line

_MAX_NAMED: Final = 10


def tell_late(tasks: Sequence[Task], deadline: Deadline) -> None:
    """Say which of `tasks` are late by `deadline`, and where the platform says otherwise."""
    late = sum(task.lateness is not None for task in tasks)
    say(f"after the deadline of {one_line(deadline.text)}: {late} of {len(tasks)}")
    unknown = [task.entry.student for task in tasks if task.submitted is None]
    if unknown:
        what = f"nobody tells when {len(unknown)} were handed in, so nothing is taken from them"
        warn(f"{what}: {_first_names(unknown)}")
    marked = [task.entry.student for task in tasks if task.is_marked_late and not task.lateness]
    if marked:
        what = f"the platform marks {len(marked)} as late that are not late here"
        warn(f"{what}: {_first_names(marked)}")


def _first_names(students: Sequence[str]) -> str:
    return names(students[:_MAX_NAMED]) + (", ..." if len(students) > _MAX_NAMED else "")
