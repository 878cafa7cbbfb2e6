"""Shorter sessions: found on the reference, kept in a suite, shown to who fails in the same way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from builders import by_id, graded, submission, suite
from command_line import grader, write
from small_specs import box

from grader.judging.judge import grade
from grader.judging.pictures import CallsPicture
from grader.judging.record import CaseResult
from grader.judging.results import fail_alike
from grader.judging.shortening import expand_alternatives, find_shortest_failure
from grader.plugins.authoring.deriving.shortening import find_outdated_cases
from grader.reporting.student_page import student_page
from grader.run.worker import Worker
from grader.sandbox.zygote import Zygote
from grader.suite.loading import InvalidSuite
from grader.verdict import Verdict, Visibility

BODY: Final = """\
groups: [{id: g, points: 1}]
sessions:
  - id: s
    steps:
      - {do: b = Box()}
      - {do: b.put(1), returns: "1", action: true, group: g, case: put}
      - {do: b.put(2), returns: "3", action: true, group: g, case: more}
      - do: b.size()
        returns: "3"
        group: g
        case: size
        shorter:
          - {after: [1, 3], returns: "2"}
          - {after: [1], returns: "0"}
"""
BOX: Final = """\
class Box:
    def __init__(self):
        self.n = 0
    def put(self, k):
        self.n += k
        return self.n
    def size(self):
        return %s
"""


def shown(zygote: Zygote, size: str, body: str = BODY) -> tuple[CaseResult, CaseResult | None]:
    """Return how a box with this `size` fails, in the session of the suite and in a shorter one."""
    case = by_id(graded(zygote, body, BOX % size))["g/size"]
    return case, find_shortest_failure(suite(body), submission(BOX % size), case, zygote)


def codes(case: CaseResult | None) -> list[str]:
    """Return the lines of the session in which `case` is shown."""
    assert case is not None
    return [line.code for line in case.transcript]


def test_failure_is_shown_in_the_shortest_session_that_has_it(zygote: Zygote) -> None:
    """What is expected there is what the reference gives there; the points stay."""
    case, shorter = shown(zygote, "self.n + 1")
    assert ["b = Box()", "b.put(1)", "b.put(2)", "b.size()"] == codes(case)
    assert shorter is not None
    assert ["b = Box()", "b.size()"] == codes(shorter)
    assert ("0", "1") == (shorter.expected, shorter.got)
    assert (case.id, case.group) == (shorter.id, shorter.group)


def test_session_in_which_all_is_right_is_passed_over(zygote: Zygote) -> None:
    """Of those that are left the shortest one counts; nothing is expected of its other steps."""
    _, shorter = shown(zygote, "self.n and self.n + 1")
    assert shorter is not None
    assert ["b = Box()", "b.put(2)", "b.size()"] == codes(shorter)
    assert ("2", "3") == (shorter.expected, shorter.got)


@pytest.mark.parametrize(
    "size", ["self.n if self.n < 3 else 4", "self.n + 1 if self.n > 2 else ''"]
)
def test_other_failure_is_not_shown(zygote: Zygote, size: str) -> None:
    """Where no shorter session fails, or each in another way, the whole one stays."""
    case, shorter = shown(zygote, size)
    assert (Verdict.WRONG, None) == (case.verdict, shorter)


COUNTING: Final = """\
widgets: {calls: [{groups: [g], function: count}]}
groups: [{id: g, points: 1}]
sessions:
  - id: s
    steps:
      - {do: n = 2}
      - {do: count(n), returns: "2", group: g, case: two, shorter: [{after: []}]}
      - {do: m = 4}
      - {do: n = 3}
      - do: count(n)
        returns: "3"
        group: g
        case: three
        shorter: [{after: [1], returns: "2"}]
"""


def test_calls_are_drawn_of_the_session_that_is_shown(zygote: Zygote) -> None:
    """Where the suite has them drawn, they are those that were made in the shorter session."""
    head = "exercise: sample\ntitle: Sample\nlanguage: en\nmodule: sample\ndefines: [count]\n"
    counting = suite(COUNTING, head)
    handed_in = submission("def count(n): return 1 if n == 0 else 1 + count(n - 1)")
    case = by_id(grade(counting, handed_in, zygote))["g/three"]
    (picture,) = case.pictures
    assert isinstance(picture, CallsPicture)
    assert "count(3)" == picture.calls[0].text
    shorter = find_shortest_failure(
        counting, handed_in, replace(case, transcript=case.transcript * 2), zygote
    )
    assert shorter is not None
    (picture,) = shorter.pictures
    assert isinstance(picture, CallsPicture)
    assert "count(2)" == picture.calls[0].text


SPOILT: Final = """\
groups: [{id: g, points: 1}]
sessions:
  - id: s
    steps:
      - {do: b = Box()}
      - {do: b.size() + 0, returns: "0", group: g}
      - {do: c = Box()}
      - {do: c.size(), returns: "0", group: g}
      - do: b.size()
        returns: "0"
        group: g
        case: size
        shorter:
          - {after: [1], returns: "9"}
          - {after: [1], one_of: [2, 4]}
