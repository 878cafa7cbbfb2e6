"""What `grader check` does once its sandbox is on its way: grade, print, tell the exit code."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from grader.cli.choosing import Asked, chosen_of, is_right, misuse, print_asked
from grader.cli.interpreters import warn_of_newer
from grader.cli.talk import warn
from grader.intake.submissions import Entry, single_entry
from grader.judging.record import Record
from grader.judging.rules import KINDS
from grader.reporting.results import entry_json, results_json
from grader.reporting.wording import DEFAULT_LANGUAGE
from grader.run.needs import require_packages
from grader.run.tasks import Task
from grader.run.worker import Worker, grade_one
from grader.sandbox.executor import LEAST_LEVEL
from grader.sandbox.gate import machine_gate
from grader.sandbox.sandbox import Sandbox
from grader.suite.exercises import (
    FitError,
    common_language,
    defining_files,
    find_suite,
    fitting_suite,
    suite_paths,
    suites_folder,
)
from grader.suite.model import Suite
from grader.values.display import one_line
from grader.verdict import Status

MOST_COPIES = 2
"""An older copy beside the real file is nothing unusual; three are several students."""
_JUNIT: Final = "grader.reporting.junit"
_WATCHING: Final = "grader.cli.watching"
"""Imported when it is asked for, as the verbs are."""
EXIT_FAILED = 1
EXIT_FAULT = 6


def check(
    entry: Entry, exercise: str | None, suites: Path | None, ready: Sandbox | None = None
) -> Record:
    """Return the record of `entry`, for which a sandbox may be `ready`.

    Raises a `GraderError` when there is none.
    """
    return _for_student(grade_one(Task(suite_of(entry, exercise, suites), entry), ready))


def watch_on(
    path: Path, exercise: str | None, suites: Path | None, ready: Sandbox, asked: Asked
) -> None:
    """Check what lies at `path` on each save, and tell it, until somebody interrupts.

    The sandbox that is `ready` stays warm, and the suite is read once.
    """
    suite: Suite | None = None
    with Worker(machine_gate(), ready=ready) as worker:

        def check_again() -> Record:
            nonlocal suite
            entry = single_entry(path)
            if suite is None:
                found = suite_of(entry, exercise, suites)
                require_packages([found])
                suite = found
            return _for_student(worker.record_of(Task(suite, entry)))

        def tell_again(record: Record) -> None:
            tell(record, path, None, asked, as_json=False)

        importlib.import_module(_WATCHING).watch(path, check_again, tell_again)


def suite_of(entry: Entry, exercise: str | None, suites: Path | None) -> Suite:
    """Return the suite for `entry`; raises a `GraderError` where none is to be had."""
    if exercise is not None:
        suite = find_suite(exercise, suites, KINDS)
    else:
        suite = _fitting(entry, suite_paths(suites_folder(suites)))
    path = entry.path
    if len(rivals := defining_files(path, suite.defines)) > MOST_COPIES:
        raise misuse(
            suite.language,
            "many_hand_ins",
            path=one_line(str(path)),
            count=len(rivals),
            names=", ".join(suite.defines),
            exercise=suite.exercise,
        )
    return suite


def _fitting(entry: Entry, paths: Mapping[str, Path]) -> Suite:
    try:
        return fitting_suite(entry, paths, KINDS)
    except FitError as error:
        key = "several_fit" if error.several else "none_fits"
        choices = ", ".join(error.choices)
        language = common_language(paths.values()) or DEFAULT_LANGUAGE
        path = one_line(str(entry.path))
        raise misuse(language, key, path=path, choices=choices) from None


def _for_student(record: Record) -> Record:
    return replace(record, staff_remarks=())


def tell(record: Record, path: Path, junit: Path | None, asked: Asked, *, as_json: bool) -> int:
    """Tell what came of what lies at `path` where it is asked for; return the exit code."""
    if record.conditions.isolation < LEAST_LEVEL:
        warn("nothing isolates a submission on this machine: check only your own code here")
    if (needed := record.needed_python) is not None:
        warn_of_newer(needed)
    if junit is not None:
        importlib.import_module(_JUNIT).write_junit(junit, record)
    if as_json:
        sys.stdout.write(b"".join(results_json([entry_json(record)])).decode())
    record = chosen_of(record, path, asked)
    if not as_json:
        print_asked(record, asked)
    if record.status is Status.FAULT:
        return EXIT_FAULT
    return 0 if is_right(record) else EXIT_FAILED
