"""A run that is graded again, and what it tells: whose mark changes, by what, expected or not."""

from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from command_line import RIGHT, SUITE, WRONG, grader, write
from filed_runs import PLAIN, database
from record_samples import case, group, record

from grader.cli.grading import RunTasks
from grader.plugins.regrading.changes import Cause, Change, changes_csv
from grader.plugins.regrading.changes_page import changes_page
from grader.reporting.output import write_reports
from grader.verdict import Verdict

pytestmark = pytest.mark.usefixtures("here")

HALF = "def double(x):\n    return 4\n"
SUITE_OF_TWO = SUITE.format(name="double", defines="double", call="double(2)") + (
    "      - {do: double(3), returns: '6', group: g}\n"
)
MENDED = SUITE_OF_TWO.replace("'6'", "'4'")


@pytest.fixture
def graded(
    here: Path,  # noqa: ARG001 - it is all written there
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A run over three hand-ins, which are gone since."""
    write("testsuites/double.yaml", SUITE_OF_TWO)
    write("new/double.yaml", MENDED)
    write("double/an.py", RIGHT)
    write("double/bo.py", HALF)
    write("double/=cas().py", WRONG)
    assert 0 == grader(capfd, "grade", "double", "--out", "run").code
    for path in Path("double").iterdir():
        path.unlink()


def tree(folder: str) -> dict[str, bytes]:
    """Return all files in `folder`."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in Path(folder).rglob("*")
        if path.is_file()
    }


@pytest.mark.usefixtures("graded")
def test_a_mended_suite_tells_whose_mark_changes(capfd: pytest.CaptureFixture[str]) -> None:
    """Old and new mark, and the cases behind it; the run itself and its pages stay as they are."""
    before = tree("run")
    done = grader(capfd, "regrade", "run", "--suite", "new/double.yaml")
    assert 0 == done.code, done.err
    assert before == tree("run")
    assert "2 of 3 marks change\n" in done.out
    assert "an  2 -> 1 of 2 (-1)  [suite]" in done.out
    assert "bo  1 -> 2 of 2 (+1)  [suite]" in done.out
    assert "WRONG -> PASSED  +1" in done.out
    assert "unexpected changes" not in done.out
    assert not list(Path("run-regraded").rglob("*.html")), "no marks are given yet"
    again = grader(capfd, "diff", "run", "run-regraded", "--json")
    told = json.loads(again.out)
    assert "grader/diff/1" == told["schema"]
    assert [("an", -1), ("bo", 1)] == [
        (each["student"], each["new_score"] - each["old_score"]) for each in told["changes"]
    ]


@pytest.mark.usefixtures("graded")
def test_accepting_makes_it_the_run(capfd: pytest.CaptureFixture[str]) -> None:
    """It has the name of the run and all reports; what it replaces is beside it."""
    old = tree("run")
    arguments = ("regrade", "run", "--suite", "new/double.yaml")
    assert 0 == grader(capfd, *arguments).code
    done = grader(capfd, *arguments, "--accept")
    assert 0 == done.code, done.err
    assert old == tree("run.1")
    assert not Path("run-regraded").exists()
    pages = {path.name for path in Path("run").rglob("*.html")}
    assert {"index.html", "an.html", "bo.html", "cas.html"} == pages
    scores = json.loads(Path("run/results.json").read_bytes())["submissions"]
    assert {"an": 1.0, "bo": 2.0, "=cas()": 0.0} == {each["id"]: each["score"] for each in scores}


@pytest.mark.usefixtures("graded")
def test_what_killed_commands_left_is_not_accepted(capfd: pytest.CaptureFixture[str]) -> None:
    """Nobody finds a file in the run that was not complete."""
    assert 0 == grader(capfd, "regrade", "run", "--suite", "new/double.yaml").code
    for folder in ("run-regraded", "run-regraded/double"):
        Path(folder).mkdir(exist_ok=True)
        Path(folder, ".0123456789abcdef.part").touch()
    assert 0 == grader(capfd, *ACCEPT).code
    assert [] == list(Path("run").rglob("*.part"))


