"""The practicum of several modules: what is right gets all points, a mistake costs its group."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from grader.intake.submissions import Entry, read
from grader.judge import grade
from grader.limits import Limits
from grader.loading import load_suite
from grader.record import Record
from grader.sandbox.zygote import Zygote
from grader.sessions import Gate
from grader.suite import Suite
from grader.verdict import Status, Verdict

ROOT: Final = Path(__file__).resolve().parents[1]
REFERENCE: Final = ROOT / "reference" / "1010"
CORRECT: Final = (REFERENCE, *sorted((REFERENCE / "correct").iterdir()))
FAULTY: Final = sorted((REFERENCE / "faulty").iterdir())
MOST_OF_SKELETON: Final = 0.05
SCORED_WITH: Final = {"dimension": "make_board"}
"""Functions that have no points of their own, and the group that counts them."""
SHORT: Final = Limits(cpu_s=0.5, group_timeouts=1)
"""Short limits: an endless loop need not take long. The reference needs 0.1 s at most."""


@pytest.fixture(scope="module")
def suite() -> Suite:
    """The published suite."""
    return load_suite(ROOT / "testsuites" / "1010.yaml")


@pytest.fixture
def graded(zygote: Zygote, tmp_path: Path) -> Callable[[Suite, Path], Record]:
    """Grades the modules of a folder; those that it lacks are the reference's."""

    def record_of(suite: Suite, solution: Path) -> Record:
        hand_in = tmp_path / "hand_in"
        hand_in.mkdir()
        for folder in (REFERENCE, solution):
            for module in folder.glob("*.py"):
                shutil.copy(module, hand_in)
        submission = read(Entry(solution.name, hand_in), suite.module, suite.defines)
        return grade(suite, submission, zygote, Gate())

    return record_of


def only(suite: Suite, group_id: str) -> Suite:
    """Return the part of `suite` that scores one group, with short limits and without rules."""
    groups = tuple(group for group in suite.groups if group.id == group_id)
    sessions = tuple(
        session
        for session in suite.sessions
        if any(case.group == group_id for case in session.cases)
    )
    return replace(suite, groups=groups, sessions=sessions, limits=SHORT, rules=(), advice=False)


def skeleton_of(source: str) -> str:
    """Return `source` with nothing left in any function."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.body = [ast.Pass()]
    return ast.unparse(tree)


@pytest.mark.parametrize("solution", CORRECT, ids=lambda path: path.name)
def test_correct_solution_gets_everything(
    graded: Callable[[Suite, Path], Record], suite: Suite, solution: Path
) -> None:
    """The reference passes every case, and so does each solution with other data structures."""
    record = graded(suite, solution)
    assert (Status.GRADED, 700) == (record.status, record.score)
    assert {Verdict.PASSED} == {case.verdict for case in record.cases}
    assert () == record.remarks


@pytest.mark.parametrize("faulty", FAULTY, ids=lambda path: path.name)
def test_mistake_costs_points_in_its_group(
    graded: Callable[[Suite, Path], Record], suite: Suite, faulty: Path
) -> None:
    """A mistake in one function costs points in the group of that function."""
    function = faulty.name.partition("-")[0]
    record = graded(only(suite, SCORED_WITH.get(function, function)), faulty)
    assert Status.GRADED is record.status
    assert record.score < record.max_score


def test_skeleton_gets_next_to_nothing(
    graded: Callable[[Suite, Path], Record], suite: Suite, tmp_path: Path
) -> None:
    """Functions that do nothing pass no case worth mentioning, also not on our own modules."""
    skeleton = tmp_path / "skeleton"
    skeleton.mkdir()
    for module in REFERENCE.glob("*.py"):
        text = skeleton_of(module.read_text(encoding="utf-8"))
        (skeleton / module.name).write_text(text, encoding="utf-8")
    record = graded(suite, skeleton)
    assert Status.GRADED is record.status
    assert record.score <= MOST_OF_SKELETON * record.max_score


@pytest.mark.parametrize(("student", "score"), [("hermans_tibo", 700), ("claes_wout", 399)])
def test_sample_hand_in_gets_what_it_is_worth(
    zygote: Zygote, suite: Suite, student: str, score: float
) -> None:
    """Modules in a subfolder are found, and a Game.py that does not compile costs no others."""
    entry = Entry(student, ROOT / "submissions" / "1010" / student)
    submission = read(entry, suite.module, suite.defines)
    assert score == grade(suite, submission, zygote, Gate()).score
