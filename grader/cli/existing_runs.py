"""Existing runs: whom a name in one means, who drops out of one, giving one another name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import count
from pathlib import Path
from typing import Final

from grader.cli.terminal import named, names, say, warn
from grader.errors import GraderError, OutputError, UsageError
from grader.intake.names import without_accents
from grader.intake.people import Person
from grader.reporting.writing import write_atomically
from grader.store.places import MARK_NAME, sole_writer
from grader.store.runs import Run, RunEntry
from grader.store.store import STORE_NAME, Store
from grader.values.foreign_text import one_line

_MAX_NAMED: Final = 10


def require_outside(submissions: Iterable[Path], folder: Path) -> None:
    """Raise `UsageError` if hand-ins are in `folder`, which is about to get another name."""
    ours = folder.resolve()
    if any(path.resolve().is_relative_to(ours) for path in submissions):
        raise UsageError(
            f"hand-ins are in {one_line(str(folder))}, which --fresh would rename",
            help="name another folder with --out",
        )


def say_decisions_left(aside: Path | None) -> None:
    """Say how many decisions stay behind in a run that was set aside, if it can be read."""
    with suppress(GraderError):
        if aside is not None:
            with Store.reading(aside) as store:
                left = len(list(store.decisions))
            if left:
                warn(f"decisions that stay there and are not in the new run: {left}")


def set_aside(folder: Path) -> Path | None:
    """Give `folder` another name if it has a run, and return the new path.

    The store is not opened: it may be damaged, or of another version.
    """
    if not (folder / STORE_NAME).exists():
        return None
    require_name(folder)
    # A writer would go on in the folder under its new name.
    with sole_writer(folder):
        return _renamed(folder)


def _renamed(folder: Path) -> Path:
    numbers = (folder.with_name(f"{folder.name}.{number}") for number in count(1))
    aside = next(path for path in numbers if not path.exists())
    try:
        folder.rename(aside)
    except OSError as error:
        shown = one_line(str(folder))
        raise OutputError(f"cannot rename {shown}: {error.strerror}") from error
    say(f"the earlier run is now in {one_line(str(aside))}")
    return aside


def require_name(folder: Path) -> None:
    """Raise `UsageError` if `folder` is named in a way that it cannot be renamed."""
    # "" is the name of `.` and of `/`.
    if folder.name in {"", ".."}:
        raise UsageError(
            f"the earlier run cannot be set aside: {one_line(str(folder))} has no name to change",
            help="go to the folder above it, and give the run by its name",
        )


def replace_run(new: Path, folder: Path) -> None:
    """Put the run in `new` in the place of the one in `folder`, whose writer the caller is.

    The old one gets another name. If this is cut off, a mark in `new` says whose place it takes.
    """
    mark = new / MARK_NAME
    # Before renaming: if that is cut off, it says what is left to do. Names may be no Unicode.
    write_atomically(mark, os.fsencode(folder.name))
    if folder.exists():
        _renamed(folder)
    try:
        new.rename(folder)
    except OSError as error:
        raise OutputError(
            f"cannot rename {one_line(str(new))}: {error.strerror}",
            help=f"it is complete: rename it to {one_line(str(folder))} yourself",
        ) from error
    (folder / MARK_NAME).unlink()


def warn_of_dropped(store: Store, run: Run) -> None:
    """Say which graded students in `store` drop out of it when `run` begins there."""
    ours = {entry.name for entry in run.entries}
    gone = [line.entry for line in store.lines() if line.entry.name not in ours]
    if not gone:
        return
    shown = named([f"{entry.student} ({entry.exercise})" for entry in gone], _MAX_NAMED)
    warn(f"graded here before, and no longer in this run: {len(gone)}: {shown}")
    say("  = help: name them too, or use another --out; their records are kept")


def entries_of_exercise(entries: Sequence[RunEntry], exercise: str | None) -> list[RunEntry]:
    """Return the `entries` of `exercise`, or all if none is named."""
    known = dict.fromkeys(entry.exercise for entry in entries)
    if exercise is None or exercise in known:
        return [entry for entry in entries if exercise in {None, entry.exercise}]
    raise UsageError(
        f"there is no exercise {one_line(exercise)} in the run", help=f"it has: {names(known)}"
    )


def find_entry(entries: Sequence[RunEntry], student: str) -> RunEntry:
    """Return the entry that `student` names; raises `UsageError` unless it is exactly one."""
    part = without_accents(student)
    # Exact names first: one may be part of another.
    found = (
        [entry for entry in entries if entry.student == student]
        or [entry for entry in entries if student in {entry.stem, *_names(entry)}]
        or [
            entry
            for entry in entries
            if any(part in without_accents(name) for name in _names(entry))
        ]
    )
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(
            f"there is no student {one_line(student)} in the run", help=_near(entries, part)
        )
    students = list(dict.fromkeys(entry.student for entry in found))
    if len(students) == 1:
        exercises = names(entry.exercise for entry in found)
        raise UsageError(
            f"{one_line(students[0])} has handed in {len(found)} exercises",
            help=f"add --exercise NAME: {exercises}",
        )
    raise UsageError(
        f"{len(students)} students have {one_line(student)} in their name",
        help=f"name one of them: {named(students, _MAX_NAMED)}",
    )


def _names(entry: RunEntry) -> list[str]:
    """Return all names of the student of `entry`, or of the members of her group."""
    person = entry.person or Person()
    known = [entry.student]
    for each in (person, *person.members):
        known += filter(None, (each.name, each.user, each.id, each.email))
    return known


def _near(entries: Sequence[RunEntry], part: str) -> str:
    by_name = {without_accents(name): name for entry in entries for name in _names(entry)}
    near = get_close_matches(part, by_name, _MAX_NAMED, cutoff=0.5)
    if near:
        return f"did you mean: {names(by_name[each] for each in near)}"
    students = list(dict.fromkeys(entry.student for entry in entries))
    return f"it has: {named(students, _MAX_NAMED)}"
