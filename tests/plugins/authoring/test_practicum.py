"""The practicum of several modules: what is right gets all points, a mistake costs its group."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from grader.intake.submissions import Entry, read_submission
from grader.judging.judge import grade
from grader.judging.record import Record
from grader.judging.rules import KINDS
from grader.plugins.authoring.solutions import Solution, Sources, read_solutions
from grader.sandbox.zygote import Zygote
from grader.suite.files import load_suite
from grader.suite.limits import Limits
from grader.suite.model import Suite
from grader.verdict import Status, Verdict

ROOT: Final = Path(__file__).resolve().parents[3]
REFERENCE: Final = ROOT / "reference" / "1010"
SOURCES: Final = {
    name: (REFERENCE / f"{name}.py").read_text(encoding="utf-8")
    for name in ("Position", "Block", "Board", "Game")
}
CORRECT: Final = [
    Solution(name="reference", sources=SOURCES),
    *read_solutions(REFERENCE / "correct", SOURCES),
]
FAULTY: Final = read_solutions(REFERENCE / "faulty", SOURCES)
MAX_OF_SKELETON: Final = 0.05
SCORED_WITH: Final = {"dimension": "make_board"}
"""Functions that have no points of their own, and the group that counts them."""
SHORT: Final = Limits(cpu_s=0.3)
"""Short limits: an endless loop need not take long. The reference needs 0.1 s at most."""


@pytest.fixture(scope="module")
def suite() -> Suite:
    """The published suite."""
    return load_suite(ROOT / "testsuites" / "1010.yaml", KINDS)


@pytest.fixture
def graded(zygote: Zygote, tmp_path: Path) -> Callable[[Suite, Sources], Record]:
    """Grades a program as it is handed in: a folder of modules."""

    def record_of(suite: Suite, sources: Sources) -> Record:
        hand_in = tmp_path / "hand_in"
        hand_in.mkdir()
        for name, text in sources.items():
            (hand_in / f"{name}.py").write_text(text, encoding="utf-8")
        submission = read_submission(Entry("hand_in", hand_in), suite.modules, suite.defines)
        return grade(suite, submission, zygote)

    return record_of


def only(suite: Suite, group_id: str) -> Suite:
    """Return the part of `suite` that scores one group, with short limits and without rules."""
    groups = tuple(group for group in suite.groups if group.id == group_id)
    sessions = tuple(
        session
        for session in suite.sessions
        if any(case.group == group_id for case in session.cases)
    )
    return suite.with_changes(
        groups=groups, sessions=sessions, limits=SHORT, rules=(), advice=False
    )


def skeleton_of(source: str) -> str:
    """Return `source` with nothing left in any function."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.body = [ast.Pass()]
    return ast.unparse(tree)


@pytest.mark.corpus
@pytest.mark.parametrize("solution", CORRECT, ids=lambda solution: solution.name)
def test_correct_solution_gets_everything(
    graded: Callable[[Suite, Sources], Record], suite: Suite, solution: Solution
) -> None:
    """The reference passes every case, and so does each solution with other data structures."""
    record = graded(suite, solution.sources)
    assert (Status.GRADED, 700) == (record.status, record.score)
    assert {Verdict.PASSED} == {case.verdict for case in record.cases}
    assert {"remark.prints"}.issuperset(each.key for each in record.remarks)


@pytest.mark.corpus
@pytest.mark.parametrize("faulty", FAULTY, ids=lambda solution: solution.name)
def test_mistake_costs_points_in_its_group(
    graded: Callable[[Suite, Sources], Record], suite: Suite, faulty: Solution
) -> None:
    """A mistake in one function costs points in the group of that function."""
    function = faulty.name.partition("-")[0]
    record = graded(only(suite, SCORED_WITH.get(function, function)), faulty.sources)
    assert Status.GRADED is record.status
    assert record.score < record.max_score


@pytest.mark.corpus
def test_skeleton_gets_next_to_nothing(
    graded: Callable[[Suite, Sources], Record], suite: Suite
) -> None:
    """Functions that do nothing pass no case worth mentioning, also not on our own modules."""
    record = graded(suite, {name: skeleton_of(text) for name, text in SOURCES.items()})
    assert Status.GRADED is record.status
    assert record.score <= MAX_OF_SKELETON * record.max_score


@pytest.mark.corpus
@pytest.mark.parametrize(("student", "score"), [("hermans_tibo", 700), ("claes_wout", 399)])
def test_sample_hand_in_gets_what_it_is_worth(
    zygote: Zygote, suite: Suite, student: str, score: float
) -> None:
    """Modules in a subfolder are found, and a Game.py that does not compile costs no others."""
    entry = Entry(student, ROOT / "submissions" / "1010" / student)
    submission = read_submission(entry, suite.modules, suite.defines)
    assert score == grade(suite, submission, zygote).score
