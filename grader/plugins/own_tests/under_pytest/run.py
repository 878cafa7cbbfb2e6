"""Runs pytest without any configuration except for the tests' own."""

from __future__ import annotations

import codecs
import gc
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from grader.cli.terminal import warn
from grader.intake.submissions import HandIn
from grader.plugins.own_tests.proxying.evaluating import path_parts_in_strings
from grader.plugins.own_tests.proxying.ledger import MISSING_FILE, Ledger
from grader.plugins.own_tests.proxying.link import HOST
from grader.plugins.own_tests.proxying.own_settings import OwnSettings
from grader.plugins.own_tests.proxying.reach import reach_of
from grader.plugins.own_tests.proxying.troubles import Trouble
from grader.plugins.own_tests.proxying.walled_job import Bounds, WalledJob
from grader.plugins.own_tests.proxying.walled_process import (
    HAS_WALLS,
    OUT_OF_TIME,
    ProcessEnded,
    WalledProcess,
)
from grader.sandbox.executor import Sandbox
from grader.sandbox.isolation import Isolation
from grader.sandbox.sandbox import new_sandbox
from grader.sandbox.session_runs import executor_limits
from grader.store.graded import pack_hand_in
from grader.values.foreign_text import log_safe, one_line
from grader.verdict import Verdict

_NO_SETTINGS: Final = "[pytest]\n"
_BOUNDS_AROUND_TESTS: Final = Bounds(cpu_s=60, wall_s=600, memory_bytes=2 << 30)
"""The limits while no test runs: on collection, which may use the submission, and at the end."""
_MEMORY_BYTES: Final = 1 << 30
_TEST_TIME_FACTOR: Final = 3
"""The time of the test itself, as a multiple of the time that the submission has in it."""
_TOTAL_TIME_FACTOR: Final = 6
_MIN_TOTAL_S: Final = 60.0
"""The time for all tests of a hand-in: a multiple of the time for one test, but at least this."""
_MAX_TOTAL_FACTOR: Final = 3
"""The multiple of the time for all tests after which no more tests of a hand-in are run."""
_LATE_SHARE: Final = 0.1
_MIN_LATE_S: Final = 1.0
"""The limit on a test once the time for all tests is used up: a share of the usual limit, but at
least this."""
_MAX_OUTPUT_CHARS: Final = 2_000
# Settings from the user's shell, or from a pytest that runs this program.
_CLEARED_VARIABLES: Final = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_XDIST_WORKER")
_COLLECTION_ABORTED: Final = "pytest was aborted"
_FINISHED: Final = (0, 1)
"""The exit codes of pytest if it has found tests and run all of them."""
# Other escapes could move the cursor or change the terminal.
_COLOUR: Final = re.compile(r"(\x1b\[[0-9;]*m)")


def run_suites(arguments: Sequence[str], submission: Path) -> int:
    """Run suites on a submission with pytest, and return pytest's exit code.

    Sets a variable in this process's environment, from which the plug-in reads the submission.
    """
    from grader.plugins.own_tests.pytest_plugin import SUBMISSION_VARIABLE  # noqa: PLC0415 - it imports pytest

    os.environ[SUBMISSION_VARIABLE] = str(submission.absolute())
    # Files beside a suite are not run or put on `sys.path`, as they may have been handed in.
    isolating_arguments = ("--noconftest", "--import-mode=importlib", "--assert=plain")
    return _run_pytest([*isolating_arguments, *arguments], None, ())


class TestOutcome(NamedTuple):
    """The outcome of running an instructor's tests."""

    exit_code: int
    ledger: Ledger
    isolation: Isolation
    """The isolation of the submission."""
    layers: Mapping[str, Any]
    """The walls around the tests, by name."""


