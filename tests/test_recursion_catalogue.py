"""Recursion is judged by what calls do: a catalogue of real ones, fakes, and ones to doubt.

Each folder of `tests/recursion/<function>/` is a variant of one module. Its name begins with what
it is; `tests/recursion/README.md` says why.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from grader.demands import Recursion
from grader.judge import grade
from grader.loading import load_suite
from grader.sandbox.nursery import Nursery, new_nursery
from grader.sandbox.zygote import Zygote
from grader.sessions import Gate
from grader.submission import SourceFile, Submission
from grader.suite import Suite
from grader.verdict import RuleVerdict
from grader.wording import say

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


def asked_of(function: str) -> Suite:
    """Return what its suite asks of `function` alone: its cases, and strictly recursion."""
    suite = suite_of(EXERCISES.get(function, "1010"))
    (rule,) = (
        each
        for each in suite.rules
        if isinstance(each.demand, Recursion)
        and each.demand.function.rpartition(".")[2] == function
    )
    assert isinstance(rule.demand, Recursion)
    strict = replace(rule, demand=replace(rule.demand, strict=True, helper=True))
    sessions = [
        replace(session, cases=tuple(case for case in session.cases if case.group == function))
        for session in suite.sessions
    ]
    return replace(
        suite,
        groups=tuple(group for group in suite.groups if group.id == function),
        sessions=tuple(session for session in sessions if session.cases),
        rules=(strict,),
        advice=False,
    )


def variant(suite: Suite, folder: Path) -> Submission:
    """Return the reference with what the modules of `folder` define in place of its own."""
    names = suite.modules or (str(suite.module),)
    texts = {name: text_of(ROOT / "reference" / suite.exercise, folder, name) for name in names}
    files = {
        name: SourceFile(name=f"{name}.py", text=text, encoding="utf-8")
        for name, text in texts.items()
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


def text_of(reference: Path, folder: Path, name: str) -> str:
    """Return module `name` of the reference, where the variant has taken the place of its own."""
    text = (reference / f"{name}.py").read_text(encoding="utf-8")
    own = folder / f"{name}.py"
    if not own.exists():
        return text
    replacing = own.read_text(encoding="utf-8")
    defined = {getattr(each, "name", None) for each in ast.parse(replacing).body} - {None}
    lines = text.splitlines()
    for each in reversed(ast.parse(text).body):
        if isinstance(each, ast.FunctionDef) and each.name in defined:
            del lines[each.lineno - 1 : each.end_lineno]
    return "\n".join([*lines, "", "", replacing])


@pytest.mark.parametrize("folder", CATALOGUE, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_catalogue(folder: Path, zygote: Zygote, with_numpy: Nursery) -> None:
    """Each variant gives the right answers, and is taken for what it is."""
    suite = asked_of(folder.parent.name)
    nursery = with_numpy if "numpy" in suite.imports else zygote
    record = grade(suite, variant(suite, folder), nursery, Gate())
    (rule,) = record.rules
    (group,) = record.groups
    expected = VERDICTS[folder.name.partition("-")[0]]
    assert expected is rule.verdict, [message.to_json() for message in rule.evidence]
    assert group.points == group.max_points


def test_catalogue_is_large() -> None:
    """There are real ones, fakes and doubtful ones of each function."""
    assert len(CATALOGUE) >= 80
    for function in ("free_all_cells", "are_chainable", "are_chained_rec", "highest_score"):
        names = (folder.name for folder in CATALOGUE if folder.parent.name == function)
        assert VERDICTS.keys() == {name.partition("-")[0] for name in names}


def test_evidence_of_the_practicum_reads_well(zygote: Zygote) -> None:
    """The sentence on the reference is in the language of the exercise, with its own unit."""
    suite = asked_of("free_all_cells")
    nothing_of_its_own = ROOT / "tests" / "recursion"
    (found,) = grade(suite, variant(suite, nothing_of_its_own), zygote, Gate()).rules
    expected = (
        "`free_all_cells` roept zichzelf 80 keer aan bij 80 posities, en zonder die oproepen klopt "
        "het antwoord niet."
    )
    assert expected == say(found.evidence[0], suite.language)
