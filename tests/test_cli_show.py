"""`grader show`: what a run knows of one student, for staff."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from command_line import grader
from decisions import decision
from filed_runs import begun, database, filed, named
from record_samples import HOSTILE_TEXTS, case, group, hostile_record, record, yinyang_record
from rich.console import Console

from grader.cli.existing_runs import find_entry
from grader.errors import UsageError
from grader.intake.people import Person
from grader.judging.deciding import Subject
from grader.judging.record import Record
from grader.messages import message
from grader.reporting.screen import print_screen
from grader.reporting.sheet import defence_sheet
from grader.reporting.student_page import student_page
from grader.store.runs import RunEntry
from grader.store.store import Store
from grader.values.foreign_text import escape_controls
from grader.verdict import Verdict, Visibility


def secret(name: str = "an") -> Record:
    """Return a record of which a student sees little."""
    hidden = case(
        "f/h1",
        Verdict.TAMPERED,
        code="secret(4)",
        expected="5",
        got="6",
        visibility=Visibility.HIDDEN,
        staff_evidence="two replies",
    )
    return replace(
        record(group("f", hidden), id=name, student=name),
        staff_remarks=(message("staff.printed", text="help"),),
    )


@pytest.mark.usefixtures("here")
def test_staff_see_all_there_is(capfd: pytest.CaptureFixture[str]) -> None:
    """Hidden cases in full, remarks for staff and what is behind tampering; reports keep theirs."""
    filed(Path("run"), secret(), yinyang_record())
    done = grader(capfd, "show", "run", "an")
    assert (0, "") == (done.code, done.err)
    for told in ("secret(4)", "It prints: help", "two replies"):
        assert told in done.out


@pytest.mark.usefixtures("here")
def test_a_part_has_one_count(capfd: pytest.CaptureFixture[str]) -> None:
    """Staff see each hidden case, and the count that the page, the sheet and `check` have."""
    hidden = [case(f"f/h{n}", visibility=Visibility.HIDDEN) for n in range(2)]
    given = record(group("f", case("f/1", Verdict.WRONG), *hidden))
    filed(Path("run"), given)
    shown = grader(capfd, "show", "run", "student-017").out
    assert "✗ f  0/1, hidden 2/2  2 of 3 points\n" in shown
    assert "✗ f  0/1, hidden 2/2\n" in screen(given)
    assert "0 of 1 passed, hidden 2 of 2" in student_page(given)
    assert "f: 0 of 1 passed, hidden 2 of 2" in defence_sheet(given)


def screen(given: Record) -> str:
    """Return what `check` prints about `given`."""
    text = StringIO()
    print_screen(given, Console(file=text, width=80))
    return text.getvalue()


@pytest.mark.usefixtures("here")
def test_decisions_stand_below_the_result(capfd: pytest.CaptureFixture[str]) -> None:
    """Where staff look first, before the parts."""
    given = yinyang_record()
    filed(Path("run"), given)
    with Store.writing(Path("run")) as store:
        store.decide([decision(given, Subject.PAGE, because="See me.")])
    result, *_ = grader(capfd, "show", "run", given.student).out.split("\n\n")
    assert result.endswith("• comment (by prof, 2026-11-23): See me.")


@pytest.mark.usefixtures("here")
def test_json_is_the_entry_in_the_results(capfd: pytest.CaptureFixture[str]) -> None:
    """What other tools read of a whole run they can have of one student."""
    filed(Path("run"), named("an"), named("jan"))
    entries = json.loads(Path("run/results.json").read_bytes())["submissions"]
    done = grader(capfd, "show", "run", "jan", "--json")
    assert entries[1] == json.loads(done.out)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("asked", "shown"),
    [("an", "an"), ("De Smet", "De Smet, Zoë"), ("ZOE", "De Smet, Zoë"), ("de-smet-zoe",) * 2],
)
def test_student_is_found(capfd: pytest.CaptureFixture[str], asked: str, shown: str) -> None:
    """By her name, though others have it in theirs; by a part of it; by the name of her page."""
    filed(Path("run"), *map(named, ("an", "Jan", "De Smet, Zoë")))
    done = grader(capfd, "show", "run", asked, "--json")
    assert shown in {json.loads(done.out)["student"], "de-smet-zoe"}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("asked", "error", "help_"),
    [
        ("a", "2 students match a", "give the full name of one of them: An, Jan"),
        ("jna", "there is no hand-in by jna in the run", "did you mean: Jan"),
        ("xxxx", "there is no hand-in by xxxx in the run", "students in the run: An, Jan, Zoë"),
        (
            "Zoë",
            "Zoë handed in 2 exercises, and none is chosen",
            "add --exercise NAME with one of: yinyang, double",
        ),
    ],
)
def test_who_is_not_found_is_told_who_comes_near(
    capfd: pytest.CaptureFixture[str], asked: str, error: str, help_: str
) -> None:
    """Nobody is taken for somebody else: where there is a choice, the error has it."""
    twice = replace(named("Zoë"), exercise="double")
    filed(Path("run"), *map(named, ("An", "Jan", "Zoë")), twice)
    assert (2, "", f"error: {error}\n  = help: {help_}\n") == grader(capfd, "show", "run", asked)


def test_name_of_a_page_is_not_put_before_a_name() -> None:
    """The page of Ann is called as somebody else is, who had to get a number behind her name."""
    ann = RunEntry(exercise="roman", student="Ann", stem="ann", person=Person(name="Ann"))
    other = RunEntry(exercise="roman", student="ann (2)", stem="ann-2", person=Person(name="ann"))
    with pytest.raises(UsageError, match="2 students match ann"):
        find_entry([ann, other], "ann")
    assert [ann, other] == [find_entry([ann, other], name) for name in ("Ann", "ann-2")]


@pytest.mark.usefixtures("here")
def test_exercise_is_chosen(capfd: pytest.CaptureFixture[str]) -> None:
    """Where a student has handed in several; one that the run does not have is told."""
    filed(Path("run"), named("an"), replace(named("an"), exercise="double"))
    done = grader(capfd, "show", "run", "an", "--exercise", "double", "--json")
    assert "double" == json.loads(done.out)["exercise"]
    done = grader(capfd, "show", "run", "an", "--exercise", "akari")
    assert (
        "error: there is no exercise akari in the run\n  = help: exercises in the run: yinyang"
        in done.err
    )


@pytest.mark.usefixtures("here")
def test_who_was_not_graded_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    """Who is in the run but has no record is not unknown."""
    with begun(Path("run"), named("an")):
        pass
    done = grader(capfd, "show", "run", "an")
    assert (2, "error: an (yinyang) is in the run but has not been graded yet") == (
        done.code,
        done.err.splitlines()[0],
    )


@pytest.mark.usefixtures("here")
def test_damaged_record_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    """It ends with the exit code for that, and no traceback."""
    filed(Path("run"), named("an"))
    with database(Path("run")) as damaged:
        damaged.execute("UPDATE record SET data = x'00', summary = x'00'")
    for options in ((), ("--json",)):
        done = grader(capfd, "show", "run", "an", *options)
        assert 6 == done.code
        assert "error: the record of an (yinyang) cannot be read: it is truncated, " in done.err


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("kind", ["ansi", "bidi", "controls", "markup"])
def test_hostile_text_reaches_no_terminal(capfd: pytest.CaptureFixture[str], kind: str) -> None:
    """Neither in a record, nor in a name that comes near, nor as what is asked for."""
    text = HOSTILE_TEXTS[kind]
    name = escape_controls(text[:50])
    graded = replace(hostile_record(text), exercise="yinyang", student=f"an{name}")
    filed(Path("run"), graded, named(f"::error::{name}"))
    for asked in (f"an{name}", "::errro::" + text.replace("\0", "")[:50]):
        done = grader(capfd, "show", "run", asked)
        assert not {"\x1b", "\x07", "\u202e", "\x9b"} & {*done.out, *done.err}
        for line in (done.out + done.err).splitlines():
            assert not line.strip().startswith(("::", "##["))