def run_own_tests(
    settings: OwnSettings, hand_in: HandIn, packages: Sequence[str], *, shows_output: bool
) -> TestOutcome:
    """Run the tests in `settings` on `hand_in`, and return the outcome.

    The submission is allowed to use these `packages`. With `shows_output`, the output of pytest is
    shown. Warns of each submitted module that a module of the tests replaces. Raises
    `RuntimeError` if the process of the tests ends during collection, even without the submission:
    that is the fault of the grader or of the tests.
    """
    ledger = Ledger()
    with new_sandbox(packages, hosts=[HOST]) as sandbox:
        if HAS_WALLS:
            layers = _run_walled(settings, hand_in, ledger, sandbox, shows_output=shows_output)
        else:

            def send(**message: Any) -> None:
                ledger.process_message(message)

            ledger.exit_code = run_tests(settings, hand_in, sandbox, send, {})
            layers = {}
        isolation = sandbox.isolation
    _mark_unreadable_as_faults(settings, ledger)
    for name, path in ledger.clashes.items():
        warn(
            f"the module {one_line(name)} that {one_line(hand_in.student)} handed in is ignored:"
            f" the tests use their own, {one_line(path)};"
            " to test the one that was handed in, rename that file"
        )
    exit_code = ledger.exit_code or 0
    for name in ledger.remaining:
        ledger.end_test(name, _NOT_RUN if exit_code in _FINISHED else _ABORTED)
    graded = (result.graded for result in ledger.results.values() if result.graded is not None)
    has_failed = any(test.verdict is not Verdict.PASSED for test in graded)
    return TestOutcome(exit_code or int(has_failed), ledger, isolation, layers)


def _mark_unreadable_as_faults(settings: OwnSettings, ledger: Ledger) -> None:
    """Record a fault for each test that could not open a file outside its reach.

    Print a warning for each such test. Paths that do not occur in the tests are ignored, as the
    submission might have made them up.
    """
    if not any(MISSING_FILE in result.facts for result in ledger.results.values()):
        return
    reach, mentioned_parts = reach_of(settings), path_parts_in_strings(settings.files)
    for name, result in ledger.results.items():
        path = result.facts.get(MISSING_FILE)
        if result.graded is None or type(path) is not str or "\0" in path:
            continue
        if mentioned_parts.isdisjoint(Path(path).parts[-2:]):
            continue
        if os.path.lexists(path) and not reach.has(path):
            message = (
                f"{result.graded.name} needs {one_line(path)}, but tests can only read files beside"
                f" them; to make it readable, add: --read {one_line(path)}"
            )
            warn(message)
            graded = replace(result.graded, verdict=Verdict.FAULT, points=0.0, evidence=message)
            ledger.results[name] = replace(result, graded=graded)


_NOT_RUN: Final = Trouble(
    verdict=Verdict.NOT_RUN, message="pytest stopped before this test", evidence="not run"
)
_ABORTED: Final = Trouble(verdict=Verdict.FAULT, message="pytest was aborted", evidence="not run")


def _run_walled(
    settings: OwnSettings, hand_in: HandIn, ledger: Ledger, sandbox: Any, *, shows_output: bool
) -> Mapping[str, Any]:
    """Run the tests, in as many processes as it takes to get all results; return the walls.

    If pytest does not finish, or cannot collect a file, the tests are collected once more without
    the submission. If that succeeds, the submission was the cause.
    """
    hidden_output = _LastOutput()
    screens = {1: _Screen(sys.stdout), 2: _Screen(sys.stderr if shows_output else hidden_output)}
    spent_s = 0.0
    layers: Mapping[str, Any] = {}
    while True:
        job = _walled_job(settings, hand_in, shows_output=shows_output)
        show = lambda stream, data: screens[stream].show(data)  # noqa: E731
        with WalledProcess(job, ledger, sandbox, show) as process:
            trouble = _serve_process(process, ledger, spent_s)
            spent_s += process.spent_s
            layers = process.layers or layers
        if trouble is None:
            if ledger.is_interrupted or settings.unfit is not None or _is_complete(ledger):
                return layers
            # Collecting once more shows whether the submission was the cause.
            settings = replace(settings, unfit=_COLLECTION_ABORTED)
            screens.update(dict.fromkeys((1, 2), _Screen(hidden_output)))
            continue
        has_reported_all = ledger.current is None and not ledger.remaining
        if shows_output and ledger.current is not None:
            # As pytest would show it: the next process repeats the report without showing it.
            screens[1].show(b"F")
        try:
            settings = _record_end_of_process(settings, ledger, trouble)
        except RuntimeError as error:  # add the last output of pytest, which was not shown
            raise RuntimeError(f"{error}\n{hidden_output.text}".strip()) from None
        if spent_s > _MAX_TOTAL_FACTOR * job.total_s:
            for name in ledger.remaining:
                ledger.end_test(name, OUT_OF_TIME)
        if not ledger.remaining and ledger.tests and (has_reported_all or not shows_output):
            ledger.exit_code = 1
            return layers


