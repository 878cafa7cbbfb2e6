"""Existing runs: finding students by name, students who are no longer in a run, renaming a run."""

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

_MAX_LISTED: Final = 10


def require_outside(submissions: Iterable[Path], folder: Path) -> None:
    """Raise `UsageError` if hand-ins are in `folder`, which is to be renamed."""
    resolved = folder.resolve()
    if any(path.resolve().is_relative_to(resolved) for path in submissions):
        raise UsageError(
            f"hand-ins are in {one_line(str(folder))}, which --fresh would rename",
            help="name another folder with --out",
        )


def say_decisions_in_renamed(renamed: Path | None) -> None:
    """Say how many decisions stay in the renamed run `renamed`, if it can be read."""
    with suppress(GraderError):
        if renamed is not None:
            with Store.reading(renamed) as store:
                left = len(list(store.decisions))
            if left:
                warn(f"decisions that stay there and are not in the new run: {left}")


def rename_run(folder: Path) -> Path | None:
    """Rename `folder` if it has a run, and return the new path.

    The store is not opened: it may be damaged, or of another version.
    """
    if not (folder / STORE_NAME).exists():
        return None
    require_name(folder)
    # Another writer would continue in the renamed folder.
    with sole_writer(folder):
        return _rename(folder)


def _rename(folder: Path) -> Path:
    numbers = (folder.with_name(f"{folder.name}.{number}") for number in count(1))
    new_path = next(path for path in numbers if not path.exists())
    try:
        folder.rename(new_path)
    except OSError as error:
        shown = one_line(str(folder))
        raise OutputError(f"cannot rename {shown}: {error.strerror}") from error
    say(f"the earlier run is now in {one_line(str(new_path))}")
    return new_path


def require_name(folder: Path) -> None:
    """Raise `UsageError` if the path `folder` has no name that can be changed."""
    # "" is the name of `.` and of `/`.
    if folder.name in {"", ".."}:
        raise UsageError(
            "cannot set the earlier run aside: a folder given as"
            f" {one_line(str(folder))!r} cannot be renamed",
            help="name the run's folder, such as runs/week1",
        )


def replace_run(new: Path, folder: Path) -> None:
    """Replace the run in `folder`, which the caller has locked, by the run in `new`.

    The old run is renamed. If this is interrupted, a file in `new` names the run that it replaces.
    """
    mark = new / MARK_NAME
    # Before renaming: after an interruption it says what is left to do. Names may not be Unicode.
    write_atomically(mark, os.fsencode(folder.name))
    if folder.exists():
        _rename(folder)
    try:
        new.rename(folder)
    except OSError as error:
        raise OutputError(
            f"cannot rename {one_line(str(new))}: {error.strerror}",
            help=f"it is complete: rename it to {one_line(str(folder))} yourself",
        ) from error
    (folder / MARK_NAME).unlink()


def warn_of_dropped(store: Store, run: Run) -> None:
    """Say which graded students in `store` are not in the new `run`."""
    names_in_run = {entry.name for entry in run.entries}
    dropped = [line.entry for line in store.lines() if line.entry.name not in names_in_run]
    if not dropped:
        return
    shown = named([f"{entry.student} ({entry.exercise})" for entry in dropped], _MAX_LISTED)
    warn(f"graded here before, and no longer in this run: {len(dropped)}: {shown}")
    say("  = help: name them too, or use another --out; their records are kept")


def entries_of_exercise(entries: Sequence[RunEntry], exercise: str | None) -> list[RunEntry]:
    """Return the `entries` of `exercise`, or all if it is None."""
    known = dict.fromkeys(entry.exercise for entry in entries)
    if exercise is None or exercise in known:
        return [entry for entry in entries if exercise in {None, entry.exercise}]
    raise UsageError(
        f"there is no exercise {one_line(exercise)} in the run", help=f"it has: {names(known)}"
    )


def find_entry(entries: Sequence[RunEntry], student: str) -> RunEntry:
    """Return the entry that `student` names; raises `UsageError` unless it is exactly one."""
    part = without_accents(student)
    # Exact names first, because one may be part of another.
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
            f"there is no student {one_line(student)} in the run",
            help=_similar_names(entries, part),
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
        help=f"name one of them: {named(students, _MAX_LISTED)}",
    )


def _names(entry: RunEntry) -> list[str]:
    """Return all names of the student of `entry`, or of the members of her group."""
    person = entry.person or Person()
    names_ = [entry.student]
    for each in (person, *person.members):
        names_ += filter(None, (each.name, each.user, each.id, each.email))
    return names_


def _similar_names(entries: Sequence[RunEntry], part: str) -> str:
    by_name = {without_accents(name): name for entry in entries for name in _names(entry)}
    similar = get_close_matches(part, by_name, _MAX_LISTED, cutoff=0.5)
    if similar:
        return f"did you mean: {names(by_name[each] for each in similar)}"
    students = list(dict.fromkeys(entry.student for entry in entries))
    return f"it has: {named(students, _MAX_LISTED)}"
