"""What is made of traced calls: circles, what their arguments do, and nothing of malformed ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pytest

from grader.judging.calls import Site
from grader.judging.endless import Call, endless_messages, longest_cycle, traced_calls
from grader.messages import Message


def calls(keys: str, arguments: Any = None) -> list[Call]:
    """Return calls of functions with one letter; `arguments` has those of each."""
    given = arguments or [()] * len(keys)
    return [
        Call(Site(key=f"m.{key}:1", entered=1, reentered=0, deepest=1), tuple(each))
        for key, each in zip(keys, given, strict=True)
    ]


@pytest.mark.parametrize(
    ("keys", "stretch", "length"),
    [
        ("", "", 1),
        ("f", "", 1),
        ("ff", "", 1),
        ("fff", "fff", 1),
        ("fgfg", "", 1),
        ("fgfgfg", "fgfgfg", 2),
        ("fgfgf", "", 1),
        ("abcfgfgfg", "fgfgfg", 2),
        ("fgfgfgabc", "fgfgfg", 2),
        ("ffffffffghhh", "ffffffff", 1),
        ("fffggggg", "ggggg", 1),
        ("fghfghfgh", "fghfghfgh", 3),
        ("fghfghfghf", "fghfghfghf", 3),
        ("abcdefghij", "", 1),
        ("ffgffgffg", "ffgffgffg", 3),
    ],
)
def test_longest_stretch_that_goes_in_circles(keys: str, stretch: str, length: int) -> None:
    """A circle is seen three times, and is as short as it can be."""
    found, of_one = longest_cycle(calls(keys))
    assert (stretch, length) == ("".join(each.site.key[2] for each in found), of_one)


def why(keys: str, *arguments: Any, names: tuple[str, ...] = ("n",)) -> list[Message]:
    """Return what is said of calls of `keys` whose only argument is each of `arguments`."""
    given = [(each,) for each in arguments]
    return list(endless_messages(calls(keys, given), {("m.f", 1): names}))[1:]


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ([["int", 1], ["int", 0], ["int", -1]], "endless.past"),
        ([["int", 3], ["int", 2], ["int", 1]], None),
        ([["int", 3], ["int", 2], ["int", 2]], None),
        ([["int", 3], ["int", 4], ["int", 4]], None),
        ([["int", 3], ["int", 4], ["int", 6]], "endless.rises"),
        ([["int", 3], ["int", 4], ["float", "6.0"]], None),
        ([["int", True], ["int", 4], ["int", 6]], None),
        ([["int", "...7 (90 bits)"]] * 3, None),
        ([["sized", "list", 9, None]] * 3, "endless.stays"),
        ([["sized", "list", 0, None]] * 3, None),
        ([["sized", "list", n, None] for n in (7, 8, 9)], "endless.grows"),
        ([["sized", "list", n, None] for n in (9, 8, 7)], None),
        ([["str", 30, "a" * 20]] * 3, "endless.stays"),
        ([["str", 2, "ab"]] * 3, "endless.same"),
        ([["object", "C", 1]] * 3, "endless.same"),
        ([["object", "C", 0]] * 3, None),
        ([["object", "C", n] for n in (1, 2, 3)], None),
        ([["none"]] * 3, "endless.same"),
        ([["more"]] * 3, None),
        ([["surprise", 5]] * 3, None),
    ],
)
def test_what_is_said_of_one_argument(arguments: list[list[object]], key: str | None) -> None:
    """Only what is sure is said: that it passed zero, rises, grows, stays, or is the same."""
    assert ([key] if key else []) == [each.key for each in why("fff", *arguments)]


def test_calls_with_different_numbers_of_arguments_are_not_compared() -> None:
    """A site whose calls do not look alike has been forged."""
    given = [(["int", 1],), (["int", 2], ["int", 3]), ()]
    assert ["endless.itself"] == [each.key for each in endless_messages(calls("fff", given), {})]


def test_argument_without_a_name_has_a_number() -> None:
    """Where the source does not tell the names, their place does."""
    numbers = [["int", n] for n in (1, 2, 3)]
    (rises,) = why("fff", *numbers, names=())
    assert ("name", "#1") in rises.parameters


def evidence(**changed: object) -> Mapping[str, Any]:
    """Return the evidence of three calls of `m.f`, with some facts changed."""
    call = ["m.f:1", [["int", 3]]]
    facts = {
        "sites": [["m.f:1", 4, 3, 4]],
        "edges": [["m.f:1", "m.f:1"]],
        "cuts": 0,
        "spread": [],
        "calls": [call] * 3,
    }
    return {**facts, **changed}


def test_traced_calls_are_those_of_the_evidence() -> None:
    """Each call has its site, and a summary of each argument."""
    (first, *_) = found = traced_calls(evidence())
    assert (3, "m.f:1", (("int", 3),)) == (len(found), first.site.key, first.arguments)


def test_calls_that_are_not_recursive_are_left_out() -> None:
    """A function that one of the circle calls, and that calls none of it, is not traced."""
    sites = [["m.f:1", 4, 3, 4], ["m.g:5", 2, 0, 1]]
    edges = [["m.f:1", "m.f:1"], ["m.f:1", "m.g:5"]]
    both = [["m.f:1", []], ["m.g:5", []], ["m.f:1", []]]
    found = traced_calls(evidence(sites=sites, edges=edges, calls=both))
    assert ["m.f:1", "m.f:1"] == [each.site.key for each in found]


_nested: list[Any] = []
for _ in range(900):
    _nested = [_nested]
_FAR_DOWN: Final = "m.f:" + "9" * 99
MALFORMED: Final = {
    "no evidence": None,
    "nothing": {},
    "no calls": evidence(calls=None),
    "too many calls": evidence(calls=[["m.f:1", []]] * 201),
    "calls of no site": evidence(calls=[[5, []]] * 3),
    "calls without arguments": evidence(calls=[["m.f:1"]] * 3),
    "calls with more": evidence(calls=[["m.f:1", [], 5]] * 3),
    "arguments of another shape": evidence(calls=[["m.f:1", {}]] * 3),
    "an empty summary": evidence(calls=[["m.f:1", [[]]]] * 3),
    "a summary that is none": evidence(calls=[["m.f:1", ["int"]]] * 3),
    "a nested summary": evidence(calls=[["m.f:1", [["int", _nested]]]] * 3),
    "a fraction": evidence(calls=[["m.f:1", [["int", 0.5]]]] * 3),
    "a number beyond belief": evidence(calls=[["m.f:1", [["int", -(10**100)]]]] * 3),
    "a length beyond belief": evidence(calls=[["m.f:1", [["str", 10**100, "a"]]]] * 3),
    "a line beyond belief": evidence(
        calls=[[_FAR_DOWN, []]] * 3, sites=[[_FAR_DOWN, 4, 3, 4]], edges=[[_FAR_DOWN] * 2]
    ),
    "the key of a call that is too long": evidence(calls=[["m.f:" + "9" * 5_000, []]] * 3),
    "a call that leads nowhere": evidence(edges=[]),
    "edges of another shape": evidence(edges=[["m.f:1"]]),
    "too many edges": evidence(edges=[["m.f:1", "m.f:1"]] * 501),
    "keys that are too long": evidence(edges=[["m.f:1", "f" * 1_001]]),
    "sites of another shape": evidence(sites=[["m.f:1", 4, 3]]),
    "counts below zero": evidence(sites=[["m.f:1", 4, -3, 4]]),
    "counts beyond belief": evidence(sites=[["m.f:1", 10**100, 3, 4]]),
    "cuts of another shape": evidence(cuts="0"),
    "shares of another shape": evidence(spread=[[1]]),
}


@pytest.mark.parametrize("kind", MALFORMED)
def test_malformed_evidence_tells_of_no_calls(kind: str) -> None:
    """Whatever is out of shape is believed in nothing."""
    assert () == traced_calls(MALFORMED[kind])
