"""Hard-coders pass what they have seen, and are lost without it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import pytest
from builders import HEAD
from builders import suite as parse

from grader.errors import GraderError
from grader.judging.judge import grade
from grader.judging.record import Record
from grader.judging.rules import KINDS
from grader.plugins.authoring.auditing import answer_table
from grader.plugins.authoring.auditing.hard_coders import HardCoderFallback, hard_coders
from grader.plugins.authoring.solutions import Sources, submission_of
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.sandbox.zygote import Zygote
from grader.suite.expectations import Accepts
from grader.suite.files import load_suite
from grader.suite.model import Suite
from grader.verdict import Verdict, Visibility

ROOT: Final = Path(__file__).resolve().parents[3]
SEVERAL: Final = HEAD.replace("module: sample", "modules: [Shop, Till]").replace(
    "defines: []", "defines: [Shop.open_shop, Till.pay]"
)


@pytest.fixture(scope="module")
def with_numpy() -> Iterator[Sandbox]:
    """A sandbox whose executors know numpy."""
    with new_sandbox(("numpy",)) as sandbox:
        yield sandbox


def coders(suite: Suite, sandbox: Sandbox, **reference: str) -> dict[HardCoderFallback, Sources]:
    """Return the hard-coders of `suite`, made from the sources of a reference."""
    sources = {name: dedent(text) for name, text in reference.items()}
    return hard_coders(suite, sources, sandbox)


def graded(suite: Suite, coder: Sources, sandbox: Sandbox) -> Record:
    """Return the record of a hard-coder; what the structure of its code costs is left out."""
    suite = suite.with_changes(rules=(), advice=False)
    return grade(suite, submission_of(suite, coder, "copied"), sandbox)


def verdicts(
    suite: Suite, sandbox: Sandbox, fallback: HardCoderFallback, source: str
) -> dict[str, Verdict]:
    """Return what becomes of the cases of `suite` with a hard-coder made from `source`."""
    coder = coders(suite, sandbox, sample=source)[fallback]
    return {case.id: case.verdict for case in graded(suite, coder, sandbox).cases}


def assert_learnt(suite: Suite, sandbox: Sandbox, **reference: str) -> None:
    """Assert that each hard-coder passes all cases of `suite`."""
    for coder in coders(suite, sandbox, **reference).values():
        record = graded(suite, coder, sandbox)
        failing = [case for case in record.cases if case.verdict is not Verdict.PASSED]
        assert [] == [(case.id, case.code, case.got) for case in failing]
        assert record.cases


@pytest.mark.corpus
@pytest.mark.parametrize("exercise", ["1010", "akari", "str8ts", "triomino", "yinyang"])
def test_hard_coders_pass_the_public_cases(exercise: str, with_numpy: Sandbox) -> None:
    """The table of each exercise is complete: whatever has a public answer is looked up."""
    suite = load_suite(ROOT / "testsuites" / f"{exercise}.yaml", KINDS)
    public = tuple(each for each in suite.sessions if each.visibility is Visibility.PUBLIC)
    suite = suite.with_changes(sessions=public)
    reference = {
        module: (ROOT / "reference" / exercise / f"{module}.py").read_text(encoding="utf-8")
        for module in suite.modules
    }
    coder = hard_coders(suite, reference, with_numpy)[HardCoderFallback.COMMON]
    record = graded(suite, coder, with_numpy)
    failed = {case.id for case in record.cases if case.verdict is not Verdict.PASSED}
    assert failed <= {
        case.id
        for session in suite.sessions
        for case in session.cases
        if isinstance(session.steps[case.step_index].expectation, Accepts)
    }


LIGHT: Final = """\
    class Light:
        size = 3

        def __init__(self, room, *, on=False):
            assert room, "no room"
            self.room = room
            self._on = {"on"} if on else set()

        @property
        def on(self):
            return bool(self._on)

        def press(self):
            if self._on:
                self._on.clear()
            else:
                self._on.add("on")
            return self

        def __str__(self):
            return f"{self.room}: {self.on}"

        def __eq__(self, other):
            return self._on == other._on

        @staticmethod
        def watts(count):
            return 40 * count

        @classmethod
        def lit(cls, room):
            return cls(room, on=True)

    class Lamp(Light):
        def __len__(self):
            return 1
    """
LAMPS: Final = """\
    groups: [{id: f, points: 1}]
    sessions:
      - id: s
        steps:
          - {do: lamp = Lamp('hall'), group: f}
          - {do: lamp.on, returns: 'False', group: f}
          - {do: lamp.press(), same_as: lamp, group: f}
          - {do: lamp.on, returns: 'True', group: f}
          - {do: print(lamp), stdout: 'hall: True', group: f}
          - {do: lamp.room, returns: "'hall'", group: f}
          - {do: len(lamp), returns: '1', group: f}
          - {do: lamp.press().on, returns: 'False', group: f}
          - {do: Lamp(''), raises: 'AssertionError: no room', group: f}
          - {do: other = Light.lit('attic'), group: f}
          - {do: lamp == other, returns: 'False', group: f}
          - {do: lamp.press() == other, returns: 'True', group: f}
          - {do: Light.watts(count=2), returns: '80', group: f}
          - {do: lamp.absent, raises: AttributeError, group: f}
    """


def test_objects_are_known_by_their_state(zygote: Zygote) -> None:
    """Methods, attributes, operators and what is inherited are answered as they were."""
    assert_learnt(parse(LAMPS), zygote, sample=LIGHT)


def test_values_that_change_are_answered_anew(zygote: Zygote) -> None:
    """What a session does to an answer, or a function to its arguments, is as with the original."""
    suite = parse("""\
        groups: [{id: f, points: 1}]
        sessions:
          - id: s
            steps:
              - do: basket = start()
              - {do: 'add(basket, "egg")', returns: None, group: f}
              - {do: 'add(basket, "egg")', raises: 'Full: egg', group: f}
              - {do: content(basket), returns: "{'egg'}", group: f}
              - do: content(basket).clear()
              - {do: content(basket), returns: "{'egg'}", group: f}
              - do: numbers = [3, 1]
              - {do: 'order(numbers)', same_as: numbers, group: f}
              - {do: numbers, returns: '[1, 3]', group: f}
              - {do: 'order([2])', returns: '[2]', group: f}
              - {do: prices(), returns: "{'egg': 0.5, 'air': inf}", group: f}
              - {do: 'shout("hey")', stdout: 'HEY', group: f}
              - {do: start() is start(), returns: 'False', group: f}
        """)
    source = """\
        class Full(ValueError):
            pass

        def start():
            return (2, set())

        def add(basket, thing):
            if thing in basket[1]:
                raise Full(thing)
            basket[1].add(thing)

        def content(basket):
            return set(basket[1])

        def order(numbers):
            numbers.sort()
            return numbers

        def prices():
            return {"egg": 0.5, "air": float("inf")}

        def shout(text):
            print(text.upper())
        """
    assert_learnt(suite, zygote, sample=source)


def test_several_modules_share_what_they_know(zygote: Zygote) -> None:
    """An object of one module is known in the other; calls between modules are not recorded."""
    suite = parse(
        """\
        groups: [{id: f, points: 1}]
        sessions:
          - id: s
            uses: [Shop, Till]
            steps:
              - do: shop = Shop.open_shop()
              - {do: 'Till.pay(shop, 5)', returns: None, group: f}
              - {do: Shop.earned(shop), returns: '5', group: f}
        """,
        SEVERAL,
    )
    shop = """\
        class _Shop:
            earned = 0

        def open_shop():
            return _Shop()

        def earned(shop):
            return shop.earned

        def earn(shop, amount):
            shop.earned += amount
        """
    till = """\
        import Shop

        def pay(shop, amount):
            Shop.earn(shop, amount)
        """
    assert_learnt(suite, zygote, Shop=shop, Till=till)
    table = coders(suite, zygote, Shop=shop, Till=till)[HardCoderFallback.COMMON]["answers"]
    assert "Till.pay" in table
    assert "Shop.earn'" not in table


UNSEEN: Final = """\
    groups: [{id: f, points: 1}]
    sessions:
      - id: s
        steps:
          - do: count = Counter(0)
          - {do: count.up(1), same_as: count, group: f}
          - {do: count.up(2), same_as: count, group: f}
          - {do: count.up(0), raises: 'ValueError: zero', group: f}
          - {do: count.value(1), returns: '3', group: f}
          - {do: count.value(2), returns: '3', group: f}
          - {do: count.value(3), returns: '9', group: f}
      - id: t
        visibility: hidden
        steps:
          - do: count = Counter(50)
          - {do: count.up(70), same_as: count, group: f, case: itself}
          - {do: count.up(-70), raises: 'ValueError: zero', group: f, case: refused}
          - {do: count.value(70), returns: '3', group: f, case: common}
          - {do: count.value(80), returns: '9', group: f, case: last}
    """
COUNTER: Final = """\
    class Counter:
        def __init__(self, number):
            self.number = number

        def up(self, by):
            if by == 0:
                raise ValueError("zero")
            self.number += by
            return self

        def value(self, times):
            return 9 if times == 3 else self.number
    """


@pytest.mark.parametrize(
    ("fallback", "passed"),
    [
        (HardCoderFallback.COMMON, {"f/itself", "f/common"}),
        (HardCoderFallback.LAST, {"f/refused", "f/last"}),
        (HardCoderFallback.REFUSE, {"f/refused", "f/common"}),
        (HardCoderFallback.ITSELF, {"f/itself", "f/common"}),
    ],
)
def test_what_was_not_seen_gets_the_fallback(
    fallback: HardCoderFallback, passed: set[str], zygote: Zygote
) -> None:
    """Of hidden cases a hard-coder passes those only that its fallback happens to answer."""
    suite = parse(UNSEEN)
    found = verdicts(suite, zygote, fallback, COUNTER)
    hidden = {"f/itself", "f/refused", "f/common", "f/last"}
    assert passed == {case for case in hidden if found[case] is Verdict.PASSED}
    assert {Verdict.PASSED} == {found[case] for case in found.keys() - hidden}


def test_nothing_is_learnt_from_hidden_sessions(zygote: Zygote) -> None:
    """The table has no call of a hidden session in it."""
    for coder in coders(parse(UNSEEN), zygote, sample=COUNTER).values():
        assert "number=0" in coder["sample"]
        assert "number=50" not in coder["sample"]


def test_an_action_that_is_known_is_known_on_another_object(zygote: Zygote) -> None:
    """Where the object is another one, what was answered to the same arguments does."""
    suite = parse("""\
        groups: [{id: f, points: 1}]
        sessions:
          - id: s
            steps:
              - do: count = Counter(0)
              - {do: count.value(1), returns: '0', group: f}
              - {do: count.value(3), returns: '9', group: f}
          - id: t
            visibility: hidden
            steps:
              - do: count = Counter(50)
              - {do: count.value(3), returns: '9', group: f, case: known}
        """)
    assert Verdict.PASSED is verdicts(suite, zygote, HardCoderFallback.COMMON, COUNTER)["f/known"]


def test_it_needs_nothing_that_a_suite_can_forbid(zygote: Zygote) -> None:
    """A hard-coder works where no module may be imported at all."""
    suite = parse(
        """\
        groups: [{id: f, points: 1}]
        sessions: [{id: s, steps: [{do: Counter(4).value(1), returns: '4', group: f}]}]
        """,
        HEAD + "imports: []\n",
    )
    assert_learnt(suite, zygote, sample=COUNTER)


def test_hard_coders_are_always_the_same(zygote: Zygote) -> None:
    """What was recorded gives the same sources each time, sets included."""
    first, second = (coders(parse(UNSEEN), zygote, sample=COUNTER) for _ in range(2))
    assert first == second


def test_a_reference_that_fails_is_said_so(zygote: Zygote) -> None:
    """A reference that cannot be loaded gives no table, but an error with the reason."""
    suite = parse(UNSEEN)
    with pytest.raises(GraderError, match="session s: ZeroDivisionError"):
        hard_coders(suite, {"sample": "1 / 0\n"}, zygote)
    with pytest.raises(GraderError, match="session s"):
        hard_coders(suite, {"sample": "def\n"}, zygote)


def test_the_modules_of_a_reference_may_be_more(zygote: Zygote) -> None:
    """What a reference imports from a module of its own is recorded like the rest."""
    suite = parse("""\
        groups: [{id: f, points: 1}]
        sessions:
          - id: s
            steps:
              - {do: double(4), returns: '8', group: f}
              - {do: Pair(4).twice(), returns: '8', group: f}
        """)
    support = """\
        def double(number):
            return 2 * number

        class Pair:
            def __init__(self, number):
                self.number = number

            def twice(self):
                return 2 * self.number
        """
    assert_learnt(suite, zygote, sample="from support import Pair, double\n", support=support)


def test_a_hard_coder_works_outside_of_an_executor(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hard-coder is a program like any other, which answers from its table wherever it runs."""
    coder = coders(parse(LAMPS), zygote, sample=LIGHT)[HardCoderFallback.COMMON]
    monkeypatch.setitem(sys.modules, "answer_table", answer_table)
    sample: dict[str, Any] = {"__name__": "sample"}
    exec(coder["sample"], sample)
    lamp = sample["Lamp"]("hall")
    assert lamp.press() is lamp
    assert "hall: True" == str(lamp)
    assert "hall" == lamp.room
    assert not lamp.press().on
    assert 80 == sample["Light"].watts(count=2)
    assert sample["Light"] is type(sample["Light"].lit("attic"))
    assert {lamp}
    with pytest.raises(AssertionError, match="no room"):
        sample["Lamp"]("")
    with pytest.raises(AttributeError):
        _ = lamp.size