"""


def test_failure_among_others_is_shown_with_one_of_them(zygote: Zygote) -> None:
    """The shortest that does it; what is for those who fail by themselves is not tried."""
    case, shorter = shown(zygote, "(self.n, setattr(self, 'n', 1))[0]", SPOILT)
    assert 5 == len(codes(case))
    assert ["b = Box()", "b.size() + 0", "b.size()"] == codes(shorter)


def test_step_among_others_brings_what_binds_its_names() -> None:
    """Else it would break down, whoever is right."""
    (session,) = suite(SPOILT).sessions
    (_, several) = session.steps[4].shorter or ()
    assert [(1, 3, 4), (1, 2)] == [each.after for each in expand_alternatives(session, several)]


def test_set_up_that_breaks_down_is_no_example(zygote: Zygote) -> None:
    """Who fails there for another reason has another thing to mend."""
    _, shorter = shown(zygote, "self.n + (1 if self.n == 3 else 1 / 0)")
    assert shorter is None


@pytest.mark.parametrize(
    "change",
    [{"verdict": Verdict.TIMED_OUT}, {"visibility": Visibility.HIDDEN}, {"transcript": ()}],
)
def test_what_takes_time_or_is_hidden_is_not_tried(zygote: Zygote, change: dict[str, Any]) -> None:
    """Neither is what is shown in so few lines already."""
    source = BOX % "self.n + 1"
    case = replace(by_id(graded(zygote, BODY, source))["g/size"], **change)
    assert find_shortest_failure(suite(BODY), submission(source), case, zygote) is None


def test_errors_are_alike_at_the_same_line_only(zygote: Zygote) -> None:
    """The same exception from elsewhere is another mistake."""
    case, shorter = shown(zygote, "1 // (self.n - 3) if self.n else 1 // self.n")
    assert Verdict.ERROR is case.verdict
    assert shorter is not None
    assert case.source is not None
    elsewhere = replace(shorter, source=replace(case.source, line=case.source.line + 1))
    assert fail_alike(case, shorter)
    assert not fail_alike(case, elsewhere)


def test_trouble_of_ours_leaves_what_was_found(zygote: Zygote) -> None:
    """A sandbox that breaks takes away no answer."""

    def broken(*_: object) -> Zygote:
        raise RuntimeError("no sandbox")

    source = BOX % "self.n + 1"
    record = graded(zygote, BODY, source)
    with Worker(start=broken) as worker:
        assert record == worker.shorten_first_failure(suite(BODY), submission(source), record)


@pytest.mark.parametrize(
    ("shorter", "said"),
    [
        ("{after: [2, 1]}", "these are not the numbers of earlier steps in ascending order"),
        ("{after: [4]}", "these are not the numbers of earlier steps in ascending order"),
        (
            "{after: [], one_of: [4]}",
            "these are not the numbers of earlier steps in ascending order",
        ),
        ("{after: [1, 1]}", "these are not the numbers of earlier steps in ascending order"),
        ('{after: [1], stdout: "x"}', "the case expects no 'stdout'"),
    ],
)
def test_shorter_session_that_is_none_is_refused(shorter: str, said: str) -> None:
    """Its steps stand before the case, and what is right there is of the same kind."""
    with pytest.raises(InvalidSuite) as caught:
        suite(BODY.replace('{after: [1, 3], returns: "2"}', shorter))
    assert [said] == [each.message for each in caught.value.diagnostics]


SPEC: Final = """\
>>> b = Box(1)
>>> b.clear()
>>> c = b.put(2)
>>> b.clear()
>>> d = b.put(3)
>>> b.size()
3
>>> b.put(-1)
Traceback (most recent call last):
AssertionError: too small
"""


def test_derive_finds_shorter_sessions_on_the_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """They have the fewest steps with the same answer, the fewest with any, and some between."""
    folder = box(tmp_path)
    monkeypatch.chdir(folder)
    (folder / "spec.md").write_text(SPEC)
    done = grader(capfd, "derive", "spec.md", "--out", "-")
    assert 0 == done.code, done.err
    (session,) = yaml.safe_load(done.out)["sessions"]
    found = {step["do"]: step.get("shorter") for step in session["steps"]}
    assert [
        {"after": [1, 4, 5]},
        {"after": [1], "returns": "1"},
        {"after": [1, 2], "returns": "0"},
        {"after": [1, 3]},
    ] == found["b.size()"][:4]
    assert {"after": [1]} == found["b.put(-1)"][0]
    assert {"after": [1], "one_of": [6]} == found["b.put(-1)"][-1]
    assert None is found["b = Box(1)"]


def test_shorter_sessions_are_proven_again_after_an_edit(zygote: Zygote, tmp_path: Path) -> None:
    """Each runs by itself; one in which the reference fails is told by its case."""
    edited = suite(BODY.replace('{after: [1], returns: "0"}', '{after: [1], returns: "5"}'))
    (tmp_path / f"{edited.module}.py").write_text(BOX % "self.n", encoding="utf-8")
    assert ["g/size"] == list(find_outdated_cases(edited, tmp_path, zygote))
    assert [] == list(find_outdated_cases(suite(BODY), tmp_path, zygote))


def test_page_shows_what_the_screen_shows(zygote: Zygote) -> None:
    """What to mend first stands on both in its short session; its part has the whole one."""
    source = BOX % "self.n + 1"
    record = graded(zygote, BODY, source)
    found = find_shortest_failure(suite(BODY), submission(source), by_id(record)["g/size"], zygote)
    page = student_page(replace(record, shortened=found))
    first, _, groups = page.partition('<h2 id="groups">')
    assert "b.size()" in first
    assert "b.put" not in first
    assert "b.put(2)" in groups


@pytest.mark.usefixtures("here")
def test_check_shows_the_shorter_session(capfd: pytest.CaptureFixture[str]) -> None:
    """On the short screen; `--all` has the session of the suite."""
    write("testsuites/box.yaml", SUITE_OF_BOX + BODY)
    path = write("mine.py", BOX % "self.n + 1")
    brief = grader(capfd, "check", path, "--exercise", "box")
    assert 1 == brief.code
    assert "b.size()" in brief.out
    assert "b.put" not in brief.out
    assert "b.put(1)" in grader(capfd, "check", path, "--exercise", "box", "--all").out


SUITE_OF_BOX: Final = """\
exercise: box
title: Box
language: en
module: box
defines: [Box]
"""
