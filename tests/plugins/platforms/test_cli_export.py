"""`grader export`: marks and pages, from a run to what a platform takes back."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final

import pytest
from command_line import grader
from decisions import decision
from exported_runs import export, leave, leave_class_of_two, of
from worksheets import JAN, ZOE

from grader.intake.people import Person
from grader.judging.deciding import Subject
from grader.judging.record import RuleResult
from grader.messages import message
from grader.store.store import Store
from grader.verdict import RuleVerdict, Status

MOODLE: Final = """\
Identifier,"Full name","Email address",Grade,"Last modified (grade)","Feedback comments"
"Participant 1001","Zoë De Smet",zoe.desmet@uni.example,,-,
"Participant 1002","Jan Peeters",jan@uni.example,,-,
"""


@pytest.fixture(autouse=True)
def _somewhere(here: Path) -> None:
    """Work in a folder of its own."""


@pytest.fixture
def class_of_two(_somewhere: None) -> None:
    """A run with Zoë, who has 3 of 4, and Jan, who has all."""
    leave_class_of_two()


# Into a worksheet


@pytest.mark.usefixtures("class_of_two")
def test_worksheet_is_filled_beside_the_original(capfd: pytest.CaptureFixture[str]) -> None:
    """With two sentences in the language of the exercise; the original stays as it is."""
    Path("sheet.csv").write_text(MOODLE)
    done = export(capfd, "--into", "sheet.csv")
    assert (0, "") == (done.code, done.out)
    assert MOODLE == Path("sheet.csv").read_text()
    zoe, jan = csv.reader(Path("sheet.filled.csv").read_text().splitlines()[1:])
    assert ["3", "-"] == zoe[3:5]
    assert (
        "Your code passes 3 of the 4 cases. Begin with move: it costs you 1 of the 4 points."
    ) == zoe[5]
    assert ["4", "-", "Your code passes all 4 cases. Well done!"] == jan[3:]
    assert "2 marks filled in, 0 already there" in done.err
    assert "rounded to multiples of 0.01, halves up" in done.err
    assert done.err.endswith("worksheet: sheet.filled.csv\n")


@pytest.mark.usefixtures("class_of_two")
def test_marks_are_scaled_and_rounded(capfd: pytest.CaptureFixture[str]) -> None:
    """How is said."""
    Path("sheet.csv").write_text("Username;Mark\nzdesmet;\njpeeters;\n")
    done = export(
        capfd, "--into", "sheet.csv", "--to", "out.csv", "--out-of", "10", "--round", "0,2"
    )
    assert "Username;Mark\nzdesmet;7,6\njpeeters;10\n" == Path("out.csv").read_text()
    assert "out of 10, rounded to multiples of 0.2, halves up" in done.err
    assert "these marks are out of 10; for another maximum, use --out-of\n" in done.err
    export(capfd, "--into", "sheet.csv", "--out-of=10", "--round=1", "--half=even")
    assert "zdesmet;8\n" in Path("sheet.filled.csv").read_text()


@pytest.mark.usefixtures("class_of_two")
@pytest.mark.parametrize("amount", ["0", "-1", "x", "1e9", "nan", ""])
def test_amount_is_a_number_over_0(capfd: pytest.CaptureFixture[str], amount: str) -> None:
    """Anything else is told before a file is read."""
    done = export(capfd, f"--out-of={amount}")
    assert 2 == done.code
    assert "it must be a number above 0" in done.err


@pytest.mark.usefixtures("class_of_two")
def test_what_became_of_each_is_said(capfd: pytest.CaptureFixture[str]) -> None:
    """Who had another mark, who was found by name, who is on one side only."""
    Path("sheet.csv").write_text("Name,Mark\nZoë De Smet,1\nØyvind Å,\n")
    done = export(capfd, "--into", "sheet.csv")
    for told in (
        "kept, not replaced: 1: Zoë De Smet (1, in the run 3)",
        "matched by name only: 1: Zoë De Smet",
        "in the run, not in the worksheet: 1: Jan Peeters",
        "in the worksheet, without a mark in the run: 1: Øyvind Å",
    ):
        assert f"warning: {told}\n" in done.err
    done = export(capfd, "--into", "sheet.csv", "--overwrite")
    assert "replaced: 1: Zoë De Smet (1, in the run 3)" in done.err


@pytest.mark.usefixtures("class_of_two")
def test_worksheet_itself_is_never_written_to(capfd: pytest.CaptureFixture[str]) -> None:
    """Not by another name of it either."""
    Path("sheet.csv").write_text(MOODLE)
    Path("link.csv").symlink_to("sheet.csv")
    for target in ("sheet.csv", "./sheet.csv", "link.csv"):
        done = export(capfd, "--into", "sheet.csv", "--to", target)
        assert (2, MOODLE) == (done.code, Path("sheet.csv").read_text())


@pytest.mark.usefixtures("class_of_two")
def test_doubt_writes_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """The error has the list, and the way out."""
    Path("sheet.csv").write_text("ID,Name,Mark\n1001,Mohamed Haddad,\n1002,Jan Peeters,\n")
    done = export(capfd, "--into", "sheet.csv")
    assert 2 == done.code
    assert "  Zoë De Smet: row 2 has the same id, but the name Mohamed Haddad" in done.err
    assert not Path("sheet.filled.csv").exists()
    done = export(capfd, "--into", "sheet.csv", "--skip-doubtful")
    assert (
        "warning: left out, because the match is doubtful: 1: Zoë De Smet: row 2 has the same id"
        in done.err
    )
    assert "1001,Mohamed Haddad,\n1002,Jan Peeters,4\n" in Path("sheet.filled.csv").read_text()


@pytest.mark.usefixtures("class_of_two")
def test_what_students_are_told_apart_by_can_overrule_names(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Whoever says that ids are right is believed, and told whose name differs."""
    Path("sheet.csv").write_text("ID,Name,Mark\n1001,Mohamed Haddad,\n1002,Jan Peeters,\n")
    done = export(capfd, "--into", "sheet.csv", "--match", "id")
    assert "same id, but another name: 1: Zoë De Smet (row 2, Mohamed Haddad)\n" in done.err
    assert "1001,Mohamed Haddad,3\n" in Path("sheet.filled.csv").read_text()


