"""Hidden cases are compared no more strictly than the public ones of their group."""

from __future__ import annotations

from typing import Any

import pytest

from grader.plugins.authoring.generating import PlacedClause
from grader.plugins.authoring.generating.relaxing import Strictness, relaxed_variants

CLAUSE = PlacedClause(group="g")


def applied(
    public: list[dict[str, Any]],
    step: dict[str, Any],
    clause: PlacedClause = CLAUSE,
    spec: str = "",
) -> dict[str, Any]:
    """Return what becomes of a hidden `step` of the group `g`, but for its group."""
    steps = [{"group": "g", **each} for each in public]
    asked = Strictness(steps, spec).relax({"group": "g", **step}, clause)
    assert "g" == asked.pop("group")
    return asked


def test_what_all_examples_of_a_group_let_pass_holds() -> None:
    """A setting stands at each example; what one alone lets pass is about that one."""
    shared: dict[str, Any] = {"ignore": ["blanks", "types"], "tolerance": 0.1}
    public: list[dict[str, Any]] = [
        {"returns": "1.5", **shared},
        {"stdout": "x", "ignore": ["types", "case"]},
    ]
    asked = applied(public, {"returns": "2.5"})
    assert {"returns": "2.5", "ignore": ["types"], "tolerance": 0.1} == asked
    assert {"returns": "'a'", "ignore": ["types"]} == applied(public, {"returns": "'a'"})
    assert {"accepts": "ok(answer)"} == applied(public, {"accepts": "ok(answer)"})
    strict = [*public, {"returns": "2"}]
    assert {"returns": "2.5"} == applied(strict, {"returns": "2.5"})


def test_the_least_tolerance_is_taken() -> None:
    """Where examples of a group differ in it; a share counts as the larger one."""
    public = [{"returns": "1.5", "tolerance": given} for given in ("1%", 0.5, 0.25)]
    assert 0.25 == applied(public, {"returns": "2.5"})["tolerance"]


def test_a_group_without_examples_is_as_all_others() -> None:
    """What the spec has no example of is not compared more strictly than the rest."""
    steps = [{"group": "other", "returns": "1.5", "tolerance": 0.1}]
    asked = Strictness(steps, "").relax({"group": "g", "returns": "2.5"}, CLAUSE)
    assert 0.1 == asked["tolerance"]


@pytest.mark.parametrize(
    ("public", "spec", "clause", "expected"),
    [
        ("ValueError: no", "", CLAUSE, "ValueError: no"),
        ("ValueError: too much", "", CLAUSE, "ValueError"),
        ("ValueError: too much", "with the message `no`", CLAUSE, "ValueError: no"),
        ("ValueError", "with the message `no`", CLAUSE, "ValueError"),
        ("ValueError: no", "", PlacedClause(group="g", message=False), "ValueError"),
    ],
    ids=["shown", "not shown", "in the text", "any message", "as the clause says"],
)
def test_a_message_is_asked_where_the_spec_has_it(
    public: str, spec: str, clause: PlacedClause, expected: str
) -> None:
    """How the reference words another refusal, nobody can know."""
    assert (
        expected
        == applied([{"raises": public}], {"raises": "ValueError: no"}, clause, spec)["raises"]
    )


def test_a_clause_says_what_else_does_not_count() -> None:
    """Beside what the public suite lets pass."""
    clause = PlacedClause(group="g", ignore=("order",), tolerance="1%")
    public = [{"returns": "[1.5]", "ignore": ["types"], "tolerance": 0.1}]
    expected = {"returns": "[2.5]", "ignore": ["order", "types"], "tolerance": "1%"}
    assert expected == applied(public, {"returns": "[2.5]"}, clause)


def test_a_case_is_asked_less_and_less_strictly() -> None:
    """A message goes before the case does; of a value the types, and then the order."""
    assert [{"raises": "E"}] == [*relaxed_variants({"raises": "E: no"})]
    types = {"returns": "[1]", "ignore": ["types"]}
    both = {"returns": "[1]", "ignore": ["order", "types"]}
    assert [types, both] == [*relaxed_variants({"returns": "[1]"})]
    assert [both] == [*relaxed_variants(types)]
    assert [] == [*relaxed_variants(both)] == [*relaxed_variants({"same_as": "x"})]


@pytest.mark.parametrize(
    ("public", "spec"),
    [([{"raises": "ValueError: only 3 left"}], ""), ([], "says `only 3 left`, with the number")],
)
def test_the_number_in_a_message_may_be_another(public: list[dict[str, Any]], spec: str) -> None:
    """Whether a message is asked must not hang on what is drawn."""
    step = {"raises": "ValueError: only 12 left"}
    assert step == applied(public, step, spec=spec)
