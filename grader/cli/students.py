"""Finds the student of a run that somebody means, or says who comes near."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

from grader.cli.terminal import names
from grader.errors import UsageError
from grader.intake.names import without_accents
from grader.intake.people import Person
from grader.store.runs import RunEntry
from grader.values.display import one_line

_MAX_NAMED: Final = 10


def of_exercise(entries: Sequence[RunEntry], exercise: str | None) -> list[RunEntry]:
    """Return the `entries` of `exercise`, or all where none is named."""
    known = dict.fromkeys(entry.exercise for entry in entries)
    if exercise is None or exercise in known:
        return [entry for entry in entries if exercise in {None, entry.exercise}]
    raise UsageError(
        f"there is no exercise {one_line(exercise)} in the run", help=f"it has: {names(known)}"
    )


def find_entry(entries: Sequence[RunEntry], student: str) -> RunEntry:
    """Return the one of `entries` that `student` names; raises `UsageError` if there is no one."""
    part = without_accents(student)
    found = (
        [entry for entry in entries if entry.student == student]
        or [entry for entry in entries if student in {entry.stem, *_names(entry)}]
        or [entry for entry in entries if any(part in without_accents(n) for n in _names(entry))]
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
        help=f"name one of them: {_some(students)}",
    )


def _names(entry: RunEntry) -> list[str]:
    """Return all by which the student of `entry`, or a group that she is in, may be named."""
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
    return f"it has: {_some(list(dict.fromkeys(entry.student for entry in entries)))}"


def _some(students: Sequence[str]) -> str:
    more = len(students) - _MAX_NAMED
    return names(students[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
