"""Records that are scored again for other points are those that grading would give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest
from builders import submission, suite
from command_line import RIGHT as DOUBLE
from command_line import SUITE, grader, write
from counterexample_samples import HIDDEN, LARGE_ONLY, PUBLIC, RIGHT, SMALL_ONLY, whole

from grader.judging.judge import grade
from grader.judging.record import Record
from grader.judging.rescoring import rescore
from grader.run import worker
from grader.sandbox.zygote import Zygote
from grader.suite.model import Suite
from grader.verdict import Verdict

RULES: Final = """
rules:
  constructs: [{forbid: [while], points: 1, group: twice}, {forbid: [for], points: 0.5}]
  docstrings: [{}]
"""
PROGRAMS: Final = {
    "right": RIGHT,
    "small only": SMALL_ONLY,
    "large only": LARGE_ONLY,
    "board wrong": RIGHT.replace("-w", "--"),
    "half raises": RIGHT.replace("return n // 2", "raise KeyError(n)"),
    "no half": RIGHT.replace("def half(n)", "def other(n)"),
    "loops": RIGHT.replace("return 2 * n", "while True: return 2 * n"),
    "loops twice": RIGHT.replace("return 2 * n", "while True: return 2 * n").replace(
        "return n // 2", "for _ in '1': return n // 2"
    ),
    "nothing": "x = 1",
}
CHANGES: Final = {
    "other points": (PUBLIC.replace("points: 4", "points: 7.5"), HIDDEN),
    "hidden points": (PUBLIC, HIDDEN.replace("points: 2", "points: 3")),
    "share": (PUBLIC, f"share: 0.3\n{HIDDEN}"),
    "titles": (PUBLIC.replace("{id: half", "{title: Half of it, id: half"), HIDDEN),
    "rules": (PUBLIC.replace("points: 1, group", "points: 2, group"), HIDDEN),
}


def graded(zygote: Zygote, on: Suite, source: str) -> Record:
    """Return the record of `source` on a suite."""
    return grade(on, submission(source), zygote)


@pytest.mark.parametrize("change", CHANGES)
def test_scored_again_is_as_graded_again(zygote: Zygote, change: str) -> None:
    """Points of groups, shares, titles and penalties: the very same record."""
    old = whole(HIDDEN, PUBLIC + RULES)
    public, hidden = CHANGES[change]
    rules = RULES.replace("points: 1, group", "points: 2, group") if change == "rules" else RULES
    new = whole(hidden, public + rules)
    assert (old.asks == new.asks, old.sha256 == new.sha256) == (True, False)
    told = 0
    for name, source in PROGRAMS.items():
        found = rescore(graded(zygote, old, source), new)
        if found is not None:
            told += 1
            assert graded(zygote, new, source) == found, name
    assert told >= len(PROGRAMS) - 2, "what cannot be told is the exception"


HALVES: Final = """
groups: [{id: g, points: 4}]
sessions:
- id: s
  steps:
  - {do: 'f(1)', raises: 'ValueError: no', group: g}
  - {do: 'f(2)', raises: 'ValueError: no', group: g}
"""


def test_half_of_the_points_stays_half(zygote: Zygote) -> None:
    """The right exception with another message."""
    old, new = suite(HALVES), suite(HALVES.replace("points: 4", "points: 3"))
    source = "def f(n): raise ValueError('no' if n == 1 else 'other')"
    before = graded(zygote, old, source)
    assert 3.0 == before.score
    assert graded(zygote, new, source) == rescore(before, new)


def test_points_from_nothing_are_graded(zygote: Zygote) -> None:
    """What was worth nothing does not say what somebody would have earned."""
    none = PUBLIC.replace("points: 4", "points: 0")
    source = graded(zygote, whole(HIDDEN, none), SMALL_ONLY)
    assert rescore(source, whole(HIDDEN, PUBLIC)) is None
    right = graded(zygote, whole(HIDDEN, none), RIGHT)
    assert graded(zygote, whole(HIDDEN, PUBLIC), RIGHT) == rescore(right, whole(HIDDEN, PUBLIC))


@pytest.mark.parametrize(
    ("what", "by"),
    [
        ('returns: "20"', 'returns: "21"'),
        ("twice(2345678)", "twice(2345679)"),
        ("visibility: staff", "visibility: hidden"),
        ("line: 9", "line: 10"),
    ],
)
def test_whatever_else_is_changed_asks_something_else(what: str, by: str) -> None:
    """Only points and titles may differ where the same is asked."""
    assert what in HIDDEN
    assert whole(HIDDEN, PUBLIC).asks != whole(HIDDEN.replace(what, by), PUBLIC).asks


@pytest.mark.usefixtures("here")
def test_a_class_with_other_points_is_not_run_again(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same command on the changed suite: nothing is graded, all is scored."""
    write("double/an.py", DOUBLE)
    write("double/bo.py", "def double(x):\n    return 3\n")
    assert 0 == grader(capfd, "grade", "double", "--out", "run").code
    text = SUITE.format(name="double", defines="double", call="double(2)")
    write("testsuites/double.yaml", text.replace("points: 2", "points: 5"))
    monkeypatch.setattr(worker, "grade", lambda *_: pytest.fail("nothing has to be run"))
    assert 0 == grader(capfd, "grade", "double", "--out", "run").code
    entries = json.loads(Path("run/results.json").read_bytes())["submissions"]
    assert [("an", 5.0, 5.0), ("bo", 0.0, 5.0)] == [
        (each["id"], each["score"], each["max_score"]) for each in entries
    ]
    verdicts = {case["verdict"] for each in entries for case in each["cases"]}
    assert {Verdict.PASSED.value, Verdict.WRONG.value} == verdicts
