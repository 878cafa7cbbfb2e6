"""The rule on what objects and calls leave behind for others, and on what they are given."""

from __future__ import annotations

from textwrap import dedent
from typing import Final

import pytest
from builders import graded, submission
from builders import suite as parse

from grader.judging.judge import grade
from grader.judging.record import Record
from grader.sandbox.zygote import Zygote
from grader.suite.hidden import merge_suites
from grader.suite.loading import parse_hidden_suite
from grader.verdict import RuleVerdict

SUITE: Final = """
    writes: [bag.txt]
    groups: [{id: g, points: 4}]
    rules: {interference: [{points: 1}]}
    sessions:
    - id: s
      steps:
      - {do: "bag = Bag(3, [2, 1])"}
      - {do: "bag.add(5)"}
      - {do: bag.items(), returns: "[1, 2, 5]", group: g}
      - {do: "values = [3, 1]"}
      - {do: largest(values), returns: "3", group: g}
      - {do: "open('bag.txt', 'w').write('7')"}
      - {do: read('bag.txt'), returns: "'7'", group: g}
"""
BAG: Final = """
class Bag:
    {of_class}
    def __init__(self, n, items{more}):
        {init}
    def add(self, item): self.kept.append(item)
    def items(self): return sorted(self.kept)
def largest(values):
    {largest}
    return max(values)
KNOWN = {{}}
def read(name):
    if name not in KNOWN: KNOWN[name] = open(name).read()
    return KNOWN[name]
"""


def record_of(zygote: Zygote, suite: str = SUITE, **parts: str) -> Record:
    """Return the record of a bag with these parts in place of harmless ones."""
    usual = {"of_class": "size = 0", "more": "", "init": "self.kept = list(items)", "largest": ""}
    return graded(zygote, suite, BAG.format(**{**usual, "largest": "pass", **parts}))


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({}, ["interference.none"]),
        ({"largest": "values = sorted(values)"}, ["interference.none"]),
        ({"init": "self.items_given = items; self.kept = [*items]"}, ["interference.none"]),
        ({"init": "items.sort(); self.kept = list(items)"}, ["interference.argument"]),
        ({"init": "self.kept = items"}, ["interference.argument"]),
        ({"largest": "values.append(0)"}, ["interference.argument"]),
        (
            {"of_class": "kept = []", "init": "self.kept.extend(items)"},
            ["interference.differs", "wrong.value", "wrong.only_in_session"],
        ),
        (
            {"more": ", kept=[]", "init": "self.kept = kept; kept += items"},
            ["interference.differs", "wrong.value", "wrong.only_in_session"],
        ),
    ],
    ids=["right", "copy", "kept", "sorted", "taken over", "changed", "of the class", "default"],
)
def test_what_is_left_behind(zygote: Zygote, parts: dict[str, str], said: list[str]) -> None:
    """What a process of its own hides is found behind others, and a cache of files does no harm."""
    record = record_of(zygote, **parts)
    (ruling,) = record.rules
    assert said == [each.key for each in ruling.evidence]
    is_broken = said != ["interference.none"]
    assert (RuleVerdict.BROKEN if is_broken else RuleVerdict.PASSED) is ruling.verdict
    assert 4 - is_broken == record.score
    assert all(case.verdict.value == "PASSED" for case in record.cases)


def test_an_argument_is_told_as_it_is_written(zygote: Zygote) -> None:
    """With what it was and what it has become."""
    (ruling,) = record_of(zygote, init="items.sort(); self.kept = list(items)").rules
    shown = dict(ruling.evidence[0].parameters)
    assert {"code": "bag = Bag(3, [2, 1])", "before": "[2, 1]", "after": "[1, 2]"} == shown


def test_arguments_may_be_left_out(zygote: Zygote) -> None:
    """Where functions are to change what they are given."""
    suite = SUITE.replace("{points: 1}", "{points: 1, arguments: false}")
    (ruling,) = record_of(zygote, suite, largest="values.append(0)").rules
    assert RuleVerdict.PASSED is ruling.verdict


@pytest.mark.parametrize("source", ["", "def largest(values): return 0\n", "while True: pass\n"])
def test_who_fails_alone_as_well_has_left_nothing_behind(zygote: Zygote, source: str) -> None:
    """That costs what the cases cost."""
    record = graded(zygote, SUITE, f"x = 1\n{source}")
    assert all(each.verdict is not RuleVerdict.BROKEN for each in record.rules)


HIDDEN: Final = """\
exercise: sample
generated:
  version: 1
  seed: "1"
  reference: {digest}
  content: {digest}
feedback: {feedback}
groups: [{{id: g, title: g, points: 4}}]
sessions:
- {{id: g1, title: t, steps: [{{do: f(1), returns: "1", group: g, clause: c, case: h1}}]}}
- {{id: g2, title: t, steps: [{{do: f(2), returns: "2", group: g, clause: c, case: h2}}]}}
- {{id: g3, title: t, steps: [{{do: f(6), returns: "6", group: g, clause: c, case: h3}}]}}
- {{id: g4, title: t, steps: [{{do: f(7), returns: "7", group: g, clause: c, case: h4}}]}}
siblings:
- {{id: s1, title: t, steps: [{{do: f(3), returns: "3", group: g, clause: c}}]}}
- {{id: s2, title: t, steps: [{{do: f(4), returns: "4", group: g, clause: c}}]}}
"""
PUBLIC: Final = """
    clauses: [{id: c, reading: r}]
    groups: [{id: g, points: 4}]
    rules: {interference: [{points: 1}]}
    sessions:
    - {id: s, steps: [{do: f(0), returns: "0", group: g}]}
"""


@pytest.mark.parametrize(
    ("feedback", "forgets", "said"),
    [
        (
            "counterexample",
            3,
            ["interference.differs", "wrong.value", "wrong.only_in_session", "interference.try"],
        ),
        ("clause", 3, ["interference.unshown"]),
        ("counterexample", 1, ["interference.unshown"]),
    ],
    ids=["sibling", "no sibling may be shown", "hidden session"],
)
def test_hidden_sessions_are_not_shown(
    zygote: Zygote, feedback: str, forgets: int, said: list[str]
) -> None:
    """What students may see shows it; where only what counts does, nothing of that is told."""
    source = f"""
        seen = set()
        def f(n):
            seen.add(n)
            return 0 if {forgets} in seen and n != {forgets} and n < 5 else n
    """
    public = parse(dedent(PUBLIC))
    text = HIDDEN.format(digest="ab" * 32, feedback=feedback)
    suite = merge_suites(public, parse_hidden_suite(text.encode(), "hidden.yaml", public))
    record = grade(suite, submission(source), zygote)
    (ruling,) = record.rules
    assert said == [each.key for each in ruling.evidence]
