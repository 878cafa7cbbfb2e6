"""What came of each test of a hand-in, as the process of the tests tells it, and may be believed.

That process is foreign: see `grader.executor.enclosing`. It says which tests there are, then of one
after the other that it begins and what it came to. What is not of this form, or says a thing for
the second time, is refused, and whoever said it is ended.
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

_MOST_TESTS: Final = 20_000
MOST_HEARD_BYTES: Final = 1 << 27
"""Of one hand-in: what is told is kept until its record is made."""
_MOST_NODES: Final = 1_000_000
_MOST_NAME_CHARS: Final = 2_000
MOST_TEXT_CHARS: Final = 200_000
"""Of each text that is told of a test."""
WANTED: Final = "wanted"
"""The fact which file a test has ended for want of."""
MOST_POINTS: Final = 1e6
_MOST_LINES: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What came of a test."""

    tested: Tested | None
    """None of one that was skipped, or that was expected to fail."""
    facts: dict[str, Any] = field(default_factory=dict)
    """What else its reports have, for who records tests."""
    reports: str = "[]"
    """The reports of pytest as JSON, for the next process of the same tests; nobody else reads
    them, and text takes a thirtieth of the memory that lists of lists do."""


class CollectedTest(NamedTuple):
    """What is known of a test before it is run, and is not told anew by it."""

    max_points: float
    title: str
    """The first sentence of its docstring."""
    number: str
    is_hidden: bool
    instead: str
    """What a student reads instead of what went wrong."""
    called: str
    """What she reads in the place of its id, in which values may stand."""
    counts: bool
    """Whether it may count its points itself; all others are worth what was collected."""

    def worth(self, points: float, most: float) -> tuple[float, float]:
        """Return what may be believed of `points` out of so many."""
        most = most if self.counts else self.max_points
        return min(points if self.counts else max(points, 0.0), most), most


class Ledger:
    """Takes in what the process of the tests tells, of one hand-in."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.planned: Final[dict[str, CollectedTest]] = {}
        """Each test by its id."""
        self.told: Final[dict[str, Told]] = {}
        self.uncollected: Final[list[str]] = []
        """Files that hold no test that could be run."""
        self.clashes: Final[dict[str, str]] = {}
        """Modules that the tests have as well as the submission, and where: theirs are taken."""
        self.current: str | None = None
        """The test that is being run."""
        self.counted: tuple[float, float] | None = None
        """What it has counted itself: points, and how many there are."""
        self.is_collected = False
        self.exit_code: int | None = None
        self.is_interrupted = False
        """Whether it is at our own terminal that somebody has stopped them."""
        self._nodes = 0
        """How many objects the facts have that are kept."""
        self.heard_bytes = 0
        """How much has been told, of all processes together."""
        self._takes: Final[dict[str, Callable[[Any], None]]] = {
            "collected": self._collected,
            "begin": self._begin,
            "score": self._score,
            "tested": self._tested,
            "finished": self._finished,
        }

    def take(self, message: Any) -> None:
        """Take in one message; raises `Malformed`."""
        if type(message) is not dict or len(message) != 1:
            raise Malformed("a message that is none")
        ((kind, content),) = message.items()
        take = self._takes.get(kind)
        if take is None:
            raise Malformed("a kind of message that there is not")
        take(content)

    def begin_process(self) -> None:
        """Listen to a process that begins with all tests once more."""
        self.is_collected, self.current, self.counted = False, None, None
        self.exit_code = None

    def _collected(self, content: Any) -> None:
        tests, uncollected, clashes = map(as_list, as_parts(content, 3))
        if self.is_collected or len(tests) + len(clashes) > _MOST_TESTS:
            raise Malformed("more tests than there are")
        for each in tests:
            name, *about = as_parts(each, 8)
            self.planned.setdefault(_id(name), _planned(*about))
        self.uncollected[:] = [_id(each) for each in as_list(uncollected)[:_MOST_TESTS]]
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
        self._nodes += _count(facts, _MOST_NODES - self._nodes)
        self._note(Told(tested=tested, facts=facts, reports=json.dumps(as_list(reports))))

    def _note(self, told: Told) -> None:
        assert self.current is not None, "a test is being run"
        self.told[self.current] = told
        self.current, self.counted = None, None

    def _finished(self, content: Any) -> None:
        if self.exit_code is not None:
            raise Malformed("an end that is none")
        self.exit_code, self.current = as_int(content), None

    # What nobody tells

    def end_test(self, name: str, met: Trouble) -> None:
        """Note that a test has come to nothing; what it has counted by then stands."""
        planned = self.planned[name]
        points, most = 0.0, planned.max_points
        if name == self.current and self.counted is not None:
            points, most = planned.worth(*self.counted)
        said = f"{met.verdict}: {met.said} ({met.evidence})"
        file, test = _place(name)
        tested = Tested(
            file=file,
            name=test,
            verdict=met.verdict,
            points=points,
            max_points=most,
            evidence=said,
            title=planned.title,
            number=planned.number,
            is_hidden=planned.is_hidden,
            instead=planned.instead,
            called=planned.called,
        )
        self.current = name
        self._note(Told(tested=tested, reports=json.dumps(said)))

    def known(self, *, with_reports: bool) -> dict[str, Any]:
        """Return the tests that something has come of, with what pytest said if anybody reads it.

        What was told may break whoever shows it.
        """
        kept = self.told.items()
        return {name: json.loads(each.reports) if with_reports else "" for name, each in kept}

    @property
    def left(self) -> list[str]:
        """The tests that nothing has come of yet."""
        return [name for name in self.planned if name not in self.told]


def _count(value: Any, most: int) -> int:
    """Return of how many objects `value` is made; raises `Malformed` for more than `most`."""
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
    if not 0 < len(text) <= _MOST_NAME_CHARS or "\0" in text:
        raise Malformed("a name that is none")
    return text.encode("utf-8", "replace").decode()


def _place(name: str) -> tuple[str, str]:
    file, _, test = name.partition("::")
    return file, test


def _points(told: Any) -> float:
    if type(told) not in {int, float} or not abs(told) <= MOST_POINTS:  # which NaN is neither
        raise Malformed("points that are none")
    return float(told)


def _text(told: Any) -> str:
    text = as_text(told)
    if len(text) > MOST_TEXT_CHARS:
        raise Malformed("a text that is too long")
    return text


def _planned(
    most: Any, title: Any, number: Any, is_hidden: Any, instead: Any, called: Any, counts: Any
) -> CollectedTest:
    if type(is_hidden) is not bool or type(counts) is not bool:
        raise Malformed("a test that is neither hidden nor shown")
    clipped = as_text(title)[:MOST_TEXT_CHARS]
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
    verdict, points, most, evidence, title, said, raised = as_parts(told, 7)
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
        said=_text(said),
        raised=None if raised is None else _as_raised(raised),
        number=planned.number,
        is_hidden=planned.is_hidden,
        instead=planned.instead,
        called=planned.called,
    )


def _as_raised(told: Any) -> RaisedInTest:
    kind, said, is_own, file, line, function = as_parts(told, 6)
    if type(is_own) is not bool or not 0 <= as_int(line) <= _MOST_LINES:
        raise Malformed("an exception that is none")
    return RaisedInTest(
        type=as_name(kind),
        said=_text(said),
        is_own=is_own,
        file=_text(file),
        line=line,
        function=as_name(function),
    )