ACCEPT = ("regrade", "run", "--suite", "new/double.yaml", "--accept")
DECIDE = (
    "mark",
    "run",
    "bo",
    "--case",
    "g/2",
    "--points",
    "0",
    "--because",
    "unheard of",
    "--by",
    "me",
)


@pytest.mark.usefixtures("graded")
def test_what_is_decided_meanwhile_is_carried_along(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stands on the page and in the mark of the new run."""
    grade_into = RunTasks.grade_into

    def decided_meanwhile(*asked: Any, **options: Any) -> object:
        done = grade_into(*asked, **options)
        assert 0 == grader(capfd, *DECIDE).code
        return done

    monkeypatch.setattr(RunTasks, "grade_into", decided_meanwhile)
    done = grader(capfd, *ACCEPT)
    assert 0 == done.code, done.err
    with sqlite3.connect("run/run.db") as store:
        (mark,) = store.execute("SELECT mark FROM entry WHERE student = 'bo'").fetchone()
    assert 1.0 == mark
    assert "unheard of" in Path("run/double/bo.html").read_text()


@pytest.mark.usefixtures("graded")
def test_what_is_decided_too_late_is_refused(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From when decisions are carried along until the new run has the name."""
    seen = []

    def reports(*asked: Any, **options: Any) -> object:
        seen.append(grader(capfd, *DECIDE))
        return write_reports(*asked, **options)

    monkeypatch.setattr("grader.plugins.regrading.verbs.regrade.write_reports", reports)
    assert 0 == grader(capfd, *ACCEPT).code
    (refused,) = seen
    assert refused.code
    assert "another grader is writing to run: process" in refused.err
    assert 0 == grader(capfd, *DECIDE).code


@pytest.mark.usefixtures("graded")
def test_kill_between_two_names_is_understood(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody takes the run for gone; the same command gives it its name."""
    rename = Path.rename

    def killed(path: Path, target: Path) -> Path:
        if path.name == "run-regraded":
            raise KeyboardInterrupt
        return rename(path, target)

    with monkeypatch.context() as cut:
        cut.setattr(Path, "rename", killed)
        assert 0 != grader(capfd, *ACCEPT).code
    assert (False, True) == (Path("run").exists(), Path("run.1").exists())
    write("double/new.py", RIGHT)
    for command in (("show", "run", "bo"), DECIDE, ("grade", "double", "--out", "run")):
        done = grader(capfd, *command)
        assert 2 == done.code
        assert "run-regraded was to replace run, but the renaming was" in done.err
        assert "`grader regrade run --accept` renames it to run" in done.err
    assert not Path("run").exists()
    done = grader(capfd, *ACCEPT)
    assert (0, True) == (done.code, "only the renaming of the runs is left to do" in done.err)
    assert sorted(["run", "run.1"]) == sorted(each.name for each in Path().glob("run*"))
    assert not Path("run/accepted").exists()
    assert 0 == grader(capfd, *DECIDE).code


@pytest.mark.usefixtures("graded")
def test_what_does_not_differ_is_not_graded_again(capfd: pytest.CaptureFixture[str]) -> None:
    """On the same suite the records are taken over, and nothing changes."""
    done = grader(capfd, "regrade", "run")
    assert (0, "0 of 3 marks change\n") == (done.code, done.out)
    with sqlite3.connect("run-regraded/run.db") as new, sqlite3.connect("run/run.db") as old:
        asked = "SELECT key, student, data FROM record ORDER BY student"
        assert old.execute(asked).fetchall() == new.execute(asked).fetchall()


def records(folder: str) -> dict[str, bytes]:
    """Return the packed record of each student in the run."""
    with sqlite3.connect(f"{folder}/run.db") as store:
        asked = "SELECT entry.student, data FROM entry JOIN record ON record.id = record"
        return dict(store.execute(asked).fetchall())


def test_nothing_stays_of_a_suite_that_asks_something_else(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """By `regrade` and by the same command again: the records of a run from the beginning."""
    write("testsuites/double.yaml", SUITE_OF_TWO)
    write("new/double.yaml", SUITE_OF_TWO.replace("double(2)", "double(1 + 1)"))
    write("double/an.py", RIGHT)
    command = ("grade", "double", "--suites", "new")
    assert 0 == grader(capfd, *command, "--out", "afresh").code
    assert 0 == grader(capfd, "grade", "double", "--out", "run").code
    done = grader(capfd, "regrade", "run", "--suite", "new/double.yaml")
    assert 0 == done.code, done.err
    assert records("afresh") == records("run-regraded") != records("run")
    assert 0 == grader(capfd, *command, "--out", "run").code
    assert records("afresh") == records("run")
    pages = Path("run/double/an.html"), Path("afresh/double/an.html")
    assert pages[0].read_bytes() == pages[1].read_bytes()


@pytest.mark.usefixtures("graded")
def test_an_unexpected_change_is_flagged(capfd: pytest.CaptureFixture[str]) -> None:
    """The same files on the same suite with another verdict: somebody has to look."""
    assert 0 == grader(capfd, "regrade", "run").code
    with sqlite3.connect("run-regraded/run.db") as store:
        failed = group("g", case("g/1", Verdict.WRONG))
        worse = PLAIN.pack(record(failed, id="an", student="an", exercise="double"))
        store.execute("INSERT INTO pattern VALUES (?, ?)", (PLAIN.sha256, PLAIN.to_bytes()))
        columns = "UPDATE record SET data = ?, pattern = ? WHERE student = 'an'"
        store.execute(columns, (worse, PLAIN.sha256))
    done = grader(capfd, "diff", "run", "run-regraded", "--html", "c.html", "--csv", "c.csv")
    assert "[NOTHING ELSE CHANGED]" in done.out
    assert "unexpected changes: 1," in done.out
    assert "Changes without a known reason: 1" in Path("c.html").read_text()
    (row,) = csv.DictReader(Path("c.csv").read_text("utf-8-sig").splitlines())
    assert ("an", "yes", "") == (row["student"], row["unexpected"], row["causes"])


def test_late_and_lost_hand_ins_are_told(capfd: pytest.CaptureFixture[str]) -> None:
    """Who is in one of the runs only stands there as such, and is no surprise."""
    write("testsuites/double.yaml", SUITE_OF_TWO)
    write("double/an.py", RIGHT)
    write("double/bo.py", RIGHT)
    assert 0 == grader(capfd, "grade", "double", "--out", "one").code
    Path("double/bo.py").unlink()
    write("double/an.py", HALF)
    write("double/cas.py", WRONG)
    assert 0 == grader(capfd, "grade", "double", "--out", "two").code
    done = grader(capfd, "diff", "one", "two")
    assert "an  2 -> 1 of 2 (-1)  [files]" in done.out
    assert "cas is new: 0 of 2" in done.out
    assert "bo is not in the new run; old mark: 2 of 2" in done.out
    assert "unexpected changes" not in done.out
    assert done.out.startswith("1 of 1 marks change\n"), "of those in both runs"


def test_a_run_that_is_not_finished_counts_what_it_has(capfd: pytest.CaptureFixture[str]) -> None:
    """Who is not graded yet in the new run has no mark that could change."""
    write("testsuites/double.yaml", SUITE_OF_TWO)
    for student in ("an", "bo", "cas"):
        write(f"double/{student}.py", RIGHT)
    for run in ("one", "two"):
        assert 0 == grader(capfd, "grade", "double", "--out", run).code
    with database(Path("two")) as store:
        store.execute("UPDATE entry SET record = NULL WHERE student <> 'an'")
    assert grader(capfd, "diff", "one", "two").out.startswith("0 of 1 marks change\n")


def test_runs_of_two_classes_are_told_as_such(capfd: pytest.CaptureFixture[str]) -> None:
    """Where nobody is in both, a wrong folder is likelier than a class that changed."""
    write("testsuites/double.yaml", SUITE_OF_TWO)
    path = Path(write("double/an.py", RIGHT))
    assert 0 == grader(capfd, "grade", "double", "--out", "one").code
    path.rename("double/bo.py")
    assert 0 == grader(capfd, "grade", "double", "--out", "two").code
    done = grader(capfd, "diff", "one", "two")
    assert done.out.startswith("no student is in both runs: ")


def test_a_run_that_holds_less_is_told_in_a_line(capfd: pytest.CaptureFixture[str]) -> None:
    """Of an exercise, or of many students of one, that only one of the runs has."""
    write("testsuites/double.yaml", SUITE_OF_TWO)
    write("testsuites/again.yaml", SUITE_OF_TWO.replace("double", "again"))
    for student in ("an", "bo", "cas", "dirk", "eva"):
        write(f"all/double/{student}.py", RIGHT)
        write(f"all/again/{student}.py", RIGHT.replace("double", "again"))
    write("one/double/an.py", RIGHT)
    assert 0 == grader(capfd, "grade", "all", "--out", "old").code
    assert 0 == grader(capfd, "grade", "one", "--out", "new").code
    assert (
        "0 of 1 marks change\n"
        "the exercise again is only in the old run, with 5 hand-ins\n"
        "4 hand-ins for double are only in the old run: bo, cas, dirk, eva\n"
    ) == grader(capfd, "diff", "old", "new").out
    assert "the exercise again is only in the new run" in grader(capfd, "diff", "new", "old").out


def test_what_cannot_be_regraded_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    """No run, a suite of another exercise, a folder that is the run, a run with pseudonyms."""
    write("testsuites/double.yaml", SUITE_OF_TWO)
    write("testsuites/other.yaml", SUITE.format(name="other", defines="f", call="f(2)"))
    write("double/an.py", RIGHT)
    assert 0 == grader(capfd, "grade", "double", "--out", "run").code
    assert 0 == grader(capfd, "grade", "double", "--out", "anonymous", "--pseudonyms").code
    for arguments, told in {
        ("nowhere",): "nowhere is not the folder of a run",
        ("run", "--suite", "testsuites/other.yaml"): "the run has no exercise other",
        ("run", "--out", "run"): "--out is the folder of RUN itself",
        ("run", "--out", "anonymous"): "anonymous contains another run",
        ("anonymous",): "the run stores no hand-ins",
    }.items():
        done = grader(capfd, "regrade", *arguments)
        assert 2 == done.code
        assert told in done.err
    assert not Path("anonymous-regraded").exists()


@pytest.mark.usefixtures("graded")
def test_what_is_known_need_not_be_read(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hash of a hand-in is enough to find its record on the same suite, however many it has."""
    monkeypatch.setattr("grader.store.store._MAX_COPIED", 2)
    with database(Path("run")) as store:
        store.execute("UPDATE submission SET content = x'00'")
    done = grader(capfd, "regrade", "run", "--out", "second")
    assert 0 == done.code
    assert "0 of 3 marks change\n" == done.out


@pytest.mark.usefixtures("graded")
def test_what_could_not_be_read_stays_a_fault(capfd: pytest.CaptureFixture[str]) -> None:
    """Nobody is told that there was no program, however often it is graded again."""
    with database(Path("run")) as store:
        store.execute("UPDATE submission SET content = x'00'")
    for old, new in (("run", "second"), ("second", "third")):
        arguments = ("regrade", old, "--suite", "new/double.yaml", "--out", new)
        done = grader(capfd, *arguments)
        assert 6 == done.code
        assert "the grader failed on 3 submissions, so there is no result; " in done.err
        with database(Path(new)) as store:
            statuses = store.execute("SELECT DISTINCT status FROM record").fetchall()
        assert [("fault",)] == statuses


HOSTILE = Change(
    exercise="double",
    student="=1+1<script>\x1b[31m",
    old_score=1.0,
    new_score=0.5,
    old_max=2.0,
    new_max=2.0,
    old_status="graded",
    new_status="graded",
    causes=(Cause.GRADER,),
    items=(),
)


def test_names_do_no_harm_in_tables_and_pages() -> None:
    """A name is no formula, no markup and no colour of a terminal."""
    (row,) = csv.DictReader(changes_csv([HOSTILE]).splitlines())
    assert row["student"].startswith("'=1+1")
    page = changes_page([HOSTILE], 1, "nl", ({"double": [1.0]}, {"double": [0.5]}))
    assert "<script>\\x1b" not in page
    assert "&lt;script&gt;" in page
    assert "\x1b" not in page + changes_csv([HOSTILE])
    assert HOSTILE.is_unexpected, "another grader explains no other mark"
