"""Adds to pytest's report of a test its verdict, its points, and facts for the record."""

from __future__ import annotations

import doctest
import inspect
import os
import re
import traceback
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import pytest

from grader.plugins.own_tests.proxying.finder import reason_of
from grader.plugins.own_tests.proxying.ledger import WANTED
from grader.plugins.own_tests.proxying.link import Trouble
from grader.plugins.own_tests.proxying.records import RaisedInTest
from grader.plugins.own_tests.proxying.tracebacks import SHOWN_IN
from grader.plugins.own_tests.proxying.workbench import Workbench, lack_of
from grader.plugins.own_tests.under_pytest.decorated import (
    Decorated,
    forget_score,
    read_decorated,
    score_of,
)
from grader.verdict import Verdict

FACTS: Final = frozenset({"title", "said", "raised", "verdict", "points", "max_points"})
"""Properties of a report that go into the record; others are the test's own."""
COUNTING: Final = frozenset({"score", "max_score"})
"""The fixtures with which a test counts its points itself."""
_SENTENCE: Final = re.compile(r"(.+?[.!?])(?:\s|$)")
_OWN_MODULES: Final = ("grader.plugins.own_tests.bridge", "grader.plugins.own_tests.proxying")
_SUBMISSION_PREFIX: Final = f"{SHOWN_IN}/"
_WRONG: Final = (AssertionError, doctest.DocTestFailure, pytest.fail.Exception)
"""Exceptions of a test that got another result than it expects."""
UNSHOWN: Final = "how the test failed cannot be shown"


