"""Recursion is judged by what calls do: a catalogue of real ones, fakes, and ones to doubt.

Each folder of `tests/recursion/<function>/` is a variant of one module. Its name begins with what
it is; `tests/recursion/README.md` says why. `tests/recursion/small` has programs of one file.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from builders import submission

from grader.intake.submission import SourceFile, Submission
from grader.judging.judge import grade
from grader.judging.rules import KINDS
from grader.judging.rules.recursion import Recursion
from grader.reporting.wording import format_message
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.sandbox.zygote import Zygote
from grader.suite.files import load_suite
from grader.suite.model import Suite
from grader.verdict import RuleVerdict

ROOT: Final = Path(__file__).resolve().parents[1]
CATALOGUE: Final = sorted((ROOT / "tests" / "recursion").glob("*/*/"))
SMALL: Final = sorted((ROOT / "tests" / "recursion" / "small").glob("*.py"))
VERDICTS: Final = {
    "real": RuleVerdict.PASSED,
    "fake": RuleVerdict.BROKEN,
    "doubt": RuleVerdict.REVIEW,
}
EXERCISES: Final = {"triomino": "triomino"}
"""The exercise of a function; else it is the practicum."""


@pytest.fixture(scope="module")
def with_numpy() -> Iterator[Sandbox]:
    """A sandbox whose executors know numpy."""
    with new_sandbox(("numpy",)) as sandbox:
        yield sandbox


@cache
def suite_of(exercise: str) -> Suite:
    """Return the published suite of `exercise`."""
    return load_suite(ROOT / "testsuites" / f"{exercise}.yaml", KINDS)


def asked_of(function: str) -> Suite:
    """Return what its suite asks of `function` alone: its cases, and strictly recursion."""
    suite = suite_of(EXERCISES.get(function, "1010"))
    (rule,) = (
        each
        for each in suite.rules
        if isinstance(each, Recursion) and each.function.rpartition(".")[2] == function
    )
    demand = "required" if rule.demand == "expected" else rule.demand
    strict = rule.with_changes(demand=demand, helper=True)
    sessions = [
        session.with_changes(cases=tuple(case for case in session.cases if case.group == function))
        for session in suite.sessions
    ]
    return suite.with_changes(
        groups=tuple(group for group in suite.groups if group.id == function),
        sessions=tuple(session for session in sessions if session.cases),
        rules=(strict,),
        advice=False,
    )


def variant(suite: Suite, folder: Path) -> Submission:
    """Return the reference with what the modules of `folder` define in place of its own."""
    names = suite.modules
    texts = {name: text_of(ROOT / "reference" / suite.exercise, folder, name) for name in names}
    files = {
        name: SourceFile(name=f"{name}.py", text=text, encoding="utf-8")
        for name, text in texts.items()
    }
    return Submission(
        student=folder.name,
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


@pytest.mark.corpus
@pytest.mark.parametrize("folder", CATALOGUE, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_catalogue(folder: Path, zygote: Zygote, with_numpy: Sandbox) -> None:
    """Each variant gives the right answers, and is taken for what it is."""
    suite = asked_of(folder.parent.name)
    sandbox = with_numpy if "numpy" in suite.imports else zygote
    record = grade(suite, variant(suite, folder), sandbox)
    (rule,) = record.rules
    (group,) = record.groups
    expected = VERDICTS[folder.name.partition("-")[0]]
    assert expected is rule.verdict, [message.to_json() for message in rule.evidence]
    assert group.points == group.max_points


@pytest.mark.corpus
@pytest.mark.parametrize("file", SMALL, ids=lambda path: path.stem)
def test_small_programs(file: Path, zygote: Zygote) -> None:
    """What is real passes, and no fake does, though all of them give the right answers."""
    function, kind, _ = file.stem.split("-")
    suite = load_suite(file.with_name(f"{function}.yaml"), KINDS)
    record = grade(suite, submission(file.read_text(encoding="utf-8")), zygote)
    (rule,) = record.rules
    (group,) = record.groups
    judged = [message.to_json() for message in rule.evidence]
    assert (kind == "real") is (rule.verdict is RuleVerdict.PASSED), judged
    assert rule.verdict is not RuleVerdict.SKIPPED
    assert group.points == group.max_points


def test_catalogue_is_large() -> None:
    """There are real ones, fakes and doubtful ones of each function."""
    assert len(CATALOGUE) >= 80
    assert {"real", "fake"} == {file.stem.split("-")[1] for file in SMALL}
    assert len(SMALL) >= 80
    for function in ("free_all_cells", "are_chainable", "are_chained_rec", "highest_score"):
        names = (folder.name for folder in CATALOGUE if folder.parent.name == function)
        assert VERDICTS.keys() == {name.partition("-")[0] for name in names}


def test_evidence_of_the_practicum_reads_well(zygote: Zygote) -> None:
    """The sentence on the reference is in the language of the exercise, with its own unit."""
    suite = asked_of("free_all_cells")
    nothing_of_its_own = ROOT / "tests" / "recursion"
    (found,) = grade(suite, variant(suite, nothing_of_its_own), zygote).rules
    expected = (
        "`free_all_cells` roept zichzelf 80 keer op bij 80 posities, en zonder die oproepen klopt "
        "het antwoord niet."
    )
    assert expected == format_message(found.evidence[0], suite.language)
