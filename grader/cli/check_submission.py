"""`grader check` after starting its sandbox: grades, prints, and repeats with `--watch`.

With `--watch` the sandbox stays warm between checks, and the suite is read only once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from grader.cli.check_output import CaseSelection, print_selected, select_cases, student_error
from grader.cli.mistakes import watch_combination_error
from grader.cli.result_files import EXIT_FAULT, RequestedResult, has_mark, write_results
from grader.cli.status_line import STATUS
from grader.cli.suites import (
    find_suite_for_entry,
    find_suite_with_wording,
    likely_language,
    print_other_exercise,
)
from grader.cli.terminal import student_usage_error, warn, warn_of_newer_python
from grader.cli.watching import watch as watch_files
from grader.errors import GraderError, OutputError, UsageError
from grader.intake.submission import Submission
from grader.intake.submissions import Entry, single_entry, student_name
from grader.judging.record import Record
from grader.reporting.shown_results import shown_json
from grader.reporting.wording import is_right
from grader.reporting.writing import write_atomically
from grader.run.needs import require_isolation, require_packages
from grader.run.tasks import Task
from grader.run.worker import Worker
from grader.sandbox.isolation import LEAST_LEVEL
from grader.sandbox.sandbox import Sandbox
from grader.seams import EXTRAS, RESULTS
from grader.suite.exercises import suites_folder
from grader.suite.model import Suite
from grader.values.foreign_text import one_line
from grader.verdict import Status

_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
EXIT_FAILED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outputs:
    """Where to write a submission's result, other than to the terminal."""

    results: tuple[RequestedResult, ...] = ()
    page: Path | None = None
    github: bool = False
    as_json_: bool = False

    @property
    def are_printed(self) -> bool:
        """Whether one of the outputs needs standard output exclusively."""
        return self.as_json_ or any(result.is_printed for result in self.results)


class EntryWorker(ExitStack):
    """Checks a hand-in, once or repeatedly; a context manager that ends its sandbox.

    The sandbox stays warm between checks, and the suite is read only once.
    """

    def __init__(
        self,
        exercise: str | None,
        suites: Path | None,
        sandbox: Sandbox | None,
        *,
        whole: bool = False,
    ) -> None:
        """Check with the suite of `exercise` in `suites`, in the `sandbox` if one is given.

        Without an `exercise`, the submission itself reveals it. If `whole`, the suite includes its
        hidden part, if it has one, and an empty folder counts as a submission. Platforms need both:
        they pass a single submission, and get a result for it even if it is empty.
        """
        super().__init__()
        self._exercise: Final = exercise
        self._suites: Final = suites
        self._is_whole: Final = whole
        self._worker: Final = self.enter_context(Worker(sandbox=sandbox))
        self._suite: Suite | None = None
        self._submission: Submission | None = None

    def entry_at(self, paths: Sequence[Path]) -> Entry:
        """Return the single submission at `paths`.

        Raises a `GraderError`, in the student's language, if there is none, or more than one.
        """
        # A platform hands in one folder; if it is empty, the student still gets a result.
        if self._is_whole and len(paths) == 1 and os.path.isdir(paths[0]):
            return Entry(student_name(paths[0].resolve().name), paths[0])
        try:
            if len(paths) == 1:
                return single_entry(paths[0])
        except GraderError as error:
            entry_error = error  # Python unbinds `error` at the end of this clause
        language = likely_language(self._exercise, self._suites)
        if len(paths) > 1:
            path_text = one_line(str(paths[0]))
            raise student_usage_error(language, "several", path=path_text, command="grader check")
        raise student_error(entry_error, paths[0], language) from None  # show a single error

    def record_of(self, entry: Entry) -> Record:
        """Grade `entry` and return its record; raises a `GraderError` if that is impossible.

        The first call finds the suite, which later calls use again.
        """
        if self._suite is None:
            self._suite = self._find_suite(entry)
            require_packages([self._suite])
        record, self._submission = self._worker.judge_task(Task(self._suite, entry))
        # Students run `check` themselves, but must not read remarks for staff.
        return replace(record, staff_remarks=())

    def _find_suite(self, entry: Entry) -> Suite:
        """Return the suite for `entry`; raises a `GraderError` if there is none."""
        if not self._is_whole:
            return find_suite_for_entry(entry, self._exercise, self._suites)
        name = self._exercise or find_suite_for_entry(entry, None, self._suites).exercise
        return find_suite_with_wording(name, self._suites, whole=True)

    def with_shorter_session(self, record: Record) -> Record:
        """Return the latest `record`, with a shorter session for the first failure to fix."""
        assert self._suite is not None, "`record_of` was called before"
        assert self._submission is not None, "`record_of` was called before"
        return self._worker.shorten_first_failure(self._suite, self._submission, record)


