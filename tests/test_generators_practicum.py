"""The generator of 1010!: its scenes have what cases need, and its cases are worth their points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final

import pytest

from grader.authoring.auditing.mutant_runner import MutantRunner
from grader.authoring.exercise import Exercise, find_exercise, mutant_runners
from grader.authoring.generating import Draws, Generator, Script
from grader.authoring.generating.candidates import load_generator, suite_of
from grader.authoring.generating.oracle import Oracle
from grader.authoring.solutions import solutions
from grader.intake.submissions import Entry, read
from grader.judging.judge import grade
from grader.sandbox.sessions import Gate
from grader.sandbox.zygote import Zygote
from grader.suite.model import Session, Suite

ROOT: Final = Path(__file__).resolve().parents[1]
REFERENCE: Final = ROOT / "reference" / "1010"
CORRECT: Final = sorted((REFERENCE / "correct").iterdir())
KINDS: Final = 12
"""Of sessions that are drawn."""
SEEDS: Final = [f"practicum:{number}" for number in range(48)]
"""With these each kind is drawn at least once."""
SCORED_WITH: Final = {"dimension": "make_board"}
STUBS: Final = ("None", "True", "False", "0", "set()", "[]", "(0, [])", "(None, None)", "(1, 1)")
MOST_FOR_A_STUB: Final = 0.1

pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def exercise() -> Exercise:
    """The practicum with its reference."""
    return find_exercise("1010", ROOT / "testsuites", REFERENCE)


@pytest.fixture(scope="module")
def generator(exercise: Exercise) -> Generator:
    """Its generator."""
    return load_generator(exercise.generator)


@pytest.fixture(scope="module")
def scripts(generator: Generator) -> list[Script]:
    """The directed scripts, and some that are drawn under one symmetry after the other."""
    drawn = (
        generator.session(Draws(seed), number % generator.symmetries)
        for number, seed in enumerate(SEEDS)
    )
    return [*generator.directed(), *drawn]


@pytest.fixture(scope="module")
def mutant_runner(exercise: Exercise) -> Iterator[MutantRunner]:
    """A mutant_runner for the public suite."""
    with mutant_runners(exercise, 1) as runner_of:
        yield runner_of(exercise.suite)


@pytest.fixture(scope="module")
def documents(
    exercise: Exercise, scripts: list[Script], mutant_runner: MutantRunner
) -> list[dict[str, Any]]:
    """What the reference says of all scripts, in their order."""
    oracle = Oracle(mutant_runner.reference_runner(exercise.sources), exercise.suite.modules)
    return [oracle.session(script) for script in scripts]


@pytest.fixture(scope="module")
def suite(exercise: Exercise, generator: Generator, documents: list[dict[str, Any]]) -> Suite:
    """A suite of all these sessions."""
    named = {f"s{number}": document for number, document in enumerate(documents)}
    return suite_of(exercise.public, generator, named)


def sessions_about(suite: Suite, function: str) -> list[Session]:
    """Return the sessions with cases of the group that scores `function`."""
    group = SCORED_WITH.get(function, function)
    return [each for each in suite.sessions if any(case.group == group for case in each.cases)]


def test_the_same_seed_gives_the_same_sessions(generator: Generator) -> None:
    """What is drawn follows from the seed alone."""
    first, again = ([generator.session(Draws(s), 3) for s in SEEDS[:9]] for _ in range(2))
    assert first == again
    assert list(generator.directed()) == list(generator.directed())


def test_drawn_sessions_are_of_a_size_to_read(generator: Generator) -> None:
    """Each kind of session is drawn, and none is shorter than 15 lines or longer than 40."""
    drawn = [generator.session(Draws(seed), 0) for seed in SEEDS]
    assert KINDS == len({script.topic for script in drawn})
    assert all(15 <= len(script.lines) <= 40 for script in drawn)


def test_directed_sessions_are_few(generator: Generator) -> None:
    """There are at most 30 directed sessions, each with a title of its own."""
    titles = [script.topic for script in generator.directed()]
    assert len(titles) == len(set(titles)) <= 30


def test_a_symmetry_keeps_the_structure(generator: Generator) -> None:
    """The same draws under any symmetry make other lines, for the same groups in order."""
    for seed in SEEDS[:12]:
        turned = [generator.session(Draws(seed), way) for way in range(generator.symmetries)]
        assert 1 == len({tuple(line.group for line in each.lines) for each in turned})
        assert 1 < len({each.lines for each in turned})


def test_a_session_uses_the_modules_it_names(scripts: list[Script]) -> None:
    """No module is handed in that a session does not need."""
    for script in scripts:
        code = "\n".join(line.code for line in script.lines)
        assert script.uses == tuple(
            name for name in ("Position", "Block", "Board", "Game") if f"{name}." in code
        )


def test_the_reference_answers_every_line(
    scripts: list[Script], documents: list[dict[str, Any]]
) -> None:
    """No line is left out, none raises, and each case says which line of the text asks for it."""
    last = len((REFERENCE / "spec.md").read_text("utf-8").splitlines())
    for script, document in zip(scripts, documents, strict=True):
        assert [line.code for line in script.lines] == [step["do"] for step in document["steps"]]
        for step in document["steps"]:
            assert "raises" not in step
            assert "group" not in step or 1 <= step["line"] <= last


def test_every_group_has_cases(exercise: Exercise, suite: Suite) -> None:
    """Every group of the public suite has at least 6 generated cases."""
    cases = Counter(case.group for session in suite.sessions for case in session.cases)
    assert {} == {each.id: cases[each.id] for each in exercise.suite.groups if cases[each.id] < 6}


@pytest.mark.parametrize("path", CORRECT, ids=lambda path: path.name)
def test_correct_programs_get_everything(suite: Suite, zygote: Zygote, path: Path) -> None:
    """Programs that are right in an odd way pass all generated cases."""
    submission = read(Entry(path.name, path), suite.modules, suite.defines)
    record = grade(suite, submission, zygote, Gate())
    assert record.max_score == record.score


def test_wrong_programs_are_told(
    exercise: Exercise, suite: Suite, mutant_runner: MutantRunner
) -> None:
    """Every wrong solution fails a session about the function that is wrong in it."""
    wrong = solutions(REFERENCE / "faulty", exercise.sources)
    tries = [(each.sources, sessions_about(suite, each.name.partition("-")[0])) for each in wrong]
    found = mutant_runner.failures(tries, enough=1)
    assert [] == [it.name for it, each in zip(wrong, found, strict=True) if not each.killed]


@pytest.mark.parametrize("answer", STUBS)
def test_a_stub_earns_next_to_nothing(
    suite: Suite, mutant_runner: MutantRunner, answer: str
) -> None:
    """Functions that always give the same pass hardly any case of any group."""
    sources = dict.fromkeys(suite.modules, "")
    for name in suite.defines:
        module, _, function = name.partition(".")
        sources[module] += f"def {function}(*_): return {answer}\n"
    (failures,) = mutant_runner.failures([(sources, suite.sessions)])
    failed = set(chain.from_iterable(failures.cases.values()))
    cases = [case for session in suite.sessions for case in session.cases]
    count = Counter(case.group for case in cases)
    passed = Counter(case.group for case in cases if case.id not in failed)
    too_much = {group: n for group, n in passed.items() if n / count[group] > MOST_FOR_A_STUB}
    assert {} == too_much
