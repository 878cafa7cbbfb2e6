"""The results of the tests of a hand-in, as the process of the tests reports them.

That process is not trusted: see `grader.executor.enclosing`. It lists its tests, then reports the
start and the result of each test, one by one. Any other message, or a repeated one, is refused, and
the process is stopped.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from grader.plugins.own_tests.bridge.checked_shapes import (
    as_int,
    as_list,
    as_name,
    as_pair,
    as_parts,
    as_text,
)
from grader.plugins.own_tests.bridge.wire import Malformed
from grader.plugins.own_tests.proxying.records import GradedTest, RaisedInTest
from grader.plugins.own_tests.proxying.troubles import Trouble
from grader.verdict import Verdict

_MAX_TESTS: Final = 20_000
MAX_REPORT_BYTES: Final = 1 << 27
"""The limit on all reports on a hand-in, which are kept until its record is complete."""
_MAX_NODES: Final = 1_000_000
_MAX_NAME_CHARS: Final = 2_000
MAX_TEXT_CHARS: Final = 200_000
"""The limit on each string in the report of a test."""
MISSING_FILE: Final = "wanted"
"""The key of the fact that contains the path of a file that a failed test could not open."""
MAX_POINTS: Final = 1e6
_MAX_LINE_NUMBER: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedResult:
    """The result of a test as its process reported it."""

    graded: GradedTest | None
    """None if the test was skipped, or expected to fail."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Other properties of pytest's reports, such as recorded steps."""
    reports: str = "[]"
    """The reports of pytest as JSON, for the next process of the same tests. They are kept as text,
    which needs a thirtieth of the memory that nested lists need."""


class CollectedTest(NamedTuple):
    """The facts about a test that are known from collection; its result cannot change them."""

    max_points: float
    title: str
    """The first sentence of the test's docstring."""
    number: str
    is_hidden: bool
    failure_text: str
    """The text that replaces the failure message for students."""
    display_name: str
    """The name that students see, as the id of a test may contain values."""
    counts_points: bool
    """Whether the test is allowed to count its points itself. Otherwise `max_points` applies."""

    def limit_points(self, points: float, maximum: float) -> tuple[float, float]:
        """Return points and maximum points, limited to what this test is allowed to report.

        A test that counts its points itself can report negative points.
        """
        maximum = maximum if self.counts_points else self.max_points
        return min(points if self.counts_points else max(points, 0.0), maximum), maximum