def _is_complete(ledger: Ledger) -> bool:
    """Return whether pytest has collected all files, and has run all tests."""
    return ledger.exit_code in _FINISHED and not ledger.uncollected


def _serve_process(process: WalledProcess, ledger: Ledger, spent_s: float) -> Trouble | None:
    """Serve the process until it ends; return the trouble that ended it, or None.

    On Ctrl-C, pytest still gets to print its summary. Raises `KeyboardInterrupt` if the process
    fails before that.
    """
    try:
        process.serve(spent_s)
    except KeyboardInterrupt:
        ledger.is_interrupted = True
        process.interrupt()  # pytest still prints its summary
        with suppress(ProcessEnded):
            process.serve(spent_s)
            return None
        raise
    except ProcessEnded as ended:
        return ended.trouble
    return None


def _record_end_of_process(settings: OwnSettings, ledger: Ledger, trouble: Trouble) -> OwnSettings:
    """Record the end of a process as the result of a test; return settings for the next process.

    If the process tampered, that is the result of all remaining tests. If collection did not
    finish, the next process collects the tests without the submission. Raises `RuntimeError` if
    the process that ended was already collecting them in this way.
    """
    if ledger.current is not None:
        ledger.end_test(ledger.current, trouble)
    elif not ledger.is_collected:
        if settings.unfit is not None:
            raise RuntimeError(
                "the tests ended their own process while they were collected without the"
                f" submission: {trouble.message} ({trouble.evidence})"
            )
        return replace(settings, unfit=trouble.message)
    elif ledger.remaining:  # between tests: without this result, the next process could end there
        ledger.end_test(ledger.remaining[0], trouble)
    if trouble.verdict is Verdict.TAMPERED:
        for name in ledger.remaining:
            ledger.end_test(name, trouble)
    return settings


def _walled_job(settings: OwnSettings, hand_in: HandIn, *, shows_output: bool) -> WalledJob:
    """Return the job for one test process: what it runs, and its limits."""
    limits, reach = settings.limits, reach_of(settings)
    compute_s, wait_s = limits.session_cpu_s, limits.session_wall_s
    late_s = max(_MIN_LATE_S, _LATE_SHARE * compute_s)
    is_coloured = shows_output and sys.stdout.isatty()
    if is_coloured and not any(argument.startswith("--color") for argument in settings.arguments):
        settings = replace(settings, arguments=("--color=yes", *settings.arguments))
    return WalledJob(
        start={
            "own": settings.to_json(),
            "student": hand_in.student,
            "hand_in": pack_hand_in(hand_in).hex(),
            "limits": executor_limits(limits, session_cpu_s=compute_s),
        },
        readable=reach.readable,
        listed=reach.listed,
        folder=str(Path.cwd()),
        around_bounds=_BOUNDS_AROUND_TESTS,
        test_bounds=_with_memory_limit(
            _TEST_TIME_FACTOR * compute_s, _TEST_TIME_FACTOR * compute_s + wait_s
        ),
        late_bounds=_with_memory_limit(late_s, late_s),
        total_s=max(_MIN_TOTAL_S, _TOTAL_TIME_FACTOR * compute_s),
        shows_output=shows_output,
        has_terminal="--pdb" in settings.arguments,
    )


