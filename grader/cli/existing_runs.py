"""Existing runs: finds students by name, reports dropped students, and renames runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import count
from pathlib import Path
from typing import Final

from grader.cli.terminal import join_names, join_people, say, warn
from grader.errors import GraderError, OutputError, UsageError
from grader.intake.names import without_accents
from grader.intake.people import Person
from grader.reporting.writing import write_atomically
from grader.store.places import MARK_NAME, sole_writer
from grader.store.runs import Run, RunEntry
from grader.store.store import STORE_NAME, Store
from grader.values.foreign_text import count_noun, one_line

_MAX_LISTED: Final = 10


def require_outside(submissions: Iterable[Path], folder: Path) -> None:
    """Raise `UsageError` if hand-ins are inside `folder`, which `--fresh` would rename."""
    resolved = folder.resolve()
    if any(path.resolve().is_relative_to(resolved) for path in submissions):
        raise UsageError(
            f"hand-ins are inside {one_line(str(folder))}, which --fresh would rename",
            help="choose another folder with --out, or leave out --fresh",
        )


def warn_of_decisions_left_behind(renamed: Path | None) -> None:
    """Warn about the decisions that stay behind in the run at `renamed`, if it can be read.

    Does nothing for None, which means that there was no run to rename.
    """
    with suppress(GraderError):
        if renamed is not None:
            with Store.reading(renamed) as store:
                count_left = len(list(store.decisions))
            if count_left:
                folder = one_line(str(renamed))
                warn(
                    f"decisions that stay in {folder}, and are not in the new run: {count_left};"
                    f" list them with `grader mark {folder} --list`"
                )


def rename_run(folder: Path) -> Path | None:
    """Rename `folder` if it contains a run, and return the new path.

    Returns None if it contains none. The store is not opened, because it might be damaged, or
    written by another version of the grader. Raises `UsageError` if the path does not end in a
    name, and `OutputError` if renaming fails.
    """
    if not (folder / STORE_NAME).exists():
        return None
    require_name(folder)
    # The lock keeps other writers out: they would go on writing to the renamed folder.
    with sole_writer(folder):
        return _rename(folder)


def _rename(folder: Path) -> Path:
    """Rename `folder` to its name with the first free number; print and return the new path.

    Raises `OutputError` if renaming fails.
    """
    numbered = (folder.with_name(f"{folder.name}.{number}") for number in count(1))
    new_path = next(path for path in numbered if not path.exists())
    try:
        folder.rename(new_path)
    except OSError as error:
        raise OutputError(
            f"cannot rename the earlier run {one_line(str(folder))}: {error.strerror}",
            help="rename the folder yourself, or choose another one with --out",
        ) from error
    say(f"the earlier run is now in {one_line(str(new_path))}")
    return new_path


def require_name(folder: Path) -> None:
    """Raise `UsageError` unless the path `folder` ends in a name, which renaming can change."""
    # The name of `.` and of `/` is "".
    if folder.name in {"", ".."}:
        raise UsageError(
            "the earlier run cannot be renamed, because its folder was given as"
            f" {one_line(str(folder))!r}",
            help="give the path of the run's folder by name, such as runs/week1",
        )


def replace_run(new: Path, folder: Path) -> None:
    """Replace the run in `folder`, which the caller has locked, with the run in `new`.

    The old run is renamed. If the replacement is interrupted, a file in `new` names the run that
    `new` is to replace. Raises `OutputError` if renaming fails.
    """
    marker = new / MARK_NAME
    # Written before renaming, so that an interrupted replacement can be completed. Stored as bytes,
    # because file names might not be valid Unicode.
    write_atomically(marker, os.fsencode(folder.name))
    if folder.exists():
        _rename(folder)
    try:
        new.rename(folder)
    except OSError as error:
        raise OutputError(
            f"cannot rename {one_line(str(new))} to {one_line(str(folder))}: {error.strerror}",
            help="the new run is complete: rename its folder yourself",
        ) from error
    (folder / MARK_NAME).unlink()


def warn_of_dropped_students(store: Store, run: Run) -> None:
    """Warn about students who have a record in `store`, but are not in the new `run`."""
    identities_in_run = {entry.identity for entry in run.entries}
    dropped = [
        graded.entry
        for graded in store.graded_entries()
        if graded.entry.identity not in identities_in_run
    ]
    if not dropped:
        return
    students = join_people(
        [f"{entry.student} ({entry.exercise})" for entry in dropped], _MAX_LISTED
    )
    hand_ins = count_noun(len(dropped), "hand-in")
    warn(f"graded here before, but no longer in this run: {hand_ins}: {students}")
    say("  = help: add their hand-ins, or use another --out; their records are kept")


def entries_of_exercise(entries: Sequence[RunEntry], exercise: str | None) -> list[RunEntry]:
    """Return the `entries` for `exercise`, or all if it is None.

    Raises `UsageError` if no entry is for `exercise`.
    """
    known_exercises = dict.fromkeys(entry.exercise for entry in entries)
    if exercise is None or exercise in known_exercises:
        return [entry for entry in entries if exercise in {None, entry.exercise}]
    raise UsageError(
        f"there is no exercise {one_line(exercise)} in the run",
        help=f"exercises in the run: {join_names(known_exercises)}",
    )


def find_entry(entries: Sequence[RunEntry], student: str) -> RunEntry:
    """Return the entry of `student`, given by any name or id, or by a part of one.

    Raises `UsageError` unless exactly one entry matches.
    """
    part = without_accents(student)
    # Exact names first, because one name can be part of another.
    matches = (
        [entry for entry in entries if entry.student == student]
        or [entry for entry in entries if student in {entry.stem, *_all_names(entry)}]
        or [
            entry
            for entry in entries
            if any(part in without_accents(name) for name in _all_names(entry))
        ]
    )
    if len(matches) == 1:
        return matches[0]
    if not matches:
        exercise_names = {entry.exercise for entry in entries}
        where = f" for {one_line(exercise_names.pop())}" if len(exercise_names) == 1 else ""
        raise UsageError(
            f"there is no hand-in by {one_line(student)}{where} in the run",
            help=_similar_names(entries, part),
        )
    students = list(dict.fromkeys(entry.student for entry in matches))
    if len(students) == 1:
        exercises = join_names(entry.exercise for entry in matches)
        raise UsageError(
            f"{one_line(students[0])} handed in {len(matches)} exercises, and none is chosen",
            help=f"add --exercise NAME with one of: {exercises}",
        )
    raise UsageError(
        f"{len(students)} students match {one_line(student)}",
        help=f"give the full name of one of them: {join_people(students, _MAX_LISTED)}",
    )


def _all_names(entry: RunEntry) -> list[str]:
    """Return all names and ids of the student with this `entry`, and of her group's members."""
    person = entry.person or Person()
    names = [entry.student]
    for member in (person, *person.members):
        names += filter(None, (member.name, member.user, member.id, member.email))
    return names


def _similar_names(entries: Sequence[RunEntry], part: str) -> str:
    """Return help that lists names similar to `part`, or all students if there are none."""
    by_name = {without_accents(name): name for entry in entries for name in _all_names(entry)}
    similar = get_close_matches(part, by_name, _MAX_LISTED, cutoff=0.5)
    if similar:
        return f"did you mean: {join_names(by_name[name] for name in similar)}"
    students = list(dict.fromkeys(entry.student for entry in entries))
    return f"students in the run: {join_people(students, _MAX_LISTED)}"
