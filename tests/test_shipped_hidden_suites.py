"""The hidden suites that come with the exercises keep what they are made for."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from grader.auditing.bench import Bench
from grader.auditing.hardcoder import hard_coders, submission_of
from grader.auditing.programs import WrongProgram, samples
from grader.hidden import drawn
from grader.judge import grade
from grader.loading import load_whole_suite
from grader.record import Record
from grader.references import reference_sha256
from grader.sandbox.nursery import Nursery, new_nursery
from grader.sandbox.zygote import Zygote
from grader.sessions import Gate
from grader.suite import Suite
from grader.verdict import Visibility

ROOT: Final = Path(__file__).resolve().parents[1]
EXERCISES: Final = ("yinyang", "akari", "str8ts", "triomino", "1010")
MAX_SESSIONS: Final = 30
MAX_HARD_CODED: Final = 0.15
USUAL_LINES, NEARLY_ALL_LINES = 3, 6
_ONE_IN: Final = 24
"""Grading with all that belongs to it takes a second: one wrong solution in so many is graded."""
COSTS_NOTHING: Final = {"akari/laatste_regel_zonder_regeleinde_verloren"}
"""Wrong solutions that only fail what the spec leaves open, for no points."""


@pytest.fixture(scope="module")
def with_numpy() -> Iterator[Nursery]:
    """A nursery for the exercise that needs numpy."""
    with new_nursery(("numpy",)) as nursery:
        yield nursery


@cache
def suite_of(exercise: str) -> Suite:
    """Return the whole suite as one student faces it, without rules."""
    suite = load_whole_suite(ROOT / "testsuites" / f"{exercise}.yaml")
    return replace(drawn(suite, suite.seed, "somebody"), rules=(), advice=False)


@cache
def reference(exercise: str) -> dict[str, str]:
    """Return the sources of the reference, by module."""
    suite = suite_of(exercise)
    folder = ROOT / "reference" / exercise
    names = suite.modules or (str(suite.module),)
    return {name: (folder / f"{name}.py").read_text(encoding="utf-8") for name in names}


def solutions(folder: str, *exercises: str) -> list[tuple[str, WrongProgram]]:
    """Return the solutions in a folder beside the references of `exercises`."""
    return [
        (exercise, program)
        for exercise in exercises
        for program in samples(ROOT / "reference" / exercise / folder, reference(exercise))
    ]


def graded(exercise: str, sources: dict[str, str], nursery: Nursery) -> Record:
    """Return the record of a program on all cases."""
    suite = suite_of(exercise)
    return grade(suite, submission_of(suite, sources, "somebody"), nursery, Gate())


@pytest.mark.parametrize("exercise", EXERCISES)
def test_small_and_of_this_reference(exercise: str) -> None:
    """A hidden suite has at most thirty sessions, and was made on the reference that lies there."""
    suite = load_whole_suite(ROOT / "testsuites" / f"{exercise}.yaml")
    hidden = [each for each in suite.sessions if each.visibility is Visibility.HIDDEN]
    assert 0 < len(hidden) <= MAX_SESSIONS
    assert suite.generated is not None
    expected = reference_sha256(ROOT / "reference" / exercise, suite)
    assert expected == suite.generated.reference


@pytest.mark.parametrize("exercise", EXERCISES)
def test_every_pool_leaves_the_same_points(exercise: str) -> None:
    """Whatever a student draws, as many points can be had."""
    suite = load_whole_suite(ROOT / "testsuites" / f"{exercise}.yaml")
    scores = {drawn(suite, seed, "somebody").max_score for seed in "abcdefgh"}
    assert len(scores) == 1


@pytest.mark.parametrize("exercise", EXERCISES)
def test_reference_has_full_points(exercise: str, zygote: Zygote, with_numpy: Nursery) -> None:
    """The reference passes every case, in each of the sessions that can be drawn."""
    whole = load_whole_suite(ROOT / "testsuites" / f"{exercise}.yaml")
    nursery = with_numpy if "numpy" in whole.imports else zygote
    for seed in "abcd":
        suite = replace(drawn(whole, seed, "somebody"), rules=(), advice=False)
        record = grade(suite, submission_of(suite, reference(exercise), "it"), nursery, Gate())
        assert record.max_score == record.score


@pytest.mark.parametrize(
    ("exercise", "program"),
    solutions("correct", *EXERCISES),
    ids=lambda each: getattr(each, "id", each),
)
def test_right_solution_has_full_points(
    exercise: str, program: WrongProgram, zygote: Zygote, with_numpy: Nursery
) -> None:
    """Who solves it in another way loses nothing."""
    nursery = with_numpy if exercise == "triomino" else zygote
    record = graded(exercise, dict(program.sources), nursery)
    failed = [case.id for case in record.cases if case.points < case.max_points]
    assert not failed
    assert record.max_score == record.score


@pytest.mark.parametrize("exercise", EXERCISES)
def test_copied_answers_earn_little(exercise: str, zygote: Zygote, with_numpy: Nursery) -> None:
    """A program that knows the public answers, and nothing else, earns next to nothing."""
    suite = suite_of(exercise)
    nursery = with_numpy if exercise == "triomino" else zygote
    for each in hard_coders(suite, reference(exercise), nursery, Gate()):
        record = graded(exercise, dict(each.sources), nursery)
        assert record.score <= MAX_HARD_CODED * record.max_score, each.fallback


@pytest.mark.parametrize("exercise", ["yinyang", "akari", "str8ts", "triomino"])
def test_wrong_solutions_lose_points(exercise: str, zygote: Zygote, with_numpy: Nursery) -> None:
    """Solutions that no public case shows to be wrong fail; the others fail without us."""
    wrong = [program for _, program in solutions("faulty/unseen", exercise)]
    suite = suite_of(exercise)
    bench = Bench(suite, [with_numpy if exercise == "triomino" else zygote], reference(exercise))
    paid = {group.id for group in suite.groups if group.points}
    tried = bench.failures([(program.sources, suite.sessions) for program in wrong], apart=True)
    free = {
        f"{exercise}/{program.id}"
        for program, failures in zip(wrong, tried, strict=True)
        if failures.loads
        and not any(
            case.partition("/")[0] in paid for cases in failures.cases.values() for case in cases
        )
    }
    assert len(wrong) > 10
    assert {each for each in COSTS_NOTHING if each.startswith(f"{exercise}/")} == free


@pytest.mark.parametrize("exercise", EXERCISES)
def test_every_hidden_group_has_siblings(exercise: str) -> None:
    """Who fails hidden cases of a group may see a small session, whatever the group."""
    suite = load_whole_suite(ROOT / "testsuites" / f"{exercise}.yaml")
    hidden = [each for each in suite.sessions if each.visibility is Visibility.HIDDEN]
    asked, shown = (
        {case.group for session in sessions for case in session.cases}
        for sessions in (hidden, suite.siblings)
    )
    assert asked
    assert set() == asked - shown


def test_counterexamples_are_short(zygote: Zygote, with_numpy: Nursery) -> None:
    """Most are of three lines at most, and nearly all of six."""
    some = solutions("faulty", *EXERCISES)[::_ONE_IN]
    records = [
        graded(exercise, dict(program.sources), with_numpy if exercise == "triomino" else zygote)
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
    assert lines[int(0.95 * len(lines))] <= NEARLY_ALL_LINES
