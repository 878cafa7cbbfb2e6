"""Helpers of ours: what fails for a wrong helper alone is tried with ours in its place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from builders import by_id

from grader.intake.submissions import Entry, read_submission
from grader.judging.judge import grade
from grader.judging.record import Record, to_json
from grader.judging.rescoring import rescore
from grader.judging.rules import KINDS
from grader.reporting.student_page import student_page
from grader.reporting.wording import LANGUAGES, format_message
from grader.sandbox.program import Program
from grader.sandbox.zygote import Zygote
from grader.suite.code import remove_definitions
from grader.suite.diagnostics import InvalidSuite
from grader.suite.loading import parse_suite
from grader.suite.model import Suite
from grader.verdict import Verdict

OURS = """
def total(box):
    return scaled(box, 1)

def doubled(number):
    return _TWO * number

def area(box):
    return box[0] * box[1]

def scaled(box, times):
    return doubled(area(box)) * times

_TWO = 2

def top(box): pass

def side(box): pass

def back(box): pass
"""
SUITE = """
exercise: boxes
title: Boxes
language: en
module: boxes
defines: [total]
helpers: [doubled, area, scaled, top, side, back]
stand_ins: {boxes: ours/boxes.py}
groups:
- {id: doubled, points: 1}
- {id: area, points: 1}
- {id: scaled, points: 3}
- {id: total, points: 6}
sessions:
- id: examples
  steps:
  - {do: "doubled(3)", returns: "6", group: doubled}
  - {do: "area((2, 3))", returns: "6", group: area}
  - {do: "scaled((2, 3), 2)", returns: "24", group: scaled}
  - {do: "total((2, 3))", returns: "12", group: total}
  - {do: "total((1, 1))", returns: "2", group: total}
