"""What `grader check` prints for a student: the requested part of a record, or what is missing.

A kit prints it in the same way.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from rich.console import Console

from grader.cli.terminal import misuse
from grader.errors import GraderError, NothingToGrade, OutputError
from grader.judging.record import Record
from grader.reporting.screen import print_screen
from grader.reporting.terminal import print_record
from grader.reporting.visibility import visible_groups
from grader.reporting.writing import write_below
from grader.values.foreign_text import one_line
from grader.verdict import Status, Verdict

_FILE: Final = "last-failed.json"
"""In the state folder of the user."""
_MAX_REMEMBERED: Final = 100
"""The number of files and folders whose failures are remembered, the latest ones."""
_MAX_LISTED: Final = 4
_SHOWN_CHARS: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The requested part of a record."""

    everything: bool = False
    verbose: bool = False
    wanted: str | None = None
    """Only cases that have this in their id or code."""
    exitfirst: bool = False
    last_failed: bool = False
    """Only cases that failed in the last check of the same path, if any did."""


def print_asked(record: Record, asked: Asked, console: Console) -> None:
    """Print the part of `record` that is `asked` for."""
    if asked.everything:
        print_record(record, console)
    else:
        print_screen(record, console, only_first=asked.exitfirst, every_case=asked.verbose)


def chosen_of(record: Record, path: Path, asked: Asked) -> Record:
    """Return `record` with only the cases `asked` for; write down which of all cases failed."""
    if record.status is not Status.GRADED:
        return record
    cases = [case for group in visible_groups(record) for case in group.cases]
    failed = _failed_last(path, record.exercise) if asked.last_failed else None
    # After `_failed_last` has read the file, and before any case is left out.
    _remember_failed(
        path, record.exercise, [each.id for each in cases if each.verdict is not Verdict.PASSED]
    )
    if asked.wanted is not None:
        text = asked.wanted.casefold()
        chosen = frozenset(
            each.id for each in cases if text in f"{each.id}\n{each.code}".casefold()
        )
        if not chosen:
            raise misuse(record.language, "no_case", wanted=repr(one_line(asked.wanted)))
        record = _with_cases(record, chosen)
    if failed and (chosen := failed & {case.id for case in record.cases}):
        record = _with_cases(record, chosen)
    return record


def _with_cases(record: Record, chosen: Collection[str]) -> Record:
    """Return `record` with only the `chosen` cases, and no rules."""
    groups = []
    for group in record.groups:
        cases = tuple(case for case in group.cases if case.id in chosen)
        points = sum(case.points for case in cases)
        max_points = sum(case.max_points for case in cases)
        if cases:
            groups.append(
                replace(group, cases=cases, points=points, max_points=max_points, hidden=None)
            )
    return replace(
        record,
        groups=tuple(groups),
        score=sum(group.points for group in groups),
        max_score=sum(group.max_points for group in groups),
        rules=(),
        advice=(),
    )


# The cases that failed last time, never written next to the submission. If the file cannot be read
# or written, nothing is remembered, without a message.


def _failed_last(path: Path, exercise: str) -> frozenset[str] | None:
    """Return the cases of `exercise` that failed when `path` was last checked; None if unknown."""
    ids = _remembered().get(_key(path, exercise))
    return None if ids is None else frozenset(map(str, ids))


def _remember_failed(path: Path, exercise: str, ids: Collection[str]) -> None:
    """Write down that the cases `ids` of `exercise` failed for the submission at `path`."""
    key, remembered = _key(path, exercise), _remembered()
    # Removed first, so that it moves to the end: the oldest are dropped.
    remembered.pop(key, None)
    latest = dict([*remembered.items(), (key, sorted(ids))][-_MAX_REMEMBERED:])
    with suppress(OSError, RuntimeError, OutputError):
        write_below(_state_folder(), _FILE, json.dumps(latest, indent=0).encode())


def _key(path: Path, exercise: str) -> str:
    return f"{exercise} {os.path.abspath(path)}"


def _remembered() -> dict[str, list[str]]:
    try:
        remembered = json.loads((_state_folder() / _FILE).read_bytes())
    except (OSError, RuntimeError, ValueError, RecursionError):  # RuntimeError: no home
        return {}
    if not isinstance(remembered, dict):
        return {}
    return {key: ids for key, ids in remembered.items() if isinstance(ids, list)}


def _state_folder() -> Path:
    """Return the folder for the state of programs; raises `RuntimeError` without a home."""
    # On other systems, the folder for state of the XDG Base Directory specification.
    configured = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_STATE_HOME")
    return Path(configured or Path.home() / ".local/state") / "grader"


# Submissions that do not exist


def student_error(error: GraderError, path: Path, language: str) -> GraderError:
    """Return `error`, about a missing submission at `path`, in the `language` of the student."""
    shown = one_line(str(path))
    if isinstance(error, NothingToGrade):
        return misuse(language, "no_python", NothingToGrade, path=shown)
    # `lexists`: a dangling link exists, and its own error says more.
    if os.path.lexists(path):
        return error
    if files := _python_files(path.parent):
        return misuse(language, "absent", path=shown, files=", ".join(files))
    return misuse(language, "lost", path=shown)


def _python_files(folder: Path) -> list[str]:
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".py"))
    except OSError:
        return []
    more = ["…"] if len(names) > _MAX_LISTED else []
    return [one_line(name, _SHOWN_CHARS) for name in names[:_MAX_LISTED]] + more