class Ledger:
    """Checks and stores the reports of the tests of one hand-in."""

    def __init__(self) -> None:
        """Start without reports."""
        self.tests: Final[dict[str, CollectedTest]] = {}
        """The collected tests, by id."""
        self.results: Final[dict[str, ReportedResult]] = {}
        self.uncollected: Final[list[str]] = []
        """Files in which no test could be collected."""
        self.clashes: Final[dict[str, str]] = {}
        """Modules that both the tests and the submission have, with the tests' paths."""
        self.current: str | None = None
        """The id of the test that is being run, or None."""
        self.counted_points: tuple[float, float] | None = None
        """The points that the current test has counted itself, and the maximum points; None if it
        has not counted any."""
        self.is_collected = False
        self.exit_code: int | None = None
        self.is_interrupted = False
        """Whether the user has stopped the tests by Ctrl-C."""
        self._nodes = 0
        """The number of objects in all facts that are stored."""
        self.report_bytes = 0
        """The total size of the reports from all processes, as counted by their receiver."""
        self._handlers: Final[dict[str, Callable[[Any], None]]] = {
            "collected": self._record_collected,
            "begin": self._record_start,
            "score": self._record_score,
            "tested": self._record_result,
            "finished": self._record_end,
        }

    def process_message(self, message: Any) -> None:
        """Process one message from the process of the tests; raises `Malformed` if invalid."""
        if type(message) is not dict or len(message) != 1:
            raise Malformed("expected one message of one kind")
        ((kind, content),) = message.items()
        handle = self._handlers.get(kind)
        if handle is None:
            raise Malformed("unknown kind of message")
        handle(content)

    def begin_process(self) -> None:
        """Expect messages from a new process, which collects the tests again."""
        self.is_collected, self.current, self.counted_points = False, None, None
        self.exit_code = None

    def _record_collected(self, content: Any) -> None:
        """Store the collected tests, the uncollected files and the clashes.

        Raises `Malformed` if they are invalid, too many, or listed twice by the same process.
        """
        encoded_tests, uncollected, clashes = map(as_list, as_parts(content, 3))
        if self.is_collected or len(encoded_tests) + len(clashes) > _MAX_TESTS:
            raise Malformed(f"tests are listed twice, or more than {_MAX_TESTS:,} are listed")
        for encoded in encoded_tests:
            name, *properties = as_parts(encoded, 8)
            # A later process cannot change what the first one has reported about a test.
            self.tests.setdefault(_read_id(name), _read_collected_test(*properties))
        self.uncollected[:] = [_read_id(file) for file in as_list(uncollected)[:_MAX_TESTS]]
        self.clashes.update(
            (_read_id(name), _read_id(path)) for name, path in map(as_pair, clashes)
        )
        self.is_collected = True

    def _record_start(self, content: Any) -> None:
        """Make a test the current one; raises `Malformed` if it must not start now."""
        name = _read_id(content)
        if self.current is not None or name not in self.tests or name in self.results:
            raise Malformed("a test starts that is unknown, has a result, or overlaps with another")
        self.current, self.counted_points = name, None

    def _record_score(self, content: Any) -> None:
        """Store the points that the current test has counted so far.

        Raises `Malformed` if they are invalid, or no test is running.
        """
        points, maximum = as_parts(content, 2)
        if self.current is None:
            raise Malformed("points were reported while no test was running")
        self.counted_points = _read_points(points), _read_points(maximum)

    def _record_result(self, content: Any) -> None:
        """Store the result of the current test; raises `Malformed` if it is invalid."""
        name, encoded_result, facts, reports = as_parts(content, 4)
        if self.current is None or _read_id(name) != self.current:
            raise Malformed("the result belongs to a test that is not running")
        if type(facts) is not dict:
            raise Malformed("expected the facts of a test as an object")
        test = self.tests[self.current]
        graded = (
            None if encoded_result is None else _read_result(self.current, test, encoded_result)
        )
        self._nodes += _count_objects(facts, _MAX_NODES - self._nodes)
        self._end_current(
            ReportedResult(graded=graded, facts=facts, reports=json.dumps(as_list(reports)))
        )

    def _end_current(self, result: ReportedResult) -> None:
        """Store the result of the current test, which is then over."""
        assert self.current is not None, "a test is being run"
        self.results[self.current] = result
        self.current, self.counted_points = None, None

    def _record_end(self, content: Any) -> None:
        """Store the exit code of pytest; raises `Malformed` if there is one already."""
        if self.exit_code is not None:
            raise Malformed("the exit code of pytest was reported twice")
        self.exit_code, self.current = as_int(content), None

    # Results that the process does not report

    def end_test(self, name: str, trouble: Trouble) -> None:
        """Store the result of the test called `name`, which ended with `trouble`.

        The test keeps the points that it has counted by then.
        """
        collected_test = self.tests[name]
        points, maximum = 0.0, collected_test.max_points
        if name == self.current and self.counted_points is not None:
            points, maximum = collected_test.limit_points(*self.counted_points)
        description = f"{trouble.verdict}: {trouble.message} ({trouble.evidence})"
        file, name_in_file = _file_and_name(name)
        graded = GradedTest(
            file=file,
            name=name_in_file,
            verdict=trouble.verdict,
            points=points,
            max_points=maximum,
            evidence=description,
            title=collected_test.title,
            number=collected_test.number,
            is_hidden=collected_test.is_hidden,
            failure_text=collected_test.failure_text,
            display_name=collected_test.display_name,
        )
        self.current = name  # the test need not have started
        self._end_current(ReportedResult(graded=graded, reports=json.dumps(description)))

    def reports_to_repeat(self, *, with_reports: bool) -> dict[str, Any]:
        """Return pytest's reports on the tests that have a result, as a dict keyed by test id.

        Without `with_reports`, an empty string replaces the reports on each test. The reports are
        not trusted.
        """
        return {
            name: json.loads(result.reports) if with_reports else ""
            for name, result in self.results.items()
        }

    @property
    def remaining(self) -> list[str]:
        """The ids of the tests without a result."""
        return [name for name in self.tests if name not in self.results]