@pytest.mark.usefixtures("class_of_two")
def test_column_of_words_is_none_of_marks(capfd: pytest.CaptureFixture[str]) -> None:
    """Most cells have some, and none a number; a word here and there is another matter."""
    rows = [("zdesmet", "Sent in", "ill"), ("jpeeters", "Draft", "")]
    lines = "".join(f"{','.join(row)}\n" for row in [("Username", "Status", "Mark"), *rows])
    Path("sheet.csv").write_text(lines)
    done = export(capfd, "--into", "sheet.csv", "--column", "Status")
    assert 2 == done.code
    assert "column Status contains words instead of marks: Sent in, Draft\n" in done.err
    assert 0 == export(capfd, "--into", "sheet.csv", "--column", "Mark").code
    assert "jpeeters,Draft,4\n" in Path("sheet.filled.csv").read_text()


WRITTEN: Final = {
    "sheet.filled.csv": ("--into", "sheet.csv"),
    "other.csv": ("--into", "sheet.csv", "--to", "other.csv"),
    "run-feedback-moodle.zip": ("--feedback", "moodle"),
    "run-feedback": ("--feedback", "folder"),
    "run-mail": ("--mail",),
    "marks.csv": ("--to", "marks.csv"),
}


@pytest.mark.usefixtures("class_of_two")
@pytest.mark.parametrize("target", WRITTEN)
def test_nothing_is_written_over(capfd: pytest.CaptureFixture[str], target: str) -> None:
    """Unless somebody says so: who gives a command twice may have changed what came of it."""
    Path("sheet.csv").write_text(MOODLE)
    assert 0 == export(capfd, *WRITTEN[target]).code
    files = [each for each in (Path(target), *Path(target).rglob("*")) if each.is_file()]
    for each in files:
        each.write_text("mine")
    done = export(capfd, *WRITTEN[target])
    assert (2, True) == (done.code, f"error: {target} already exists\n" in done.err)
    assert {"mine"} == {each.read_text() for each in files}
    assert 0 == export(capfd, *WRITTEN[target], "--overwrite").code
    assert b"mine" not in {each.read_bytes() for each in files}


