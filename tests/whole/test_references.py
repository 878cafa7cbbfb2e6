"""The catalogue of solutions: what is right gets everything, one mistake costs what it is worth."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias, cast

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from catalogue import ROOT, beside_references, reference, seen
from point_loss import LIMITS, step_by_step

from grader.intake.submission import Submission
from grader.judging.judge import grade
from grader.judging.record import Record
from grader.judging.rules import KINDS
from grader.plugins.authoring.solutions import Solution, submission_of
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.sandbox.zygote import Zygote
from grader.suite.files import load_suite
from grader.suite.model import Suite
from grader.suite.vocabulary import optional_packages
from grader.verdict import Status, Verdict

EVENLY_WEIGHED: Final = ("akari", "str8ts", "yinyang")
"""Exercises of which each part asked for is worth about the same."""
EXERCISES: Final = (*EVENLY_WEIGHED, "triomino")
"""In triomino the points are for one function, and what goes wrong in a part of it goes wrong there
too: neither the median nor the count by examples says what a mistake should cost."""
MEDIAN_LOSS: Final = 0.20
LOSES: Final = "# verliest:"

TOLERATED: Final = {
    "str8ts/str_met_extra_newline": "a newline at the end of what is printed cannot be seen in an "
    "example session, so it is not asked for; only a hidden case on `str(...)` can tell"
}
"""Faulty solutions whose mistake the published examples do not show, and why."""


Program: TypeAlias = tuple[str, Solution]
"""A solution, and the exercise that it is for."""


def name(program: object) -> str:
    """Return `exercise/name`."""
    exercise, solution = cast("Program", program)
    return f"{exercise}/{solution.name}"


def source(program: Program) -> str:
    """Return the text of its module: these exercises have one each."""
    exercise, solution = program
    return solution.sources[exercise]


def named_in_header(program: Program) -> list[str]:
    """Return the groups in which a faulty solution says that it loses points."""
    (header,) = (line for line in source(program).splitlines() if line.startswith(LOSES))
    return [part.strip() for part in header.removeprefix(LOSES).split(",")]


REFERENCES: Final = [
    (exercise, Solution(name="reference", sources=reference(exercise))) for exercise in EXERCISES
]
CORRECT: Final = beside_references("correct", *EXERCISES)
FAULTY: Final = seen("faulty", *EXERCISES)
EVENLY_WEIGHED_FAULTY: Final = seen("faulty", *EVENLY_WEIGHED)
UNSEEN: Final = beside_references("faulty/unseen", *EXERCISES)
IN_HELPERS_ONLY: Final = [
    each for each in seen("faulty", "triomino") if "triomino" not in named_in_header(each)
]


@cache
def suite_of(exercise: str) -> Suite:
    """Return the published suite with short limits: an endless loop need not take long."""
    suite = load_suite(ROOT / "testsuites" / f"{exercise}.yaml", KINDS)
    return suite.with_changes(limits=LIMITS)


def handed_in(exercise: str, text: str) -> Submission:
    """Return a program as a hand-in."""
    return submission_of(suite_of(exercise), {exercise: text}, "somebody")


@pytest.fixture(scope="module")
def graded(zygote: Zygote) -> Iterator[Callable[[Program], Record]]:
    """What gives the record of a solution, made when it is first asked for."""
    with ExitStack() as sandboxes:
        started: dict[tuple[str, ...], Sandbox] = {(): zygote}

        @cache
        def record(exercise: str, text: str) -> Record:
            suite = suite_of(exercise)
            packages = optional_packages(suite.imports)
            if packages not in started:
                for package in packages:
                    pytest.importorskip(package)
                started[packages] = sandboxes.enter_context(new_sandbox(packages))
            return grade(suite, handed_in(exercise, text), started[packages])

        yield lambda program: record(program[0], source(program))


def loss(record: Record) -> float:
    """Return which part of the points was lost."""
    return 1 - record.score / record.max_score


def failed_groups(record: Record) -> list[str]:
    """Return the titles of the groups that count and are not all passed."""
    return [
        group.title
        for group in record.groups
        if group.max_points and group.passed < len(group.cases)
    ]


@pytest.mark.corpus
@pytest.mark.parametrize("program", [*REFERENCES, *CORRECT], ids=name)
def test_correct_solution_gets_everything(
    graded: Callable[[Program], Record], program: Program
) -> None:
    """The reference, and each solution right in another way, passes every case that counts."""
    record = graded(program)
    assert (Status.GRADED, record.max_score) == (record.status, record.score)
    counting = [group for group in record.groups if group.max_points]
    assert {Verdict.PASSED} == {case.verdict for group in counting for case in group.cases}
    assert {"remark.prints"}.issuperset(each.key for each in record.remarks)


@pytest.mark.corpus
@pytest.mark.parametrize("program", FAULTY, ids=name)
def test_faulty_solution_fails_where_it_says(
    graded: Callable[[Program], Record], program: Program
) -> None:
    """Each mistake costs points, in at least one group of what its header names."""
    named = named_in_header(program)
    record = graded(program)
    assert Status.GRADED is record.status
    if name(program) in TOLERATED:
        assert [] == failed_groups(record), "take it from the list of exceptions"
        return
    assert loss(record) > 0
    assert any(
        group == part or group.startswith(f"{part} ")
        for group in failed_groups(record)
        for part in named
    ), f"{failed_groups(record)} and none of {named}"


@pytest.mark.corpus
@pytest.mark.parametrize("program", UNSEEN, ids=name)
def test_unseen_mistake_is_not_seen_in_the_examples(
    graded: Callable[[Program], Record], program: Program
) -> None:
    """That is what makes it unseen: the published examples that count all pass."""
    counting = [group for group in graded(program).groups if group.max_points]
    examples = [case for group in counting for case in group.cases if case.spec_line is not None]
    assert {Verdict.PASSED} == {case.verdict for case in examples}


@pytest.mark.corpus
@pytest.mark.parametrize("program", UNSEEN, ids=name)
def test_unseen_mistake_costs_points_where_another_board_can_show_it(
    graded: Callable[[Program], Record], program: Program
) -> None:
    """Only triomino has boards besides the examples, of the function asked for.

    What a rule sees of it is another matter.
    """
    shown = program[0] == "triomino" and "triomino" in named_in_header(program)
    record = graded(program)
    assert shown is ("otros-tableros" in failed_groups(record))
    assert shown is any(group.points < group.max_points for group in record.groups)


@pytest.mark.corpus
@pytest.mark.parametrize("program", IN_HELPERS_ONLY, ids=name)
def test_mistake_in_helpers_costs_no_more_than_they_are_worth(
    graded: Callable[[Program], Record], program: Program
) -> None:
    """Who gets the function asked for right keeps all its points, whatever its parts return."""
    assert set(failed_groups(graded(program))) <= set(named_in_header(program))


@pytest.mark.corpus
@pytest.mark.parametrize("program", EVENLY_WEIGHED_FAULTY, ids=name)
def test_no_mistake_costs_more_than_example_by_example(
    graded: Callable[[Program], Record], zygote: Zygote, program: Program
) -> None:
    """The part lost is at most the part of the examples that fail in the long session."""
    suite, submission = suite_of(program[0]), handed_in(program[0], source(program))
    assert loss(graded(program)) <= step_by_step(suite, submission, zygote) + 1e-9


@pytest.mark.corpus(one_in=None)  # it grades them all
@pytest.mark.parametrize("exercise", EVENLY_WEIGHED)
def test_one_mistake_costs_little(graded: Callable[[Program], Record], exercise: str) -> None:
    """The median of what one typical mistake costs is at most a fifth of the points."""
    lost = [loss(graded(program)) for program in seen("faulty", exercise)]
    assert len(lost) > 20
    assert statistics.median(lost) <= MEDIAN_LOSS


def test_exceptions_are_in_the_catalogue() -> None:
    """Each exception names a solution that is there."""
    assert set(TOLERATED) <= {*map(name, FAULTY)}