def _with_memory_limit(cpu_s: float, wall_s: float) -> Bounds:
    """Return these limits, with the usual limit on memory."""
    return Bounds(cpu_s=cpu_s, wall_s=wall_s, memory_bytes=_MEMORY_BYTES)


class _Screen:
    """Shows the output of a process, in which control characters other than colours are escaped."""

    def __init__(self, stream: Any) -> None:
        """Show the output on `stream`."""
        self._stream: Final = stream
        # Incremental, as a read can end in the middle of a character.
        self._decoder: Final = codecs.getincrementaldecoder("utf-8")("replace")

    def show(self, data: bytes) -> None:
        """Write `data` to the stream."""
        parts = _COLOUR.split(self._decoder.decode(data))
        for index, part in enumerate(parts):
            is_colour = index % 2 == 1
            text = part if is_colour else "\n".join(map(_escape_line, part.split("\n")))
            self._stream.write(text)
        self._stream.flush()


class _LastOutput:
    """Keeps the end of the output for an error message."""

    text = ""

    def write(self, text: str) -> None:
        """Append `text`, and keep only the end of the output."""
        self.text = (self.text + text)[-_MAX_OUTPUT_CHARS:]

    def flush(self) -> None:
        """Do nothing."""


def _escape_line(text: str) -> str:
    """Return a line with control characters escaped, except for a leading carriage return."""
    start = "\r" if text.startswith("\r") else ""  # pytest uses it to overwrite the line
    return start + log_safe(text.removeprefix("\r"))


# In the process of the tests


def run_tests(
    settings: OwnSettings,
    hand_in: HandIn,
    sandbox: Sandbox,
    send: Callable[..., None],
    known_reports: Mapping[str, Any],
) -> int:
    """Run the tests in `settings` on `hand_in` in this process, and return pytest's exit code.

    Results are sent with `send`. Tests in `known_reports` are not run again: only their reports are
    repeated.
    """
    from grader.plugins.own_tests.under_pytest.plugin import SubmissionPlugin  # noqa: PLC0415 - it imports pytest

    fixed_arguments = (
        "--code-highlight=no",  # escapes of highlighting would be shown as text
        "-Wignore:Module already imported so cannot be rewritten",
        *(f"--ignore={path}" for path in settings.apart),
    )
    plugin = SubmissionPlugin(settings, hand_in, sandbox, send, known_reports)
    return _run_pytest([*fixed_arguments, *settings.arguments], settings.configuration, [plugin])


def _run_pytest(
    arguments: Sequence[str], configuration: str | None, plugins: Sequence[object]
) -> int:
    """Run pytest with these arguments, and return its exit code.

    Also changes this process: its environment, and which objects the garbage collector examines.
    """
    for variable in _CLEARED_VARIABLES:
        os.environ.pop(variable, None)
    os.environ["PYTHONSAFEPATH"] = "1"  # otherwise xdist workers import from the current folder
    import pytest  # noqa: PLC0415 - it is slow to import

    gc.freeze()  # the full collections at pytest's end skip everything loaded so far
    with TemporaryDirectory() as folder:
        empty_file = Path(folder) / "pytest.ini"
        empty_file.write_text(_NO_SETTINGS, encoding="utf-8")
        file = configuration or str(empty_file)
        # Without `--rootdir`, the folder of the configuration file would be the root: ids would be
        # relative to that folder, and pytest would write its cache there.
        fixed_arguments = ["-c", file, f"--rootdir={Path.cwd()}", "-p", "no:cacheprovider"]
        return int(pytest.main([*fixed_arguments, *arguments], plugins))
