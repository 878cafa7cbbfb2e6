"""The mutant_runner of an audit: what programs fail, and which sessions reach and kill them."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Final

import pytest
from audited_programs import RIGHT, TWO, mutant, program, suite_of
from builders import suite
from test_answers import suite_of as suite_with_checkers

from grader.errors import SuiteError
from grader.plugins.authoring.auditing.kill_matrix import (
    Coverage,
    coverage,
    coverages,
    kill_matrix,
    prove_reference,
)
from grader.plugins.authoring.auditing.mutant_runner import MAX_DEATHS, MutantRunner, ProgramResult
from grader.plugins.authoring.auditing.programs import WrongProgram, WrongProgramSource
from grader.sandbox.zygote import Zygote
from grader.suite.model import Suite

WRONG: Final = RIGHT.replace("2 * n", "n + 2")
OTHER: Final = """
    def least(a, b=9):
        return min(a, b)
    def twice(n):
        same = n
        return same + n
"""
"""A right solution with another function on each line."""
REMEMBERS: Final = """
    calls = []
    def twice(n):
        calls.append(n)
        return 2 * n if len(calls) < 3 else 0
    def least(a, b=9): return min(a, b)
"""
SLOW: Final = """
    import time
    def twice(n):
        end_s = time.process_time() + {seconds}
        while time.process_time() < end_s: pass
        return 2 * n
    def least(a, b=9): return min(a, b)
"""
MANY: Final = suite_of(
    *([(f"twice({number})", str(2 * number))] for number in range(23)),
    [("least(4, 3)", "3"), ("twice(1)", "2")],
    [("twice(0)", "0"), ("1 + 1", "2")],
)


def runner_of(some: Suite, zygote: Zygote, reference: str = RIGHT) -> MutantRunner:
    """Return a mutant_runner with one thread."""
    return MutantRunner(some, [zygote], program(reference))


def failing(
    some: Suite, zygote: Zygote, source: str, *, apart: bool = False, enough: int | None = None
) -> ProgramResult:
    """Return what the program `source` fails."""
    tries = [(program(source), some.sessions)]
    (failures,) = runner_of(some, zygote).failures(tries, apart=apart, enough=enough)
    return failures


# The runner


@pytest.mark.parametrize("source", [RIGHT, WRONG, RIGHT.replace("a < b", "a > b"), "x = 1"])
def test_sessions_strung_together_fail_what_they_fail_apart(zygote: Zygote, source: str) -> None:
    """For a program that remembers nothing it does not matter that sessions share a process."""
    together = failing(MANY, zygote, source)
    assert together == failing(MANY, zygote, source, apart=True)
    assert together.killed is (source != RIGHT)


def test_failures_are_told_case_by_case(zygote: Zygote) -> None:
    """A session is there with the cases that fail, and only if there are any."""
    failures = failing(MANY, zygote, WRONG)
    last, before = MANY.sessions[-1], MANY.sessions[-2]
    assert frozenset({last.cases[0].id}) == failures.cases[last.id]
    assert frozenset({before.cases[1].id}) == failures.cases[before.id]
    assert MANY.sessions[2].id not in failures.cases


def test_what_is_remembered_shows_only_apart(zygote: Zygote) -> None:
    """A program that fails its third call is right in each session that has few of them."""
    some = suite_of(*[[("twice(1)", "2"), ("twice(2)", "4")]] * 3)
    assert failing(some, zygote, REMEMBERS).killed
    assert not failing(some, zygote, REMEMBERS, apart=True).killed


WRITES: Final = """
files: {numbers.txt: '4'}
groups: [{id: g, points: 1}]
sessions:
- id: writes
  steps:
  - do: "open('numbers.txt', 'w').write('7')"
  - {do: "twice(int(open('numbers.txt').read()))", returns: "14", group: g}
- id: reads
  steps:
  - {do: "read()", returns: "8", group: g}
