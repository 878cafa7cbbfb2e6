"""Runs pytest, without any configuration but the given one."""

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
from grader.plugins.own_tests.proxying.ledger import WANTED, Ledger
from grader.plugins.own_tests.proxying.link import HOST, Trouble
from grader.plugins.own_tests.proxying.own_settings import OwnSettings
from grader.plugins.own_tests.proxying.reach import reach_of
from grader.plugins.own_tests.proxying.walled import (
    CAN_WALL,
    OVER,
    Bounds,
    ProcessEnded,
    Walled,
    WalledJob,
)
from grader.sandbox.executor import Sandbox
from grader.sandbox.isolation import Isolation
from grader.sandbox.sandbox import new_sandbox
from grader.sandbox.session_runs import executor_limits
from grader.store.graded import packed_hand_in
from grader.values.foreign_text import for_log, one_line
from grader.verdict import Verdict

_NO_SETTINGS: Final = "[pytest]\n"
_AROUND: Final = Bounds(cpu_s=60, wall_s=600, memory_bytes=2 << 30)
"""The limits on collection, which may use values of the submission, and on the end of the run."""
_MEMORY_BYTES: Final = 1 << 30
_TIMES: Final = 3
"""The time of the test itself, as a multiple of the submission's time in it."""
_TIMES_IN_ALL: Final = 6
_LEAST_IN_ALL_S: Final = 60.0
"""The time for all tests of a hand-in: a multiple of that of one test, and at least so much."""
_TIMES_AT_MOST: Final = 3
"""The multiple of that time after which no more tests of a hand-in run."""
_LATE: Final = 0.1
_LEAST_LATE_S: Final = 1.0
"""The share of its time that a test has once the time for all tests is used up."""
_MAX_OUTPUT_CHARS: Final = 2_000
_CLEARED_VARIABLES: Final = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_XDIST_WORKER")
_BY_HAND_IN: Final = "it breaks them off"
_FINISHED: Final = (0, 1)
"""Exit codes of pytest if tests were found and run to the end."""
_COLOUR: Final = re.compile(r"(\x1b\[[0-9;]*m)")  # other escapes move the cursor, or worse


def run_suites(arguments: Sequence[str], submission: Path) -> int:
    """Run suites on a submission with pytest; return its exit code."""
    from grader.plugins.own_tests.pytest_plugin import SUBMISSION_VARIABLE  # noqa: PLC0415 - it imports pytest

    os.environ[SUBMISSION_VARIABLE] = str(submission.absolute())
    # Nothing beside a suite is run or put on `sys.path`: it may have been handed in.
    alone = ("--noconftest", "--import-mode=importlib", "--assert=plain")
    return _run([*alone, *arguments], None, ())


class TestOutcome(NamedTuple):
    """The outcome of an instructor's tests."""

    exit_code: int
    ledger: Ledger
    isolation: Isolation
    """The walls around the submission."""
    layers: Mapping[str, Any]
    """The walls around the tests."""


def run_own_tests(
    own: OwnSettings, hand_in: HandIn, packages: Sequence[str], *, shows: bool
) -> TestOutcome:
    """Run `own` tests on `hand_in`, which may use these `packages`; return the outcome.

    With `shows`, the output of pytest is shown. Raises `RuntimeError` if no process of the tests
    runs to its end, which is our fault or the tests'.
    """
    ledger = Ledger()
    with new_sandbox(packages, hosts=[HOST]) as sandbox:
        if CAN_WALL:
            layers = _run_walled(own, hand_in, ledger, sandbox, shows=shows)
        else:

            def send(**message: Any) -> None:
                ledger.process_message(message)

            ledger.exit_code = run_tests(own, hand_in, sandbox, send, {})
            layers = {}
        isolation = sandbox.isolation
    _note_unreadable(own, ledger)
    for name, place in ledger.clashes.items():
        warn(
            f"the module {one_line(name)} that {one_line(hand_in.student)} handed in is ignored:"
            f" the tests use their own, {one_line(place)}"
        )
    code = ledger.exit_code or 0
    for name in ledger.remaining:
        ledger.end_test(name, _NOT_RUN if code in _FINISHED else _BROKEN_OFF)
    tested = (each.graded for each in ledger.results.values() if each.graded is not None)
    has_failed = any(each.verdict is not Verdict.PASSED for each in tested)
    return TestOutcome(code or int(has_failed), ledger, isolation, layers)