"""
WRONG_AREA = OURS.replace("box[0] * box[1]", "box[0] + box[1] + 9")


def suite_in(folder: Path, text: str = SUITE, ours: str = OURS) -> Suite:
    """Return the suite `text`, with the helpers of `ours`."""
    (folder / "ours").mkdir(exist_ok=True)
    (folder / "ours" / "boxes.py").write_text(ours, encoding="utf-8")
    return parse_suite(text.encode(), str(folder / "boxes.yaml"), KINDS)


def graded(zygote: Zygote, folder: Path, source: str, suite: Suite | None = None) -> Record:
    """Return the record of a hand-in with this source."""
    (folder / "boxes.py").write_text(source, encoding="utf-8")
    suite = suite or suite_in(folder)
    submission = read_submission(Entry("ann", folder / "boxes.py"), suite.modules, suite.defines)
    return grade(suite, submission, zygote)


def points(record: Record) -> list[float]:
    """Return the points of each group."""
    return [group.points for group in record.groups]


def test_right_program_is_tried_once(zygote: Zygote, tmp_path: Path) -> None:
    """Where nothing fails nothing is tried again, and all points are earned."""
    assert [1, 1, 3, 6] == points(graded(zygote, tmp_path, OURS))


def test_wrong_helper_costs_its_group_and_its_part_of_the_rest(
    zygote: Zygote, tmp_path: Path
) -> None:
    """Of six helpers one is ours: what calls it loses a third."""
    record = graded(zygote, tmp_path, WRONG_AREA)
    assert [1, 0, 2, 4] == points(record)


@pytest.mark.parametrize("source", [WRONG_AREA, WRONG_AREA.replace("_TWO * number", "number")])
def test_scored_again_costs_the_same_part(zygote: Zygote, tmp_path: Path, source: str) -> None:
    """With other points, a record says what grading would give: thirds stay thirds."""
    old = graded(zygote, tmp_path, source)
    suite = suite_in(tmp_path, SUITE.replace("points: 6", "points: 12"))
    assert graded(zygote, tmp_path, source, suite) == rescore(old, suite)


def test_share_that_nobody_can_have_earned_is_graded(zygote: Zygote, tmp_path: Path) -> None:
    """A record may come from another version; points are not guessed from it."""
    old = graded(zygote, tmp_path, WRONG_AREA.replace("doubled(area(box))", "0"))
    (*others, last) = old.groups
    odd = [replace(case, points=round(case.max_points / 5, 4)) for case in last.cases]
    changed = replace(old, groups=(*others, replace(last, cases=tuple(odd))))
    suite = suite_in(tmp_path, SUITE.replace("points: 6", "points: 12"))
    assert rescore(old, suite) is not None
    assert rescore(changed, suite) is None


def test_verdict_stays_and_says_whose_mistake_it_is(zygote: Zygote, tmp_path: Path) -> None:
    """The answer is wrong, and shown; a sentence tells what passes with our helper."""
    case = by_id(graded(zygote, tmp_path, WRONG_AREA))["total/1"]
    assert (Verdict.WRONG, "28") == (case.verdict, case.got)
    assert (
        "It passes with our own area instead of yours, so the mistake is there. "
        "Here it costs 1/3 of the points."
    ) == format_message(case.explanation[-1], "en")


def test_sentence_is_there_for_one_and_for_many(zygote: Zygote, tmp_path: Path) -> None:
    """In each language, on the page of the student too."""
    two = WRONG_AREA.replace("_TWO * number", "number")
    record = graded(zygote, tmp_path, two)
    said = by_id(record)["total/1"].explanation[-1]
    assert {"count": 2, "helpers": "doubled", "last": "area", "cost": "2/3"} == dict(
        said.parameters
    )
    for language in LANGUAGES:
        assert "doubled" in format_message(said, language)
    assert "with our own doubled and area" in student_page(record)


def test_two_wrong_helpers_leave_less(zygote: Zygote, tmp_path: Path) -> None:
    """Each wrong helper takes its part; what fails with earlier ones of ours is wrong itself."""
    two = WRONG_AREA.replace("* times", "+ times")
    assert [1, 0, 0, 2] == points(graded(zygote, tmp_path, two))


def test_nothing_is_left_where_half_of_the_helpers_are_wrong(
    zygote: Zygote, tmp_path: Path
) -> None:
    """The line that calls them all is not worth the points of the whole."""
    stubs = OURS + "".join(f"def {name}(*_): pass\n" for name in ("doubled", "area", "scaled"))
    assert [0, 0, 0, 0] == points(graded(zygote, tmp_path, stubs))


def test_wrong_main_function_is_not_helped(zygote: Zygote, tmp_path: Path) -> None:
    """What is wrong by itself costs what it did, with wrong helpers and without."""
    wrong = OURS.replace("scaled(box, 1)", "scaled(box, 3)")
    assert [1, 1, 3, 0] == points(graded(zygote, tmp_path, wrong))
    wrong = WRONG_AREA.replace("scaled(box, 1)", "scaled(box, 3)")
    assert [1, 0, 2, 0] == points(graded(zygote, tmp_path, wrong))


def test_helper_that_passes_its_own_group_is_not_replaced(zygote: Zygote, tmp_path: Path) -> None:
    """A mistake that its group does not show stays in, or it would cost nothing."""
    unseen = OURS.replace("return box[0] * box[1]", "return 6 if box == (2, 3) else 0")
    assert [1, 1, 3, 3] == points(graded(zygote, tmp_path, unseen))


def test_helper_left_out_is_nobodys_fault(zygote: Zygote, tmp_path: Path) -> None:
    """It does not count, and ours does not come in its place."""
    whole = "def total(box): return 2 * box[0] * box[1]\ndef area(box): return 0\n"
    record = graded(zygote, tmp_path, whole)
    assert [0, 0, 0, 6] == points(record)
    assert [0, 1, 0, 6] == [group.max_points for group in record.groups]


def test_helpers_that_go_their_own_way_keep_what_they_had(zygote: Zygote, tmp_path: Path) -> None:
    """Ours cannot do with other arguments: the failure stays as it was."""
    other = (
        "def total(box): return area(*box) * 2 if box == (1, 1) else 0\n"
        "def area(a, b): return a * b\n"
    )
    record = graded(zygote, tmp_path, other)
    assert [0, 0, 0, 3] == points(record)
    assert 1 == len(by_id(record)["total/1"].explanation)


def test_endless_helper_is_replaced_too(zygote: Zygote, tmp_path: Path) -> None:
    """What ran out of time gets its try."""
    text = SUITE.replace("groups:", "limits: {cpu_s: 0.2}\ngroups:")
    endless = OURS.replace("return box[0] * box[1]", "\n    while True: pass")
    suite = suite_in(tmp_path, text)
    assert [1, 0, 2, 4] == points(graded(zygote, tmp_path, endless, suite))


@pytest.mark.parametrize("helper", ["area", "scaled", "total"])
def test_function_that_is_asked_is_not_within_reach(
    zygote: Zygote, tmp_path: Path, helper: str
) -> None:
    """Who imports from ours finds the helpers before the one that is tried, and nothing else."""
    stolen = WRONG_AREA.replace("_TWO * number", "number").replace(f"def {helper}(", "def own(")
    stolen += (
        f"\ntry:\n    from _helpers_of_ours import {helper}\nexcept ImportError:\n"
        f"    def {helper}(*_): return 'nothing'\n"
    )
    record = graded(zygote, tmp_path, stolen)
    group = next(each for each in record.groups if each.id == helper)
    assert 0 == group.points


def test_what_is_sent() -> None:
    """The module of the submission as it is, and what runs then; compiled code of it is dropped."""
    program = Program.from_sources({"boxes": ("boxes.py", "x = 1"), "more": ("more.py", "")}, {})
    program.compiled.update(boxes=b"old", more=b"kept")
    changed = program.with_helpers("boxes", OURS, ["area", "doubled"])
    assert ("boxes.py", "x = 1") == changed.sources["boxes"]
    assert {"boxes": "from _helpers_of_ours import area, doubled\n"} == changed.appended_code
    assert OURS == changed.sources["_helpers_of_ours"][1]
    assert {"more": b"kept"} == changed.compiled
    assert "x = 1" == program.sources["boxes"][1]


def test_what_is_asked_is_cut_out() -> None:
    """All of our file is sent but what has these names."""
    cut = remove_definitions(OURS, ("total", "scaled"))
    assert "def total" not in cut
    assert "def scaled" not in cut
    assert "_TWO = 2" in cut
    assert "def area" in cut


def test_record_is_the_same_each_time(zygote: Zygote, tmp_path: Path) -> None:
    """What is tried again depends on nothing but the submission and the suite."""
    assert to_json(graded(zygote, tmp_path, WRONG_AREA)) == to_json(
        graded(zygote, tmp_path, WRONG_AREA)
    )


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "helpers: [doubled, area, scaled, top, side, back]\n",
            "",
            "has no effect for a single module without",
        ),
        ("{boxes: ours", "{boxen: ours", "unknown module 'boxen' (did you mean 'boxes'?)"),
        ("area, scaled,", "area, scaled, cut,", "does not define the function 'cut'"),
        ("doubled, area, scaled", "doubled, scaled, area", "'scaled' reads 'area'"),
    ],
)
def test_stand_in_that_does_not_fit(tmp_path: Path, old: str, new: str, says: str) -> None:
    """It is for the module, and has all helpers, each after those that it builds on."""
    with pytest.raises(InvalidSuite) as refused:
        suite_in(tmp_path, SUITE.replace(old, new))
    assert any(says in each.message for each in refused.value.diagnostics)
