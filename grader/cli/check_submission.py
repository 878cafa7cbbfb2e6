"""`grader check` once its sandbox has started: grade, print, and with `--watch` again on each save.

With `--watch` the sandbox stays warm between checks, and the suite is read once.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from rich.console import Console

from grader.cli.check_output import Asked, chosen_of, print_asked, student_error
from grader.cli.mistakes import watch_alone_error
from grader.cli.result_files import EXIT_FAULT, AskedResult, has_mark, write_results
from grader.cli.status_line import STATUS
from grader.cli.suites import likely_language, say_other_exercise, suite_of, worded_suite
from grader.cli.terminal import misuse, show_error, warn, warn_of_newer
from grader.errors import GraderError, HostError, OutputError, UsageError
from grader.intake.files import MAX_FILES, is_in_git_folder
from grader.intake.submission import Submission
from grader.intake.submissions import Entry, single_entry, student_name
from grader.judging.record import CaseResult, Record
from grader.reporting.lines import STYLES, Lines
from grader.reporting.shown_results import shown_json
from grader.reporting.visibility import visible_groups
from grader.reporting.wording import GLYPHS, Locale, Tone, is_right
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
from grader.verdict import Status, Verdict

_POLL_S: Final = 0.025
_MAX_LISTED: Final = 3
_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
_Signature: TypeAlias = Mapping[str, tuple[int, int, int]]
EXIT_FAILED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outputs:
    """The outputs for the result of a submission, besides the terminal."""

    results: tuple[AskedResult, ...] = ()
    page: Path | None = None
    github: bool = False
    as_json_: bool = False

    @property
    def are_printed(self) -> bool:
        """Whether one of them needs standard output for itself."""
        return self.as_json_ or any(each.is_printed for each in self.results)


class EntryWorker(ExitStack):
    """Checks a hand-in, once or repeatedly; a context manager that ends its sandbox.

    The sandbox stays warm, and the suite is read once.
    """

    def __init__(
        self,
        exercise: str | None,
        suites: Path | None,
        ready: Sandbox | None,
        *,
        whole: bool = False,
    ) -> None:
        """Check on the suite of `exercise` among `suites`; a sandbox may be `ready`.

        The `whole` suite includes its hidden part, if there is one. It is for a platform, which
        passes one submission and accepts as a result that the submission is empty.
        """
        super().__init__()
        self._exercise: Final = exercise
        self._suites: Final = suites
        self._is_whole: Final = whole
        self._worker: Final = self.enter_context(Worker(ready=ready))
        self._suite: Suite | None = None
        self._submission: Submission | None = None

    def entry_at(self, paths: Sequence[Path]) -> Entry:
        """Return the one submission at `paths`."""
        if self._is_whole and len(paths) == 1 and os.path.isdir(paths[0]):
            return Entry(student_name(paths[0].resolve().name), paths[0])
        try:
            if len(paths) == 1:
                return single_entry(paths[0])
        except GraderError as error:
            found = error  # Python unbinds `error` at the end of this clause
        language = likely_language(self._exercise, self._suites)
        if len(paths) > 1:
            shown = one_line(str(paths[0]))
            raise misuse(language, "several", path=shown, command="grader check")
        raise student_error(found, paths[0], language) from None  # students see one error

    def record_of(self, entry: Entry) -> Record:
        """Return the record of `entry`; raises a `GraderError` if there is none."""
        if self._suite is None:
            self._suite = self._suite_for(entry)
            require_packages([self._suite])
        record, self._submission = self._worker.judged(Task(self._suite, entry))
        # The student may be running `check`, but must not read these.
        return replace(record, staff_remarks=())

    def _suite_for(self, entry: Entry) -> Suite:
        if not self._is_whole:
            return suite_of(entry, self._exercise, self._suites)
        name = self._exercise or suite_of(entry, None, self._suites).exercise
        return worded_suite(name, self._suites, whole=True)

    def shortened(self, record: Record) -> Record:
        """Return `record`, of the latest check, with a short session for what to mend first."""
        assert self._suite is not None, "something was checked"
        assert self._submission is not None, "something was checked"
        return self._worker.shortened(self._suite, self._submission, record)


def check(
    paths: Sequence[Path],
    exercise: str | None,
    suites: Path | None,
    ready: Sandbox,
    *,
    watch: bool,
    dodona: bool,
    junit: Path | None,
    trust_submissions: bool,
    **options: Any,
) -> int:
    """Check the one submission at `paths` and report on it; return the exit code.

    Raises a `GraderError` in the language of the student.
    """
    if junit is not None:
        # An older name for `--results junit=FILE`.
        options["results"] += (AskedResult(RESULTS.load("junit"), str(junit)),)
    outputs = _Outputs(**{each.name: options.pop(each.name) for each in fields(_Outputs)})
    is_mark = has_mark(outputs.results)
    asked, path = Asked(**options), paths[0]
    if watch and outputs != _Outputs():
        raise watch_alone_error(sys.argv[1:])
    if dodona and (watch or outputs != _Outputs()):
        raise UsageError(
            "--dodona cannot be combined with other outputs",
            help="leave out the other output options",
        )
    if outputs.as_json_ and any(each.is_printed or each.format.is_mark for each in outputs.results):
        raise UsageError(
            "--json would show hidden cases to students, who read the output with these --results",
            help="leave out one of the two",
        )
    if is_mark:
        _require_suites_outside(paths, exercise, suites)
    with EntryWorker(exercise, suites, ready, whole=is_mark) as worker:
        if dodona:
            STATUS.clear()  # nothing else may be printed for Dodona
            EXTRAS.load("--dodona")(
                _print_and_flush, lambda: _record_in_isolation(paths, worker, ready)
            )
            return 0
        entry = worker.entry_at(paths)
        if exercise is not None:
            say_other_exercise(entry, exercise, suites)
        if watch:
            _watch(path, worker, asked)
            return 0
        if (outputs.github or is_mark) and not trust_submissions:
            require_isolation(ready.isolation)
        record = worker.record_of(entry)
        _publish(record, path, outputs, worker.shortened)
        return _report(record, path, asked, outputs, worker.shortened)


def _record_in_isolation(paths: Sequence[Path], worker: EntryWorker, ready: Sandbox) -> Record:
    """Return the record of the submission at `paths`; raises a `GraderError` without isolation."""
    entry = worker.entry_at(paths)
    require_isolation(ready.isolation)
    return worker.shortened(worker.record_of(entry))


def _print_and_flush(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()  # Dodona shows what a judge has printed before it is stopped


def _watch(path: Path, worker: EntryWorker, asked: Asked) -> None:
    """Check the submission at `path` on each save, and report on it, until interrupted."""

    def report_again(record: Record) -> None:
        _report(record, path, asked, _Outputs(), worker.shortened)

    watch(path, lambda: worker.record_of(single_entry(path)), report_again)


def _publish(
    record: Record, work: Path, outputs: _Outputs, shortened: Callable[[Record], Record]
) -> None:
    """Write the requested `outputs` of `record`; `work` is the file or folder handed in."""
    if outputs.page is None and not outputs.github and not outputs.results:
        return
    record = shortened(record)
    STATUS.clear()
    if outputs.page is not None:
        from grader.reporting.student_page import student_page  # noqa: PLC0415 - it has templates

        write_atomically(outputs.page, student_page(record).encode())
    # GitHub finds lines by paths relative to the folder where it runs.
    work = Path(os.path.relpath(work))
    write_results(outputs.results, record, work)
    if outputs.github:
        github = EXTRAS.load("--github")
        for command in github.line_notes(record, work):
            print(command)
        if path := os.environ.get(_SUMMARY):
            _append(Path(path), github.summary(record))


def _append(path: Path, text: str) -> None:
    """Append `text` to the summary at `path`, which other steps may have written to."""
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise OutputError(f"cannot write {one_line(str(path))}: {error.strerror}") from error


def _report(
    record: Record,
    path: Path,
    asked: Asked,
    outputs: _Outputs,
    shortened: Callable[[Record], Record],
) -> int:
    """Report on `record` of the submission at `path`, as requested; return the exit code."""
    if record.conditions.isolation < LEAST_LEVEL:
        warn("this machine cannot isolate a submission: check only your own code here")
    if (needed := record.needed_python) is not None:
        warn_of_newer(needed)
    if outputs.as_json_:
        STATUS.clear()
        sys.stdout.write(shown_json(shortened(record)))
    record = chosen_of(record, path, asked)
    if not outputs.are_printed:
        record = shortened(record)
        STATUS.clear()
        print_asked(record, asked, Console(highlight=False))
    if record.status is Status.FAULT:
        return EXIT_FAULT
    return 0 if has_mark(outputs.results) or is_right(record) else EXIT_FAILED


def _require_suites_outside(
    paths: Sequence[Path], exercise: str | None, suites: Path | None
) -> None:
    """Raise `UsageError` if the suites are in a folder that was handed in.

    Otherwise a student could hand in a suite of her own, or a hidden part for the real one.
    """
    is_path = exercise is not None and Path(exercise).is_file()
    folder = Path(str(exercise)).parent if is_path else suites_folder(suites)
    parents = {folder.resolve(), *folder.resolve().parents}
    if any(path.is_dir() and path.resolve() in parents for path in paths):
        raise UsageError(
            f"the suites in {one_line(str(folder))} are inside a folder that was handed in",
            help="keep them in a folder that students cannot write to, and name it with --suites",
        )


# Files are polled, because no notification works on all systems and all network drives.


def watch(path: Path, check: Callable[[], Record], report: Callable[[Record], None]) -> None:
    """Call `check` immediately and after each save at `path`, and `report` with the record.

    Continues until interrupted. Raises `HostError`, which saving cannot fix.
    """
    console = Console(highlight=False)  # otherwise rich colours numbers and paths
    earlier: Record | None = None
    with suppress(KeyboardInterrupt):
        for _ in saves(path, _pause):
            console.clear()
            try:
                with STATUS.showing(f"grader check {one_line(path.name)} …"):
                    record = check()
                report(record)
            except HostError:  # no save fixes that
                raise
            except GraderError as error:
                show_error(error)
                continue
            print_changes(earlier, record, console)
            # A version in between that cannot be run is left out of the comparison.
            if record.status is Status.GRADED:
                earlier = record


def _pause() -> None:
    time.sleep(_POLL_S)


def saves(path: Path, pause: Callable[[], None]) -> Iterator[None]:
    """Yield immediately, and whenever the files at `path` changed and stay the same for a `pause`.

    An editor may write a file in pieces, or write another one and rename it.
    """
    last = _signature(path)
    yield
    while True:
        pause()
        current = _signature(path)
        if current == last:
            continue
        while current != last:
            last = current
            pause()
            current = _signature(path)
        yield


def _signature(path: Path) -> _Signature:
    """Return what a save changes in the files at `path`: time, size and inode."""
    signature = {}
    for file in _files(path):
        # Removed since it was listed.
        with suppress(OSError):
            stat = os.stat(file)
            # The inode, because an editor may replace the file by another one.
            signature[file] = stat.st_mtime_ns, stat.st_size, stat.st_ino
    return signature


def _files(path: Path) -> Iterator[str]:
    """Yield the file at `path`, or the files below it up to a limit."""
    if not os.path.isdir(path):
        yield str(path)
        return
    count = 0
    for folder, folders, names in os.walk(path):
        # In place, so that `walk` skips the others.
        folders[:] = [
            name for name in folders if name != "__pycache__" and not is_in_git_folder(name)
        ]
        for name in names:
            count += 1
            # Limits the cost of each poll, whatever folder was named.
            if count > 2 * MAX_FILES:
                return
            yield os.path.join(folder, name)


def print_changes(earlier: Record | None, record: Record, console: Console) -> None:
    """Print which cases of `record` are right now but were wrong, and the other way round."""
    locale = Locale.of_record(record)
    lines = Lines(console, locale)
    if earlier is not None and record.status is Status.GRADED:
        before, now = _passed(earlier), _passed(record)
        mended = [case for case in now if now[case] and not before.get(case, True)]
        broken = [case for case in now if not now[case] and before.get(case, False)]
        if mended:
            text = locale("watch_mended", cases=_listed_cases(mended))
            lines.cut_line((f"{GLYPHS[Tone.GOOD]} {text}", STYLES[Tone.GOOD]))
        if broken:
            text = locale("watch_broken", cases=_listed_cases(broken))
            lines.cut_line((f"{GLYPHS[Tone.BAD]} {text}", STYLES[Tone.BAD]))
        if not mended and not broken:
            lines.cut_line((locale("watch_same"), "dim"))
    lines.cut_line((locale("watch_waiting"), "dim"))


def _passed(record: Record) -> Mapping[str, bool]:
    """Return whether each visible case passed, by its id."""

    def passed(case: CaseResult) -> bool:
        return case.verdict is Verdict.PASSED

    return {case.id: passed(case) for group in visible_groups(record) for case in group.cases}


def _listed_cases(cases: list[str]) -> str:
    listed = ", ".join(one_line(case, 60) for case in cases[:_MAX_LISTED])
    left = len(cases) - _MAX_LISTED
    return f"{listed} (+{left})" if left > 0 else listed
