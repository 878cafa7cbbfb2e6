"""What a foreign process may say of an instructor's tests, and what is refused."""

from __future__ import annotations

import math
from typing import Any, Final

import pytest

from grader.plugins.own_tests.bridge.wire import Malformed
from grader.plugins.own_tests.proxying.ledger import MAX_TEXT_CHARS, Ledger
from grader.plugins.own_tests.proxying.troubles import Trouble
from grader.verdict import Verdict

FIRST, SECOND = "test_it.py::test_first", "test_it.py::test_second"
COLLECTED: Final = {
    "collected": [
        [
            [FIRST, 1.0, "It adds.", "", False, "", "test_first", True],
            [SECOND, 3, "", "1.2", True, "no", "test_second", False],
        ],
        [],
        [],
    ]
}
PASSED: Final = ["PASSED", 1.0, 1.0, "", "", "", None]
RAISED: Final = ["ValueError", "ValueError: no", True, "sol.py", 3, "f"]
LATE: Final = Trouble(verdict=Verdict.TIMED_OUT, message="it took too long", evidence="CPU limit")


def told(*messages: Any) -> Ledger:
    """Return a ledger that has taken `messages` in."""
    ledger = Ledger()
    for each in messages:
        ledger.process_message(each)
    return ledger


def on_first(summary: Any, facts: Any = None) -> dict[str, Any]:
    """Return what tells that the first test has come to what is `summary`."""
    return {"tested": [FIRST, summary, {} if facts is None else facts, []]}


def test_tests_are_told_one_by_one() -> None:
    """Each has its points, and what it raised; one that was skipped has neither."""
    wrong = ["WRONG", 0, 1, "text", "It adds.", "1 == 2", RAISED]
    ledger = told(COLLECTED, {"begin": FIRST}, on_first(wrong))
    found = ledger.results[FIRST].graded
    assert found is not None
    assert ("test_it.py", "test_first", Verdict.WRONG) == (found.file, found.name, found.verdict)
    assert found.raised is not None
    assert ("ValueError", 3) == (found.raised.type, found.raised.line)
    assert [SECOND] == ledger.remaining
    ledger.process_message({"begin": SECOND})
    ledger.process_message({"tested": [SECOND, None, {}, []]})
    assert ledger.results[SECOND].graded is None
    ledger.process_message({"finished": 1})
    assert 1 == ledger.exit_code


@pytest.mark.parametrize(
    "message",
    [
        *([], 3, None, {}, {"begin": FIRST, "score": [1, 1]}, {"nothing": 1}, {"begin": 3}),
        *({"begin": "test_it.py::test_third"}, {"begin": ""}, {"begin": "x" * 3_000}),
        *({"score": [1, 1]}, {"finished": "0"}, COLLECTED, on_first(PASSED)),
    ],
)
def test_what_is_said_before_a_test_begins(message: Any) -> None:
    """Nothing but that one begins which is known, or that all is over."""
    with pytest.raises(Malformed):
        told(COLLECTED, message)


@pytest.mark.parametrize(
    "message",
    [
        {"tested": [SECOND, PASSED, {}, []]},
        {"tested": [FIRST, PASSED, {}]},
        {"tested": [FIRST, PASSED, [], []]},
        {"tested": [FIRST, PASSED, {}, "reports"]},
        *({"begin": FIRST}, {"begin": SECOND}, {"finished": None}, COLLECTED),
        *({"score": each} for each in ([1], [1, True], [1, math.nan], [math.inf, 1], [1e300, 1])),
        {"score": [10**400, 1]},
        on_first(PASSED, {"steps": [[]] * 1_000_001}),
        *map(on_first, (3, [], PASSED[:-1], ["PERFECT", *PASSED[1:]], [1, *PASSED[1:]])),
        *map(on_first, (["PASSED", "1", *PASSED[2:]], ["PASSED", 1.0, math.nan, *PASSED[3:]])),
        *map(on_first, ([*PASSED[:3], "x" * (MAX_TEXT_CHARS + 1), *PASSED[4:]],)),
        *(on_first([*PASSED[:-1], each]) for each in (3, RAISED[:-1], ["x" * 300, *RAISED[1:]])),
        *(on_first([*PASSED[:-1], [*RAISED[:4], each, "f"]]) for each in (-1, 1.5, 1 << 40)),
    ],
)
def test_what_is_said_of_a_test_that_is_run(message: Any) -> None:
    """It is of its form, of bounded size, and of that test."""
    with pytest.raises(Malformed):
        told(COLLECTED, {"begin": FIRST}, message)


def test_nobody_has_a_second_say() -> None:
    """Neither on a test nor on the end; also not from another process."""
    ledger = told(COLLECTED, {"begin": FIRST}, on_first(PASSED))
    ledger.begin_process()
    ledger.process_message(COLLECTED)
    with pytest.raises(Malformed):
        ledger.process_message({"begin": FIRST})
    ledger.process_message({"finished": 0})
    with pytest.raises(Malformed):
        ledger.process_message({"finished": 0})


def test_points_are_those_that_were_collected() -> None:
    """Whoever counts them itself can say how many there are, and have no more than those."""
    ledger = told(COLLECTED)
    for name, points, most in ((FIRST, 9, 7), (SECOND, 900, 1_000)):
        ledger.process_message({"begin": name})
        ledger.process_message({"tested": [name, ["PASSED", points, most, *PASSED[3:]], {}, []]})
    found = [each.graded for each in ledger.results.values()]
    assert [(7.0, 7.0), (3.0, 3.0)] == [(each.points, each.max_points) for each in found if each]


def test_a_test_that_is_ended_has_what_it_has_counted() -> None:
    """One that counts nothing has lost what it is worth."""
    ledger = told(COLLECTED, {"begin": FIRST}, {"score": [2, 7.0]})
    ledger.end_test(FIRST, LATE)
    ledger.end_test(SECOND, LATE)
    ended = [each.graded for each in ledger.results.values()]
    assert [(2.0, 7.0), (0.0, 3.0)] == [(each.points, each.max_points) for each in ended if each]
    assert [] == ledger.remaining
