"""Suites that are made hold case by case, each in its own session: derived and generated ones.

After an earlier failure a case is tried in its own session. What changes something there and gives
something back has to be done in it, or a right answer would count as wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from command_line import grader

from grader.judging.judge import grade
from grader.judging.rules import KINDS
from grader.plugins.authoring.solutions import submission_of
from grader.sandbox.zygote import Zygote
from grader.suite.files import load_whole_suite
from grader.verdict import Verdict

pytestmark = pytest.mark.authoring

SHELF: Final = """\
class Box:
    def __init__(self, *items):
        self.items = list(items)

    def take(self):
        self.items.pop()
        return len(self.items)


def read(name):
    with open(name) as file:
        return file.read().split()


def drop(values, value):
    values.remove(value)
    return len(values)


def save(values, name):
    with open(name, "w") as file:
        return file.write(" ".join(values))
"""
SPEC: Final = """\
# Shelf

`take` gives what is left, `drop` what stays, `save` what was written.

>>> box = Box('a', 'b')
>>> box.take()
1
>>> box.items
['a']
>>> save(['x', 'y'], 'out.txt')
3
>>> values = read('out.txt')
>>> values
['x', 'y']
>>> drop(values, 'x')
1
>>> values
['y']
>>> open('out.txt').read()
'x y'
"""
MADE: Final = """\
from grader.plugins.authoring.generating import Generator, PlacedClause, Scene

def clause(group):
    return PlacedClause(group=group, quote="what")

def scenes(draws):
    yield made(draws.between(2, 5))

def made(number):
    return Scene(topic="All", lines=f'''
box = Box(*range({number}))
box.take()  # take
box.items  # items
values = [*'abc', '{number}']
save(values, 'out.txt')  # save
drop(values, '{number}')  # drop
values  # drop
open('out.txt').read()  # save
''')

def examples(draws):
    yield made(9)

names = ("take", "items", "save", "drop")
GENERATOR = Generator(
    version=1, clauses={name: clause(name) for name in names}, scenes=scenes, examples=examples
)
"""
RETURNS: Final = {
    "box.take(": "return len(self.items)",
    "drop(": "return len(values)",
    "save(": "return file.write",
}
"""How each call gives back what it has done."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A course with the exercise `shelf`, without its suites."""
    reference = tmp_path / "reference/shelf"
    reference.mkdir(parents=True)
    (tmp_path / "testsuites").mkdir()
    settings = "exercise: shelf\ntitle: Shelf\nlanguage: en\nmodule: shelf\n"
    (reference / "exercise.yaml").write_text(f"{settings}defines: [Box, read, drop, save]\n")
    (reference / "shelf.py").write_text(SHELF)
    (reference / "spec.md").write_text(SPEC)
    (reference / "generator.py").write_text(MADE)
    return tmp_path


def acting(steps: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Return the code of the steps that say that they act, each with the key that says it."""
    keys = ("action", "always")
    return {step["do"].partition("(")[0]: key for step in steps for key in keys if key in step}


def test_what_a_step_changes_is_there_in_later_ones(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], zygote: Zygote
) -> None:
    """What a method, a function that changes its list and one that writes a file have done counts.

    Derived and generated suites find it, and who gives back the wrong thing fails that alone.
    """
    monkeypatch.chdir(folder)
    assert 0 == grader(capfd, "derive", "shelf").code
    done = grader(capfd, "generate", "shelf", "--jobs", "1")
    assert 0 == done.code, done.err
    public, hidden = (
        yaml.safe_load((folder / f"testsuites/shelf{kind}.yaml").read_text())
        for kind in ("", ".hidden")
    )
    act = {"box.take": "action", "drop": "action", "save": "always"}
    for session in (*public["sessions"], *hidden["sessions"], *hidden["siblings"]):
        assert act == acting(session["steps"])
    groups = {step["do"]: step.get("group") for step in public["sessions"][0]["steps"]}
    assert ("save", "drop") == (groups["open('out.txt').read()"], groups["values"])
    suite = load_whole_suite(folder / "testsuites/shelf.yaml", KINDS)
    code = {
        case.id: session.steps[case.step_index].code
        for session in suite.sessions
        for case in session.cases
    }
    for call, returning in RETURNS.items():
        wrong = SHELF.replace(returning, returning.replace("return", "_ ="))
        record = grade(suite, submission_of(suite, {"shelf": wrong}, "jan"), zygote)
        failed = [code[case.id] for case in record.cases if case.verdict is not Verdict.PASSED]
        assert {call} == {f"{each.partition('(')[0]}(" for each in failed}
