"""The generators that come with the exercises: what their scenes ask, whatever is drawn."""

from __future__ import annotations

import hashlib
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Final

import pytest

from grader.judging.preparing import runner_for
from grader.plugins.authoring.exercise import find_exercise
from grader.plugins.authoring.generating import Draws, Generator, Scene
from grader.plugins.authoring.generating.loading import load_generator
from grader.plugins.authoring.generating.oracle import Oracle
from grader.plugins.authoring.generating.scenes import lines_of
from grader.plugins.authoring.solutions import submission_of
from grader.sandbox.sandbox import new_sandbox
from grader.sandbox.zygote import Zygote
from grader.suite.clauses import SpecText
from grader.suite.vocabulary import packages_among

ROOT: Final = Path(__file__).parents[3]
EXERCISES: Final = ("yinyang", "akari", "str8ts", "triomino", "1010")
DRAWN: Final = {
    "yinyang": "14 f38c2f0af2097631",
    "akari": "22 ce89b631c5c9060c",
    "str8ts": "12 d56aa088eb25b05b",
    "triomino": "10 0e051961860397ca",
    "1010": "12 b8b6b021debb9133",
}
"""What a seed gives, hashed, by exercise."""

pytestmark = pytest.mark.parametrize("exercise", EXERCISES)


@lru_cache
def generator_of(exercise: str, zygote: Zygote) -> Generator:
    """Return the generator of `exercise`."""
    return load_generator(ROOT / "reference" / exercise / "generator.py", zygote)


@lru_cache
def scenes_of(exercise: str, zygote: Zygote, seed: str) -> tuple[Scene, ...]:
    """Return the scenes of `exercise` that count, drawn from `seed`."""
    return tuple(generator_of(exercise, zygote).scenes(Draws(seed)))


def asked(scene: Scene) -> list[str | None]:
    """Return the clause of each line of `scene`."""
    return [line.clause for line in lines_of(scene)]


@pytest.mark.authoring
def test_each_draw_asks_the_same_of_other_values(exercise: str, zygote: Zygote) -> None:
    """Students who face other draws face the same clauses, in the same order."""
    one, other = scenes_of(exercise, zygote, "one"), scenes_of(exercise, zygote, "other")
    assert [set(asked(each)) - {None} for each in one] == [
        set(asked(each)) - {None} for each in other
    ]
    differing = sum(a.lines != b.lines for a, b in zip(one, other, strict=True))
    assert differing > len(one) / 2


@pytest.mark.authoring
def test_each_clause_is_asked_twice_and_can_be_shown(exercise: str, zygote: Zygote) -> None:
    """No clause hangs on a single case, and each has small scenes for who fails it."""
    generator = generator_of(exercise, zygote)
    counts = Counter(
        clause for scene in scenes_of(exercise, zygote, "one") for clause in asked(scene)
    )
    assert {clause: 0 for clause in generator.clauses if counts[clause] < 2} == {}
    shown = {
        clause
        for number in range(3)
        for scene in generator.examples(Draws(f"example {number}"))
        for clause in asked(scene)
    }
    assert generator.clauses.keys() <= shown


def test_quotes_stand_in_the_text_and_readings_do_not(exercise: str, zygote: Zygote) -> None:
    """The text of the exercise is what students get: what settles a case is found there."""
    folder = ROOT / "reference" / exercise
    spec = SpecText((folder / "spec.md").read_text(encoding="utf-8"))
    quotes = [each.quote for each in generator_of(exercise, zygote).clauses.values() if each.quote]
    assert [quote for quote in quotes if spec.find_line(quote) is None] == []
    readings = (folder / "readings.md").read_text(encoding="utf-8").split("\n- ")[1:]
    assert readings
    assert [each for each in readings if spec.find_line(each) is not None] == []


@pytest.mark.authoring
def test_seed_gives_the_same_on_every_python(exercise: str, zygote: Zygote) -> None:
    """Whoever changes what a seed gives raises the version of the generator, and this hash."""
    text = "\n".join(
        f"{scene.topic}\n{scene.lines}" for scene in scenes_of(exercise, zygote, "one")
    )
    version = generator_of(exercise, zygote).version
    assert DRAWN[exercise] == f"{version} {hashlib.sha256(text.encode()).hexdigest()[:16]}"


@pytest.mark.authoring
def test_the_reference_answers_what_no_suite_holds_yet(exercise: str, zygote: Zygote) -> None:
    """Other draws than those that are frozen stay inside the text, and have answers, too."""
    found = find_exercise(exercise, None, None)
    generator = generator_of(exercise, zygote)
    with new_sandbox(packages_among(found.suite.imports)) as sandbox:
        runner = runner_for(
            found.suite, submission_of(found.suite, found.strict_sources(), "reference"), sandbox
        )
        oracle = Oracle(runner, found.suite.modules, generator.clauses, found.suite.stand_ins)
        for scene in (*scenes_of(exercise, zygote, "one"), *generator.examples(Draws("one"))):
            assert len(lines_of(scene)) == len(oracle.session(scene)["steps"])
