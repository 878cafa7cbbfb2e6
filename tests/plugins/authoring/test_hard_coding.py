"""Answers that were copied from the examples are told to staff, and to nobody else."""

from __future__ import annotations

import json
from dataclasses import replace
from html import unescape
from pathlib import Path
from textwrap import dedent
from typing import Final

import pytest
from builders import HEAD, submission
from builders import suite as parse
from rich.console import Console

from grader.cli.check_submission import EntryWorker
from grader.intake.submission import SourceFile
from grader.intake.submissions import single_entry
from grader.judging.hard_coding import hard_coding_remarks
from grader.judging.judge import grade
from grader.judging.record import Record
from grader.messages import Message
from grader.plugins.authoring.auditing.hard_coders import hard_coders
from grader.plugins.authoring.solutions import submission_of
from grader.plugins.ci.junit import junit_xml
from grader.reporting.index_entry import IndexEntry
from grader.reporting.index_page import index_page
from grader.reporting.results import summary_of
from grader.reporting.sheet import defence_sheet
from grader.reporting.student_page import student_page
from grader.reporting.terminal import print_record
from grader.reporting.wording import LANGUAGES, format_message
from grader.sandbox.zygote import Zygote
from grader.suite.model import Suite
from grader.verdict import Verdict

BODY: Final = """\
    groups: [{id: rays, points: 3}, {id: signs, points: 1}, {id: picture, points: 1}]
    sessions:
      - id: s
        steps:
          - {do: 'rays(3)', returns: '{(0, 3), (1, 3), (2, 3)}', group: rays}
          - {do: 'rays(5)', returns: '{(0, 5), (1, 5), (2, 5)}', group: rays}
          - {do: sign(1), returns: 'True', group: signs}
          - {do: picture(2), stdout: "W-W-W\\nB-B-B", group: picture}
      - id: t
        visibility: hidden
        steps:
          - {do: 'rays(2)', returns: '{(0, 2), (1, 2), (2, 2)}', group: rays, case: h2}
          - {do: 'rays(7)', returns: '{(0, 7), (1, 7), (2, 7)}', group: rays, case: h7}
          - {do: 'rays(9)', returns: '{(0, 9), (1, 9), (2, 9)}', group: rays, case: h9}
          - {do: sign(-1), returns: 'False', group: signs, case: h1}
          - {do: sign(-2), returns: 'False', group: signs, case: h2}
          - {do: sign(-3), returns: 'False', group: signs, case: h3}
          - {do: picture(1), stdout: "W-W-W", group: picture, case: h1}
          - {do: picture(3), stdout: "W-W-W\\nB-B-B\\nW-W-W", group: picture, case: h3}
          - {do: picture(0), stdout: "none", group: picture, case: h0}
    """
RIGHT: Final = """\
    def rays(column):
        return {(row, column) for row in range(3)}

    def sign(number):
        return number > 0

    def picture(count):
        print("\\n".join(["W-W-W", "B-B-B"][n % 2] for n in range(count)) or "none")
    """
COPIED: Final = """\
    ANSWERS = {
        3: {(2, 3), (0, 3),
            (1, 3)},
        5: {(0, 5), (1, 5), (2, 5)},
    }

    def rays(column):
        return ANSWERS.get(column)

    def sign(number):
        return True

    def picture(count):
        print('W-W-W\\nB-B-B')
    """


def remarks(suite: Suite, source: str, **verdicts: Verdict) -> tuple[Message, ...]:
    """Return what staff are told of `source`; cases pass if public, and are wrong if hidden."""
    found = {
        case.id: verdicts.get(
            case.id.replace("/", "_"),
            Verdict.PASSED if session.visibility == "public" else Verdict.WRONG,
        )
        for session in suite.sessions
        for case in session.cases
    }
    file = SourceFile(name="sample.py", text=dedent(source), encoding="utf-8")
    return tuple(hard_coding_remarks(suite, found, [file]))


def groups(told: tuple[Message, ...]) -> list[object]:
    """Return the groups that `told` is about."""
    return [dict(remark.parameters)["group"] for remark in told]


def graded(zygote: Zygote, source: str) -> Record:
    """Return the record of `source`."""
    return grade(parse(BODY), submission(source), zygote)


def test_copied_answers_are_told(zygote: Zygote) -> None:
    """The remark says which group, how many answers stand in the file, and where."""
    told = graded(zygote, COPIED).staff_remarks
    rays, picture = told
    assert {
        "group": "rays",
        "hidden": 3,
        "found": 1,
        "count": 2,
        "file": "sample.py",
        "lines": "4",
    } == dict(rays.parameters)
    assert {"found": 1, "count": 1, "lines": "14"}.items() <= dict(picture.parameters).items()
    assert (
        "The answers of group picture may be hard-coded: the public cases pass, every hidden one"
        " fails (3)" in format_message(picture, "en")
    )
    assert all(format_message(remark, language) for remark in told for language in LANGUAGES)