def _note_unreadable(own: OwnSettings, ledger: Ledger) -> None:
    """Make a fault of each test that could not open a file out of its reach, and warn of it."""
    if not any(WANTED in report.facts for report in ledger.results.values()):
        return
    reach, named = reach_of(own), path_parts_in_strings(own.files)
    for name, report in ledger.results.items():
        wanted = report.facts.get(WANTED)
        if report.graded is None or type(wanted) is not str or "\0" in wanted:
            continue
        if named.isdisjoint(Path(wanted).parts[-2:]):  # the path comes from the submission
            continue
        if os.path.lexists(wanted) and not reach.has(wanted):
            message = (
                f"{report.graded.name} wants {one_line(wanted)}, and tests read what lies beside"
                f" them; to let them read it, add: --read {one_line(wanted)}"
            )
            warn(message)
            tested = replace(report.graded, verdict=Verdict.FAULT, points=0.0, evidence=message)
            ledger.results[name] = replace(report, graded=tested)


_NOT_RUN: Final = Trouble(
    verdict=Verdict.NOT_RUN, message="pytest has stopped before it", evidence="not run"
)
_BROKEN_OFF: Final = Trouble(verdict=Verdict.FAULT, message="pytest broke off", evidence="not run")


def _run_walled(
    own: OwnSettings, hand_in: HandIn, ledger: Ledger, sandbox: Any, *, shows: bool
) -> Mapping[str, Any]:
    """Run the tests in one process after another until each has a result; return the walls.

    If pytest does not finish, the tests are collected once more without the submission: if it
    finishes then, the submission was to blame.
    """
    hidden_output = _LastOutput()
    screens = {1: _Screen(sys.stdout), 2: _Screen(sys.stderr if shows else hidden_output)}
    spent_s = 0.0
    layers: Mapping[str, Any] = {}
    while True:
        job = _job(own, hand_in, shows=shows)
        show = lambda stream, data: screens[stream].show(data)  # noqa: E731
        with Walled(job, ledger, sandbox, show) as process:
            trouble = _serve_process(process, ledger, spent_s)
            spent_s += process.spent_s
            layers = process.layers or layers
        if trouble is None:
            if ledger.is_interrupted or own.unfit is not None or _is_complete(ledger):
                return layers
            own = replace(own, unfit=_BY_HAND_IN)
            screens.update(dict.fromkeys((1, 2), _Screen(hidden_output)))
            continue
        has_reported_all = ledger.current is None and not ledger.remaining
        if shows and ledger.current is not None:
            screens[1].show(b"F")  # as pytest would: the next process repeats this test unseen
        try:
            own = _charge_end(own, ledger, trouble)
        except RuntimeError as error:  # add its stderr, which was not shown
            raise RuntimeError(f"{error}\n{hidden_output.text}".strip()) from None
        if spent_s > _TIMES_AT_MOST * job.all_s:
            for name in ledger.remaining:
                ledger.end_test(name, OVER)
        if not ledger.remaining and ledger.tests and (has_reported_all or not shows):
            ledger.exit_code = 1
            return layers


def _is_complete(ledger: Ledger) -> bool:
    """Return whether all files were collected, and pytest ran to the end."""
    return ledger.exit_code in _FINISHED and not ledger.uncollected


def _serve_process(process: Walled, ledger: Ledger, spent_s: float) -> Trouble | None:
    """Serve the process to its end; return the trouble that ended it, or None."""
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


def _charge_end(own: OwnSettings, ledger: Ledger, trouble: Trouble) -> OwnSettings:
    """Charge the end of a process to a test in `ledger`; return the next process's settings."""
    if ledger.current is not None:
        ledger.end_test(ledger.current, trouble)
    elif not ledger.is_collected:
        if own.unfit is not None:
            raise RuntimeError(
                f"the tests have ended their process: {trouble.message} ({trouble.evidence})"
            )
        return replace(own, unfit=trouble.message)
    elif ledger.remaining:  # it ended between tests: unless one is charged, this goes on for ever
        ledger.end_test(ledger.remaining[0], trouble)
    if trouble.verdict is Verdict.TAMPERED:
        for name in ledger.remaining:
            ledger.end_test(name, trouble)
    return own


