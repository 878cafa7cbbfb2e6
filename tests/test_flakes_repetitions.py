"""What is run with other seeds, when, and what that shows."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Final

import pytest
from builders import submission, suite
from executor_sessions import Forks
from lucky_programs import (
    IN_ORDER_OF_A_SET,
    WORDS,
    asking,
    guarded,
    order_of_marks,
    sight,
    step,
    told,
    with_other_seeds,
)

from grader.judging.judge import grade
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.zygote import Zygote
from grader.verdict import Verdict

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="zygotes are for Linux")


@pytest.fixture(scope="module")
def others() -> Iterator[Sequence[Zygote]]:
    """Zygotes with the other seeds."""
    with with_other_seeds() as zygotes:
        yield zygotes


@pytest.fixture(scope="module")
def lucky() -> str:
    """What a list of the set of all words is with the seed that marks are given with."""
    return order_of_marks()


class Noted:
    """Gives sandboxes, and notes that somebody asked for them."""

    def __init__(self, sandboxes: Sequence[Sandbox]) -> None:
        """Give `sandboxes`."""
        self.asked = 0
        self._sandboxes = sandboxes

    def __call__(self) -> Sequence[Sandbox]:
        """Return them."""
        self.asked += 1
        return self._sandboxes


@pytest.mark.parametrize(
    ("source", "asked"),
    [
        ("def f(): return 1", 0),
        ("def f(): return len('set(x) and random')  # hash(x), time\n", 0),
        ("def f(): return {1: 'een'}[1] and 1  # set(x), random", 0),
        ("def f(): return len({'a'})", 1),
        ("def f(): return 2", 0),
        ("def f(): return {2, 1}", 1),
        ("def f(): return 1 in {2, 3}", 0),
        ("def f():\n    while True: pass", 0),
        ("import os\ndef f(): os._exit(0)", 0),
        ("def f(:", 0),
    ],
)
def test_only_what_may_be_luck_is_run_again(
    zygote: Zygote, others: Sequence[Zygote], source: str, asked: int
) -> None:
    """Programs without suspicion, wrong ones too, and those that died, are run once."""
    reseeded = Noted(others)
    whole = suite(f"limits: {{cpu_s: 0.2}}\n{asking(step('f()', '1'))}")
    grade(whole, submission(source), zygote, reseeded)
    assert asked == reseeded.asked


def test_other_seeds_are_asked_for_once(zygote: Zygote, others: Sequence[Zygote]) -> None:
    """All sessions of a submission share the sandboxes that were started for it."""
    reseeded = Noted(others)
    grade(suite(sessions(2, "1")), submission("def f(): return {2}"), zygote, reseeded)
    assert 1 == reseeded.asked


def sessions(count: int, expected: str) -> str:
    """Return a suite of so many sessions, each of which expects that of `f()`."""
    steps = f"steps: [{step('f()', expected)}]"
    many = ", ".join(f"{{id: s{number}, {steps}}}" for number in range(count))
    return f"groups: [{{id: g, points: {count}}}]\nsessions: [{many}]\n"


@pytest.mark.parametrize(
    ("count", "source", "forks"),
    [
        (7, "def f(): return len({1})", [3, 2, 2]),
        (3, "def f(): return len({1})", [1, 1, 1]),
        (2, "def f(): return len({1})", [2, 1, 1]),
        (1, "def f(): return len({1})", [1, 1, 0]),
        (3, "def f(): return 1", [3, 0, 0]),
        (3, "def f(): return 2", [3, 0, 0]),
        (3, "def f(): return len({1, 2})", [2, 2, 2]),
    ],
)
def test_sessions_take_turns_at_the_seeds(
    zygote: Zygote, others: Sequence[Zygote], count: int, source: str, forks: list[int]
) -> None:
    """With enough sessions each runs once, with one seed; failures run with all, to be sure."""
    sandboxes = [Forks(zygote), *map(Forks, others)]
    body = suite(sessions(count, "1"))
    grade(body, submission(source), sandboxes[0], lambda: sandboxes[1:])
    assert forks == [each.count for each in sandboxes]


def test_whether_there_is_doubt_is_known_before_another_seed_has_its_turn(
    zygote: Zygote, others: Sequence[Zygote]
) -> None:
    """Public sessions are run first, wherever they stand; the first of them shows the code."""
    reseeded = Noted(others)
    body = sessions(4, "1").replace("s0,", "s0, visibility: staff,")
    grade(suite(body), submission("def f(): return 1"), zygote, reseeded)
    assert 0 == reseeded.asked


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("unlucky", [1, 2])
def test_luck_that_one_seed_shows_is_taken_back_everywhere(
    zygote: Zygote, others: Sequence[Zygote], unlucky: int, count: int
) -> None:
    """Sessions that had passed by then have passed by the same luck."""
    theirs = sight(others[unlucky - 1], "hash('a')")
    body, source = sessions(count, "1"), f"def f(): return int(hash('a') != {theirs})"
    assert {Verdict.PASSED} == {
        case.verdict for case in grade(suite(body), submission(source), zygote).cases
    }
    record = guarded(zygote, others, body, source)
    assert [Verdict.WRONG] * count == [case.verdict for case in record.cases]
    assert [["flakes.chance", "flakes.answers"]] * count == [
        told(case)[-2:] for case in record.cases
    ]
    assert (0.0, ()) == (record.score, record.staff_remarks)


def test_bad_luck_is_not_taken_for_good_luck_elsewhere(
    zygote: Zygote, others: Sequence[Zygote]
) -> None:
    """Luck in one session does not cost those that come out the same with every seed."""
    theirs = sight(others[0], "hash('a')")
    source = f"""
        def f(): return 1
        def g(): return int(hash('a') != {theirs})
    """
    body = sessions(4, "1").replace('"f()"', '"g()"', 2).replace('"g()"', '"f()"', 1)
    record = guarded(zygote, others, body, source)
    passed, wrong = Verdict.PASSED, Verdict.WRONG
    assert [passed, wrong, passed, passed] == [case.verdict for case in record.cases]
    assert 3.0 == record.score


def test_a_repetition_that_dies_is_no_evidence(zygote: Zygote, lucky: str) -> None:
    """What takes too long with another seed is not held against a case, and not run again."""
    source = f"""
        def f():
            while list(set({WORDS})) != {lucky}: pass
            return 1
    """
    body = f"limits: {{cpu_s: 0.2}}\n{asking(step('f()', '1'))}"
    with Zygote(seed=1) as one, Zygote(seed=2) as two:
        (case,) = guarded(zygote, (one, two), body, source).cases
    assert (Verdict.PASSED, []) == (case.verdict, told(case))


ENDS: Final = {
    "while loading": "if hash('a') != {ours}: raise SystemExit\ndef f(): return 1\n",
    "by an exception": "if hash('a') != {ours}: raise ValueError\ndef f(): return 1\n",
    "in a step": "def f():\n    if hash('a') != {ours}: __import__('os')._exit(0)\n    return 1\n",
}


@pytest.mark.parametrize("where", ENDS)
def test_staff_are_told_when_no_repetition_survives(
    zygote: Zygote, others: Sequence[Zygote], where: str
) -> None:
    """Who ends with any seed but ours keeps the points, and a person looks at the code."""
    source = ENDS[where].format(ours=sight(zygote, "hash('a')"))
    record = guarded(zygote, others, asking(step("f()", "1")), source)
    assert [(Verdict.PASSED, [])] == [(case.verdict, told(case)) for case in record.cases]
    assert ["staff.unrepeatable"] == [remark.key for remark in record.staff_remarks]


@pytest.mark.parametrize("where", ENDS)
def test_who_dies_when_it_is_the_turn_of_another_seed_keeps_the_points(
    zygote: Zygote, others: Sequence[Zygote], where: str
) -> None:
    """Such a session is run with the seed of the marks, as if it had never had its turn."""
    source = ENDS[where].format(ours=sight(zygote, "hash('a')"))
    record = guarded(zygote, others, sessions(4, "1"), source)
    assert [(Verdict.PASSED, [])] * 4 == [(case.verdict, told(case)) for case in record.cases]
    assert ["staff.unrepeatable"] == [remark.key for remark in record.staff_remarks]


@pytest.mark.parametrize(
    "source",
    [
        "def f(): return len({1})",
        "def f(): return 2",
        "def f(): return hash('a') and __import__('os')._exit(0)",
        "def f(): return 1",
    ],
)
def test_staff_hear_nothing_of_repetitions_that_show_nothing_odd(
    zygote: Zygote, others: Sequence[Zygote], source: str
) -> None:
    """Neither of programs that survive each seed, nor of those that survive none."""
    for count in (1, 3):
        record = guarded(zygote, others, sessions(count, "1"), source)
        assert () == record.staff_remarks


def test_where_one_seed_dies_the_other_takes_its_turn(
    zygote: Zygote, others: Sequence[Zygote], lucky: str
) -> None:
    """A program that ends with one seed only is found out with the other, and staff need not."""
    theirs = sight(others[0], "hash('a')")
    source = f"{IN_ORDER_OF_A_SET}\nif hash('a') == {theirs}: raise SystemExit\n"
    record = guarded(zygote, others, asking(step("words()", lucky)), source)
    assert [Verdict.WRONG] == [case.verdict for case in record.cases]
    assert () == record.staff_remarks
