"""The results of the tests of a hand-in, as the process of the tests reports them.

That process is not trusted: see `grader.executor.enclosing`. It lists its tests, then reports the
start and the result of one after the other. Any other message, or a second one of a kind, is
refused, and ends the process.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from grader.plugins.own_tests.bridge.shapes import (
    as_int,
    as_list,
    as_name,
    as_pair,
    as_parts,
    as_text,
)
from grader.plugins.own_tests.bridge.wire import Malformed
from grader.plugins.own_tests.proxying.link import Trouble
from grader.plugins.own_tests.proxying.records import RaisedInTest, Tested
from grader.verdict import Verdict

_MAX_TESTS: Final = 20_000
MAX_REPORT_BYTES: Final = 1 << 27
"""Per hand-in: all reports are kept until its record is made."""
_MAX_NODES: Final = 1_000_000
_MAX_NAME_CHARS: Final = 2_000
MAX_TEXT_CHARS: Final = 200_000
"""Per text in the report of a test."""
WANTED: Final = "wanted"
"""The fact that names the file whose absence has ended a test."""
MAX_POINTS: Final = 1e6
_MAX_LINES: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The reported result of a test."""

    tested: Tested | None
    """None for a test that was skipped, or that was expected to fail."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Other properties of its reports, such as recorded steps."""
    reports: str = "[]"
    """The reports of pytest as JSON, for the next process of the same tests. They are kept as text,
    which takes a thirtieth of the memory of nested lists."""


class CollectedTest(NamedTuple):
    """What is known of a test from collection; its result cannot change it."""

    max_points: float
    title: str
    """The first sentence of its docstring."""
    number: str
    is_hidden: bool
    instead: str
    """What a student reads instead of what went wrong."""
    called: str
    """What a student reads instead of its id, which may contain values."""
    counts: bool
    """Whether it may count its points itself; any other has the points from collection."""

    def worth(self, points: float, most: float) -> tuple[float, float]:
        """Return `points` and `most`, within what this test may report."""
        most = most if self.counts else self.max_points
        return min(points if self.counts else max(points, 0.0), most), most


class Ledger:
    """Checks and keeps the reports of the tests of one hand-in."""

    def __init__(self) -> None:
        """Begin without reports."""
        self.planned: Final[dict[str, CollectedTest]] = {}
        """Each test by its id."""
        self.told: Final[dict[str, Told]] = {}
        self.uncollected: Final[list[str]] = []
        """Files in which no test could be collected."""
        self.clashes: Final[dict[str, str]] = {}
        """Modules that the tests have as well as the submission, with the paths of the tests'."""
        self.current: str | None = None
        """The test that is being run."""
        self.counted: tuple[float, float] | None = None
        """What it has counted itself: points, and maximum points."""
        self.is_collected = False
        self.exit_code: int | None = None
        self.is_interrupted = False
        """Whether the user has stopped them by Ctrl-C."""
        self._nodes = 0
        """The number of objects in all facts that are kept."""
        self.report_bytes = 0
        """The size of all reports, of all processes together."""
        self._takes: Final[dict[str, Callable[[Any], None]]] = {
            "collected": self._collected,
            "begin": self._begin,
            "score": self._score,
            "tested": self._tested,
            "finished": self._finished,
        }

    def take(self, message: Any) -> None:
        """Process one message; raises `Malformed`."""
        if type(message) is not dict or len(message) != 1:
            raise Malformed("a message that is none")
        ((kind, content),) = message.items()
        take = self._takes.get(kind)
        if take is None:
            raise Malformed("a kind of message that there is not")
        take(content)

    def begin_process(self) -> None:
        """Expect a new process, which collects the tests again."""
        self.is_collected, self.current, self.counted = False, None, None
        self.exit_code = None

    def _collected(self, content: Any) -> None:
        tests, uncollected, clashes = map(as_list, as_parts(content, 3))
        if self.is_collected or len(tests) + len(clashes) > _MAX_TESTS:
            raise Malformed("more tests than there are")
        for each in tests:
            name, *about = as_parts(each, 8)
            # A later process cannot change what the first one has said of a test.
            self.planned.setdefault(_id(name), _planned(*about))
        self.uncollected[:] = [_id(each) for each in as_list(uncollected)[:_MAX_TESTS]]
        self.clashes.update((_id(name), _id(place)) for name, place in map(as_pair, clashes))
        self.is_collected = True

    def _begin(self, content: Any) -> None:
        name = _id(content)
        if self.current is not None or name not in self.planned or name in self.told:
            raise Malformed("a test that is not to be run")
        self.current, self.counted = name, None

    def _score(self, content: Any) -> None:
        points, most = as_parts(content, 2)
        if self.current is None:
            raise Malformed("points of no test")
        self.counted = _points(points), _points(most)

    def _tested(self, content: Any) -> None:
        name, told, facts, reports = as_parts(content, 4)
        if self.current is None or _id(name) != self.current:
            raise Malformed("a word on another test than the one that is run")
        if type(facts) is not dict:
            raise Malformed("facts that are none")
        planned = self.planned[self.current]
        tested = None if told is None else _as_tested(self.current, planned, told)
        self._nodes += _count(facts, _MAX_NODES - self._nodes)
        self._note(Told(tested=tested, facts=facts, reports=json.dumps(as_list(reports))))

    def _note(self, told: Told) -> None:
        assert self.current is not None, "a test is being run"
        self.told[self.current] = told
        self.current, self.counted = None, None

    def _finished(self, content: Any) -> None:
        if self.exit_code is not None:
            raise Malformed("an end that is none")
        self.exit_code, self.current = as_int(content), None

    # What the process does not report

    def end_test(self, name: str, trouble: Trouble) -> None:
        """Note that a test was ended by trouble; points that it has counted by then stand."""
        planned = self.planned[name]
        points, most = 0.0, planned.max_points
        if name == self.current and self.counted is not None:
            points, most = planned.worth(*self.counted)
        summary = f"{trouble.verdict}: {trouble.message} ({trouble.evidence})"
        file, test = _place(name)
        tested = Tested(
            file=file,
            name=test,
            verdict=trouble.verdict,
            points=points,
            max_points=most,
            evidence=summary,
            title=planned.title,
            number=planned.number,
            is_hidden=planned.is_hidden,
            instead=planned.instead,
            called=planned.called,
        )
        self.current = name
        self._note(Told(tested=tested, reports=json.dumps(summary)))

    def known(self, *, with_reports: bool) -> dict[str, Any]:
        """Return the tests with a result, with pytest's reports of them if these are shown.

        The reports are not trusted.
        """
        kept = self.told.items()
        return {name: json.loads(each.reports) if with_reports else "" for name, each in kept}

    @property
    def left(self) -> list[str]:
        """The tests without a result."""
        return [name for name in self.planned if name not in self.told]