def _job(own: OwnSettings, hand_in: HandIn, *, shows: bool) -> WalledJob:
    limits, reach = own.limits, reach_of(own)
    compute_s, wait_s = limits.session_cpu_s, limits.session_wall_s
    late_s = max(_LEAST_LATE_S, _LATE * compute_s)
    is_coloured = shows and sys.stdout.isatty()
    if is_coloured and not any(each.startswith("--color") for each in own.arguments):
        own = replace(own, arguments=("--color=yes", *own.arguments))
    return WalledJob(
        start={
            "own": own.to_json(),
            "student": hand_in.student,
            "hand_in": packed_hand_in(hand_in).hex(),
            "limits": executor_limits(limits, session_cpu_s=compute_s),
        },
        readable=reach.readable,
        listed=reach.listed,
        folder=str(Path.cwd()),
        around=_AROUND,
        testing=_bounds(_TIMES * compute_s, _TIMES * compute_s + wait_s),
        late=_bounds(late_s, late_s),
        all_s=max(_LEAST_IN_ALL_S, _TIMES_IN_ALL * compute_s),
        shows=shows,
        has_terminal="--pdb" in own.arguments,
    )


def _bounds(cpu_s: float, wall_s: float) -> Bounds:
    return Bounds(cpu_s=cpu_s, wall_s=wall_s, memory_bytes=_MEMORY_BYTES)


class _Screen:
    """Shows the output of a process, with all terminal escapes but colours escaped."""

    def __init__(self, stream: Any) -> None:
        """Show it on `stream`."""
        self._stream: Final = stream
        # Incremental, as a read may end within a character.
        self._decoder: Final = codecs.getincrementaldecoder("utf-8")("replace")

    def show(self, data: bytes) -> None:
        """Show `data`."""
        parts = _COLOUR.split(self._decoder.decode(data))
        for place, part in enumerate(parts):
            is_colour = place % 2 == 1
            lines = part if is_colour else "\n".join(map(_line, part.split("\n")))
            self._stream.write(lines)
        self._stream.flush()


class _LastOutput:
    """Keeps the end of the output, for an error message."""

    text = ""

    def write(self, text: str) -> None:
        """Append `text`, and keep the last part."""
        self.text = (self.text + text)[-_MAX_OUTPUT_CHARS:]

    def flush(self) -> None:
        """Do nothing."""


def _line(text: str) -> str:
    start = "\r" if text.startswith("\r") else ""  # pytest overwrites the line
    return start + for_log(text.removeprefix("\r"))


# Where the tests run


def run_tests(
    own: OwnSettings,
    hand_in: HandIn,
    sandbox: Sandbox,
    send: Callable[..., None],
    known: Mapping[str, Any],
) -> int:
    """Run `own` tests on `hand_in` in this process; return the exit code of pytest.

    Results are sent with `send`; the `known` ones are only repeated.
    """
    from grader.plugins.own_tests.under_pytest.plugin import SubmissionPlugin  # noqa: PLC0415 - it imports pytest

    ours = (
        "--code-highlight=no",  # highlighting is part of the text, which is escaped
        "-Wignore:Module already imported so cannot be rewritten",
        *(f"--ignore={each}" for each in own.apart),
    )
    plugin = SubmissionPlugin(own, hand_in, sandbox, send, known)
    return _run([*ours, *own.arguments], own.configuration, [plugin])


def _run(arguments: Sequence[str], configuration: str | None, plugins: Sequence[object]) -> int:
    for variable in _CLEARED_VARIABLES:
        os.environ.pop(variable, None)
    os.environ["PYTHONSAFEPATH"] = "1"  # workers of xdist would import from the current folder
    import pytest  # noqa: PLC0415 - it takes long

    gc.freeze()  # pytest runs full collections at its end: skip what is loaded by now
    with TemporaryDirectory() as folder:
        empty_file = Path(folder) / "pytest.ini"
        empty_file.write_text(_NO_SETTINGS, encoding="utf-8")
        file = configuration or str(empty_file)
        # Ids are relative to the root, which would be where the configuration lies; and the cache
        # would be a folder there.
        ours = ["-c", file, f"--rootdir={Path.cwd()}", "-p", "no:cacheprovider"]
        return int(pytest.main([*ours, *arguments], plugins))
