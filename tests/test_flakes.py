"""What becomes of cases that come out by luck."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

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

from grader.judging.judge import grade
from grader.judging.record import HiddenTally
from grader.reporting.visibility import visible_groups
from grader.reporting.wording import LANGUAGES, format_message
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


def test_right_by_luck_is_wrong(zygote: Zygote, others: Sequence[Zygote], lucky: str) -> None:
    """A case that passes with one order of a set only has not passed; both outputs are shown."""
    body = asking(step("words()", lucky))
    (case,) = grade(suite(body), submission(IN_ORDER_OF_A_SET), zygote).cases
    assert Verdict.PASSED is case.verdict, "without the guard"
    (case,) = guarded(zygote, others, body, IN_ORDER_OF_A_SET).cases
    assert (Verdict.WRONG, 0.0) == (case.verdict, case.points)
    assert ["flakes.order", "flakes.answers"] == told(case)
    assert lucky == case.expected
    assert case.got not in {None, lucky}
    assert case.got == case.transcript[-1].output
    for language in LANGUAGES:
        sentence = format_message(case.explanation[1], language)
        assert lucky in sentence
        assert str(case.got) in sentence


def test_wrong_in_several_ways_is_told_besides(zygote: Zygote, others: Sequence[Zygote]) -> None:
    """A case that fails either way keeps its verdict and what it says, and gets both outputs."""
    body = asking(step("words()", "[]"))
    (plain,) = grade(suite(body), submission(IN_ORDER_OF_A_SET), zygote).cases
    (case,) = guarded(zygote, others, body, IN_ORDER_OF_A_SET).cases
    assert [*told(plain), "flakes.order", "flakes.answers"] == told(case)
    assert (plain.verdict, plain.got) == (case.verdict, case.got)
    shown = dict(case.explanation[-1].parameters)
    assert plain.got == shown["one"] != shown["other"]


def test_wrong_by_bad_luck_stays_wrong(
    zygote: Zygote, others: Sequence[Zygote], lucky: str
) -> None:
    """A repetition is no second chance: what passes with another seed only has not passed."""
    right = sight(others[0], f"list(set({WORDS}))")
    body = asking(step("words()", str(right)))
    (case,) = guarded(zygote, others, body, IN_ORDER_OF_A_SET).cases
    assert Verdict.WRONG is case.verdict
    assert {"one": lucky, "other": right} == dict(case.explanation[-1].parameters)


def test_an_exception_by_luck_is_shown(
    zygote: Zygote, others: Sequence[Zygote], lucky: str
) -> None:
    """What raises with another seed has not passed, and points to the line that raised."""
    source = f"""
        def f():
            if list(set({WORDS})) != {lucky}:
                raise ValueError("no luck")
            return 1
    """
    (case,) = guarded(zygote, others, asking(step("f()", "1")), source).cases
    assert Verdict.WRONG is case.verdict
    assert {"one": "1", "other": "ValueError: no luck"} == dict(case.explanation[-1].parameters)
    assert case.source is not None
    assert 'raise ValueError("no luck")' == case.source.text.strip()


@pytest.mark.parametrize(
    ("source", "key"),
    [
        ("import random\ndef f(): return random.random()", "flakes.chance"),
        ("import secrets\ndef f(): return secrets.token_hex(8)", "flakes.chance"),
        ("from datetime import date\ndef f(): return str(date.today())", "flakes.chance"),
        ("def f(): return hash('a')", "flakes.chance"),
        (
            "import random\ndef f(): return random.choice(list({1, 2, 3})), random.random()",
            "flakes.either",
        ),
        (f"def f(): return [w for w in {{*{WORDS}}}]", "flakes.order"),
        (f"def f(): return ' '.join(dict.fromkeys({WORDS}).keys() & {WORDS})", "flakes.order"),
    ],
)
def test_what_it_depends_on_is_told_from_the_source(
    zygote: Zygote, others: Sequence[Zygote], source: str, key: str
) -> None:
    """The sentence names what the source mentions; right by luck is wrong with each of these."""
    seen = grade(suite(asking(step("f()", "0"))), submission(source), zygote).cases[0].got
    (case,) = guarded(zygote, others, asking(step("f()", str(seen))), source).cases
    assert (Verdict.WRONG, key) == (case.verdict, case.explanation[0].key)


@pytest.mark.parametrize(
    "source",
    [
        f"def words(): return sorted(set({WORDS}))",
        f"import random\ndef words():\n    random.seed(1)\n    return sorted({WORDS})",
        f"import time\ndef words():\n    time.time()\n    return sorted({{*{WORDS}}})",
    ],
)
def test_luck_that_does_not_show_costs_nothing(
    zygote: Zygote, others: Sequence[Zygote], source: str
) -> None:
    """Who sorts a set, or gives nothing that depends on chance, has passed; nothing is said."""
    (case,) = guarded(zygote, others, asking(step("words()", str(sorted(WORDS)))), source).cases
    assert (Verdict.PASSED, []) == (case.verdict, told(case))


def test_victims_of_luck_lose_nothing(zygote: Zygote, others: Sequence[Zygote], lucky: str) -> None:
    """One mistake costs one case: a later one that is right on its own passes with each seed."""
    source = f"""
        class Box:
            words = list(set({WORDS}))
            def __init__(self): self.broken = False
            def look(self):
                self.broken = self.words != {lucky}
                return self.words
            def size(self): return 0 if self.broken else {len(WORDS)}
    """
    body = asking(
        '{do: "box = Box()"}', step("box.look()", lucky), step("box.size()", str(len(WORDS)))
    )
    looked, sized = guarded(zygote, others, body, source).cases
    assert (Verdict.WRONG, Verdict.PASSED) == (looked.verdict, sized.verdict)


def test_of_hidden_cases_a_count_is_all_that_shows(
    zygote: Zygote, others: Sequence[Zygote], lucky: str
) -> None:
    """Right by luck is wrong in a hidden session too, and no student sees an output of it."""
    body = asking(step("words()", lucky), visibility="hidden")
    record = guarded(zygote, others, body, IN_ORDER_OF_A_SET)
    assert ["flakes.order", "flakes.answers"] == told(record.cases[0])
    (group,) = visible_groups(record)
    assert ((), HiddenTally(demands=1, met=0.0)) == (group.cases, group.hidden)