def _count(value: Any, most: int) -> int:
    """Return the number of objects in `value`; raises `Malformed` for more than `most`."""
    count, waiting = 0, [value]
    while waiting:
        each = waiting.pop()
        count += 1
        if count > most:
            raise Malformed("more facts than there is room for")
        if type(each) is dict:
            waiting += each.values()
        elif type(each) is list:
            waiting += each
    return count


def _id(told: Any) -> str:
    text = as_text(told)
    if not 0 < len(text) <= _MAX_NAME_CHARS or "\0" in text:
        raise Malformed("a name that is none")
    return text.encode("utf-8", "replace").decode()


def _place(name: str) -> tuple[str, str]:
    file, _, test = name.partition("::")
    return file, test


def _points(told: Any) -> float:
    if type(told) not in {int, float} or not abs(told) <= MAX_POINTS:  # also refuses NaN
        raise Malformed("points that are none")
    return float(told)


def _text(told: Any) -> str:
    text = as_text(told)
    if len(text) > MAX_TEXT_CHARS:
        raise Malformed("a text that is too long")
    return text


def _planned(
    most: Any, title: Any, number: Any, is_hidden: Any, instead: Any, called: Any, counts: Any
) -> CollectedTest:
    if type(is_hidden) is not bool or type(counts) is not bool:
        raise Malformed("a test that is neither hidden nor shown")
    clipped = as_text(title)[:MAX_TEXT_CHARS]
    return CollectedTest(
        max_points=_points(most),
        title=clipped,
        number=as_name(number),
        is_hidden=is_hidden,
        instead=as_name(instead),
        called=_id(called),
        counts=counts,
    )


def _as_tested(name: str, planned: CollectedTest, told: Any) -> Tested:
    verdict, points, most, evidence, title, summary, raised = as_parts(told, 7)
    try:
        known = Verdict(as_text(verdict))
    except ValueError:
        raise Malformed("a verdict that is none") from None
    file, test = _place(name)
    points, most = planned.worth(_points(points), _points(most))
    return Tested(
        file=file,
        name=test,
        verdict=known,
        points=points,
        max_points=most,
        evidence=_text(evidence),
        title=_text(title),
        summary=_text(summary),
        raised=None if raised is None else _as_raised(raised),
        number=planned.number,
        is_hidden=planned.is_hidden,
        instead=planned.instead,
        called=planned.called,
    )


def _as_raised(told: Any) -> RaisedInTest:
    kind, summary, is_own, file, line, function = as_parts(told, 6)
    if type(is_own) is not bool or not 0 <= as_int(line) <= _MAX_LINES:
        raise Malformed("an exception that is none")
    return RaisedInTest(
        type=as_name(kind),
        summary=_text(summary),
        is_own=is_own,
        file=_text(file),
        line=line,
        function=as_name(function),
    )
