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
from grader.plugins.own_tests.proxying.ledger import MAX_POINTS, MISSING_FILE
from grader.plugins.own_tests.proxying.records import RaisedInTest
from grader.plugins.own_tests.proxying.tracebacks import SHOWN_FOLDER
from grader.plugins.own_tests.proxying.troubles import Trouble, trouble_from_executor_limit
from grader.plugins.own_tests.proxying.workbench import Workbench
from grader.plugins.own_tests.under_pytest.decorators import (
    DecoratorValues,
    forget_score,
    read_decorated,
    read_score,
)
from grader.values.foreign_text import one_line
from grader.verdict import Verdict

FACTS: Final = frozenset({"title", "said", "raised", "verdict", "points", "max_points"})
"""Properties of a report that go into the record; other properties belong to the test."""
COUNTING: Final = frozenset({"score", "max_score"})
"""The fixtures with which a test can count its points itself."""
_SENTENCE: Final = re.compile(r"(.+?[.!?])(?:\s|$)")
_OWN_MODULES: Final = ("grader.plugins.own_tests.bridge", "grader.plugins.own_tests.proxying")
_SUBMISSION_PREFIX: Final = f"{SHOWN_FOLDER}/"
_PROCESS_MODULES: Final = frozenset(
    {"multiprocessing.synchronize", "multiprocessing.shared_memory"}
)
"""Modules for locks and memory that processes share."""
_DECORATED: Final = pytest.StashKey[DecoratorValues]()
_WRONG_RESULT: Final = (AssertionError, doctest.DocTestFailure, pytest.fail.Exception)
"""Exceptions that mean that a test got a result other than the one it expects."""
CANNOT_BE_SHOWN: Final = "how the test failed cannot be shown"
"""The reason that is given if the failure of a test cannot be shown."""


