"""Kinds of cases: what different mistakes fail, and what it costs that a clause holds them all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from test_generation import CLAUSES, asked, scene, shop, wrong

from grader.plugins.authoring.generating.generation import GenerationResult, generate
from grader.plugins.authoring.generating.kinds import cut_clauses as cut_by_kind
from grader.plugins.authoring.generating.kinds import find_kinds
from grader.plugins.authoring.verbs.generate import _summary_lines
from grader.sandbox.zygote import Zygote

pytestmark = pytest.mark.authoring

SCENES: Final = (
    scene("counter.add(1)", "counter.value  # adds"),
    scene("counter.add(2)", "counter.value  # adds"),
    scene("counter.add(1)", "counter.add(2)", "counter.value  # adds"),
)


def test_cases_that_the_same_mistakes_fail_are_a_kind(tmp_path: Path, zygote: Zygote) -> None:
    """Who overwrites the value fails the case with two calls alone."""
    made = generate(shop(tmp_path, zygote, *SCENES), "s")
    assert {"adds": 2} == made.kinds
    assert frozenset({"adds"}) == made.broken["overwrites"]


def test_cases_that_no_mistake_tells_apart_are_one_kind(tmp_path: Path, zygote: Zygote) -> None:
    """A program that fails all of them, and one that fails none, say nothing of kinds."""
    nothing = wrong(nothing="class Counter:\n    value = -1\n    def __init__(self, limit): ...\n")
    made = generate(shop(tmp_path, zygote, *SCENES[:2], programs=nothing), "s")
    assert {"adds": 1} == made.kinds


@pytest.mark.parametrize(
    ("failed", "kinds"),
    [
        ({}, [[0, 1, 2, 3]]),
        ({"a": {0, 1}, "b": {0, 1}, "c": {2, 3}}, [[0, 1], [2, 3]]),
        ({"a": {0, 1}, "b": {0, 1, 2}, "c": {0}}, [[0, 1], [2], [3]]),
        ({"a": {0}, "b": {1}}, [[2, 3], [0], [1]]),
        ({"a": {0, 1, 2, 3}}, [[0, 1, 2, 3]]),
    ],
)
def test_kinds(failed: dict[str, set[int]], kinds: list[list[int]]) -> None:
    """Half of the mistakes in common make a kind; so does it that no mistake fails some alone."""
    scenes = [{"steps": [{"do": "f()", "clause": "c"}]}] * 4
    places = {name: {(at, 0) for at in own} for name, own in failed.items()}
    found = find_kinds(scenes, places)["c"]
    assert kinds == [[at for at, _ in kind] for kind in found]


def cut(folder: Path, zygote: Zygote) -> GenerationResult:
    """Return what is generated where the clause is cut by kind."""
    clauses = CLAUSES | {"adds": replace(CLAUSES["adds"], cut=True)}
    return generate(shop(folder, zygote, *SCENES, clauses=clauses), "s")


def test_clause_is_cut_by_kind(tmp_path: Path, zygote: Zygote) -> None:
    """Each kind is a clause by itself, which the same words settle."""
    made = cut(tmp_path, zygote)
    (session,) = made.sessions
    assert ["adds", "adds", "adds (2)"] == asked(session)
    assert {"adds (2)": CLAUSES["adds"].quote} == {
        name: each.quote for name, each in made.parts.items()
    }
    assert frozenset({"adds (2)"}) == made.broken["overwrites"]


def test_part_takes_no_name_of_a_clause() -> None:
    """The next number that is free is taken: the clause of that name has cases of its own."""
    whole = replace(CLAUSES["adds"], cut=True)
    clauses = {"adds": whole, "adds (2)": CLAUSES["adds"], "adds (4)": CLAUSES["adds"]}
    scenes = [{"steps": [{"do": "f()", "clause": "adds"}]}] * 3
    cases, parts = cut_by_kind(scenes, {"adds": [[(at, 0)] for at in range(3)]}, clauses)
    assert ["adds", "adds (3)", "adds (5)"] == [
        step["clause"] for each in cases for step in each["steps"]
    ]
    assert {"adds (3)": whole, "adds (5)": whole} == parts


def test_author_reads_what_a_mistake_costs(tmp_path: Path, zygote: Zygote) -> None:
    """And which clauses hold more than one kind of cases, the dearest first, with the way out."""
    whole = generate(shop(tmp_path / "whole", zygote, *SCENES), "s")
    told = [*_summary_lines(replace(whole, prices={"adds": 0.3}))]
    share = "the median wrong program loses 30.0% of the points; 1 of 1 lose more than 20%"
    mixed = (
        "the clause adds has 2 kinds of cases: getting one of them wrong costs 30.0% of the points"
    )
    assert [share, mixed] == told[2:4]
    assert told[4].endswith("write PlacedClause(..., cut=True), or a clause for each kind")
    apart = [
        *_summary_lines(
            replace(cut(tmp_path / "cut", zygote), prices={"adds": 0.15, "adds (2)": 0.15})
        )
    ]
    assert "the median wrong program loses 15.0% of the points" in apart[2]
    assert not [line for line in apart if "kinds" in line]


def test_few_of_many_mixed_clauses_are_told(tmp_path: Path, zygote: Zygote) -> None:
    """The others are counted."""
    whole = generate(shop(tmp_path, zygote, *SCENES), "s")
    many = {f"clause {number}": 2 for number in range(10)}
    told = [*_summary_lines(replace(whole, kinds=many, prices={"clause 9": 0.1}))]
    mixed = [line for line in told if "kinds of cases" in line]
    assert 8 == len(mixed)
    assert "getting one of them wrong costs 10.0%" in mixed[0]
    assert any(line.startswith("2 more such clauses; ") for line in told)
