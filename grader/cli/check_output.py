"""The output of `grader check` for a student: the requested part of a record, or an error.

A kit prints the same output.
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

from grader.cli.terminal import student_usage_error
from grader.errors import GraderError, NothingToGrade, OutputError
from grader.judging.record import Record
from grader.reporting.screen import print_screen
from grader.reporting.terminal import print_record
from grader.reporting.visibility import visible_groups
from grader.reporting.writing import write_below
from grader.values.foreign_text import one_line
from grader.verdict import Status, Verdict

_STATE_FILE: Final = "last-failed.json"
"""The name of the file, in the user's state folder, that lists the cases that failed."""
_MAX_REMEMBERED: Final = 100
"""The number of recently checked files and folders whose failures are remembered."""
_MAX_LISTED: Final = 4
_SHOWN_NAME_CHARS: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSelection:
    """Which part of a record the student asked to see."""

    everything: bool = False
    verbose: bool = False
    wanted: str | None = None
    """If set, only cases that contain this in their id or code."""
    exitfirst: bool = False
    last_failed: bool = False
    """Only cases that failed in the last check of the same path, if there are any."""


def print_selected(record: Record, selection: CaseSelection, console: Console) -> None:
    """Print `record` in as much detail as requested."""
    if selection.everything:
        print_record(record, console)
    else:
        print_screen(record, console, only_first=selection.exitfirst, every_case=selection.verbose)


def select_cases(record: Record, path: Path, selection: CaseSelection) -> Record:
    """Return `record` with only the requested cases, and store which of all its cases failed.

    A record of a submission that was not graded is returned unchanged. A request for the cases that
    failed last time is ignored if none of them is left. Raises `UsageError` if no case contains the
    wanted text.
    """
    if record.status is not Status.GRADED:
        return record
    cases = [case for group in visible_groups(record) for case in group.cases]
    failed = _load_failed(path, record.exercise) if selection.last_failed else None
    # Stored after `_load_failed` has read the file, and before any case is left out.
    _store_failed(
        path, record.exercise, [case.id for case in cases if case.verdict is not Verdict.PASSED]
    )
    if selection.wanted is not None:
        text = selection.wanted.casefold()
        chosen_ids = frozenset(
            case.id for case in cases if text in f"{case.id}\n{case.code}".casefold()
        )
        if not chosen_ids:
            raise student_usage_error(
                record.language, "no_case", wanted=repr(one_line(selection.wanted))
            )
        record = _with_cases(record, chosen_ids)
    if failed and (chosen_ids := failed & {case.id for case in record.cases}):
        record = _with_cases(record, chosen_ids)
    return record


def _with_cases(record: Record, chosen_ids: Collection[str]) -> Record:
    """Return `record` with only the cases `chosen_ids` and their points.

    Rules, advice and the tally of hidden cases are left out.
    """
    groups = []
    for group in record.groups:
        cases = tuple(case for case in group.cases if case.id in chosen_ids)
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


# Remembers the cases that failed last time, in a file that is never beside the submission. If the
# file cannot be read or written, nothing is remembered, without an error.


def _load_failed(path: Path, exercise: str) -> frozenset[str] | None:
    """Return the cases of `exercise` that failed in the last check of `path`; None if unknown."""
    ids = _load_remembered().get(_key(path, exercise))
    return None if ids is None else frozenset(map(str, ids))


def _store_failed(path: Path, exercise: str, ids: Collection[str]) -> None:
    """Store that the cases `ids` of `exercise` failed for the submission at `path`.

    If the file cannot be written, nothing is stored.
    """
    key, remembered = _key(path, exercise), _load_remembered()
    # Dicts keep the order of insertion: an existing key only moves to the end if it is removed
    # first. The oldest entries, at the start, are dropped.
    remembered.pop(key, None)
    latest = dict([*remembered.items(), (key, sorted(ids))][-_MAX_REMEMBERED:])
    with suppress(OSError, RuntimeError, OutputError):
        write_below(_state_folder(), _STATE_FILE, json.dumps(latest, indent=0).encode())


def _key(path: Path, exercise: str) -> str:
    return f"{exercise} {os.path.abspath(path)}"


def _load_remembered() -> dict[str, list[str]]:
    """Read the remembered case ids; return an empty dict if that fails."""
    try:
        remembered = json.loads((_state_folder() / _STATE_FILE).read_bytes())
    # RuntimeError if there is no home folder, RecursionError if JSON is nested too deeply.
    except (OSError, RuntimeError, ValueError, RecursionError):
        return {}
    if not isinstance(remembered, dict):
        return {}
    return {key: ids for key, ids in remembered.items() if isinstance(ids, list)}


def _state_folder() -> Path:
    """Return the grader's state folder; raises `RuntimeError` if there is no home folder."""
    # Except on Windows, this follows the XDG Base Directory specification.
    configured = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_STATE_HOME")
    return Path(configured or Path.home() / ".local/state") / "grader"


# Errors about missing submissions


def student_error(error: GraderError, path: Path, language: str) -> GraderError:
    """Return `error` in the student's `language` if there is no file, or no Python, at `path`.

    Any other error is returned unchanged.
    """
    path_text = one_line(str(path))
    if isinstance(error, NothingToGrade):
        return student_usage_error(language, "no_python", NothingToGrade, path=path_text)
    # `lexists`, because a dangling link exists, and its own error is more specific.
    if os.path.lexists(path):
        return error
    if files := _python_files(path.parent):
        return student_usage_error(language, "absent", path=path_text, files=", ".join(files))
    return student_usage_error(language, "lost", path=path_text)


def _python_files(folder: Path) -> list[str]:
    """Return the names of some Python files in `folder`, for a message.

    If there are more, the last item is an ellipsis. Returns an empty list if the folder cannot be
    read.
    """
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".py"))
    except OSError:
        return []
    more = ["…"] if len(names) > _MAX_LISTED else []
    return [one_line(name, _SHOWN_NAME_CHARS) for name in names[:_MAX_LISTED]] + more