class Reports:
    """Completes the reports of pytest, and fails every test with trouble."""

    def __init__(
        self, workbench: Workbench, folders: tuple[Path, ...], send: Callable[..., None]
    ) -> None:
        """Report the troubles on `workbench`, for tests in `folders`.

        Points that a test counts are sent with `send` at once, as the test may not run to its end.
        """
        self._workbench: Final = workbench
        self._folders: Final = folders
        self._board: Final = CountedPoints(send)
        self.is_calling = False
        """Whether a test itself runs, and not a fixture."""
        self._failed_within: list[pytest.TestReport] = []

    def begin(self, item: pytest.Item) -> None:
        """Begin a test: discard points and troubles of the previous one."""
        self._board.counted = None
        forget_score(_test_of(item))
        self._workbench.troubles.clear()
        self._workbench.last_raised = None
        if wrong := decorated_values(item).wrong:
            trouble = Trouble(
                verdict=Verdict.FAULT, message=f"{item.name}: {wrong}", evidence="decorator"
            )
            self._workbench.troubles.append(trouble)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        """Note that a test runs, so that reports until its end are of subtests."""
        self.is_calling = True
        self._failed_within.clear()
        try:
            return (yield)
        finally:
            self.is_calling = False

    # The outermost wrapper sees the report as other plug-ins have left it.
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Complete a report; a test with trouble fails, even if it swallowed the exception."""
        self._workbench.is_reporting = True
        try:
            report = yield
            recorded = [each for each in report.user_properties if each[0] not in FACTS]
            report.user_properties[:] = recorded
            report.user_properties += _facts_of(item, call, report)
        # Showing a value runs its `__repr__`, which may be the submission's.
        except Exception as error:
            if passed_through(error, self._folders):
                raise
            trouble = Trouble(verdict=Verdict.ERROR, message=UNSHOWN, evidence=type(error).__name__)
            report = self.failed(item, _trouble_text(trouble))
            report.user_properties.append(("verdict", trouble.verdict.value))
            self._count(item, report)
            if self.is_calling:
                self._failed_within.append(report)
            return report
        finally:
            self._workbench.is_reporting = False
        if self.is_calling:
            if report.outcome == "failed":
                report.user_properties.append(("verdict", _verdict_of(call).value))
                self._failed_within.append(report)
            return report
        if call.when == "call":
            self._judge(item, call, report)
        self._note_troubles(call, report)
        if call.when == "call" or report.outcome == "failed":
            self._count(item, report)
        return report

    def _judge(
        self, item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport
    ) -> None:
        """Add the verdict on a test to its report."""
        if (reason := _absent_reason(item)) is not None:
            summary = f"the submission could not be imported: {reason!r}"
            trouble = Trouble(verdict=Verdict.SKIPPED, message=summary, evidence="import")
            self._workbench.troubles.append(lack_of(reason) or trouble)
            report.user_properties += swallowed(reason)
        elif report.outcome == "failed":
            error = None if call.excinfo is None else call.excinfo.value
            verdict = Verdict.FAULT if _is_of_processes(error) else _verdict_of(call)
            report.user_properties.append(("verdict", verdict.value))
        elif report.outcome == "passed" and self._failed_within:
            first = self._failed_within[0]  # pytest lets a test pass whose subtests fail
            report.outcome, report.longrepr = "failed", first.longrepr
            report.user_properties += first.user_properties

    def _note_troubles(self, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
        """Let the first trouble of the submission override the outcome of the test."""
        if self._workbench.troubles:
            trouble = self._workbench.troubles[0]
            if report.outcome != "failed" or call.when == "call":
                report.outcome = "failed"
                report.longrepr = _trouble_text(trouble)
            report.user_properties.append(("verdict", trouble.verdict.value))
            self._workbench.troubles.clear()

    def failed(self, item: pytest.Item, summary: str) -> pytest.TestReport:
        """Return the report of a test that was ended, with the text `summary`."""
        keywords: Any = dict.fromkeys(item.keywords, 1)  # as pytest makes them
        return pytest.TestReport(item.nodeid, item.location, keywords, "failed", summary, "call")

    def _count(self, item: pytest.Item, report: pytest.TestReport) -> None:
        """Add the points of a test; one that counts them passes only with all of them."""
        maximum, scored, complaint = max_points(item), None, None
        try:
            scored = score_of(_test_of(item))
        except ValueError as error:
            scored, complaint = 0.0, str(error)
        if self._board.counted is not None:
            points, maximum = self._board.counted
            is_short = not 0 < points == maximum  # also if it ended before it counted anything
        elif scored is not None:
            points = min(max(scored, 0.0), maximum)
            is_short = points < maximum or complaint is not None
        else:
            points, is_short = (maximum if report.outcome == "passed" else 0.0), False
        points = 0.0 if _absent_reason(item) is not None else points
        if report.outcome == "passed" and is_short:
            report.outcome = "failed"
            report.longrepr = complaint or f"{points:g} of {maximum:g} points"
            report.user_properties.append(("verdict", Verdict.WRONG.value))
            report.user_properties += swallowed(self._workbench.last_raised)
        report.user_properties.append(("points", float(points)))
        report.user_properties.append(("max_points", float(maximum)))

    @pytest.fixture
    def score(self) -> Score:
        """The points that a test has earned."""
        return Score(self._board, 0)

    @pytest.fixture
    def max_score(self) -> Score:
        """The points that a test can earn."""
        return Score(self._board, 1)


class CountedPoints:
    """The points that a test has counted so far, and the maximum."""

    def __init__(self, send: Callable[..., None]) -> None:
        """Begin without any, and send each change with `send`."""
        self._send: Final = send
        self.counted: list[float] | None = None

    def set(self, index: int, points: float) -> None:
        """Set the points at place 0, or the maximum at place 1."""
        self.counted = self.counted or [0.0, 0.0]
        self.counted[index] = float(points)
        self._send(score=self.counted)


class Score:
    """Points that a test counts, with the interface of `multiprocessing.Value`."""

    def __init__(self, board: CountedPoints, index: int) -> None:
        """Count at a place of `board`."""
        self._board: Final = board
        self._index: Final = index
        board.set(index, 0.0)

    @property
    def value(self) -> float:
        """The points so far."""
        return (self._board.counted or [0.0, 0.0])[self._index]

    @value.setter
    def value(self, points: float) -> None:
        self._board.set(self._index, points)

    def get_lock(self) -> Score:
        """Return itself, for `with`."""
        return self

    def __enter__(self) -> None:
        """Do nothing: there is one process only."""

    def __exit__(self, *_error: object) -> None:
        """Do nothing."""


def _verdict_of(call: pytest.CallInfo[None]) -> Verdict:
    """Return the verdict on a test or subtest that failed without trouble."""
    is_wrong = call.excinfo is not None and call.excinfo.errisinstance(_WRONG)
    return Verdict.WRONG if is_wrong else Verdict.ERROR


def _is_of_processes(error: BaseException | None) -> bool:
    """Return whether a test failed to share memory or a lock between processes."""
    if not isinstance(error, OSError):
        return False
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return bool(frames) and frames[-1].f_globals.get("__name__") in _OF_PROCESSES


_OF_PROCESSES: Final = frozenset({"multiprocessing.synchronize", "multiprocessing.shared_memory"})


def _trouble_text(trouble: Trouble) -> str:
    return f"{trouble.verdict}: {trouble.message} ({trouble.evidence})"


def _absent_reason(item: pytest.Item) -> BaseException | None:
    """Return why a module that the file of a test imports is absent, None if all are there."""
    names = vars(getattr(item, "module", None) or object).values()
    return next((reason_of(each) for each in names if reason_of(each) is not None), None)


def passed_through(error: BaseException, folders: tuple[Path, ...]) -> bool:
    """Return whether `error` went through a file in `folders`, such as a conftest.py."""
    frames = traceback.walk_tb(error.__traceback__)
    files = (Path(frame.f_code.co_filename) for frame, _ in frames)
    return any(file.is_relative_to(folder) for file in files for folder in folders)


def decorated_values(item: pytest.Item) -> Decorated:
    """Return the values that decorators set on a test, read once and kept on `item`."""
    if _DECORATED not in item.stash:
        item.stash[_DECORATED] = read_decorated(_test_of(item))
    return item.stash[_DECORATED]


_DECORATED: Final = pytest.StashKey[Decorated]()


def _test_of(item: pytest.Item) -> object:
    return getattr(item, "obj", None)


def max_points(item: pytest.Item) -> float:
    """Return the maximum points of a test."""
    if (weight := decorated_values(item).weight) is not None:
        return weight
    marker = item.get_closest_marker("points")
    return float(marker.args[0]) if marker is not None and marker.args else 1.0


def _facts_of(
    item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport
) -> Iterator[tuple[str, object]]:
    """Yield facts on a test besides its verdict, as plain data."""
    yield "title", first_sentence(getattr(item, "obj", None))
    if call.excinfo is None or report.outcome != "failed":
        return
    error, crash = call.excinfo.value, getattr(report.longrepr, "reprcrash", None)
    summary = getattr(crash, "message", "")
    if isinstance(error, doctest.UnexpectedException):
        yield from swallowed(error.exc_info[1])
        return
    if isinstance(error, doctest.DocTestFailure):
        summary = f"{error.example.source}expected: {error.example.want}got: {error.got}"
    raised = _raised_in_test(error, summary)
    yield "said", summary
    yield "raised", asdict(raised)
    if isinstance(error, OSError) and isinstance(error.filename, str) and not raised.is_own:
        yield WANTED, os.path.abspath(error.filename)


def swallowed(error: BaseException | None) -> Iterator[tuple[str, object]]:
    """Yield the fact of an exception of the submission that the test caught.

    Its text is left out if a function of the tests has raised it.
    """
    if error is not None:
        with suppress(BaseException):  # its `__str__` is the submission's, and may raise anything
            summary = "".join(traceback.format_exception_only(error)).strip()
            yield "raised", asdict(_raised_in_test(error, summary))


def _raised_in_test(error: BaseException, summary: str) -> RaisedInTest:
    """Return the facts on an exception, which pytest describes as `summary`."""
    file, line, function = "", 0, ""
    is_own = error.__traceback__ is None  # never raised: the reason of an absent module
    for frame, number in traceback.walk_tb(error.__traceback__):
        path = frame.f_code.co_filename
        module = frame.f_globals.get("__name__", "")
        if path.startswith(_SUBMISSION_PREFIX):
            file, line = path.removeprefix(_SUBMISSION_PREFIX), number
            function, is_own = frame.f_code.co_name, True
        else:
            is_own = isinstance(module, str) and module.startswith(_OWN_MODULES)
    return RaisedInTest(
        type=type(error).__name__,
        summary=summary if is_own else "",
        is_own=is_own,
        file=file,
        line=line,
        function=function,
    )


def first_sentence(test: object) -> str:
    """Return the first sentence of the docstring of a test."""
    text = " ".join((inspect.getdoc(test) or "").partition("\n\n")[0].split())
    found = _SENTENCE.match(text)
    return found[1] if found else text
