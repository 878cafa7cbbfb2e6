"""Files that break down, ask, leave or never end are graded on what they had defined by then."""

from __future__ import annotations

from fractions import Fraction

import pytest
from builders import HEAD, submission, suite
from executor_sessions import Forks
from judged_calls import said, verdicts

from grader.judging.judge import grade
from grader.judging.record import Record
from grader.judging.stops import stop_result
from grader.messages import Message, message
from grader.sandbox.zygote import Zygote
from grader.suite.model import Suite
from grader.verdict import RuleVerdict, Status

BODY = """
    limits: {cpu_s: 0.2, output_chars: 10000}
    groups: [{id: g, points: 1}, {id: h, points: 1}]
    sessions:
    - {id: s, steps: [{do: double(2), returns: '4', group: g}]}
    - {id: t, steps: [{do: half(2), returns: '1', group: h}]}
    - {id: u, steps: [{do: half(4), returns: '2', group: h}]}
"""
DOUBLE = "def double(n): return 2 * n\n"
BOTH = f"{DOUBLE}def half(n): return n // 2\n"


def asked(more: str = "") -> Suite:
    """Return a suite that asks for two functions, with `more` keys."""
    return suite(BODY, HEAD.replace("[]", "[double, half]") + more)


def told(record: Record) -> list[Message]:
    """Return the remarks of `record` but for their texts."""
    return [
        message(remark.key, **{k: v for k, v in remark.parameters if k in {"file", "line"}})
        for remark in record.remarks
    ]


@pytest.mark.parametrize(
    ("end", "key"),
    [
        ("assert double(2) == 5", "error"),
        ("name = input('Name? ')", "input"),
        ("quit()", "exited"),
        ("import unittest\nunittest.main()", "exited"),
        ("import socket\nsocket.socket()", "forbidden"),
        ("while True: pass", "timed_out"),
        ("while True:\n    try:\n        while True: pass\n    except: pass", "timed_out"),
        ("import time\ntime.sleep(9999)", "timed_out"),
        ("grown = []\nwhile True: grown.append(bytes(9999))", "memory"),
        ("while True: print('x' * 1000)", "output"),
    ],
)
def test_what_was_defined_is_graded(zygote: Zygote, end: str, key: str) -> None:
    """What stops a right file behind its functions costs nothing, and is told with its line."""
    record = grade(asked(), submission(BOTH + end), zygote)
    assert (Status.GRADED, 2.0) == (record.status, record.score)
    line = 3 + end.rpartition("while")[0].count("\n") if "while" in end else 3 + end.count("\n")
    assert [message(f"left_out.{key}", file="sample.py", line=line)] == told(record)


def test_what_was_not_defined_by_then_is_told_so(zygote: Zygote) -> None:
    """A name behind the place where the file stops is said to be there; others are not."""
    record = grade(asked(), submission(f"{DOUBLE}1 // 0\ndef half(n): return n\n"), zygote)
    assert ["PASSED", "SKIPPED", "SKIPPED"] == verdicts(record)
    expected = message("skipped.name_stopped", name="half", file="sample.py", line=2)
    assert (expected,) == record.cases[1].explanation
    record = grade(asked(), submission(f"{DOUBLE}1 // 0\n"), zygote)
    assert ["skipped.name"] == said(record.cases[1])


@pytest.mark.parametrize("first", ["1 // 0", "input()", "while True: pass"])
def test_what_stops_before_anything_is_defined_cannot_be_graded(zygote: Zygote, first: str) -> None:
    """Nothing of such a file can be tried, as before."""
    record = grade(asked(), submission(f"{first}\n{BOTH}"), zygote)
    assert Status.UNGRADABLE is record.status
    assert record.remarks[0].key.startswith("loading.")


def test_what_never_ends_is_waited_for_once(zygote: Zygote) -> None:
    """Sessions after the first are sent the file without the loop; a right one needs no more."""
    counts = []
    for source in (BOTH, f"{BOTH}while True: pass\n"):
        forks = Forks(zygote)
        assert 2.0 == grade(asked(), submission(source), forks).score
        counts.append(forks.count)
    assert 1 == counts[1] - counts[0]


def test_a_module_that_another_one_imports_stops_by_itself(zygote: Zygote) -> None:
    """Who imports what of a module was defined in time goes on."""
    source = f"from other import *\n{BOTH}"
    stopping = {"other": "x = 1\nraise ValueError"}
    record = grade(asked(), submission(source, **stopping), zygote)
    assert Status.UNGRADABLE is record.status  # nothing is asked of that one
    assert ["loading.error"] == [each.key for each in record.remarks]


@pytest.mark.parametrize(
    ("cost", "score", "verdict"),
    [("25%", 1.5, RuleVerdict.BROKEN), ("review", 2.0, RuleVerdict.REVIEW)],
)
def test_a_course_says_what_it_costs(
    zygote: Zygote, cost: str, score: float, verdict: RuleVerdict
) -> None:
    """A part of the points goes, or a person is to look; it is told among the rules."""
    record = grade(asked(f"stopped: {cost}\n"), submission(f"{BOTH}exit()"), zygote)
    assert score == record.score
    assert [("stopped", verdict)] == [(rule.id, rule.verdict) for rule in record.rules]
    assert not record.remarks
    assert (Fraction(0), None) == stop_result(cost, Fraction(2), ())
