"""Helpers: names that a submission may define; what it leaves out does not count for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.intake.submissions import Entry, read_submission
from grader.judging.judge import grade
from grader.judging.record import CaseResult, Record
from grader.judging.rules import KINDS
from grader.sandbox.zygote import Zygote
from grader.suite.loading import parse_suite
from grader.verdict import Status, Verdict

SUITE = """
exercise: area
title: Area
language: en
module: area
defines: [area, volume]
helpers: [product]
groups: [{id: area, points: 3}, {id: volume, points: 2}, {id: product, points: 1}]
sessions:
- id: examples
  steps:
  - {do: "area(2, 3)", returns: "6", group: area}
  - {do: "volume(2, 3, 4)", returns: "24", group: volume}
  - {do: "product([2, 3])", returns: "6", group: product}
  - {do: "product([])", returns: "1", group: product}
"""
ASKED = "def area(a, b): return a * b\ndef volume(a, b, c): return a * b * c\n"
PRODUCT = "import math\ndef product(numbers): return math.prod(numbers)\n"


def graded(zygote: Zygote, folder: Path, source: str) -> Record:
    """Return the record of a hand-in with this source."""
    path = folder / "area.py"
    path.write_text(source)
    suite = parse_suite(SUITE.encode(), "area.yaml", KINDS)
    submission = read_submission(Entry("ann", path), suite.modules, suite.defines)
    record = grade(suite, submission, zygote)
    assert Status.GRADED is record.status
    return record


def of_group(record: Record, group: str) -> list[CaseResult]:
    """Return the results of the cases of one group."""
    return [case for case in record.cases if case.group == group]


def test_helper_that_is_right_earns_its_points(zygote: Zygote, tmp_path: Path) -> None:
    """Who defines the helper can earn all the points of the suite."""
    record = graded(zygote, tmp_path, ASKED + PRODUCT)
    assert (6, 6) == (record.score, record.max_score)


def test_helper_that_is_wrong_loses_its_points(zygote: Zygote, tmp_path: Path) -> None:
    """A helper that is defined counts, right or wrong."""
    record = graded(zygote, tmp_path, ASKED + "def product(numbers): return 6\n")
    assert (5.5, 6) == (record.score, record.max_score)


def test_helper_that_is_left_out_does_not_count(zygote: Zygote, tmp_path: Path) -> None:
    """Without the helper its points drop out of the maximum, and full points can be had."""
    record = graded(zygote, tmp_path, ASKED)
    assert (5, 5) == (record.score, record.max_score)
    assert [3, 2, 0] == [group.max_points for group in record.groups]


def test_cases_of_a_helper_left_out_are_skipped(zygote: Zygote, tmp_path: Path) -> None:
    """They are not wrong: they were not tried, and the helper's name says why."""
    cases = of_group(graded(zygote, tmp_path, ASKED), "product")
    assert [(Verdict.SKIPPED, "product", 0)] * 2 == [
        (case.verdict, case.cause, case.max_points) for case in cases
    ]


def test_name_that_is_asked_costs_points_when_it_is_missing(zygote: Zygote, tmp_path: Path) -> None:
    """Only helpers may be left out: the points of a name that is asked stay in the maximum."""
    record = graded(zygote, tmp_path, "def area(a, b): return a * b\n" + PRODUCT)
    assert (4, 6) == (record.score, record.max_score)
    (case,) = of_group(record, "volume")
    assert (Verdict.SKIPPED, "volume") == (case.verdict, case.cause)


def test_misspelt_helper_is_told_as_a_near_miss(zygote: Zygote, tmp_path: Path) -> None:
    """Who meant to define the helper reads which of the defined names looks like it."""
    record = graded(zygote, tmp_path, ASKED + PRODUCT.replace("product", "prodcut"))
    for case in of_group(record, "product"):
        told = case.explanation[0]
        assert "skipped.name_near" == told.key
        assert {"name": "product", "near": "prodcut"}.items() <= dict(told.parameters).items()


@pytest.mark.parametrize(
    "source",
    [
        "def product(a, b): return a * b",
        "def product(): return 1",
        "def product(*, numbers): return 1",
        "product = 6",
        "product = lambda a, b: a * b",
    ],
)
def test_what_only_has_the_name_of_a_helper_is_none(
    zygote: Zygote, tmp_path: Path, source: str
) -> None:
    """A function that takes other arguments, or no function, is the student's own affair."""
    record = graded(zygote, tmp_path, f"{ASKED}{source}\n")
    assert (5, 5) == (record.score, record.max_score)
    for case in of_group(record, "product"):
        assert (Verdict.SKIPPED, "product") == (case.verdict, case.cause)
        assert "skipped.name_other" == case.explanation[0].key


@pytest.mark.parametrize(
    "source",
    [
        "def product(numbers, start=1): return 6",
        "def product(*numbers): return 6",
        "def product(numbers): return 6\nproduct.__defaults__ = (1, 2, 3)",
        "class product:\n  def __new__(cls, a, b): return 6",
        "import functools\nproduct = functools.partial(print, 1)",
    ],
)
def test_helper_that_may_take_such_arguments_counts(
    zygote: Zygote, tmp_path: Path, source: str
) -> None:
    """It is tried: also where nobody can tell what it takes without calling it."""
    record = graded(zygote, tmp_path, f"{ASKED}{source}\n")
    assert 6 == record.max_score
    assert record.score < 6


def test_name_that_is_asked_may_not_take_other_arguments(zygote: Zygote, tmp_path: Path) -> None:
    """What the exercise asks for is wrong then, and is not a function of the student's own."""
    record = graded(zygote, tmp_path, "def area(a): return a * a\ndef volume(a, b, c): return 24\n")
    assert (2, 5) == (record.score, record.max_score)