def check(
    paths: Sequence[Path],
    exercise: str | None,
    suites: Path | None,
    sandbox: Sandbox,
    *,
    watch: bool,
    dodona: bool,
    junit: Path | None,
    trust_submissions: bool,
    **options: Any,
) -> int:
    """Check the single submission at `paths`, write the outputs, and return the exit code.

    Raises a `GraderError`, in the student's language unless it is about options for platforms.
    """
    if junit is not None:
        # An older name for `--results junit=FILE`.
        options["results"] += (RequestedResult(RESULTS.load("junit"), str(junit)),)
    outputs = _Outputs(**{field.name: options.pop(field.name) for field in fields(_Outputs)})
    is_mark = has_mark(outputs.results)
    selection, path = CaseSelection(**options), paths[0]
    _refuse_contradictions(outputs, watch=watch, dodona=dodona, junit=junit is not None)
    if is_mark:
        _require_suites_outside(paths, exercise, suites)
    with EntryWorker(exercise, suites, sandbox, whole=is_mark) as worker:
        if dodona:
            STATUS.clear()  # Dodona must not get any other output
            EXTRAS.load("--dodona")(
                _print_and_flush, lambda: _grade_in_isolation(paths, worker, sandbox)
            )
            return 0
        entry = worker.entry_at(paths)
        if exercise is not None:
            print_other_exercise(entry, exercise, suites)
        if watch:
            _watch(path, worker, selection)
            return 0
        if (outputs.github or is_mark) and not trust_submissions:
            require_isolation(sandbox.isolation)
        record = worker.record_of(entry)
        _write_outputs(record, path, outputs, worker.with_shorter_session)
        return _report(record, path, selection, outputs, worker.with_shorter_session)


def _refuse_contradictions(outputs: _Outputs, *, watch: bool, dodona: bool, junit: bool) -> None:
    """Raise a `GraderError` if `outputs`, `watch` and `dodona` cannot be combined.

    `junit` is whether one of the results was requested with `--junit`.
    """
    if watch and outputs != _Outputs():
        raise watch_combination_error(sys.argv[1:])
    if dodona and (watch or outputs != _Outputs()):
        is_requested = {
            "--watch": watch,
            "--page": outputs.page is not None,
            "--github": outputs.github,
            "--json": outputs.as_json_,
            "--junit": junit,
            "--results": len(outputs.results) > junit,
        }
        others = " and ".join(option for option, is_given in is_requested.items() if is_given)
        raise UsageError(
            f"--dodona cannot be combined with {others}",
            help=f"leave out --dodona, or {others}: Dodona must not get any other output",
        )
    if outputs.as_json_ and has_mark(outputs.results):
        raise UsageError(
            "--json would show hidden cases to students, because --results writes a mark,"
            " for which hidden cases are graded too",
            help="leave out --json or --results",
        )
    if outputs.as_json_ and any(result.is_printed for result in outputs.results):
        raise UsageError(
            "--json and --results both write to standard output",
            help="write the result to a file: --results FORMAT=FILE",
        )


def _grade_in_isolation(paths: Sequence[Path], worker: EntryWorker, sandbox: Sandbox) -> Record:
    """Grade the submission at `paths`, and return its record with a shorter session.

    Raises a `GraderError` if it cannot be graded, or if this machine cannot isolate it.
    """
    entry = worker.entry_at(paths)
    require_isolation(sandbox.isolation)
    return worker.with_shorter_session(worker.record_of(entry))