"""
READS: Final = """
    def twice(n): return 2 * n
    def read(): return twice(int(open('numbers.txt').read()))
"""


def test_what_a_session_writes_no_other_of_a_batch_reads(zygote: Zygote) -> None:
    """A session that reads a file of the suite passes beside one that has written over it."""
    some = suite(WRITES)
    mutant_runner = runner_of(some, zygote, READS)
    prove_reference(mutant_runner, program(READS), some.sessions)


def test_program_that_never_ends_is_found(zygote: Zygote) -> None:
    """The session in which it hangs fails, and the others are told apart from it."""
    source = RIGHT.replace("return a if", "while a > 3: pass\n        return a if")
    failures = failing(MANY, zygote, source)
    assert {MANY.sessions[-2].id} == failures.cases.keys()


def test_program_that_never_ends_is_not_tried_for_ever(zygote: Zygote) -> None:
    """After a few sessions that it does not survive, the rest is left."""
    source = RIGHT.replace("return 2 * n", "while True: pass")
    assert MAX_DEATHS == len(failing(MANY, zygote, source).cases)
    assert 1 == len(failing(MANY, zygote, source, enough=9).cases)
    assert failing(MANY, zygote, "while True: pass").killed


def test_program_that_fails_enough_is_tried_no_further(zygote: Zygote) -> None:
    """Sessions that run one by one end as soon as enough of them fail."""
    assert 2 == len(failing(MANY, zygote, WRONG, apart=True, enough=2).cases)


@pytest.mark.parametrize(
    ("reference_s", "patience", "is_late"), [(0, 0, True), (0, math.inf, False), (0.3, 0, False)]
)
def test_right_and_slow_program_is_given_time(
    zygote: Zygote, reference_s: float, patience: float, *, is_late: bool
) -> None:
    """It may take many times as long as the reference, and as long as the suite allows if asked."""
    mutant_runner = runner_of(TWO, zygote, SLOW.format(seconds=reference_s))
    slow = program(SLOW.format(seconds=2))
    (failures,) = mutant_runner.failures([(slow, TWO.sessions)], apart=True, patience=patience)
    assert is_late == failures.only_died == failures.killed


@pytest.mark.parametrize(
    "source", ["def f(:", "1 / 0", "import no_such_module", "raise SystemExit"]
)
def test_program_that_does_not_load_is_killed(zygote: Zygote, source: str) -> None:
    """It fails no case in particular, and that is told."""
    failures = failing(MANY, zygote, source)
    assert not failures.loads
    assert failures.killed
    assert not failures.cases


def test_programs_keep_their_order(zygote: Zygote) -> None:
    """However many threads there are, what is found comes in the order of the programs."""
    told = Counter[str]()
    sources = [WRONG, RIGHT, WRONG, "1 / 0"]
    tries = [(program(source), MANY.sessions) for source in sources]
    found = runner_of(MANY, zygote).failures(tries, progress=lambda: told.update(["told"]))
    assert [True, False, True, True] == [failures.killed for failures in found]
    assert 4 == told["told"]


# What reaches what


@pytest.fixture
def reached(zygote: Zygote) -> Coverage:
    """What two sessions reach, that call one function each."""
    return coverage(runner_of(TWO, zygote), TWO, program(RIGHT))


NAMES: Final = [session.id for session in TWO.sessions]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("return 2 * n", NAMES[:1]),
        ("return a if", NAMES[1:]),
        ("def twice", NAMES),
        ("b=9", NAMES),
        ("SIGN", NAMES),
    ],
)
def test_line_is_reached_by_sessions_that_run_it(
    reached: Coverage, code: str, expected: list[str]
) -> None:
    """A body runs where its function is called; headings and what is outside run everywhere."""
    (line,) = [n for n, text in enumerate(dedent(RIGHT).split("\n"), start=1) if code in text]
    assert expected == [each.id for each in reached.reaching("sample", line, TWO.sessions)]


def test_mutant_runs_only_where_it_is_reached(zygote: Zygote, reached: Coverage) -> None:
    """A slip is not tried on what does not call its function; a misconception always is."""
    mutant_runner = runner_of(TWO, zygote)
    first, second = TWO.sessions

    def killed_by(wrong: WrongProgram) -> list[bool]:
        matrix = kill_matrix(mutant_runner, [wrong], TWO, {"": reached})
        return [session.id in matrix[wrong.id].cases for session in (first, second)]

    assert [True, False] == killed_by(mutant(WRONG, 3))
    assert [False, False] == killed_by(mutant(WRONG, 6))
    assert [True, False] == killed_by(mutant(WRONG, 6, misconception=True))


def test_slip_in_a_right_solution_runs_where_that_one_calls_it(
    zygote: Zygote, reached: Coverage
) -> None:
    """Its lines are those of what it was made of, not those of the reference."""
    mutant_runner = runner_of(TWO, zygote)
    parents = {"": program(RIGHT), "other": program(OTHER), "idle": program(OTHER)}
    wrong = mutant(OTHER.replace("same + n", "same * n"), 6)
    slip = replace(wrong, id="other:1", parent="other")
    found = coverages(mutant_runner, TWO, parents, [slip])
    assert ["other"] == list(found)
    assert kill_matrix(mutant_runner, [slip], TWO, found)["other:1"].killed
    assert not kill_matrix(mutant_runner, [slip], TWO, {"other": reached})["other:1"].killed


def test_session_that_cannot_be_asked_may_enter_everything(zygote: Zygote) -> None:
    """One that the program does not survive says nothing of what it called; the others do."""
    ends = RIGHT.replace("return 2 * n", "import os; os._exit(1)")
    found = coverage(runner_of(TWO, zygote), TWO, program(ends))
    assert [2, 1] == [len(found.entered[name]) for name in NAMES]


def test_slow_and_right_program_is_not_killed(zygote: Zygote) -> None:
    """What takes somewhat longer than it may has a second chance before it counts as killed."""
    mutant_runner = runner_of(TWO, zygote)
    slow = WrongProgram(
        id="slow", kind=WrongProgramSource.SAMPLE, sources=program(SLOW.format(seconds=0.14))
    )
    matrix = kill_matrix(mutant_runner, [slow], TWO, {})
    assert not matrix["slow"].killed


def test_reference_has_to_pass(zygote: Zygote) -> None:
    """It passes all cases, together and apart; else there is nothing to hold programs against."""
    mutant_runner = runner_of(MANY, zygote)
    prove_reference(mutant_runner, program(RIGHT), MANY.sessions)
    for source, said in (
        (WRONG, "the reference does not pass g/1 of session s0"),
        (REMEMBERS, "the reference does not pass"),
        ("1 / 0", "the reference cannot be loaded: ZeroDivisionError: division by zero"),
    ):
        with pytest.raises(SuiteError, match=said):
            prove_reference(mutant_runner, program(source), MANY.sessions)


@pytest.mark.parametrize("accepts", ["checks.divides(answer, 12)", "checks.says(answer, None)"])
def test_audits_need_a_checker_that_says_something(
    zygote: Zygote, tmp_path: Path, accepts: str
) -> None:
    """A wrong program fails by what the checker says; where that fails itself, the audit stops."""
    suite = suite_with_checkers(tmp_path, {"f()": accepts})
    reference = {"sample": "def f(): return 3"}
    runner = MutantRunner(suite, [zygote], reference)
    wrong = {"sample": "def f(): return 5"}
    tries = [(reference, suite.sessions), (wrong, suite.sessions)]
    if "None" in accepts:
        message = r"g/1 of session s is right: the checker \S+ None\) returned None"
        with pytest.raises(SuiteError, match=message):
            runner.failures(tries)
    else:
        assert [False, True] == [each.killed for each in runner.failures(tries)]
