"""The generator of 1010!: it quotes what students get, and keeps to what functions may assume."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from grader.judging.rules import KINDS
from grader.plugins.authoring.generating import Draws, Generator, Scene
from grader.plugins.authoring.generating.loading import load_generator
from grader.plugins.authoring.generating.scenes import lines_of
from grader.plugins.authoring.skeleton import skeleton_files
from grader.sandbox.zygote import Zygote
from grader.suite.files import load_suite

ROOT: Final = Path(__file__).resolve().parents[3]
REFERENCE: Final = ROOT / "reference" / "1010"
SUITE: Final = load_suite(ROOT / "testsuites" / "1010.yaml", KINDS)
SEEDS: Final = ("one", "two")
MAX_STEPS: Final = 950


@pytest.fixture(scope="module")
def generator(zygote: Zygote) -> Generator:
    """Its generator."""
    return load_generator(REFERENCE / "generator.py", zygote)


@pytest.fixture(scope="module", params=["scenes", "examples"])
def draws(generator: Generator, request: pytest.FixtureRequest) -> list[list[Scene]]:
    """Its scenes of two draws."""
    make = generator.scenes if request.param == "scenes" else generator.examples
    return [[*make(Draws(seed))] for seed in SEEDS]


def calls(scene: Scene) -> Iterator[ast.Call]:
    """Yield the calls in the lines of a scene."""
    for line in lines_of(scene):
        for node in ast.walk(ast.parse(line.code)):
            if isinstance(node, ast.Call):
                yield node


def test_the_text_has_the_documentation_of_the_skeleton() -> None:
    """Students read the same in the files that they start from."""
    text = (REFERENCE / "spec.md").read_text(encoding="utf-8")
    told = " ".join(text.split())
    for name, source in skeleton_files(REFERENCE).items():
        if name == "GUI.py":
            continue
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                documentation = ast.get_docstring(node) or node.name
                heading = f"def {node.name}({ast.unparse(node.args)})"
                assert " ".join(f"{heading} {documentation}".split()) in told


def test_every_function_has_its_clauses(generator: Generator) -> None:
    """Each group of the public suite has at least one, and no group is another's."""
    groups = {clause.group for clause in generator.clauses.values()}
    assert {group.id for group in SUITE.groups} == groups
    assert all(clause.reading is None for clause in generator.clauses.values())


def test_draws_ask_the_same(draws: list[list[Scene]], request: pytest.FixtureRequest) -> None:
    """Each clause is asked at least twice, shown once, and other draws ask the same in order."""
    first, second = (
        [[line.clause for line in lines_of(scene)] for scene in scenes] for scenes in draws
    )
    assert first == second
    assert draws[0] != draws[1]
    asked = Counter(clause for scene in first for clause in scene if clause)
    least = 1 if "examples" in request.node.name else 2
    assert min(asked.values()) >= least


def test_blocks_are_made_of_sets(draws: list[list[Scene]]) -> None:
    """As the documentation has it."""
    for scene in draws[0]:
        for call in calls(scene):
            if ast.unparse(call.func) == "Block.make_block":
                assert isinstance(call.args[0], ast.Set | ast.Name), scene.lines


def test_no_boolean_is_a_number(draws: list[list[Scene]]) -> None:
    """Whether True is an integer is left open, so it is asked nowhere."""
    assert not any("True" in scene.lines or "False" in scene.lines for scene in draws[0])


def test_few_steps(generator: Generator) -> None:
    """A step costs time in each grading."""
    scenes = generator.scenes(Draws("one"))
    assert sum(len(lines_of(scene)) for scene in scenes) < MAX_STEPS
