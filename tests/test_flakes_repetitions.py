"""What is run again with other seeds, what the repetitions show, and what gives rise to them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Final

import pytest
from builders import submission, suite
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

from grader.judging.flakes import FlakeSources
from grader.judging.judge import grade
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.sessions import Gate
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
        ("def f(): return len('set(x) and random')  # hash(x), time\n", 1),  # it is wrong
        ("def f(): return {1: 'een'}[1] and 1  # set(x), random", 0),
        ("def f(): return len({'a'})", 1),
        ("def f(): return 2", 1),
        ("def f():\n    while True: pass", 0),
        ("import os\ndef f(): os._exit(0)", 0),
        ("def f(:", 0),
    ],
)
def test_only_what_may_be_luck_is_run_again(
    zygote: Zygote, others: Sequence[Zygote], source: str, asked: int
) -> None:
    """Right programs without suspicion, and those that took too long or died, run once."""
    reseeded = Noted(others)
    whole = suite(f"limits: {{cpu_s: 0.2}}\n{asking(step('f()', '1'))}")
    grade(whole, submission(source), zygote, Gate(), reseeded)
    assert asked == reseeded.asked


def test_other_seeds_are_asked_for_once(zygote: Zygote, others: Sequence[Zygote]) -> None:
    """All sessions of a submission share the sandboxes that were started for it."""
    reseeded = Noted(others)
    steps = f"steps: [{step('f()', '1')}]"
    body = f"groups: [{{id: g, points: 1}}]\nsessions: [{{id: a, {steps}}}, {{id: b, {steps}}}]\n"
    grade(suite(body), submission("def f(): return 2"), zygote, Gate(), reseeded)
    assert 1 == reseeded.asked


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
    record = guarded(zygote, others, asking(step("f()", "1")), source)
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


@pytest.mark.parametrize(
    ("code", "sets", "chance"),
    [
        ("x = set(y)", True, False),
        ("x = frozenset(y)", True, False),
        ("x = {1, 2}", True, False),
        ("x = {\n  (1, 2),\n  (3, 4),\n}", True, False),
        ("x = {w for w in y}", True, False),
        ("x = {w[1:] for w in y}", True, False),
        ("x = map(set, y)", True, False),
        ("x = f'{set(y)}'", True, False),
        ("x = a.keys() - b", True, False),
        ("x = a | b.items()", True, False),
        ("x = {}", False, False),
        ("x = {1: 2, 'a': 'b'}", False, False),
        ("x = f'{y}' + '{z}' + \"{w}\"", False, False),
        ('"""A set( of {random} words."""', False, False),
        ("# a set of random {x}", False, False),
        ("x = reset(y) + settings", False, False),
        ("x = hash(y)", False, True),
        ("x = id (y)", False, True),
        ("x = grid(y)", False, False),
        ("import random", False, True),
        ("from time import time", False, True),
        ("x = os.urandom(3)", False, True),
        ("import random; x = {1}", True, True),
    ],
)
def test_what_a_source_mentions(code: str, sets: bool, chance: bool) -> None:
    """Sets in any spelling, and chance, are found in code, not in comments and plain texts."""
    assert FlakeSources(sets=sets, chance=chance) == FlakeSources.in_texts([code])


@pytest.mark.parametrize(
    "piece",
    [
        '"',
        "'",
        '"""',
        "'''",
        '\\"',
        "\\",
        "{",
        "{ for ",
        "{:",
        "#",
        "f'{",
        ".keys()",
        "id ",
        "|",
        "a.",
    ],
)
def test_no_source_takes_long_to_search(piece: str) -> None:
    """A file full of beginnings that never end is searched all the same."""
    assert isinstance(FlakeSources.in_texts([piece * 300_000]), FlakeSources)
