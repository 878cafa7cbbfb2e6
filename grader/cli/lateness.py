"""Prints how many hand-ins are late, and warns where a deadline or a time is in doubt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from grader.cli.terminal import join_names, say, warn
from grader.intake.lateness import Deadline
from grader.run.tasks import Task
from grader.values.foreign_text import one_line

_MAX_LISTED: Final = 10


def print_lateness(tasks: Sequence[Task], deadline: Deadline) -> None:
    """Print how many of `tasks` missed the `deadline`; warn about those that need checking."""
    late = sum(task.lateness is not None for task in tasks)
    say(f"handed in after the deadline of {one_line(deadline.text)}: {late} of {len(tasks)}")
    own_deadlines = [(task, task.own_deadline) for task in tasks if task.own_deadline is not None]
    if own_deadlines:
        students = _list_first_students([task for task, _ in own_deadlines])
        say(f"students with a deadline of their own: {len(own_deadlines)} ({students})")
    earlier = [
        task
        for task, text in own_deadlines
        if deadline.lateness(deadline.for_student(text).end) is None
    ]
    _warn_of_tasks(earlier, "own deadline in the roster before the common one: {}")
    unknown = [task for task in tasks if task.submitted is None and not task.is_marked_late]
    _warn_of_tasks(unknown, "submission time unknown, so nothing is deducted: {}")
    marked = [task for task in tasks if task.is_marked_late]
    undecided = [task for task in marked if task.submitted is None]
    _warn_of_tasks(
        undecided, "marked late by the platform without a time, so a person has to decide: {}"
    )
    # The platform might have another deadline, for instance an earlier one.
    on_time = [task for task in marked if not task.lateness]
    _warn_of_tasks(on_time, "marked late by the platform, but handed in before this deadline: {}")


def warn_of_unused_lateness(tasks: Sequence[Task]) -> None:
    """Warn about deadlines and late marks that have no effect without --deadline."""
    with_own_deadline = [task for task in tasks if task.own_deadline is not None]
    _warn_of_tasks(
        with_own_deadline, "own deadline in the roster, which has no effect without --deadline: {}"
    )
    marked = [task for task in tasks if task.is_marked_late]
    _warn_of_tasks(
        marked, "marked late by the platform, but nothing is deducted without --deadline: {}"
    )


def _warn_of_tasks(tasks: Sequence[Task], text: str) -> None:
    """Warn about `tasks`, if there are any; `text` has `{}` in place of their number."""
    if tasks:
        warn(f"{text.format(len(tasks))}: {_list_first_students(tasks)}")


def _list_first_students(tasks: Sequence[Task]) -> str:
    """Return the names of the first students in `tasks`, for a message."""
    students = [task.entry.student for task in tasks[:_MAX_LISTED]]
    return join_names(students) + (", ..." if len(tasks) > _MAX_LISTED else "")
