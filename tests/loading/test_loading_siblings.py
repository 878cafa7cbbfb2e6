"""Siblings in a hidden suite: small sessions that count for nothing, and what they may not be."""

from __future__ import annotations

from typing import Final

import pytest

from grader.judging.rules import KINDS
from grader.suite.hidden import MAX_SIBLINGS, Hidden, merged
from grader.suite.loading import InvalidSuite, parse_hidden_suite, parse_suite
from grader.suite.model import Suite
from grader.verdict import Visibility

PUBLIC: Final = """\
exercise: box
title: Box
language: en
module: box
defines: [Box]
groups: [{id: Box, points: 1}, {id: add, points: 2}]
sessions:
- id: example
  steps:
  - {do: box = Box(3), group: Box}
  - {do: box.add(1), group: add}
"""
HIDDEN: Final = """\
exercise: box
groups: [{id: two, points: 3}]
sessions:
- id: pair
  steps:
  - {do: "a, b = Box(1), Box(2)", group: Box}
  - {do: a.add(1), group: add}
  - {do: b.add(1), group: two}
siblings:
- id: s1
  steps:
  - {do: box = Box(7), group: Box}
- id: s2
  title: a full one
  observers: [box.size]
  steps:
  - {do: box = Box(7)}
  - {do: box.add(8), raises: ValueError, group: add}
"""


def hidden(text: str = HIDDEN) -> Hidden:
    """Return the hidden suite in `text`."""
    return parse_hidden_suite(text.encode(), "box.hidden.yaml", public())


def public() -> Suite:
    """Return the public suite."""
    return parse_suite(PUBLIC.encode(), "box.yaml", KINDS)


def mistakes(text: str) -> InvalidSuite:
    """Return what is said of a hidden suite that is refused."""
    with pytest.raises(InvalidSuite) as caught:
        hidden(text)
    return caught.value


def problems(text: str) -> list[str]:
    """Return `line:column message` of all that is wrong with a hidden suite."""
    return [f"{one.line}:{one.column} {one.message}" for one in mistakes(text).diagnostics]


def test_siblings_arrive() -> None:
    """Siblings are sessions to be seen, in the order of the file, apart from those that count."""
    whole = merged(public(), hidden())

    assert ["s1", "s2"] == [each.id for each in whole.siblings]
    assert {Visibility.PUBLIC} == {each.visibility for each in whole.siblings}
    assert ["Box/s1-1", "add/s2-1"] == [case.id for one in whole.siblings for case in one.cases]
    assert ("box.size",) == whole.siblings[1].steps[1].observers
    assert ["example", "pair"] == [each.id for each in whole.sessions]


def test_public_suite_has_none() -> None:
    """What a course hands out knows no siblings, and may not have any."""
    assert () == public().siblings
    with pytest.raises(InvalidSuite):
        parse_suite((PUBLIC + HIDDEN[HIDDEN.index("siblings:") :]).encode(), "box.yaml", KINDS)


def test_sibling_may_be_called_like_a_session() -> None:
    """Ids of siblings are unique among themselves, and nowhere else."""
    whole = merged(public(), hidden(HIDDEN.replace("id: s1", "id: pair")))

    assert ["pair", "s2"] == [each.id for each in whole.siblings]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("id: s2", "id: s1", ["13:7 the id 's1' is given twice"]),
        ("title: a full one", "visibility: staff", ["14:3 unknown key 'visibility'"]),
        ("title: a full one", "visibility: hidden", ["14:3 unknown key 'visibility'"]),
        (
            "Box(7), group: Box",
            "Box(7), group: Bx",
            ["12:31 unknown group 'Bx' (did you mean 'Box'?)"],
        ),
        (
            "Box(7), group: Box",
            "Box(, group: Box",
            ["12:19 this is not valid Python: '(' was never closed"],
        ),
        ("Box(7), group: Box", "Box(7)", ["10:7 the sibling 's1' has no case that could fail"]),
        (
            "ValueError, group: add",
            "ValueErrr, group: add",
            ["18:30 unknown exception 'ValueErrr'"],
        ),
        (
            "[box.size]",
            "[bax.size]",
            ["15:15 the observer reads 'bax', which no step of the session"],
        ),
        (
            "b.add(1), group: two}",
            "b.add(1), group: add}",
            ["2:15 the group 'two' has no cases"],
        ),
        (
            "siblings:\n- id",
            "siblings:\n- ide",
            ["10:3 a sibling needs the key 'id'", "10:3 unknown"],
        ),
    ],
)
def test_mistake(old: str, new: str, said: list[str]) -> None:
    """Each mistake in a sibling is told at its place."""
    assert 1 == HIDDEN.count(old)
    found = problems(HIDDEN.replace(old, new))

    assert said == [one[: len(expected)] for one, expected in zip(found, said, strict=True)]


def test_sibling_does_not_save_a_group_without_cases() -> None:
    """A group of the hidden suite needs a case that counts."""
    text = HIDDEN.replace("b.add(1), group: two", "b.add(1), group: add").replace(
        "Box(7), group: Box", "Box(7), group: two"
    )
    assert ["2:15 the group 'two' has no cases"] == problems(text)


@pytest.mark.parametrize(
    "steps",
    [
        '  - {do: "a, b = Box(1), Box(2)"}\n  - {do: a.add(1), group: add}\n',
        '  - {do: "a, b = Box(1), Box(2)"}\n  - {do: b.add(1), group: add}\n',
        '  - {do: "a, b = Box(1), Box(2)", group: Box}\n',
    ],
)
def test_sibling_must_not_show_what_counts(steps: str) -> None:
    """All steps of a sibling in one session that counts, in order, are a leak."""
    error = mistakes(f"{HIDDEN}- id: s3\n  steps:\n{steps}")

    (one,) = error.diagnostics
    assert "all steps of the sibling 's3' also occur in the session 'pair'" == one.message
    assert (19, 7) == (one.line, one.column)


@pytest.mark.parametrize(
    "steps",
    [
        "  - {do: a = Box(1)}\n  - {do: a.add(1), group: add}\n",
        '  - {do: "a, b = Box(1), Box(2)"}\n  - {do: b.add(1)}\n  - {do: a.add(1), group: add}\n',
        "  - {do: box = Box(3), group: Box}\n",
    ],
)
def test_sibling_may_share_steps_with_others(steps: str) -> None:
    """Some of the steps of a session, its steps in another order, or what is public, is no leak."""
    loaded = hidden(f"{HIDDEN}- id: s3\n  steps:\n{steps}")

    assert "s3" == loaded.siblings[-1].id


def test_siblings_are_counted() -> None:
    """There is an end to how many siblings a suite has."""
    one = "- {{id: t{0}, steps: [{{do: Box({0}), group: Box}}]}}\n"
    more = "".join(one.format(10 + number) for number in range(MAX_SIBLINGS - 2))

    assert MAX_SIBLINGS == len(hidden(HIDDEN + more).siblings)
    assert [f"9:1 'siblings' has more than {MAX_SIBLINGS} items"] == problems(
        HIDDEN + more + one.format(9)
    )