def _print_and_flush(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()  # if a judge is stopped, Dodona shows what it has printed so far


def _watch(path: Path, worker: EntryWorker, selection: CaseSelection) -> None:
    """Check the submission at `path` and report on it after each save, until interrupted."""

    def report_again(record: Record) -> None:
        _report(record, path, selection, _Outputs(), worker.with_shorter_session)

    watch_files(path, lambda: worker.record_of(single_entry(path)), report_again)


def _write_outputs(
    record: Record,
    hand_in_path: Path,
    outputs: _Outputs,
    with_shorter_session: Callable[[Record], Record],
) -> None:
    """Write the requested `outputs` for `record`, except `--json`.

    Raises `OutputError` if one cannot be written.
    """
    if outputs.page is None and not outputs.github and not outputs.results:
        return
    record = with_shorter_session(record)
    STATUS.clear()
    if outputs.page is not None:
        from grader.reporting.student_page import student_page  # noqa: PLC0415 - slow, because of its templates

        write_atomically(outputs.page, student_page(record).encode())
    # GitHub expects paths relative to the folder where the command runs.
    hand_in_path = Path(os.path.relpath(hand_in_path))
    write_results(outputs.results, record, hand_in_path)
    if outputs.github:
        github = EXTRAS.load("--github")
        # GitHub turns these printed commands into annotations beside the lines.
        for command in github.annotation_commands(record, hand_in_path):
            print(command)
        if path := os.environ.get(_SUMMARY):
            _append_summary(Path(path), github.summary(record))


def _append_summary(path: Path, text: str) -> None:
    """Append `text` to the GitHub summary at `path`, which other steps might have written to.

    Raises `OutputError` if that fails.
    """
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise OutputError(
            f"cannot write the summary {one_line(str(path))}: {error.strerror}",
            help="make that file writable, or unset the environment variable that names it:"
            f" {_SUMMARY}",
        ) from error


def _report(
    record: Record,
    path: Path,
    selection: CaseSelection,
    outputs: _Outputs,
    with_shorter_session: Callable[[Record], Record],
) -> int:
    """Print the requested part of the `record` of the submission at `path`; return the exit code.

    Also prints warnings, and stores which cases failed, for `--lf`. Raises `UsageError` if no case
    contains the wanted text.
    """
    if record.conditions.isolation < LEAST_LEVEL:
        warn("this machine cannot isolate a submission: check only your own code here")
    if (needed := record.needed_python) is not None:
        warn_of_newer_python(needed)
    if outputs.as_json_:
        STATUS.clear()
        sys.stdout.write(shown_json(with_shorter_session(record)))
    # Cases are selected first, because the session shortened below must be that of a printed case.
    record = select_cases(record, path, selection)
    if not outputs.are_printed:
        record = with_shorter_session(record)
        STATUS.clear()
        print_selected(record, selection, Console(highlight=False))
    if record.status is Status.FAULT:
        return EXIT_FAULT
    return 0 if has_mark(outputs.results) or is_right(record) else EXIT_FAILED


def _require_suites_outside(
    paths: Sequence[Path], exercise: str | None, suites: Path | None
) -> None:
    """Raise `UsageError` if the suites are inside a folder that was handed in.

    Otherwise, a student could hand in her own suite, or her own hidden part of the real suite.
    """
    exercise_is_path = exercise is not None and Path(exercise).is_file()
    folder = Path(str(exercise)).parent if exercise_is_path else suites_folder(suites)
    parents = {folder.resolve(), *folder.resolve().parents}
    if any(path.is_dir() and path.resolve() in parents for path in paths):
        advice = (
            "the path of the suite with --exercise"
            if exercise_is_path
            else "that folder with --suites"
        )
        raise UsageError(
            f"the suites in {one_line(str(folder))} are inside a folder that was handed in",
            help=f"keep the suites where students cannot write, and pass {advice}",
        )
