"""Mistakes in the rules of a suite: all are told at once, each with a way out."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from suites_with_rules import FOLDER, GOOD, HEAD, problems

from grader.judging.rules import KINDS
from grader.suite.loading import InvalidSuite, parse_suite

MISTAKES: Final[list[dict[str, Any]]] = yaml.safe_load(
    (FOLDER / "rule_mistakes.yaml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake["name"])
def test_mistake(mistake: dict[str, Any]) -> None:
    """Each mistake is told in our words, at its place, with a way out."""
    assert 1 == GOOD.count(mistake["old"])
    with pytest.raises(InvalidSuite) as caught:
        parse_suite(GOOD.replace(mistake["old"], mistake["new"]).encode(), "s.yaml", KINDS)
    found = caught.value.diagnostics

    assert mistake["says"] == [
        f"{one.line}:{one.column}+{one.width} {one.message}" for one in found
    ]
    assert mistake["helps"] == [one.help for one in found]


@pytest.mark.parametrize("address", [
    "course.example/1010",
    "ftp://course.example/1010",
    "javascript:alert(1)",
    "https://",
    "https://[",
    "https://course.example/a b",
    "https://course.example/{lijn}",
    "https://course.example/{",
    "//course.example",
    "https://course.example/\N{RIGHT-TO-LEFT OVERRIDE}x",
    f"https://course.example/{'x' * 500}",
])  # fmt: skip
def test_addresses_that_lead_nowhere(address: str) -> None:
    """The spec can only be on the web, and only the line in its address can vary."""
    text = HEAD + f"spec_url: {json.dumps(address)}\n"
    with pytest.raises(InvalidSuite) as caught:
        parse_suite(text.encode(), "s.yaml", KINDS)

    (one,) = caught.value.diagnostics
    assert "address" in one.message


def test_single_module_has_no_modules() -> None:
    """In an exercise of a single module a rule cannot choose another."""
    entry = {"module": "x", "made_by": ["f"], "setup": ["f()"]}

    assert ["'module' means nothing for a single module"] == problems({"encapsulation": [entry]})


def test_all_mistakes_at_once() -> None:
    """Mistakes of the head and of forms are reported together, and so are those between parts."""
    rules: dict[str, list[dict[str, object]]] = {
        "loops": [{"functions": ["ff"], "forbid": ["for"]}],
        "constructs": [{"functions": ["f"], "forbid": ["with"], "cap": 5}],
        "cost": [{"function": "f", "sizes": [3, 2], "memory": "constant", "call": "f(m)"}],
    }
    between = {
        "unknown function 'ff' (did you mean 'f'?)",
        "this step reads 'm', which nothing before it binds",
        "the group 'f' is worth 2 points, so this cap costs nothing",
        "the size 2 is not larger than 3, the one before it",
    }
    by_themselves = {
        "YAML reads `no` as a boolean",
        "unknown loop 'fore' (did you mean 'for'?)",
    }

    assert between == set(problems(rules))
    rules["loops"] += [{"functions": ["f"], "forbid": ["fore"]}]
    assert by_themselves == set(problems(rules, head=HEAD.replace("X", "no")))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("abs(n)", "this call does not call 'f'"),
        ("[f][0]", "no step reads 'n', so the sizes make no difference"),
        ("n", "this call does not call 'f'"),
    ],
)
def test_probes_that_show_nothing(call: str, said: str) -> None:
    """A call of something else, or sizes that nothing reads, would judge everybody wrongly."""
    rules = {"cost": [{"function": "f", "sizes": [3, 99], "memory": "constant", "call": call}]}
    assert said in problems(rules)


def test_no_consequences_of_a_group_that_is_not_valid() -> None:
    """While a group is not valid nothing is said about the groups that rules name."""
    head = HEAD.replace("{id: g, points: 1}", "{id: g, points: x}")
    rules = {"constructs": [{"forbid": ["class"], "cap": 0, "group": "gg"}]}

    assert ["'points' must be a number, not text"] == problems(rules, head=head)


@settings(derandomize=True, max_examples=150)
@given(
    st.integers(GOOD.index("rules:"), GOOD.index("sessions:")),
    st.integers(0, 40),
    st.text(alphabet="\t\n #&'*-:>[]{|}\"!?~01ex", max_size=6),
)
def test_damaged_rules(start: int, length: int, new: str) -> None:
    """Rules with a hole or a splinter in them load, or what is wrong is told within the file."""
    text = GOOD[:start] + new + GOOD[start + length :]
    try:
        parse_suite(text.encode(), "s.yaml", KINDS)
    except InvalidSuite as invalid:
        diagnostics = invalid.diagnostics
    else:
        diagnostics = ()

    assert all(1 <= one.line <= text.count("\n") + 1 for one in diagnostics)