@pytest.mark.usefixtures("class_of_two")
@pytest.mark.parametrize("target", ["run-feedback", "run-mail"])
def test_what_a_killed_export_left_is_removed_by_the_next(
    capfd: pytest.CaptureFixture[str], target: str
) -> None:
    """A file that was not complete is no page; what others have in the folder stays."""
    assert 0 == export(capfd, *WRITTEN[target]).code
    (left,) = Path(target).iterdir()
    (left / ".0123456789abcdef.part").touch()
    (left / ".mine.part").touch()
    assert 0 == export(capfd, *WRITTEN[target], "--overwrite").code
    assert [left / ".mine.part"] == list(left.glob(".*"))


# What a run has


def test_unfinished_run_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    """Unless it is said that what is there will do; who is left out is named."""
    fault = of("jan", 0, status=Status.FAULT)
    leave((of("zoe", 3), ZOE), (fault, JAN), (of("els", 1), None), ungraded=1)
    done = export(capfd)
    assert (2, "") == (done.code, done.out)
    assert "error: 2 submissions without a mark: Jan Peeters, els\n" in done.err
    assert "--partial" in done.err
    done = export(capfd, "--partial")
    assert "warning: left out, because they have no mark: Jan Peeters, els\n" in done.err
    assert 2 == len(done.out.splitlines())


def test_run_without_a_mark_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    """Nobody graded is no success."""
    leave((of("zoe", 3), ZOE), ungraded=1)
    assert 5 == export(capfd, "--partial").code


def test_undecided_rules_are_named(capfd: pytest.CaptureFixture[str]) -> None:
    """Their marks may still change."""
    rule = RuleResult(
        id="recursion/f",
        verdict=RuleVerdict.REVIEW,
        demand=message("report.how_file", file="x"),
        evidence=(),
    )
    leave((of("zoe", 3, rules=(rule,)), ZOE), (of("jan", 4), JAN))
    done = export(capfd)
    assert (
        "warning: a person must still decide on rules for 1 submission: Zoë De Smet (recursion/f)\n"
        "  = help: decide with `grader mark`, and then repeat this command\n" == done.err
    )


def test_what_a_person_decided_counts(capfd: pytest.CaptureFixture[str]) -> None:
    """In the mark and on the page; a rule that was decided on waits for nobody."""
    rule = RuleResult(
        id="loops/f",
        verdict=RuleVerdict.REVIEW,
        demand=message("report.how_file", file="x"),
        evidence=(),
    )
    leave((of("zoe", 3, rules=(rule,)), ZOE))
    grader(capfd, "mark", "run", "zoe", "--case", "f/3", "--points", "1", "--because", "it does")
    assert "loops/f" in export(capfd).err
    grader(capfd, "mark", "run", "zoe", "--rule", "loops/f", "--verdict", "kept", "--because", "x")
    done = export(capfd)
    assert ("", True) == (done.err, ",yinyang,4,4,graded" in done.out)
    export(capfd, "--feedback", "folder")
    assert "it does" in Path("run-feedback/yinyang/zoe-de-smet.html").read_text()


def test_exercise_is_asked_for_where_there_are_several(capfd: pytest.CaptureFixture[str]) -> None:
    """A column has the marks of one; a table has them all."""
    leave((of("zoe", 3), ZOE), (of("zoe", 2, exercise="double"), ZOE))
    Path("sheet.csv").write_text("Username,Mark\nzdesmet,\n")
    done = export(capfd, "--into", "sheet.csv")
    assert (
        "error: the run has 2 exercises, and this output is for only one\n"
        "  = help: add --exercise NAME: yinyang, double\n" == done.err
    )
    export(capfd, "--into", "sheet.csv", "--exercise", "double")
    assert "zdesmet,2\n" in Path("sheet.filled.csv").read_text()
    assert 3 == len(export(capfd).out.splitlines())
    assert "no exercise akari" in export(capfd, "--exercise", "akari").err


