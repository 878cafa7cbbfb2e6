"""Finds what is to be graded: hand-ins in folders, each with the suite that it is for."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from grader.cli.talk import names, warn
from grader.errors import NothingToGrade, UsageError
from grader.intake.submissions import Entry, discover, distinct, left_out
from grader.judging.rules import KINDS
from grader.run.tasks import Task
from grader.store.store import STORE_NAME
from grader.suite.exercises import find_suite, suite_paths, suites_folder
from grader.suite.loading import stray_hidden_suites
from grader.suite.model import Suite
from grader.values.display import one_line


class _Found(NamedTuple):
    """A hand-in, and the suite that it is for."""

    suite: Suite
    entry: Entry


def find_tasks(
    folders: Sequence[Path], exercise: str | None, suites: Path | None, *, public: bool, ours: Path
) -> list[Task]:
    """Return a task for each hand-in in `folders`, for the `exercise` that is named or for theirs.

    Suites come from the folder `suites`, if one is named, and without their hidden parts if only
    what is `public` counts. What lies at `ours` is no hand-in.
    """
    finder = _SuiteFinder(suites, public=public)
    found = [one for folder in folders for one in _found(folder, exercise, finder)]
    tasks = _told_apart(_once(found, ours.absolute()))
    finder.warn_of_strays(exercise)
    return tasks


def _once(found: Sequence[_Found], ours: Path) -> list[_Found]:
    """Return what was `found` without what is there twice, and without our own folder."""
    distinct_ones: dict[tuple[str, Path], _Found] = {}
    for one in found:
        path = one.entry.path.absolute()
        if path == ours or _is_beside(path, ours):
            warn(f"{one_line(str(path))} is where the reports go, not a hand-in")
        else:
            distinct_ones.setdefault((one.suite.exercise, path), one)
    if not distinct_ones:
        raise NothingToGrade("nothing to grade but our own reports")
    return list(distinct_ones.values())


def _is_beside(path: Path, ours: Path) -> bool:
    """Return whether a run is at `path` that was in our folder, or that was regraded beside it."""
    ending = path.name.removeprefix(ours.name)
    is_named = path == ours.with_name(f"{ours.name}{ending}") and (
        ending == "-regraded" or re.fullmatch("[.][0-9]+", ending, re.ASCII) is not None
    )
    return is_named and (path / STORE_NAME).is_file()


def _told_apart(found: Sequence[_Found]) -> list[Task]:
    """Return the tasks with students that differ within an exercise, whatever their folders."""
    told = {
        exercise: iter(distinct([one.entry for one in found if one.suite.exercise == exercise]))
        for exercise in {one.suite.exercise for one in found}
    }
    return [Task(one.suite, next(told[one.suite.exercise])) for one in found]


@dataclass(frozen=True, slots=True)
class _SuiteFinder:
    """Where suites are taken from, and whether without their hidden parts."""

    folder: Path | None
    public: bool

    def suite(self, exercise: str) -> Suite:
        return find_suite(exercise, self.folder, KINDS, whole=not self.public)

    def warn_of_strays(self, exercise: str | None) -> None:
        """Warn of hidden suites that would go unused for their names."""
        if self.public:
            return
        is_path = exercise is not None and exercise.endswith((".yaml", ".yml"))
        folder = Path(exercise or "").parent if is_path else suites_folder(self.folder)
        if strays := stray_hidden_suites(folder):
            where = one_line(str(folder))
            warn(f"not used, as no suite in {where} has their name: {names(strays[:10])}")


def _found(folder: Path, exercise: str | None, finder: _SuiteFinder) -> Sequence[_Found]:
    """Return the hand-ins that lie in `folder`, for one exercise or several."""
    if exercise is not None:
        suite = finder.suite(exercise)
        entries = discover(folder)
        if others := left_out(folder):
            warn(f"no hand-ins, left out of {one_line(str(folder))}: {names(others[:10])}")
        return [_Found(suite, entry) for entry in entries]
    known = suite_paths(suites_folder(finder.folder))
    if folder.resolve().name in known:
        return _found(folder, folder.resolve().name, finder)
    below = [name for name in known if os.path.isdir(folder / name)]
    if not below:
        discover(folder)  # a folder that is missing or empty is told as such first
        raise UsageError(
            f"which exercise is {one_line(str(folder))}?",
            help=f"add --exercise NAME; known here: {names(known)}",
        )
    return [one for name in below for one in _found(folder / name, name, finder)]
