"""The generators of Str8ts and triomino: what they draw is in order, fair, and worth its points."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import pytest

from grader.authoring.auditing.mutant_runner import MutantRunner
from grader.authoring.exercise import Exercise, find_exercise, mutant_runners
from grader.authoring.generating import Draws, Generator, Script
from grader.authoring.generating.candidates import load_generator, suite_of
from grader.authoring.generating.oracle import Oracle
from grader.authoring.solutions import solutions
from grader.intake.submissions import read, single_entry
from grader.judging.judge import grade
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.sandbox.sessions import Gate
from grader.suite.model import Suite

ROOT: Final = Path(__file__).resolve().parents[1]
EXERCISES: Final = ("str8ts", "triomino")
DRAWN: Final = 8
STUBS: Final = {
    "accepts all, does nothing": """
        class Cel:
            def __init__(self, *_): pass
            def __str__(self): return ""
            def __getattr__(self, _): return lambda *_: None
        Str8ts = Cel
        isstraat = triomino = lambda *_: None
    """,
    "says no to all": """
        class Cel:
            def __init__(self, *_): pass
            def __str__(self): return "."
            def __getattr__(self, _): return lambda *_: False
        Str8ts = Cel
        isstraat = triomino = lambda *_: False
    """,
    "refuses what is filled in": """
        class Cel:
            def __init__(self, symbool): self.symbool = symbool
            def __str__(self): return "#"
            def isgekleurd(self): return True
            def cijfer(self): return 1
        def isstraat(n): return True
        class Str8ts:
            def __init__(self, locatie): pass
            def __str__(self): return "." * 9
            def horizontaal_getallen(self, r): return {}
            def horizontaal_cijfers(self, r): return set()
            def horizontaal_invullen(self, r, k, n): raise AssertionError("ongeldige vulling")
            verticaal_getallen = horizontaal_getallen
            verticaal_cijfers = horizontaal_cijfers
            verticaal_invullen = horizontaal_invullen
        def triomino(n, p): return [[0] * n for _ in range(n)]
    """,
    "refuses all": """
        class Cel:
            def __init__(self, *_): raise AssertionError("ongeldig symbool")
        class Str8ts:
            def __init__(self, *_): raise AssertionError("ongeldige vulling")
        def isstraat(n): raise AssertionError
        def triomino(n, p): raise AssertionError
    """,
}
MOST_FOR_A_STUB: Final = 0.15

pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module", params=EXERCISES)
def exercise(request: pytest.FixtureRequest) -> Exercise:
    """An exercise with its reference."""
    name: str = request.param
    return find_exercise(name, ROOT / "testsuites", ROOT / "reference" / name)


@pytest.fixture(scope="module")
def generator(exercise: Exercise) -> Generator:
    """The generator of the exercise."""
    return load_generator(exercise.generator)


def drawn(generator: Generator, count: int = DRAWN) -> Iterator[Script]:
    """Yield sessions drawn at random, under one symmetry after the other."""
    for number in range(count):
        yield generator.session(Draws(f"test:{number}"), number % generator.symmetries)


def all_scripts(generator: Generator) -> list[Script]:
    """Return the directed scripts, and some that are drawn."""
    return [*generator.directed(), *drawn(generator)]


@pytest.fixture(scope="module")
def mutant_runner(exercise: Exercise) -> Iterator[MutantRunner]:
    """A mutant_runner for the public suite."""
    with mutant_runners(exercise, 1) as runner_of:
        yield runner_of(exercise.suite)


@pytest.fixture(scope="module")
def documents(
    exercise: Exercise, generator: Generator, mutant_runner: MutantRunner
) -> list[dict[str, Any]]:
    """What the reference says of all scripts, in their order."""
    oracle = Oracle(mutant_runner.reference_runner(exercise.sources), exercise.suite.modules)
    return [oracle.session(script) for script in all_scripts(generator)]


@pytest.fixture(scope="module")
def suite(exercise: Exercise, generator: Generator, documents: list[dict[str, Any]]) -> Suite:
    """A suite of all these sessions."""
    named = {f"s{number}": document for number, document in enumerate(documents)}
    return suite_of(exercise.public, generator, named)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """Where submissions run that may need numpy."""
    with new_sandbox(("numpy",)) as running:
        yield running


def passed(suite: Suite, mutant_runner: MutantRunner, source: str) -> Mapping[str, float]:
    """Return the part of the cases of each group that the program `source` passes."""
    (failures,) = mutant_runner.failures([({suite.modules[0]: source}, suite.sessions)], apart=True)
    failed = chain.from_iterable(failures.cases.values())
    lost = Counter(case.partition("/")[0] for case in failed)
    count = Counter(case.group for session in suite.sessions for case in session.cases)
    return {group: 1 - lost[group] / count[group] for group in count}


def test_the_same_seed_gives_the_same_sessions(generator: Generator) -> None:
    """What is drawn follows from the seed alone."""
    assert list(drawn(generator)) == list(drawn(generator))
    assert list(generator.directed()) == list(generator.directed())


def test_drawn_sessions_are_of_a_size_to_read(generator: Generator) -> None:
    """A session has 8 to 20 lines, and no two are the same."""
    scripts = list(drawn(generator, 200))
    assert all(8 <= len(script.lines) <= 20 for script in scripts)
    assert len(scripts) == len({script.lines for script in scripts})


def test_directed_sessions_are_few(generator: Generator) -> None:
    """There are at most 150 directed sessions, each with a title of its own."""
    titles = Counter(script.topic for script in generator.directed())
    assert titles.total() <= 150
    assert titles.most_common(1)[0][1] <= 2


def test_a_symmetry_keeps_the_structure(generator: Generator) -> None:
    """The same draws under any symmetry make a session of the same structure."""
    for symmetry in range(generator.symmetries):
        for number in range(5):
            plain, turned = (generator.session(Draws(str(number)), way) for way in (0, symmetry))
            assert len(plain.lines) == len(turned.lines)
            if symmetry % 2 == 0:  # the others make rows of columns, and so other groups
                shapes = [
                    [(line.group, line.refused, line.note) for line in script.lines]
                    for script in (plain, turned)
                ]
                assert shapes[0] == shapes[1]


def test_the_reference_answers_every_line_as_meant(
    generator: Generator, documents: list[dict[str, Any]]
) -> None:
    """No line is left out, and each that is to be refused is, with the message of the text."""
    for script, document in zip(all_scripts(generator), documents, strict=True):
        assert len(script.lines) == len(document["steps"])
        for line, step in zip(script.lines, document["steps"], strict=True):
            if line.refused is None:
                assert "raises" not in step
            else:
                assert re.match("AssertionError: ongeldig(e vulling| symbool)", step["raises"])


def test_lines_of_the_text_are_there(exercise: Exercise, generator: Generator) -> None:
    """Each case says which line of the text asks for it."""
    count = len((exercise.folder / "spec.md").read_text("utf-8").splitlines())
    for line in chain.from_iterable(script.lines for script in all_scripts(generator)):
        if line.group is not None or line.refused is not None:
            assert line.spec_line is not None
            assert 1 <= line.spec_line <= count


def test_all_groups_have_cases(exercise: Exercise, suite: Suite) -> None:
    """Every group of the public suite has generated cases, but for that with a checker."""
    public = {group.id for group in exercise.suite.groups} - {"otros-tableros"}
    assert public <= {group.id for group in suite.groups}


def test_correct_programs_get_everything(
    exercise: Exercise, suite: Suite, sandbox: Sandbox
) -> None:
    """Programs that are right in an odd way pass all generated cases."""
    for path in sorted((exercise.folder / "correct").glob("*.py")):
        submission = read(single_entry(path), suite.modules, suite.defines)
        record = grade(suite, submission, sandbox, Gate())
        assert record.max_score == record.score, path.name


def test_wrong_programs_are_told(
    exercise: Exercise, suite: Suite, mutant_runner: MutantRunner
) -> None:
    """Every wrong program of the catalogue fails a case."""
    wrong = solutions(exercise.folder / "faulty", exercise.sources)
    found = mutant_runner.failures([(each.sources, suite.sessions) for each in wrong], enough=1)
    assert [] == [it.name for it, each in zip(wrong, found, strict=True) if not each.killed]


@pytest.mark.parametrize("stub", STUBS)
def test_a_stub_earns_next_to_nothing(suite: Suite, mutant_runner: MutantRunner, stub: str) -> None:
    """A program that does the same whatever it is asked passes few cases of any group."""
    parts = passed(suite, mutant_runner, dedent(STUBS[stub]))
    too_much = {group: part for group, part in parts.items() if part > MOST_FOR_A_STUB}
    assert too_much == {}
