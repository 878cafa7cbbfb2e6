"""What `grader check` does once its sandbox is on its way: grade, print, tell the exit code."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

from rich.console import Console

from grader.cli.check_output import Asked, chosen_of, is_right, misuse, print_asked
from grader.cli.given import several_given, told_to_student
from grader.cli.interpreters import warn_of_newer
from grader.cli.suites import in_words_of, worded_suite
from grader.cli.terminal import warn
from grader.errors import GraderError
from grader.intake.submission import Submission
from grader.intake.submissions import Entry, collected, single_entry
from grader.judging.record import Record
from grader.judging.rules import KINDS
from grader.reporting.results import entry_json, results_json
from grader.reporting.wording import DEFAULT_LANGUAGE
from grader.run.needs import require_packages
from grader.run.tasks import Task
from grader.run.worker import Worker
from grader.sandbox.isolation import LEAST_LEVEL
from grader.sandbox.machine_gate import machine_gate
from grader.sandbox.sandbox import Sandbox
from grader.seams import EXTRAS
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
        self._suite: Suite | None = None
        self._submission: Submission | None = None

    def record_of(self, entry: Entry) -> Record:
        """Return the record of `entry`; raises a `GraderError` when there is none."""
        if self._suite is None:
            self._suite = suite_of(entry, self._exercise, self._suites)
            require_packages([self._suite])
        record, self._submission = self._worker.judged(Task(self._suite, entry))
        return _for_student(record)

    def shortened(self, record: Record) -> Record:
        """Return `record`, of what was checked last, with a short session of what to mend first."""
        assert self._suite is not None, "something was checked"
        assert self._submission is not None, "something was checked"
        return self._worker.shortened(self._suite, self._submission, record)


def entry_of(paths: Sequence[Path], exercise: str | None, suites: Path | None) -> Entry:
    """Return the one submission at `paths`; raises a `GraderError` in the student's language."""
    try:
        if len(paths) == 1:
            return single_entry(paths[0])
    except GraderError as error:
        raise told_to_student(error, paths[0], language_of(exercise, suites)) from None
    raise several_given(paths, language_of(exercise, suites))


def watch_on(path: Path, worker: EntryWorker, asked: Asked) -> None:
    """Check what lies at `path` on each save, and tell it, until somebody interrupts."""

    def tell_again(record: Record) -> None:
        tell(record, path, None, asked, worker.shortened, as_json=False)

    watching = importlib.import_module(_WATCHING)
    watching.watch(path, lambda: worker.record_of(single_entry(path)), tell_again)


def suite_of(entry: Entry, exercise: str | None, suites: Path | None) -> Suite:
    """Return the suite for `entry`; raises a `GraderError` where none is to be had."""
    if exercise is not None:
        suite = worded_suite(exercise, suites)
    else:
        folder = suites_folder(suites)
        suite = in_words_of(folder, _fitting(entry, suite_paths(folder)))
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


def language_of(exercise: str | None, suites: Path | None) -> str:
    """Return the language of `exercise`, or of all in `suites`; raises a `GraderError`."""
    if exercise is not None:
        return find_suite(exercise, suites, KINDS).language
    return common_language(suite_paths(suites_folder(suites)).values()) or DEFAULT_LANGUAGE


def _fitting(entry: Entry, paths: Mapping[str, Path]) -> Suite:
    try:
        return fitting_suite(entry, paths, KINDS)
    except FitError as error:
        key = "several_fit" if error.several else "none_fits"
        files = collected(entry).files.values()
        if files and not any(data.strip() for data in files):
            key = "empty"
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
    shortened: Callable[[Record], Record],
    *,
    as_json: bool,
) -> int:
    """Tell what came of what lies at `path` where it is asked for; return the exit code."""
    if record.conditions.isolation < LEAST_LEVEL:
        warn("nothing isolates a submission on this machine: check only your own code here")
    if (needed := record.needed_python) is not None:
        warn_of_newer(needed)
    if junit is not None:
        EXTRAS.load("--junit").write_junit(junit, record)
    if as_json:
        sys.stdout.write(b"".join(results_json([entry_json(record)])).decode())
    record = chosen_of(record, path, asked)
    if not as_json:
        print_asked(shortened(record), asked, Console(highlight=False))
    if record.status is Status.FAULT:
        return EXIT_FAULT
    return 0 if is_right(record) else EXIT_FAILED