def _count_objects(value: Any, limit: int) -> int:
    """Return the number of objects in `value`; raises `Malformed` if it exceeds `limit`."""
    # With a list instead of recursion, because hostile JSON can be nested deeply.
    count, pending = 0, [value]
    while pending:
        item = pending.pop()
        count += 1
        if count > limit:
            raise Malformed(f"the facts about the tests contain more than {_MAX_NODES:,} objects")
        if type(item) is dict:
            pending += item.values()
        elif type(item) is list:
            pending += item
    return count


def _read_id(encoded: Any) -> str:
    """Return the id of a test, or the name of a file or module; raises `Malformed` if invalid.

    Lone surrogates are replaced, so that the id can be printed.
    """
    text = as_text(encoded)
    if not 0 < len(text) <= _MAX_NAME_CHARS or "\0" in text:
        raise Malformed(
            f"the id of a test is empty, longer than {_MAX_NAME_CHARS:,} characters, or contains a"
            " null character"
        )
    return text.encode("utf-8", "replace").decode()


def _file_and_name(name: str) -> tuple[str, str]:
    """Return the file of a test and its name in the file."""
    file, _, test = name.partition("::")
    return file, test


def _read_points(value: Any) -> float:
    """Return a number of points; raises `Malformed` if it is not within the limits."""
    if type(value) not in {int, float} or not abs(value) <= MAX_POINTS:  # also refuses NaN
        raise Malformed(f"expected a number of points from {-MAX_POINTS:,.0f} to {MAX_POINTS:,.0f}")
    return float(value)


def _read_text(encoded: Any) -> str:
    """Return a string; raises `Malformed` if it is too long."""
    text = as_text(encoded)
    if len(text) > MAX_TEXT_CHARS:
        raise Malformed(f"a string in a report is longer than {MAX_TEXT_CHARS:,} characters")
    return text


def _read_collected_test(
    maximum: Any,
    title: Any,
    number: Any,
    is_hidden: Any,
    failure_text: Any,
    display_name: Any,
    counts_points: Any,
) -> CollectedTest:
    """Return the collected test that a message describes; raises `Malformed` if it is invalid."""
    if type(is_hidden) is not bool or type(counts_points) is not bool:
        raise Malformed("expected whether a test is hidden and counts points as bools")
    clipped_title = as_text(title)[:MAX_TEXT_CHARS]
    return CollectedTest(
        max_points=_read_points(maximum),
        title=clipped_title,
        number=as_name(number),
        is_hidden=is_hidden,
        failure_text=as_name(failure_text),
        display_name=_read_id(display_name),
        counts_points=counts_points,
    )


def _read_result(name: str, collected_test: CollectedTest, encoded: Any) -> GradedTest:
    """Return the result of the test called `name`; raises `Malformed` if its report is invalid."""
    verdict, points, maximum, evidence, title, summary, raised = as_parts(encoded, 7)
    try:
        parsed_verdict = Verdict(as_text(verdict))
    except ValueError:
        raise Malformed("unknown verdict") from None
    file, name_in_file = _file_and_name(name)
    points, maximum = collected_test.limit_points(_read_points(points), _read_points(maximum))
    return GradedTest(
        file=file,
        name=name_in_file,
        verdict=parsed_verdict,
        points=points,
        max_points=maximum,
        evidence=_read_text(evidence),
        title=_read_text(title),
        summary=_read_text(summary),
        raised=None if raised is None else _read_raised(raised),
        number=collected_test.number,
        is_hidden=collected_test.is_hidden,
        failure_text=collected_test.failure_text,
        display_name=collected_test.display_name,
    )


def _read_raised(encoded: Any) -> RaisedInTest:
    """Return the exception with which a test ended; raises `Malformed` if it is invalid."""
    type_name, summary, is_own, file, line, function = as_parts(encoded, 6)
    if type(is_own) is not bool or not 0 <= as_int(line) <= _MAX_LINE_NUMBER:
        raise Malformed("expected whose exception it is as a bool, and a valid line number")
    return RaisedInTest(
        type=as_name(type_name),
        summary=_read_text(summary),
        is_own=is_own,
        file=_read_text(file),
        line=line,
        function=as_name(function),
    )