def test_submission_that_cannot_be_run_has_its_mark(capfd: pytest.CaptureFixture[str]) -> None:
    """It is 0, and the feedback says why; a name of a file is no markup."""
    remark = message("ungradable.empty", file="<b>.py")
    leave((of("zoe", 0, status=Status.UNGRADABLE, remarks=(remark,)), ZOE))
    Path("sheet.csv").write_text(MOODLE)
    export(capfd, "--into", "sheet.csv")
    said = "We could not run your submission. &lt;b&gt;.py is empty."
    assert f"zoe.desmet@uni.example,0,-,{said}\n" in Path("sheet.filled.csv").read_text()


def test_mark_of_what_cannot_be_run_is_told_until_a_person_gives_points(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Nobody is warned of a 0 that is none any more; the reason goes into the worksheet."""
    zoe = of("zoe", 0, status=Status.UNGRADABLE)
    leave((zoe, ZOE))
    warned = "warning: nothing in the hand-in can be run, so the mark is 0: 1: Zoë De Smet\n"
    assert warned in export(capfd).err
    group = zoe.groups[0]
    with Store.writing(Path("run")) as store:
        store.decide([decision(zoe, Subject.GROUP, group.id, points=0.5)])
    Path("sheet.csv").write_text(MOODLE)
    assert "nothing in the hand-in can be run" not in export(capfd, "--into", "sheet.csv").err
    assert "I have talked with her." in Path("sheet.filled.csv").read_text()


@pytest.mark.usefixtures("class_of_two")
def test_other_maximum_than_that_of_the_platform_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    """It is what was asked for, and perhaps not what was meant."""
    Path("sheet.csv").write_text("Username,Mark,Max\nzdesmet,,100\njpeeters,,100\n")
    done = export(capfd, "--into", "sheet.csv", "--out-of", "20")
    assert "warning: marks on the platform are out of 100, but --out-of is 20;" in done.err
    assert "zdesmet,15,100\n" in Path("sheet.filled.csv").read_text()


# All marks


def test_all_marks_are_a_table(capfd: pytest.CaptureFixture[str]) -> None:
    """On standard output, with nothing in it that a spreadsheet would calculate."""
    evil = Person(name="=HYPERLINK(1)", user="+1", id="7")
    pair = Person(name="Group 7", members=(ZOE, JAN))
    leave((of("evil", 1), evil), (of("pair", 2), pair), (of("-els", 0), None))
    done = export(capfd)
    assert [
        ["id", "user", "name", "email", "exercise", "score", "max", "status"],
        ["7", "'+1", "'=HYPERLINK(1)", "", "yinyang", "1", "4", "graded"],
        ["1001", "zdesmet", "Zoë De Smet", ZOE.email, "yinyang", "2", "4", "graded"],
        ["1002", "jpeeters", "Jan Peeters", JAN.email, "yinyang", "2", "4", "graded"],
        ["", "", "'-els", "", "yinyang", "0", "4", "graded"],
    ] == list(csv.reader(done.out.splitlines()))
    export(capfd, "--to", "marks.csv")
    assert done.out == Path("marks.csv").read_text()


@pytest.mark.usefixtures("class_of_two")
@pytest.mark.parametrize(
    ("args", "error"),
    [
        (("--mail", "--feedback", "moodle"), "--feedback and --mail cannot be combined"),
        (("--skip-doubtful",), "there is no worksheet for --skip-doubtful"),
        (("--overwrite",), "no effect, because no file is written"),
        (("--download", "run", "--mail"), "--download has no effect"),
        (("--into", "sheet.csv"), "cannot read the worksheet sheet.csv: No such file"),
        (("--into", "run"), "cannot read the worksheet run: Is a directory"),
        (("--into", "/dev/null"), "export the worksheet from the platform again"),
        (("--feedback", "folder", "--to", "run", "--overwrite"), "run belongs to a run"),
        (("--to", "run/run.db", "--overwrite"), "run/run.db belongs to a run"),
        (
            ("--feedback", "canvas", "--download", "sheet.zip"),
            "sheet.zip does not exist",
        ),
    ],
)
def test_options_that_say_nothing_are_refused(
    capfd: pytest.CaptureFixture[str], args: tuple[str, ...], error: str
) -> None:
    """Rather than ignored."""
    done = export(capfd, *args)
    assert 2 == done.code
    assert error in done.err