def test_hard_coders_are_recognised(zygote: Zygote) -> None:
    """The one that is made from the public cases has all their answers in it."""
    suite = parse(BODY)
    for coder in hard_coders(suite, {"sample": dedent(RIGHT)}, zygote).values():
        record = grade(suite, submission_of(suite, coder, "copied"), zygote)
        told = {remark.parameters for remark in record.staff_remarks}
        found = {(dict(each)["group"], dict(each)["found"]) for each in told}
        assert {("rays", 2), ("picture", 1)} == found


def test_solutions_are_not_suspected(zygote: Zygote) -> None:
    """A right solution is not, whatever stands in it; nor one that is wrong everywhere."""
    with_answers = f"{dedent(RIGHT)}\nEXAMPLES = [{{(0, 3), (1, 3), (2, 3)}}]\n"
    assert () == graded(zygote, with_answers).staff_remarks
    wrong = dedent(COPIED).replace("ANSWERS.get(column)", "1")
    assert ["picture"] == groups(graded(zygote, wrong).staff_remarks)


TABLE: Final = COPIED.replace("(2, 3), (0, 3)", "(0, 3), (1, 3)").replace("(1, 3)}", "(2, 3)}")
"""All answers of `rays` stand in it as they are expected."""


LUCKY: Final = BODY.replace(
    "          - {do: sign(-1)",
    "          - {do: 'rays(1)', returns: '{(0, 1), (1, 1), (2, 1)}', group: rays, case: h1}\n"
    "          - {do: sign(-1)",
)
"""Four hidden cases of `rays`, of which one can be guessed."""


def test_luck_does_not_clear_who_looks_answers_up() -> None:
    """Where most hidden cases fail, a guess that is right changes what is told, and no more."""
    told, picture = remarks(parse(LUCKY), TABLE, rays_h1=Verdict.PASSED)
    facts = {"group": "rays", "failing": 3, "hidden": 4, "found": 2, "count": 2}
    assert facts.items() <= dict(told.parameters).items()
    assert "3 of the 4 hidden ones fail, and 2 of the 2 expected" in format_message(told, "en")
    assert "staff.hard_coded" == picture.key


def test_half_of_the_hidden_cases_are_more_than_luck() -> None:
    """Who gets as many right as wrong, or more, is not suspected."""
    lucky = {"rays_h1": Verdict.PASSED, "rays_h2": Verdict.PASSED}
    assert ["picture"] == groups(remarks(parse(LUCKY), TABLE, **lucky))


def test_some_success_asks_for_more_answers() -> None:
    """Who gets a hidden case right, and has one answer in the code, has done more than copy."""
    assert ["rays", "picture"] == groups(remarks(parse(LUCKY), COPIED))
    assert ["picture"] == groups(remarks(parse(LUCKY), COPIED, rays_h1=Verdict.PASSED))


@pytest.mark.parametrize("verdict", [Verdict.NOT_RUN, Verdict.FAULT])
def test_what_was_not_tried_says_nothing(verdict: Verdict) -> None:
    """A group is not suspected when part of it could not be tried, or was our own failure."""
    assert ["picture"] == groups(remarks(parse(BODY), COPIED, rays_h7=verdict))


def test_three_mistakes_at_least() -> None:
    """What was skipped or ran out of time is no wrong answer."""
    suite = parse(BODY)
    assert ["picture"] == groups(remarks(suite, COPIED, rays_h7=Verdict.SKIPPED))
    assert ["picture"] == groups(remarks(suite, COPIED, rays_h7=Verdict.TIMED_OUT))
    assert ["rays", "picture"] == groups(remarks(suite, COPIED, rays_h7=Verdict.ERROR))


def test_a_public_failure_clears() -> None:
    """Who copied would have copied all answers."""
    assert ["picture"] == groups(remarks(parse(BODY), COPIED, rays_1=Verdict.WRONG))


def test_fewer_than_half_of_the_answers_are_chance() -> None:
    """One of three answers in the file is no pattern."""
    body = BODY.replace(
        "          - {do: sign(1)",
        "          - {do: 'rays(6)', returns: '{(0, 6), (1, 6), (2, 6)}', group: rays}\n"
        "          - {do: sign(1)",
    )
    assert ["picture"] == groups(remarks(parse(body), COPIED))


@pytest.mark.parametrize(
    "source",
    [
        "X = {(0, 3), (1, 3), (2, 3)}, {(0, 5), (1, 5), (2, 5)}",
        "X = set([(0,3),(1,3),(2,3)])\nY = set([(0,5),(1,5),(2,5)])",
        "X = {  (0, 3),\n\n   (1, 3),\n   (2, 3)  }\nY = [(0, 5), (1, 5), (2, 5)]",
    ],
)
def test_blanks_and_brackets_do_not_matter(source: str) -> None:
    """An answer is found however it is laid out, and in whatever kind of collection."""
    assert ["rays"] == groups(remarks(parse(BODY), source))


