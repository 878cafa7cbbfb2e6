"""Recursion is judged by what calls do: a catalogue of real ones, fakes, and ones to doubt.

Each folder of `tests/recursion/<function>/` is a variant of one module. Its name begins with what
it is; `tests/recursion/README.md` says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from grader.demands import Recursion, Rule
from grader.judge import runner_for
from grader.loading import load_suite
from grader.rules.finding import RuleFinding
from grader.rules.judging import RuleJudge, Subject, own_survey
from grader.sandbox.nursery import Nursery, new_nursery
from grader.sandbox.zygote import Zygote
from grader.sessions import Gate
from grader.submission import SourceFile, Submission
from grader.suite import Suite
from grader.verdict import RuleVerdict

ROOT: Final = Path(__file__).resolve().parents[1]
CATALOGUE: Final = sorted((ROOT / "tests" / "recursion").glob("*/*/"))
VERDICTS: Final = {
    "real": RuleVerdict.PASSED,
    "fake": RuleVerdict.BROKEN,
    "doubt": RuleVerdict.REVIEW,
}
EXERCISES: Final = {"triomino": "triomino"}
"""The exercise of a function; else it is the practicum."""


@pytest.fixture(scope="module")
def with_numpy() -> Iterator[Nursery]:
    """A nursery whose executors know numpy."""
    with new_nursery(("numpy",)) as nursery:
        yield nursery


@cache
def suite_of(exercise: str) -> Suite:
    """Return the published suite of `exercise`."""
    return load_suite(ROOT / "testsuites" / f"{exercise}.yaml")


def rule_on(function: str) -> tuple[Suite, Rule]:
    """Return the suite with the one rule that asks for recursion in `function`, strictly."""
    suite = suite_of(EXERCISES.get(function, "1010"))
    (rule,) = (
        each
        for each in suite.rules
        if isinstance(each.demand, Recursion)
        and each.demand.function.rpartition(".")[2] == function
    )
    assert isinstance(rule.demand, Recursion)
    strict = replace(rule, demand=replace(rule.demand, strict=True, helper=True))
    return replace(suite, rules=(strict,)), strict


def variant(suite: Suite, folder: Path) -> Submission:
    """Return the reference with the modules of `folder` in place of its own."""
    reference = ROOT / "reference" / suite.exercise
    names = suite.modules or (str(suite.module),)
    files = {
        name: SourceFile(name=f"{name}.py", text=_text(name, folder, reference), encoding="utf-8")
        for name in names
    }
    main = None if suite.modules else files.pop(names[0])
    return Submission(
        student=folder.name,
        main=main,
        modules=files,
        data={},
        raw={},
        parts={name: name for name in suite.modules},
    )


def _text(name: str, *folders: Path) -> str:
    paths = (folder / f"{name}.py" for folder in folders)
    return next(path for path in paths if path.exists()).read_text(encoding="utf-8")


def judged(suite: Suite, submission: Submission, nursery: Nursery) -> list[RuleFinding]:
    """Return what becomes of the rules of `suite` on `submission`."""
    runner = runner_for(suite, submission, nursery, Gate())
    names = suite.modules or (str(suite.module),)
    subject = Subject(
        files=[*submission.modules, *names[:1]],
        parts={name: name for name in names},
        missing=(),
        unloadable=(),
    )
    survey = own_survey(runner, subject)
    return [found for _, found in RuleJudge(suite, subject, runner, survey).findings()]


@pytest.mark.parametrize("folder", CATALOGUE, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_catalogue(folder: Path, zygote: Zygote, with_numpy: Nursery) -> None:
    """Each variant is taken for what it is."""
    suite, _ = rule_on(folder.parent.name)
    nursery = with_numpy if "numpy" in suite.imports else zygote
    (found,) = judged(suite, variant(suite, folder), nursery)
    expected = VERDICTS[folder.name.partition("-")[0]]
    assert expected is found.verdict, [message.to_json() for message in found.evidence]


def test_catalogue_is_large() -> None:
    """There are real ones, fakes and doubtful ones of each function."""
    assert len(CATALOGUE) >= 80
    for function in ("free_all_cells", "are_chainable", "are_chained_rec", "highest_score"):
        names = (folder.name for folder in CATALOGUE if folder.parent.name == function)
        assert VERDICTS.keys() == {name.partition("-")[0] for name in names}
