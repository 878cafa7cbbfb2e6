"""The generators of Yin-Yang and Akari, tried on their references and on other right solutions."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from itertools import chain
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import pytest

from grader.authoring.auditing.mutant_runner import MutantRunner
from grader.authoring.generating.candidates import load_generator, suite_of
from grader.authoring.generating.oracle import Oracle
from grader.authoring.generating.scripts import Draws, Generator, Script, ScriptBuilder
from grader.intake.submissions import Entry, read
from grader.judging.judge import grade
from grader.judging.rules import KINDS
from grader.sandbox.planning import Program
from grader.sandbox.sessions import Gate, SessionRunner
from grader.sandbox.zygote import Zygote
from grader.suite.loading import load_suite
from grader.suite.model import Suite
from grader.verdict import Verdict

ROOT: Final = Path(__file__).resolve().parents[1]
EXERCISES: Final = ("akari", "yinyang")
SEEDS: Final = 40
SOLUTIONS: Final = [
    pytest.param(path, id=f"{exercise}/{path.stem}")
    for exercise in EXERCISES
    for path in sorted((ROOT / "reference" / exercise / "correct").glob("*.py"))
]
SAME_FOR_ALL_PYTHONS: Final = {
    "akari": (1, "1d5b57e7505b"),
    "yinyang": (2, "c1e2979d7384"),
}
"""The version of each generator, and a hash of what it makes."""
STUBS: Final = {
    "akari": """
        class Akari:
            def __init__(self, rijen, kolommen, bestand):
                self.lampen, self.zwarte_cellen = set(), {}

            def verlicht(self): return set()
            def stralen(self, r, k): return set()
            def plaats_lamp(self, r, k): return None
            def verwijder_lamp(self, r, k): return None
            def isopgelost(self): return False
            def __str__(self): return "___"
        """,
    "yinyang": """
        class YinYang:
            def __init__(self, dimensie, wit, zwart): pass
            def maak_wit(self, positie): return self
            def maak_zwart(self, positie): return self
            def maak_leeg(self, positie): return self
            def aaneengesloten_gebied(self, positie): return set()
            def isopgelost(self): return False
            def __str__(self): return "---"
        """,
}
NOTATION: Final = ScriptBuilder(
    spec_lines={"fill": 3, "fill: taken": 4, "str": 5},
    refusal="-refused",
    actions=("fill",),
    observers=("str(puzzle)",),
)


def generator(exercise: str) -> Generator:
    """Return the generator of `exercise`."""
    return load_generator(ROOT / "reference" / exercise / "generator.py")


def made(exercise: str) -> list[Script]:
    """Return all directed scripts and some that are drawn, under every symmetry in turn."""
    maker = generator(exercise)
    drawn = (maker.session(Draws(f"test:{n}"), n % maker.symmetries) for n in range(SEEDS))
    return list(chain(maker.directed(), drawn))


pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def sessions(zygote: Zygote) -> Mapping[str, list[dict[str, Any]]]:
    """What the reference of each exercise makes of all its scripts."""
    found = {}
    for exercise in EXERCISES:
        suite = load_suite(ROOT / "testsuites" / f"{exercise}.yaml", KINDS)
        path = ROOT / "reference" / exercise / f"{exercise}.py"
        files = {name: text.encode() for name, text in suite.files.items()}
        program = Program.of({exercise: (path.name, path.read_text("utf-8"))}, files)
        oracle = Oracle(SessionRunner(zygote, program, suite.limits, Gate()), suite.modules)
        found[exercise] = [oracle.session(script) for script in made(exercise)]
    return found


def suite_for(exercise: str, sessions: Mapping[str, list[dict[str, Any]]]) -> Suite:
    """Return the suite of all `sessions` of `exercise`."""
    named = {f"s{number}": session for number, session in enumerate(sessions[exercise])}
    return suite_of(ROOT / "testsuites" / f"{exercise}.yaml", generator(exercise), named)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_lines_do_on_the_reference_what_they_are_there_for(
    sessions: Mapping[str, list[dict[str, Any]]], exercise: str
) -> None:
    """What is to be refused raises the error of the text, and nothing else raises."""
    for script, session in zip(made(exercise), sessions[exercise], strict=True):
        assert [line.code for line in script.lines] == [step["do"] for step in session["steps"]]
        for line, step in zip(script.lines, session["steps"], strict=True):
            assert (line.refused or line.group) == step.get("group")
            raised = step.get("raises", "").partition(":")[0]
            assert ("AssertionError" if line.refused else "") == raised


@pytest.mark.parametrize("path", SOLUTIONS)
def test_right_solutions_agree(
    zygote: Zygote, sessions: Mapping[str, list[dict[str, Any]]], path: Path
) -> None:
    """Who solves the exercise in another way passes everything."""
    suite = suite_for(path.parents[1].name, sessions)
    handed_in = read(Entry("student", path), suite.modules, suite.defines)
    record = grade(suite, handed_in, zygote, Gate())
    assert [] == [case.id for case in record.cases if case.verdict is not Verdict.PASSED]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_stub_earns_next_to_nothing(
    zygote: Zygote, sessions: Mapping[str, list[dict[str, Any]]], exercise: str
) -> None:
    """Methods that do nothing and always return the same pass hardly any case."""
    suite = suite_for(exercise, sessions)
    path = ROOT / "reference" / exercise / f"{exercise}.py"
    mutant_runner = MutantRunner(suite, [zygote], {exercise: path.read_text("utf-8")})
    (failures,) = mutant_runner.failures([({exercise: dedent(STUBS[exercise])}, suite.sessions)])
    count = sum(len(session.cases) for session in suite.sessions)
    assert failures.loads
    assert sum(map(len, failures.cases.values())) / count > 0.98


@pytest.mark.parametrize("exercise", EXERCISES)
def test_sessions_have_a_handy_size(exercise: str) -> None:
    """There are not too many directed sessions, and random ones are neither short nor long."""
    maker = generator(exercise)
    drawn = [maker.session(Draws(f"size:{n}"), 0) for n in range(SEEDS)]
    assert len(list(maker.directed())) <= 150
    assert all(6 <= len(script.lines) <= 26 for script in drawn)
    refused = [bool(line.refused) for script in drawn for line in script.lines]
    assert 0.1 < sum(refused) / len(refused) < 0.3


@pytest.mark.parametrize("exercise", EXERCISES)
def test_symmetries_change_the_values_and_not_the_structure(exercise: str) -> None:
    """Turned or mirrored, a session has other lines, with cases of the same groups in order."""
    maker = generator(exercise)
    for seed in map(str, range(10)):
        turned = [maker.session(Draws(seed), number) for number in range(8)]
        shapes = {tuple((line.group, line.refused) for line in each.lines) for each in turned}
        assert 1 == len(shapes)
        assert len({each.lines for each in turned}) > 1


def test_colours_swap() -> None:
    """The other half of the symmetries of Yin-Yang has white for black and black for white."""
    maker = generator("yinyang")
    groups = [
        [line.group for line in maker.session(Draws("colours"), number).lines] for number in (0, 8)
    ]
    swap = {"maak_wit": "maak_zwart", "maak_zwart": "maak_wit"}
    assert groups[0] != groups[1]
    assert groups[0] == [swap.get(group or "", group) for group in groups[1]]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_seed_gives_the_same_on_every_python(exercise: str) -> None:
    """Whoever changes what a seed gives raises the version of the generator, and this hash."""
    text = repr([(script.topic, script.lines) for script in made(exercise)])
    found = (generator(exercise).version, sha256(text.encode()).hexdigest()[:12])
    assert SAME_FOR_ALL_PYTHONS[exercise] == found


def test_written_session() -> None:
    """A session that is written down becomes a script: set-up, an action, a refusal."""
    script = NOTATION.session("Twice\npuzzle = P()\npuzzle.fill(1) # fill\np.fill(1) # fill: taken")
    setup, filled, refused = script.lines
    assert ("Twice", ("str(puzzle)",)) == (script.topic, script.observers)
    assert ("puzzle = P()", None, None) == (setup.code, setup.group, setup.refused)
    assert ("fill", True, 3) == (filled.group, filled.action, filled.spec_line)
    assert ("fill-refused", "taken", 4) == (refused.refused, refused.note, refused.spec_line)
    assert ("p.fill(1)", None) == (refused.code, refused.group)


def test_case_that_only_looks_is_no_action() -> None:
    """Later lines do not build on a look; a reason without a line of its own has its group's."""
    assert not NOTATION.line("str(puzzle) # str").action
    assert 3 == NOTATION.line("puzzle.fill(9) # fill: outside").spec_line
