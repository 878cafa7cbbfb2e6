"""What `grader check` does once its sandbox is on its way: grade, print, tell the exit code."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

from grader.cli.choosing import Asked, chosen_of, is_right, misuse, print_asked
from grader.cli.interpreters import warn_of_newer
from grader.cli.talk import warn
from grader.errors import GraderError
from grader.intake.submissions import Entry, single_entry, understood
from grader.judging.record import CaseResult, Record
from grader.judging.rules import KINDS
from grader.reporting.results import entry_json, results_json
from grader.reporting.screen import Shortened
from grader.reporting.wording import DEFAULT_LANGUAGE
from grader.reporting.wording.own import worded
from grader.run.needs import require_packages
from grader.run.tasks import Task
from grader.run.worker import Worker
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


class EntryWorker(ExitStack):
    """Checks what is handed in, once or again and again; a context manager that ends its sandbox.

    The sandbox stays warm, and the suite is read once.
    """

    def __init__(self, exercise: str | None, suites: Path | None, ready: Sandbox | None) -> None:
        """Check on the suite of `exercise` among `suites`; a sandbox may be `ready`."""
        super().__init__()
        self._exercise: Final = exercise
        self._suites: Final = suites
        self._worker: Final = self.enter_context(Worker(machine_gate(), ready=ready))
        self._task: Task | None = None

    def record_of(self, entry: Entry) -> Record:
        """Return the record of `entry`; raises a `GraderError` when there is none."""
        if self._task is None:
            suite = suite_of(entry, self._exercise, self._suites)
            require_packages([suite])
        else:
            suite = self._task.suite
        self._task = Task(suite, entry)
        return _for_student(self._worker.record_of(self._task))

    def shortened(self, case: CaseResult) -> CaseResult:
        """Return how what was checked last fails `case` in the shortest session known."""
        assert self._task is not None, "a case was checked"
        suite = self._task.suite
        try:
            submission = understood(self._task.hand_in(), suite.modules, suite.defines)
        except GraderError:  # it is gone by now
            return case
        return self._worker.shortened(suite, submission, case)


def check(
    entry: Entry, exercise: str | None, suites: Path | None, ready: Sandbox | None = None
) -> Record:
    """Return the record of `entry`, for which a sandbox may be `ready`.

    Raises a `GraderError` when there is none.
    """
    with EntryWorker(exercise, suites, ready) as worker:
        return worker.record_of(entry)


def watch_on(path: Path, worker: EntryWorker, asked: Asked) -> None:
    """Check what lies at `path` on each save, and tell it, until somebody interrupts."""

    def tell_again(record: Record) -> None:
        tell(record, path, None, asked, worker.shortened, as_json=False)

    watching = importlib.import_module(_WATCHING)
    watching.watch(path, lambda: worker.record_of(single_entry(path)), tell_again)


def suite_of(entry: Entry, exercise: str | None, suites: Path | None) -> Suite:
    """Return the suite for `entry`; raises a `GraderError` where none is to be had."""
    if exercise is not None:
        suite = find_suite(exercise, suites, KINDS)
    else:
        suite = _fitting(entry, suite_paths(suites_folder(suites)))
    path, suite = entry.path, worded(suite)
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


def tell(
    record: Record,
    path: Path,
    junit: Path | None,
    asked: Asked,
    shortened: Shortened,
    *,
    as_json: bool,
) -> int:
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
        print_asked(record, asked, shortened)
    if record.status is Status.FAULT:
        return EXIT_FAULT
    return 0 if is_right(record) else EXIT_FAILED