class Reports:
    """Completes pytest's reports, and fails every test that has trouble."""

    def __init__(
        self, workbench: Workbench, folders: tuple[Path, ...], send: Callable[..., None]
    ) -> None:
        """Report the trouble that `workbench` records, for tests in `folders`.

        Points that a test counts are sent immediately with `send`, as the test may never finish.
        """
        self._workbench: Final = workbench
        self._folders: Final = folders
        self._counted_points: Final = CountedPoints(send)
        self.is_calling = False
        """Whether a test itself is running, rather than a fixture."""
        self._failed_subtests: list[pytest.TestReport] = []

    def begin(self, item: pytest.Item) -> None:
        """Begin a test: discard the points and the trouble of the previous test.

        If the values of the test's decorators are invalid, record that as trouble.
        """
        self._counted_points.points_and_maximum = None
        forget_score(_test_function(item))
        self._workbench.troubles.clear()
        self._workbench.last_raised = None
        if problem := decorated_values(item).problem:
            trouble = Trouble(
                verdict=Verdict.FAULT, message=f"{item.name}: {problem}", evidence="decorator"
            )
            self._workbench.troubles.append(trouble)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        """Record that a test is running: until it ends, reports belong to its subtests."""
        self.is_calling = True
        self._failed_subtests.clear()
        try:
            return (yield)
        finally:
            self.is_calling = False

    # The outermost wrapper sees the report with the changes of all other plug-ins.
    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Complete a report; a test with trouble fails, even if it swallowed the exception.

        The recorded trouble is then cleared. If the submission prevents pytest from showing the
        failure, return a plain report instead.
        """
        self._workbench.is_reporting = True
        try:
            report = yield
            report.user_properties[:] = [
                entry for entry in report.user_properties if entry[0] not in FACTS
            ]
            report.user_properties += _facts_of(item, call, report)
        # To show a value, pytest runs its `__repr__`, which may belong to the submission.
        except Exception as error:
            if passes_through(error, self._folders):
                raise
            trouble = Trouble(
                verdict=Verdict.ERROR, message=CANNOT_BE_SHOWN, evidence=type(error).__name__
            )
            report = self.report_of_stopped_test(item, _describe(trouble))
            report.user_properties.append(("verdict", trouble.verdict.value))
            self._add_points(item, report)
            if self.is_calling:
                self._failed_subtests.append(report)
            return report
        finally:
            self._workbench.is_reporting = False
        if self.is_calling:
            if report.outcome == "failed":
                report.user_properties.append(("verdict", _failure_verdict(call).value))
                self._failed_subtests.append(report)
            return report
        if call.when == "call":
            self._judge(item, call, report)
        self._apply_trouble(call, report)
        if call.when == "call" or report.outcome == "failed":
            self._add_points(item, report)
        return report

    def _judge(
        self, item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport
    ) -> None:
        """Add the verdict on a failed test to its report.

        If a module of the submission is absent, record that as trouble. Make a test that passed
        fail if one of its subtests has failed.
        """
        if (reason := _reason_of_absent_module(item)) is not None:
            summary = f"the submission could not be imported: {reason!r}"
            trouble = Trouble(verdict=Verdict.SKIPPED, message=summary, evidence="import")
            self._workbench.troubles.append(trouble_from_executor_limit(reason) or trouble)
            report.user_properties += exception_fact(reason)
        elif report.outcome == "failed":
            error = None if call.excinfo is None else call.excinfo.value
            verdict = Verdict.FAULT if _needs_shared_memory(error) else _failure_verdict(call)
            report.user_properties.append(("verdict", verdict.value))
        elif report.outcome == "passed" and self._failed_subtests:
            # pytest lets a test pass even if its subtests fail.
            first_failed = self._failed_subtests[0]
            report.outcome, report.longrepr = "failed", first_failed.longrepr
            report.user_properties += first_failed.user_properties

    def _apply_trouble(self, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
        """Make the test fail with the first recorded trouble, if there is any.

        Then clear the recorded trouble.
        """
        if self._workbench.troubles:
            trouble = self._workbench.troubles[0]
            if report.outcome != "failed" or call.when == "call":
                report.outcome = "failed"
                report.longrepr = _describe(trouble)
            report.user_properties.append(("verdict", trouble.verdict.value))
            self._workbench.troubles.clear()

    def report_of_stopped_test(self, item: pytest.Item, summary: str) -> pytest.TestReport:
        """Return the report for a test that had to be stopped, with the text `summary`."""
        keywords: Any = dict.fromkeys(item.keywords, 1)  # as pytest makes them
        return pytest.TestReport(item.nodeid, item.location, keywords, "failed", summary, "call")

    def _add_points(self, item: pytest.Item, report: pytest.TestReport) -> None:
        """Add the points of a test to its report.

        A test that counts or sets its own points fails unless they are the maximum.
        """
        maximum, own_score, complaint = max_points(item), None, None
        try:
            own_score = read_score(_test_function(item))
        except ValueError as error:
            own_score, complaint = 0.0, str(error)
        if self._counted_points.points_and_maximum is not None:
            points, maximum = self._counted_points.points_and_maximum
            # 0 of 0 points are too few: the test ended before it counted anything.
            is_short = not 0 < points == maximum
        elif own_score is not None:
            points = min(max(own_score, 0.0), maximum)
            is_short = points < maximum or complaint is not None
        else:
            points, is_short = (maximum if report.outcome == "passed" else 0.0), False
        points = 0.0 if _reason_of_absent_module(item) is not None else points
        if report.outcome == "passed" and is_short:
            report.outcome = "failed"
            report.longrepr = complaint or f"{points:g} of {maximum:g} points"
            report.user_properties.append(("verdict", Verdict.WRONG.value))
            report.user_properties += exception_fact(self._workbench.last_raised)
        report.user_properties.append(("points", float(points)))
        report.user_properties.append(("max_points", float(maximum)))

    @pytest.fixture
    def score(self) -> Score:
        """The points that a test has earned."""
        return Score(self._counted_points, 0)

    @pytest.fixture
    def max_score(self) -> Score:
        """The points that a test can earn."""
        return Score(self._counted_points, 1)


class CountedPoints:
    """The points and maximum points that a test has counted so far."""

    def __init__(self, send: Callable[..., None]) -> None:
        """Start without points, and send the points with `send` after each change."""
        self._send: Final = send
        self.points_and_maximum: list[float] | None = None

    def set(self, index: int, points: float) -> None:
        """Set the points (index 0) or the maximum points (index 1)."""
        self.points_and_maximum = self.points_and_maximum or [0.0, 0.0]
        self.points_and_maximum[index] = float(points)
        self._send(score=self.points_and_maximum)


class Score:
    """Points that a test counts, with the interface of `multiprocessing.Value`."""

    def __init__(self, counted_points: CountedPoints, index: int) -> None:
        """Count the points at `index` of `counted_points`, starting from 0."""
        self._counted_points: Final = counted_points
        self._index: Final = index
        counted_points.set(index, 0.0)

    @property
    def value(self) -> float:
        """The points so far."""
        return (self._counted_points.points_and_maximum or [0.0, 0.0])[self._index]

    @value.setter
    def value(self, points: float) -> None:
        self._counted_points.set(self._index, points)

    def get_lock(self) -> Score:
        """Return itself, for a `with` statement."""
        return self

    def __enter__(self) -> None:
        """Do nothing, as there is only one process."""

    def __exit__(self, *_error: object) -> None:
        """Do nothing."""


def _failure_verdict(call: pytest.CallInfo[None]) -> Verdict:
    """Return the verdict on a test or subtest that failed without trouble."""
    is_wrong = call.excinfo is not None and call.excinfo.errisinstance(_WRONG_RESULT)
    return Verdict.WRONG if is_wrong else Verdict.ERROR


def _needs_shared_memory(error: BaseException | None) -> bool:
    """Return whether a test failed because its processes cannot share memory behind the wall."""
    if not isinstance(error, OSError):
        return False
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return bool(frames) and frames[-1].f_globals.get("__name__") in _PROCESS_MODULES


def _describe(trouble: Trouble) -> str:
    return f"{trouble.verdict}: {trouble.message} ({trouble.evidence})"


def _reason_of_absent_module(item: pytest.Item) -> BaseException | None:
    """Return why a module that a test's file imports is absent, or None if none is absent."""
    values = vars(getattr(item, "module", None) or object).values()
    return next((reason_of(value) for value in values if reason_of(value) is not None), None)


