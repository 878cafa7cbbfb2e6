"""The catalogue of solutions: what is right gets everything, one mistake costs what it is worth."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Final

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

from point_loss import LIMITS, step_by_step

from grader.intake.submission import Submission
from grader.intake.submissions import Entry, read
from grader.judging.judge import grade
from grader.judging.record import Record
from grader.judging.rules import KINDS
from grader.sandbox.gate import Gate
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.sandbox.zygote import Zygote
from grader.suite.loading import load_suite
from grader.suite.model import Suite
from grader.suite.vocabulary import packages_among
from grader.verdict import Status, Verdict

ROOT: Final = Path(__file__).resolve().parents[1]
REFERENCE: Final = ROOT / "reference"
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


def found(pattern: str) -> list[Path]:
    """Return the solutions of all exercises whose path has `pattern`."""
    return [path for exercise in EXERCISES for path in sorted((REFERENCE / exercise).glob(pattern))]


def references() -> list[Path]:
    """Return the reference solutions; what else is in their folders is given code."""
    return [REFERENCE / exercise / f"{exercise}.py" for exercise in EXERCISES]


def name(path: Path) -> str:
    """Return `exercise/stem`."""
    return f"{path.relative_to(REFERENCE).parts[0]}/{path.stem}"


def exercise_of(path: Path) -> str:
    """Return the exercise that the solution at `path` is for."""
    return path.relative_to(REFERENCE).parts[0]


def named_in_header(path: Path) -> list[str]:
    """Return the groups in which the faulty solution at `path` says that it loses points."""
    (header,) = (
        line for line in path.read_text("utf-8", "replace").splitlines() if line.startswith(LOSES)
    )
    return [part.strip() for part in header.removeprefix(LOSES).split(",")]


FAULTY: Final = found("faulty/*.py")
EVENLY_WEIGHED_FAULTY: Final = [path for path in FAULTY if exercise_of(path) in EVENLY_WEIGHED]
UNSEEN: Final = found("faulty/unseen/*.py")
IN_HELPERS_ONLY: Final = [
    path
    for path in FAULTY
    if exercise_of(path) == "triomino" and "triomino" not in named_in_header(path)
]


@cache
def suite_of(exercise: str) -> Suite:
    """Return the published suite with short limits: an endless loop need not take long."""
    suite = load_suite(ROOT / "testsuites" / f"{exercise}.yaml", KINDS)
    return suite.changed(limits=LIMITS)


def submission_of(path: Path) -> Submission:
    """Return the solution at `path` as a hand-in."""
    suite = suite_of(exercise_of(path))
    return read(Entry(path.stem, path), suite.modules, suite.defines)


@pytest.fixture(scope="module")
def grading(zygote: Zygote) -> Iterator[Mapping[Path, Record]]:
    """The record of each solution, made when it is first asked for."""
    with ExitStack() as sandboxes:
        started: dict[tuple[str, ...], Sandbox] = {(): zygote}

        class Records(dict[Path, Record]):
            def __missing__(self, path: Path) -> Record:
                suite = suite_of(exercise_of(path))
                packages = packages_among(suite.imports)
                if packages not in started:
                    for package in packages:
                        pytest.importorskip(package)
                    started[packages] = sandboxes.enter_context(new_sandbox(packages))
                record = grade(suite, submission_of(path), started[packages], Gate())
                return self.setdefault(path, record)

        yield Records()


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
@pytest.mark.parametrize("path", [*references(), *found("correct/*.py")], ids=name)
def test_correct_solution_gets_everything(grading: Mapping[Path, Record], path: Path) -> None:
    """The reference, and each solution right in another way, passes every case that counts."""
    record = grading[path]
    assert (Status.GRADED, record.max_score) == (record.status, record.score)
    counting = [group for group in record.groups if group.max_points]
    assert {Verdict.PASSED} == {case.verdict for group in counting for case in group.cases}
    assert {"remark.prints"}.issuperset(each.key for each in record.remarks)


@pytest.mark.corpus
@pytest.mark.parametrize("path", FAULTY, ids=name)
def test_faulty_solution_fails_where_it_says(grading: Mapping[Path, Record], path: Path) -> None:
    """Each mistake costs points, in at least one group of what its header names."""
    named = named_in_header(path)
    record = grading[path]
    assert Status.GRADED is record.status
    if name(path) in TOLERATED:
        assert [] == failed_groups(record), "take it from the list of exceptions"
        return
    assert loss(record) > 0
    assert any(
        group == part or group.startswith(f"{part} ")
        for group in failed_groups(record)
        for part in named
    ), f"{failed_groups(record)} and none of {named}"


@pytest.mark.corpus
@pytest.mark.parametrize("path", UNSEEN, ids=name)
def test_unseen_mistake_is_not_seen_in_the_examples(
    grading: Mapping[Path, Record], path: Path
) -> None:
    """That is what makes it unseen: the published examples that count all pass."""
    counting = [group for group in grading[path].groups if group.max_points]
    examples = [case for group in counting for case in group.cases if case.spec_line is not None]
    assert {Verdict.PASSED} == {case.verdict for case in examples}


@pytest.mark.corpus
@pytest.mark.parametrize("path", UNSEEN, ids=name)
def test_unseen_mistake_costs_points_where_another_board_can_show_it(
    grading: Mapping[Path, Record], path: Path
) -> None:
    """Only triomino has boards besides the examples, of the function asked for."""
    shown = exercise_of(path) == "triomino" and "triomino" in named_in_header(path)
    assert shown is ("otros-tableros" in failed_groups(grading[path]))
    assert shown is (loss(grading[path]) > 0)


@pytest.mark.corpus
@pytest.mark.parametrize("path", IN_HELPERS_ONLY, ids=name)
def test_mistake_in_helpers_costs_no_more_than_they_are_worth(
    grading: Mapping[Path, Record], path: Path
) -> None:
    """Who gets the function asked for right keeps all its points, whatever its parts return."""
    assert set(failed_groups(grading[path])) <= set(named_in_header(path))


@pytest.mark.corpus
@pytest.mark.parametrize("path", EVENLY_WEIGHED_FAULTY, ids=name)
def test_no_mistake_costs_more_than_example_by_example(
    grading: Mapping[Path, Record], zygote: Zygote, path: Path
) -> None:
    """The part lost is at most the part of the examples that fail in the long session."""
    suite = suite_of(exercise_of(path))
    assert loss(grading[path]) <= step_by_step(suite, submission_of(path), zygote) + 1e-9


@pytest.mark.corpus(one_in=None)  # it grades them all
@pytest.mark.parametrize("exercise", EVENLY_WEIGHED)
def test_one_mistake_costs_little(grading: Mapping[Path, Record], exercise: str) -> None:
    """The median of what one typical mistake costs is at most a fifth of the points."""
    lost = [loss(grading[path]) for path in FAULTY if name(path).startswith(exercise)]
    assert len(lost) > 20
    assert statistics.median(lost) <= MEDIAN_LOSS


def test_exceptions_are_in_the_catalogue() -> None:
    """Each exception names a solution that is there."""
    assert set(TOLERATED) <= {name(path) for path in FAULTY}
