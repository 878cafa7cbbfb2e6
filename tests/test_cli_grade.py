"""`grader grade`: folders of hand-ins, reports, and how a run ends."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import RIGHT, WRONG, grader, write
from terminal import coloured

from grader.cli.progress import RunProgress
from grader.sandbox.zygote import Zygote


@pytest.mark.usefixtures("here")
def test_grade_of_a_folder_named_after_its_exercise(capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing need be said; reports go to `reports`, talk to standard error."""
    write("double/jan.py", RIGHT)
    write("double/an.py", WRONG)
    done = grader(capfd, "grade", "double")
    assert (0, "", "graded 2 of 2\nreports: reports/index.html\n") == done
    listed = json.loads(Path("reports/results.json").read_bytes())["submissions"]
    assert [("an", 0), ("jan", 2)] == [(one["student"], one["score"]) for one in listed]
    assert {"an.html", "jan.html"} == {path.name for path in Path("reports/double").iterdir()}


@pytest.mark.usefixtures("here")
def test_grade_of_a_folder_of_exercises(capfd: pytest.CaptureFixture[str]) -> None:
    """Folders inside that are named after exercises are graded, each on its suite; others told."""
    write("all/double/jan.py", RIGHT)
    write("all/cells/jan.py", "class Cell: pass\ndef neighbours(cell): return 4\n")
    write("all/unknown/jan.py", RIGHT)
    done = grader(capfd, "grade", "all", "--json", "--no-reports", "--jobs", "1")
    told = "warning: left out, because no exercise has that name: unknown\ngraded 2 of 2\n"
    assert (0, told) == (done.code, done.err)
    listed = json.loads(done.out)["submissions"]
    assert [("cells", 2), ("double", 2)] == [(one["exercise"], one["score"]) for one in listed]
    assert not Path("reports").exists()


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("attempt", ["latest", "best"])
def test_grade_says_whose_marks_go(capfd: pytest.CaptureFixture[str], attempt: str) -> None:
    """A second exercise that is graded into the same folder puts the first one out of it."""
    gone = "graded here before, but no longer in this run"
    write("all/double/jan.py", RIGHT)
    write("all/cells/jan.py", "class Cell: pass\ndef neighbours(cell): return 4\n")
    write("all/cells/an.py", "class Cell: pass\ndef neighbours(cell): return 4\n")
    assert gone not in grader(capfd, "grade", "all", "--attempt", attempt).err
    done = grader(capfd, "grade", "all/double", "--attempt", attempt)
    assert 1 == done.err.count(gone)
    assert f"warning: {gone}: 2 hand-ins: an (cells), jan (cells)\n" in done.err
    assert gone not in grader(capfd, "grade", "all/double", "--attempt", attempt).err
    assert "3 of the submissions were graded before" in grader(capfd, "grade", "all").err


@pytest.mark.usefixtures("here")
def test_grade_takes_folders_and_files(capfd: pytest.CaptureFixture[str]) -> None:
    """Several places for one exercise make one run."""
    write("a/jan.py", RIGHT)
    write("b/an.py", RIGHT)
    done = grader(capfd, "grade", "a", "b/an.py", "--exercise", "double", "--json")
    assert ["jan", "an"] == [one["id"] for one in json.loads(done.out)["submissions"]]
    assert "reports: reports/index.html\n" in done.err


@pytest.mark.usefixtures("here")
def test_grade_writes_sheets_when_asked(capfd: pytest.CaptureFixture[str]) -> None:
    """`--sheets` gives each submission a sheet beside its page, also one that cannot be run."""
    write("double/jan.py", RIGHT)
    write("double/an.py", "def double(x)\n")
    assert 0 == grader(capfd, "grade", "double", "--sheets").code
    sheets = Path("reports/double/sheets").iterdir()
    assert {"an.html", "jan.html"} == {path.name for path in sheets}


@pytest.mark.usefixtures("here")
def test_sheets_without_reports_contradict_each_other(capfd: pytest.CaptureFixture[str]) -> None:
    """Nobody who asks for sheets and for no pages is left to guess; nothing is graded."""
    write("double/jan.py", RIGHT)
    done = grader(capfd, "grade", "double", "--sheets", "--no-reports")
    assert (2, "") == (done.code, done.out)
    assert "error: --sheets and --no-reports contradict each other\n" in done.err
    assert "graded" not in done.err
    assert not Path("reports").exists()


@pytest.mark.usefixtures("here")
def test_students_of_two_folders_are_told_apart(capfd: pytest.CaptureFixture[str]) -> None:
    """Within an exercise no two entries have the same id; the second has a remark."""
    for name in ("a/jan.py", "b/Jan.py", "a/an.py"):
        write(name, RIGHT)
    done = grader(capfd, "grade", "a", "b", "--exercise", "double", "--json", "--no-reports")
    listed = json.loads(done.out)["submissions"]
    assert ["an", "jan", "Jan (2)"] == [one["id"] for one in listed]
    (remark,) = listed[2]["remarks"]
    assert "Another submission has the same name, Jan, apart from capitals" in remark
    assert [[], []] == [one["remarks"] for one in listed[:2]]


