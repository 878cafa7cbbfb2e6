"""The hidden suites that come with the exercises keep what they are made for."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from functools import cache
from typing import Final

import pytest
from catalogue import MODULES, ROOT, beside_references, reference

from grader.judging.judge import grade
from grader.judging.record import Record
from grader.judging.rules import KINDS
from grader.plugins.authoring.auditing.hard_coders import hard_coders
from grader.plugins.authoring.auditing.mutant_runner import MutantRunner
from grader.plugins.authoring.exercise import find_exercise
from grader.plugins.authoring.solutions import Solution, reference_sha256, submission_of
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.sandbox.zygote import Zygote
from grader.suite.files import load_whole_suite
from grader.suite.limits import Limits
from grader.suite.model import Suite
from grader.verdict import Visibility

EXERCISES: Final = ("yinyang", "akari", "str8ts", "triomino", "1010")
SHORT: Final = Limits(cpu_s=0.5)
"""Of wrong programs: an endless loop need not take long. The references need 0.1 s at most."""
MAX_SESSIONS: Final = 30
MAX_HARD_CODED: Final = 0.15
MAX_OF_TABLES: Final = 0.25
MAX_GUESSED: Final = {"yinyang": 0.6, "akari": 0.6, "str8ts": 0.6, "triomino": 0.5}
"""The part of the points for all but the hard part of an exercise."""
PARTS: Final = 6
"""A panel has fifty programs and more, of which a test takes one in so many."""
USUAL_LINES, MAX_LINES = 4, 6
_ONE_IN: Final = 24
"""Grading with all that belongs to it takes a second: one wrong solution in so many is graded."""


@pytest.fixture(scope="module")
def with_numpy() -> Iterator[Sandbox]:
    """A sandbox for the exercise that needs numpy."""
    with new_sandbox(("numpy",)) as sandbox:
        yield sandbox


@cache
def suite_of(exercise: str) -> Suite:
    """Return the whole suite, without rules."""
    suite = load_whole_suite(ROOT / "testsuites" / f"{exercise}.yaml", KINDS)
    return suite.with_changes(rules=(), advice=False)


def graded(
    exercise: str, sources: dict[str, str], sandbox: Sandbox, limits: Limits | None = None
) -> Record:
    """Return the record of a program on all cases, within `limits` or those of the suite."""
    suite = suite_of(exercise)
    if limits is not None:
        suite = suite.with_changes(limits=limits)
    return grade(suite, submission_of(suite, sources, "somebody"), sandbox)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_small_and_of_this_reference(exercise: str) -> None:
    """A student faces thirty sessions at most, and they are of the reference that lies there."""
    suite = load_whole_suite(ROOT / "testsuites" / f"{exercise}.yaml", KINDS)
    hidden = [each for each in suite.sessions if each.visibility is Visibility.HIDDEN]
    assert 0 < len(hidden) <= MAX_SESSIONS
    assert suite.generated is not None
    expected = reference_sha256(ROOT / "reference" / exercise, suite)
    assert expected == suite.generated.reference


@pytest.mark.corpus
@pytest.mark.parametrize("exercise", EXERCISES)
def test_reference_has_full_points(exercise: str, zygote: Zygote, with_numpy: Sandbox) -> None:
    """The reference passes every case."""
    sandbox = with_numpy if "numpy" in suite_of(exercise).imports else zygote
    record = graded(exercise, reference(exercise), sandbox)
    assert record.max_score == record.score


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("exercise", "program"),
    beside_references("correct", *EXERCISES),
    ids=lambda each: getattr(each, "name", each),
)
def test_right_solution_has_full_points(
    exercise: str, program: Solution, zygote: Zygote, with_numpy: Sandbox
) -> None:
    """Who solves it in another way loses nothing."""
    sandbox = with_numpy if exercise == "triomino" else zygote
    record = graded(exercise, dict(program.sources), sandbox)
    failed = [case.id for case in record.cases if case.points < case.max_points]
    assert not failed
    assert record.max_score == record.score


@pytest.mark.authoring
@pytest.mark.parametrize("exercise", EXERCISES)
def test_copied_answers_earn_little(exercise: str, zygote: Zygote, with_numpy: Sandbox) -> None:
    """A program that knows the public answers, and nothing else, earns next to nothing."""
    suite = suite_of(exercise)
    sandbox = with_numpy if exercise == "triomino" else zygote
    for fallback, sources in hard_coders(suite, reference(exercise), sandbox).items():
        record = graded(exercise, dict(sources), sandbox, SHORT)
        assert record.score <= MAX_HARD_CODED * record.max_score, fallback


@pytest.mark.corpus
@pytest.mark.parametrize("exercise", EXERCISES)
def test_sessions_stay_inside_the_text(exercise: str, zygote: Zygote, with_numpy: Sandbox) -> None:
    """Nothing is asked, or done first, that the text does not promise."""
    suite = suite_of(exercise)
    found = find_exercise(exercise, ROOT / "testsuites", None)
    sandbox = with_numpy if exercise == "triomino" else zygote
    tries = [(found.strict_sources(), (*suite.sessions, *suite.siblings))]
    (failures,) = MutantRunner(suite, [sandbox], found.sources).failures(tries, patience=math.inf)
    assert found.sources != found.strict_sources()
    assert {} == failures.cases


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("exercise", "program"),
    beside_references("guessers", *MAX_GUESSED),
    ids=lambda each: getattr(each, "name", each),
)
def test_guessers_earn_little(
    exercise: str, program: Solution, zygote: Zygote, with_numpy: Sandbox
) -> None:
    """Who can do all but the hard part, or has a table of the published answers, does not pass."""
    sandbox = with_numpy if exercise == "triomino" else zygote
    record = graded(exercise, dict(program.sources), sandbox, SHORT)
    is_table = program.name in {"tabel", "tabla"}
    most = MAX_OF_TABLES if is_table else MAX_GUESSED[exercise]
    assert record.score <= most * record.max_score


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("exercise", "folder", "part"),
    [
        # Without the practicum, of which a program takes seconds: `grader audit` tries its panel.
        *((each, "faulty/unseen", 0) for each in EXERCISES if each not in MODULES),
        *((each, "panel", n) for each in EXERCISES if each not in MODULES for n in range(PARTS)),
    ],
)
def test_wrong_solutions_lose_points(
    exercise: str, folder: str, part: int, zygote: Zygote, with_numpy: Sandbox
) -> None:
    """Solutions with a mistake fail a hidden case, also where no public case shows it."""
    parts = PARTS if folder == "panel" else 1
    wrong = [program for _, program in beside_references(folder, exercise)][part::parts]
    suite = suite_of(exercise).with_changes(limits=SHORT)
    mutant_runner = MutantRunner(
        suite, [with_numpy if exercise == "triomino" else zygote], reference(exercise)
    )
    paid = {group.id for group in suite.groups if group.points}
    tried = mutant_runner.failures(
        [(program.sources, suite.sessions) for program in wrong], apart=True
    )
    free = {
        f"{exercise}/{program.name}"
        for program, failures in zip(wrong, tried, strict=True)
        if failures.loads
        and not any(
            case.partition("/")[0] in paid for cases in failures.cases.values() for case in cases
        )
    }
    assert len(wrong) >= 9
    assert not free


@pytest.mark.parametrize("exercise", EXERCISES)
def test_every_hidden_group_has_siblings(exercise: str) -> None:
    """Who fails hidden cases of a group may see a small session, whatever the group."""
    suite = load_whole_suite(ROOT / "testsuites" / f"{exercise}.yaml", KINDS)
    hidden = [each for each in suite.sessions if each.visibility is Visibility.HIDDEN]
    asked, shown = (
        {case.group for session in sessions for case in session.cases}
        for sessions in (hidden, suite.siblings)
    )
    assert asked
    assert set() == asked - shown


@pytest.mark.corpus
def test_counterexamples_are_short(zygote: Zygote, with_numpy: Sandbox) -> None:
    """Half of them are of four lines at most, and nine in ten of six."""
    some = beside_references("faulty", *EXERCISES)[::_ONE_IN]
    records = [
        graded(
            exercise,
            dict(program.sources),
            with_numpy if exercise == "triomino" else zygote,
            SHORT,
        )
        for exercise, program in some
    ]
    assert all(record.score < record.max_score for record in records)
    lines = sorted(
        len(group.counterexample.transcript)
        for record in records
        for group in record.groups
        if group.counterexample is not None
    )
    assert len(lines) > len(some) // 2
    assert statistics.median(lines) <= USUAL_LINES
    assert lines[int(0.9 * len(lines))] <= MAX_LINES