def passes_through(error: BaseException, folders: tuple[Path, ...]) -> bool:
    """Return whether `error` was raised by, or passed through, a file in one of `folders`."""
    frames = traceback.walk_tb(error.__traceback__)
    files = (Path(frame.f_code.co_filename) for frame, _ in frames)
    return any(file.is_relative_to(folder) for file in files for folder in folders)


def decorated_values(item: pytest.Item) -> DecoratorValues:
    """Return the values that decorators set on a test.

    They are read at the first call, and stored on `item`.
    """
    if _DECORATED not in item.stash:
        item.stash[_DECORATED] = read_decorated(_test_function(item))
    return item.stash[_DECORATED]


def _test_function(item: pytest.Item) -> object:
    """Return the function or method of a test, or None for a test without one."""
    return getattr(item, "obj", None)


def max_points(item: pytest.Item) -> float:
    """Return the maximum points of a test: its weight, else its marker `points`, else 1.

    Raises `pytest.UsageError` if the marker has anything other than a number within the limits.
    """
    if (weight := decorated_values(item).weight) is not None:
        return weight
    marker = item.get_closest_marker("points")
    if marker is None or not marker.args:
        return 1.0
    points = marker.args[0]
    if isinstance(points, int | float) and 0 <= points <= MAX_POINTS:  # nor NaN
        return float(points)
    raise pytest.UsageError(
        f"{one_line(item.nodeid)}: the marker points has {one_line(repr(points), 60)};"
        f" write a number from 0 to {MAX_POINTS:,.0f}"
    )


def _facts_of(
    item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport
) -> Iterator[tuple[str, object]]:
    """Yield the facts about a test other than its verdict and points, as plain data."""
    yield "title", first_sentence(getattr(item, "obj", None))
    if call.excinfo is None or report.outcome != "failed":
        return
    error, crash = call.excinfo.value, getattr(report.longrepr, "reprcrash", None)
    summary = getattr(crash, "message", "")
    if isinstance(error, doctest.UnexpectedException):
        yield from exception_fact(error.exc_info[1])
        return
    if isinstance(error, doctest.DocTestFailure):
        summary = f"{error.example.source}expected: {error.example.want}got: {error.got}"
    raised = _raised_in_test(error, summary)
    yield "said", summary
    yield "raised", asdict(raised)
    if isinstance(error, OSError) and isinstance(error.filename, str) and not raised.is_own:
        # If this file exists, the wall hid it from the test, which is no fault of the submission.
        yield MISSING_FILE, os.path.abspath(error.filename)


def exception_fact(error: BaseException | None) -> Iterator[tuple[str, object]]:
    """Yield what to report about `error`, an exception that the test caught, unless it is None.

    Its text is left out if the submission did not raise it. Yields nothing if the text cannot be
    read.
    """
    if error is not None:
        # `__str__` belongs to the submission, and can raise any exception.
        with suppress(BaseException):
            summary = "".join(traceback.format_exception_only(error)).strip()
            yield "raised", asdict(_raised_in_test(error, summary))


def _raised_in_test(error: BaseException, summary: str) -> RaisedInTest:
    """Return the facts about an exception; `summary` is the text that describes it.

    The summary is kept only if the submission raised the exception.
    """
    file, line, function = "", 0, ""
    # An exception that was never raised here is the reason why a module is absent.
    is_own = error.__traceback__ is None
    for frame, line_number in traceback.walk_tb(error.__traceback__):
        path = frame.f_code.co_filename
        module_name = frame.f_globals.get("__name__", "")
        if path.startswith(_SUBMISSION_PREFIX):
            file, line = path.removeprefix(_SUBMISSION_PREFIX), line_number
            function, is_own = frame.f_code.co_name, True
        else:
            is_own = isinstance(module_name, str) and module_name.startswith(_OWN_MODULES)
    return RaisedInTest(
        type=type(error).__name__,
        summary=summary if is_own else "",
        is_own=is_own,
        file=file,
        line=line,
        function=function,
    )


def first_sentence(test: object) -> str:
    """Return the first sentence of a test's docstring, or "" if it has none."""
    text = " ".join((inspect.getdoc(test) or "").partition("\n\n")[0].split())
    match = _SENTENCE.match(text)
    return match[1] if match else text