@pytest.mark.usefixtures("here")
def test_faults_are_6(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake of ours in matching leaves whole reports, and says whose fault it is."""

    def broken(*_: object) -> None:
        raise LookupError("a mistake of ours")

    monkeypatch.setattr("grader.judging.matching.match", broken)
    write(
        "double/jan.py", f"{RIGHT}\ndouble = str\n"
    )  # what others hand in may be known to be right
    done = grader(capfd, "grade", "double", "--json")
    assert 6 == done.code
    assert "the grader failed on 1 submission, so there is no result; " in done.err
    assert ["fault"] == [one["status"] for one in json.loads(done.out)["submissions"]]
    assert "a mistake of ours" not in done.out
    assert done.out == Path("reports/results.json").read_text()


@pytest.mark.parametrize(("more", "code"), [((), 4), (("--trust-submissions",), 0)])
@pytest.mark.usefixtures("here")
def test_machine_without_isolation_grades_only_on_trust(
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    more: tuple[str, ...],
    code: int,
) -> None:
    """Level 0 refuses strangers' programs with exit 4, unless somebody vouches for them."""
    real = Zygote._await_isolation
    monkeypatch.setattr(Zygote, "_await_isolation", lambda zygote: replace(real(zygote), level=0))
    write("double/jan.py", RIGHT)
    done = grader(capfd, "grade", "double", *more)
    assert code == done.code
    assert ("error: this machine cannot isolate submissions" in done.err) is (code == 4)
    assert Path("reports/results.json").exists() is (code == 0)


@pytest.mark.usefixtures("here")
def test_walls_can_be_asked_for(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below the level that is asked for, nothing is graded; at it, all is."""
    real = Zygote._await_isolation
    monkeypatch.setattr(Zygote, "_await_isolation", lambda zygote: replace(real(zygote), level=2))
    write("double/jan.py", RIGHT)
    refused = grader(capfd, "grade", "double", "--isolation", "3")
    assert 4 == refused.code
    assert "error: this machine offers isolation level 2, but level 3 is required\n" in refused.err
    assert "--isolation 2 accepts the lower level" in refused.err
    assert not Path("reports/results.json").exists()
    assert 0 == grader(capfd, "grade", "double", "--isolation", "2").code


@pytest.mark.usefixtures("here")
def test_trust_and_walls_contradict_each_other(capfd: pytest.CaptureFixture[str]) -> None:
    """Who asks for both has to say which."""
    write("double/jan.py", RIGHT)
    done = grader(capfd, "grade", "double", "--isolation", "3", "--trust-submissions")
    assert 2 == done.code
    assert "error: --isolation and --trust-submissions contradict each other\n" in done.err


@pytest.mark.usefixtures("here")
def test_grade_shows_ten_lines_of_progress(capfd: pytest.CaptureFixture[str]) -> None:
    """Without a terminal, progress is a line per tenth; it never stops short."""
    with RunProgress(25) as progress:
        for _ in range(25):
            progress.advance("student")
    lines = capfd.readouterr().err.splitlines()
    assert "graded 25 of 25" == lines[-1]
    assert 10 <= len(lines) <= 13


def test_progress_is_never_beyond_its_total(capfd: pytest.CaptureFixture[str]) -> None:
    """Where more is to be done than was expected, the total grows."""
    with RunProgress(20, "trying", "tried") as progress:
        for _ in range(31):
            progress.advance()
    counts = [line.split()[1::2] for line in capfd.readouterr().err.splitlines()]
    assert ["20", "20"] in counts
    assert all(int(done) <= int(total) for done, total in counts)
    assert int(counts[-1][0]) > 20


@pytest.mark.usefixtures("here")
def test_a_terminal_shows_something_before_anything_is_read() -> None:
    """Whoever waits for modules, suites and hand-ins sees for what."""
    write("double/an.py", RIGHT)
    shown = coloured("grade", "double").split("\r")
    assert ["", "starting"] == shown[:2]
    assert "reading suites and hand-ins" in shown
    assert "grading [----------] 0/1" in shown


@pytest.mark.usefixtures("here")
def test_grade_on_a_terminal_shows_a_bar() -> None:
    """A hostile name in the bar is neither markup nor an escape."""
    write("double/[red]x[/nope].py", RIGHT)
    write("double/\x1b[2Jan.py", RIGHT)
    text = coloured("grade", "double")
    assert "reports: reports/index.html" in text
    assert "Traceback" not in text
    assert "\x1b[2Jan" not in text