@pytest.mark.parametrize(
    "source",
    [
        'X = "W-W-W\\nB-B-B"',
        'X = """W-W-W\nB-B-B\n"""',
        'X = ["W-W-W", "B-B-B"]',
        'X = ("W-W-W\\n"\n     + "B-B-B")',
    ],
)
def test_printed_answers_are_found_however_they_are_written(source: str) -> None:
    """The lines of a text may stand in one literal, in several, or in a list."""
    assert ["picture"] == groups(remarks(parse(BODY), source))


@pytest.mark.parametrize(
    "source",
    [
        '""">>> rays(3)\n{(0, 3), (1, 3), (2, 3)}\n>>> rays(5)\n{(0, 5), (1, 5), (2, 5)}\n"""',
        "# {(0, 3), (1, 3), (2, 3)}\n    # {(0, 5), (1, 5), (2, 5)}",
    ],
)
def test_examples_in_docstrings_and_comments_are_no_answers(source: str) -> None:
    """Who pastes the example session into the code does what was taught."""
    assert () == remarks(parse(BODY), source)


def test_code_below_a_pasted_example_is_searched() -> None:
    """An example ends at a blank line, or with its docstring."""
    answers = "X = {(0, 3), (1, 3), (2, 3)}, {(0, 5), (1, 5), (2, 5)}"
    for source in (f'""">>> rays(3)\n{{}}\n"""\n{answers}', f"# >>> rays(3)\n\n{answers}"):
        (told,) = remarks(parse(BODY), source)
        assert str(source.count("\n") + 1) == dict(told.parameters)["lines"]


def test_messages_of_exceptions_are_no_answers() -> None:
    """The text of an exception has to stand in a right solution, too."""
    body = """\
        groups: [{id: f, points: 1}]
        sessions:
          - {id: s, steps: [{do: f(1), raises: 'ValueError: impossible number', group: f}]}
          - id: t
            visibility: hidden
            steps: [{do: f(2), returns: '2', group: f}, {do: f(3), returns: '3', group: f},
                    {do: f(4), returns: '4', group: f}]
        """
    assert () == remarks(parse(body), "raise ValueError('impossible number')")


def test_names_are_harmless() -> None:
    """The name of a file is clipped and on one line; of many lines the first are told."""
    suite = parse(BODY)
    verdicts = {
        case.id: Verdict.PASSED if session.id == "s" else Verdict.WRONG
        for session in suite.sessions
        for case in session.cases
    }
    file = SourceFile(name="a\n" * 90, text=dedent(COPIED), encoding="utf-8")
    told = dict(next(hard_coding_remarks(suite, verdicts, [file])).parameters)
    assert "\n" not in str(told["file"])
    assert len(str(told["file"])) < 90
    assert () == tuple(hard_coding_remarks(suite, verdicts, []))


def test_staff_read_it(zygote: Zygote) -> None:
    """It stands in `results.json` and in the overview, and nobody is asked to decide on it."""
    record = graded(zygote, COPIED)
    said = [format_message(remark, "en") for remark in record.staff_remarks]
    assert said == summary_of(record)["staff_remarks"]
    summed_up = IndexEntry.from_record(record, "sample/student.html")
    assert tuple(said) == summed_up.staff_remarks
    assert not summed_up.needs_person
    page = index_page([summed_up], language="en", interrupted=False)
    assert "Remarks for staff: 1 submission" in page
    assert "every hidden one fails (3)" in page
    assert "staff_remarks" not in summary_of(graded(zygote, RIGHT))


def test_it_costs_nothing(zygote: Zygote) -> None:
    """The same submission without the remark has the same points, cases and verdicts."""
    record = graded(zygote, COPIED)
    plain = summary_of(replace(record, staff_remarks=()))
    assert plain == {k: v for k, v in summary_of(record).items() if k != "staff_remarks"}


def test_students_never_read_it(
    zygote: Zygote, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither the page, nor JUnit XML, nor the terminal tells of it; the sheet is for staff."""
    record = graded(zygote, COPIED)
    silent = replace(record, staff_remarks=())
    assert record.staff_remarks
    assert student_page(silent) == student_page(record)
    assert junit_xml([silent]) == junit_xml([record])
    told = format_message(record.staff_remarks[0], record.language)
    assert told in unescape(defence_sheet(record))
    assert told not in unescape(defence_sheet(silent))
    print_record(record, Console(force_terminal=False))
    assert "copied" not in capsys.readouterr().out
    assert "may be hard-coded" not in student_page(record)
    (tmp_path / "sample.yaml").write_text(HEAD + dedent(BODY), encoding="utf-8")
    (tmp_path / "sample.py").write_text(dedent(COPIED), encoding="utf-8")
    with EntryWorker(str(tmp_path / "sample.yaml"), None, None) as worker:
        checked = worker.record_of(single_entry(tmp_path / "sample.py"))
    assert "staff_remarks" not in json.dumps(summary_of(checked))
