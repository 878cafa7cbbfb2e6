"""`grader mark`: a decision beside the record, that whatever comes later carries along."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from command_line import RIGHT, WRONG, Done, grader, write
from filed_runs import database, filed, named
from record_samples import case, group, record
from ruled_records import rule

from grader.judging.record import Record, SourceText
from grader.store.graded import compress, decompress
from grader.store.store import Store
from grader.verdict import RuleVerdict, Status, Verdict

pytestmark = pytest.mark.usefixtures("here")

SUITE: Final = """\
exercise: double
title: A title
language: en
module: double
defines: [double]
groups: [{id: g, points: 2}]
sessions:
  - id: example
    steps:
      - {do: double(2), returns: "4", group: g}
      - {do: double(3), returns: "6", group: g}
"""
HALF: Final = "def double(x):\n    return 4\n"
WHY: Final = ("--because", "We have talked.", "--by", "prof")


def mark(capfd: pytest.CaptureFixture[str], *arguments: str, run: str = "run") -> Done:
    """Decide something in a run."""
    return grader(capfd, "mark", run, *arguments)


def scores(run: str = "run") -> dict[str, float]:
    """Return the scores in `results.json`, by student."""
    told = json.loads(Path(run, "results.json").read_bytes())["submissions"]
    return {each["student"]: each["score"] for each in told}


def kept_marks(run: str = "run") -> dict[str, tuple[float, float]]:
    """Return what counts in the store, and what was found, by student."""
    asked = "SELECT entry.student, mark, score FROM entry JOIN record ON record.id = record"
    with database(Path(run)) as store:
        return {student: (told, found) for student, told, found in store.execute(asked)}


def some(name: str) -> Record:
    """Return a record with a failing case, and a rule for a person."""
    failing = case("f/2", Verdict.WRONG, code="f(2)")
    given = record(group("f", case("f/1"), failing), id=name, student=name)
    sources = (SourceText(name="f.py", text="def f(x):\n    return x\n"),)
    return replace(given, rules=(rule("loops/f", RuleVerdict.REVIEW),), sources=sources)


def table(text: str) -> str:
    """Write a table of marks; return its name."""
    return write("marks.csv", text)


# One decision


def test_mark_is_told_wherever_points_are(capfd: pytest.CaptureFixture[str]) -> None:
    """Page, overview, results, store, `show`; the record itself stays byte for byte."""
    filed(Path("run"), some("jan"), some("an"), sheets=True)
    with database(Path("run")) as store:
        before = store.execute("SELECT data, summary, overview, score FROM record").fetchall()
    done = mark(capfd, "jan", "--case", "f/2", "--points", "0.5", *WHY)
    assert (0, "jan (yinyang): 1 -> 1.5 of 2\n") == (done.code, done.err)
    with database(Path("run")) as store:
        assert (
            before == store.execute("SELECT data, summary, overview, score FROM record").fetchall()
        )
    assert {"jan": 1.5, "an": 1.0} == scores()
    assert {"jan": (1.5, 1.0), "an": (1.0, 1.0)} == kept_marks()
    with Store.reading(Path("run")) as reading:
        assert [1.5, 1.0] == [graded.score for _, graded in reading]
    assert "We have talked." in Path("run/yinyang/jan.html").read_text()
    assert "1.5 of 2 points" in Path("run/yinyang/sheets/jan.html").read_text()
    assert "<small>1 decided by hand</small>" in Path("run/index.html").read_text()
    assert "1.5 of 2 points" in grader(capfd, "show", "run", "jan").out
    shown = json.loads(grader(capfd, "show", "run", "jan", "--json").out)
    assert (1.5, 1.0) == (shown["score"], shown["found_score"])


def test_report_tells_it_too(capfd: pytest.CaptureFixture[str]) -> None:
    """Reports that are made again are those that marking has left."""
    filed(Path("run"), some("jan"))
    assert 0 == mark(capfd, "jan", "--case", "f/2", "--points", "1", *WHY).code
    names = ("run/index.html", "run/results.json", "run/yinyang/jan.html")
    left = [Path(name).read_bytes() for name in names]
    assert 0 == grader(capfd, "report", "run").code
    assert left == [Path(name).read_bytes() for name in names]


def test_results_are_there_without_an_overview(capfd: pytest.CaptureFixture[str]) -> None:
    """A run of which no pages were made has its results all the same, with what was decided."""
    filed(Path("run"), some("jan"))
    Path("run/index.html").unlink()
    assert 0 == mark(capfd, "jan", "--case", "f/2", "--points", "1", *WHY).code
    assert {"jan": 2.0} == scores()
    assert not Path("run/index.html").exists()


def test_review_is_decided(capfd: pytest.CaptureFixture[str]) -> None:
    """Nobody has to look at it any more; what a rule costs is asked where no suite says it."""
    filed(Path("run"), some("jan"))
    assert "rule to judge" in Path("run/index.html").read_text()
    done = mark(capfd, "jan", "--rule", "loops/f", "--verdict", "broken", *WHY)
    assert (2, "error: the run does not contain the cost of the rule loops/f\n") == (
        done.code,
        done.err.splitlines(keepends=True)[0],
    )
    arguments = ("jan", "--rule", "loops/f", "--verdict", "broken", "--penalty", "0,25")
    assert 0 == mark(capfd, *arguments, *WHY).code
    assert {"jan": 0.75} == scores()
    assert "rule to judge" not in Path("run/index.html").read_text()
    assert 0 == mark(capfd, "jan", "--rule", "loops/f", "--verdict", "kept", *WHY).code
    assert {"jan": 1.0} == scores()


def test_rule_costs_what_its_suite_says(capfd: pytest.CaptureFixture[str]) -> None:
    """Of what there is to take, as when the grader itself finds it broken."""
    suite = SUITE + "rules: {constructs: [{id: no-for, forbid: [for], points: 1.5}]}\n"
    write("testsuites/double.yaml", suite)
    write("double/an.py", RIGHT)
    write("double/bo.py", HALF)
    assert 0 == grader(capfd, "grade", "double", "--out", "run").code
    for student in ("an", "bo"):
        arguments = (student, "--rule", "constructs/no-for", "--verdict", "broken", *WHY)
        assert 0 == mark(capfd, *arguments).code
    assert {"an": 0.5, "bo": 0.0} == scores()


def test_comment_is_no_matter_of_points(capfd: pytest.CaptureFixture[str]) -> None:
    """It stands on the page until it is taken back."""
    filed(Path("run"), some("jan"))
    done = mark(capfd, "jan", "--comment", "Come and see me.", "--by", "prof")
    assert (0, "jan (yinyang): 1 of 2\n") == (done.code, done.err)
    assert "Come and see me." in Path("run/yinyang/jan.html").read_text()
    assert 0 == mark(capfd, "jan", "--undo").code
    assert "Come and see me." not in Path("run/yinyang/jan.html").read_text()


def test_total_and_bonus_are_told_and_taken_back(capfd: pytest.CaptureFixture[str]) -> None:
    """A total stands above a bonus, which comes back with its end."""
    filed(Path("run"), some("jan"))
    assert 0 == mark(capfd, "jan", "--bonus", "--points", "-0.5", *WHY).code
    assert {"jan": 0.5} == scores()
    done = mark(capfd, "jan", "--total", "--points", "1,75", *WHY)
    assert "jan (yinyang): 0.5 -> 1.75 of 2\n" == done.err
    assert "overruled by a decision on the total" in mark(capfd, "--list").out
    assert "1 → 1.75 of 2 points" in Path("run/yinyang/jan.html").read_text()
    assert 0 == mark(capfd, "jan", "--total", "--undo").code
    assert {"jan": 0.5} == scores()


def test_comment_stands_at_its_line(capfd: pytest.CaptureFixture[str]) -> None:
    """On the page, by the code; the list names the line."""
    filed(Path("run"), some("jan"))
    arguments = ("--line", "f.py:2", "--comment", "Why <x>?", "--by", "prof")
    assert (0, "jan (yinyang): 1 of 2\n") == (
        (done := mark(capfd, "jan", *arguments)).code,
        done.err,
    )
    page = Path("run/yinyang/jan.html").read_text()
    assert 2 == page.count("Why &lt;x&gt;?")
    assert '<a href="#line-1-2">f.py, line 2</a>' in page
    assert "comment f.py:2 (by prof, " in mark(capfd, "--list").out
    assert 0 == mark(capfd, "jan", "--line", "f.py:2", "--undo").code
    assert "Why" not in Path("run/yinyang/jan.html").read_text()


def test_answer_at_the_defence_is_for_staff(capfd: pytest.CaptureFixture[str]) -> None:
    """It is kept with the decisions, can be taken back, and stands in no file of the run."""
    filed(Path("run"), some("jan"), sheets=True)
    before = {path: path.read_bytes() for path in Path("run").rglob("*.[hj][ts]*")}
    asked = ("jan", "--question", "Why 12?", "--by", "prof")
    assert 0 == mark(capfd, *asked, "--verdict", "good", "--comment", "By heart.").code
    assert before == {path: path.read_bytes() for path in Path("run").rglob("*.[hj][ts]*")}
    (listed,) = json.loads(mark(capfd, "--list", "--json").out)["decisions"]
    assert ("question", "Why 12?", "PASSED", "By heart.", "stands") == tuple(
        listed[key] for key in ("about", "subject", "verdict", "because", "standing")
    )
    assert "question 'Why 12?': good (by prof, " in mark(capfd, "--list").out
    assert 0 == mark(capfd, *asked, "--undo").code
    assert "[replaced]" in mark(capfd, "--list").out


def test_decision_is_taken_back(capfd: pytest.CaptureFixture[str]) -> None:
    """Everything is as it was, and the trail has both."""
    filed(Path("run"), some("jan"))
    before = [Path("run", name).read_bytes() for name in ("results.json", "yinyang/jan.html")]
    assert 0 == mark(capfd, "jan", "--case", "f/2", "--points", "1", *WHY).code
    done = mark(capfd, "jan", "--case", "f/2", "--undo", "--by", "dean")
    assert (0, "jan (yinyang): 2 -> 1 of 2\n") == (done.code, done.err)
    assert before == [
        Path("run", name).read_bytes() for name in ("results.json", "yinyang/jan.html")
    ]
    done = mark(capfd, "--list")
    first, second = done.out.splitlines()
    assert "jan (yinyang)  [replaced] case f/2: 1 point (by prof, " in first
    assert "jan (yinyang)  [undoes] case f/2: withdrawn (by dean, " in second
    again = mark(capfd, "jan", "--case", "f/2", "--undo")
    assert "there is no decision on the case f/2" in again.err


def test_list_is_for_programs_too(capfd: pytest.CaptureFixture[str]) -> None:
    """Who, when, what, on which suite, and what was found then and is found now."""
    filed(Path("run"), some("jan"), some("an"))
    assert "there are no decisions\n" == mark(capfd, "--list").err
    for student in ("jan", "an"):
        assert 0 == mark(capfd, student, "--case", "f/2", "--points", "1", *WHY).code
    told = json.loads(mark(capfd, "an", "--list", "--json").out)
    assert "grader/decisions/1" == told["schema"]
    (only,) = told["decisions"]
    assert ("an", "yinyang", "case", "f/2") == (
        *(only["student"], only["exercise"]),
        *(only["about"], only["subject"]),
    )
    assert ("prof", "We have talked.", "stands", 64) == (
        *(only["by"], only["because"], only["standing"]),
        len(only["suite"]),
    )
    assert {"verdict": "WRONG", "points": 0.0, "max_points": 1.0} == only["found_then"]
    assert only["found_then"] == only["found_now"]


def test_trail_cannot_be_changed() -> None:
    """The store itself refuses to change or to forget a line."""
    filed(Path("run"), some("jan"))
    with database(Path("run")) as store:
        columns = "uid, decided_at, decided_by, exercise, student, suite, about, subject"
        store.execute(
            f"INSERT INTO decision ({columns}, is_undone, because)"
            " VALUES ('u', 't', 'b', 'e', 's', 'h', 'page', '', 0, 'x')"
        )
        for statement in ("UPDATE decision SET because = 'y'", "DELETE FROM decision"):
            with pytest.raises(sqlite3.IntegrityError, match="taken back by another one"):
                store.execute(statement)


# What is refused


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("jan",), "there is nothing to decide"),
        (("jan", "--case", "f/2"), "the reason, which the student reads, is missing"),
        (("jan", "--case", "f/2", "--points", "1", "--because", " "), "the student reads"),
        (("jan", "--case", "f/2", *WHY), "the number of points is missing"),
        (("jan", "--case", "f/3", "--points", "1", *WHY), "there is no case f/3"),
        (("jan", "--case", "f/3", "--points", "1", *WHY), "did you mean: f/"),
        (("jan", "--group", "all", "--points", "1", *WHY), "it has these groups: f"),
        (
            ("jan", "--case", "f/2", "--group", "f", *WHY),
            "but can only have one: case f/2, group f",
        ),
        (("jan", "--points", "1"), "the subject of the decision is missing"),
        (
            ("jan", "--case", "f/2", "--verdict", "kept", *WHY),
            "a verdict cannot be given for the case f/2, only for a rule",
        ),
        (("jan", "--rule", "loops/f", "--points", "1", *WHY), "points cannot be given for a rule"),
        (("jan", "--rule", "loops/f", "--verdict", "fine", *WHY), "unknown verdict 'fine'"),
        (
            ("jan", "--rule", "loops/f", "--verdict", "kept", "--penalty", "1", *WHY),
            "there is a penalty for a rule that is kept",
        ),
        (
            ("jan", "--case", "f/2", "--undo", "--points", "1"),
            "undo cannot be combined with points",
        ),
        (("jan", "--undo"), "there is no comment to undo"),
        (("jan", "--total", "--points", "3", *WHY), "3 is more than the maximum for the total: 2"),
        (("jan", "--total", "--points", "-1", *WHY), "-1 is a negative number of points"),
        (
            ("jan", "--bonus", "--points", "-3", *WHY),
            "a deduction of 3 is more than the maximum score: 2",
        ),
        (("jan", "--bonus", "--undo"), "there is no decision on the bonus to undo"),
        (("jan", "--item", "a b", "--points", "1", *WHY), "is not a valid item name"),
        (("jan", "--item", "names", "--undo"), "there is no decision on the bonus names"),
        (("jan", "--total", "--points", "1"), "the reason, which the student reads, is missing"),
        (("jan", "--line", "f.py:9", "--comment", "x"), "there is no line f.py:9"),
        (
            ("jan", "--line", "f.py:0", "--comment", "x"),
            "such as f.py:12; files in the submission: f.py",
        ),
        (("jan", "--line", "f.py:1"), "the comment is missing"),
        (
            ("jan", "--line", "f.py:1", "--comment", "x", *WHY),
            "a reason cannot be given for a line of code",
        ),
        (("jan", "--question", "Why?"), "both a verdict on the answer and a comment are missing"),
        (
            ("jan", "--question", "Why?", "--verdict", "kept"),
            "the verdict on an answer is good or poor, not 'kept'",
        ),
        (("jan", "--question", "Why?", "--points", "1"), "points cannot be given for a question"),
        (("jan", "--question", "Why?", "--undo"), "there is no decision on the question Why?"),
        (("jan", "--from", "."), "--from cannot be combined with a student"),
        (("jan", "--comment", "x" * 2001), "more than 2000 characters"),
        (("n", "--comment", "x"), "2 students match n"),
        (("zoë", "--comment", "x"), "there is no hand-in by zoë for yinyang in the run"),
        (("bo", "--comment", "x"), "grading bo failed"),
        ((), "no student is given"),
        (("jan", "--comment", "x", "--by", " "), "the name after --by is empty"),
        (("jan", "--from", "marks.csv"), "--from cannot be combined with a student"),
        (("jan", "--list", "--undo"), "--list cannot be combined with a decision"),
        (("jan", "--json"), "--json has no effect without --list"),
    ],
)
def test_what_cannot_be_decided_is_told(
    capfd: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    """Nothing is decided then."""
    fault = replace(some("bo"), status=Status.FAULT)
    filed(Path("run"), some("jan"), some("an"), fault)
    done = mark(capfd, *arguments)
    assert 2 == done.code
    assert said in done.err
    with database(Path("run")) as store:
        assert (0,) == store.execute("SELECT count(*) FROM decision").fetchone()


@pytest.mark.parametrize("points", ["-1", "nan", "inf", "1e0", "1,000", "1.0.0", "٢", "", "1.5"])
def test_points_that_are_none_or_too_many_are_refused(
    capfd: pytest.CaptureFixture[str], points: str
) -> None:
    """A case earns from nothing up to what it is worth."""
    filed(Path("run"), some("jan"))
    assert 2 == mark(capfd, "jan", "--case", "f/2", "--points", points, *WHY).code
    assert {"jan": 1.0} == scores()


def test_decimal_comma_is_read(capfd: pytest.CaptureFixture[str]) -> None:
    """As half of Europe writes it."""
    filed(Path("run"), some("jan"))
    assert 0 == mark(capfd, "jan", "--case", "f/2", "--points", "0,5", *WHY).code
    assert {"jan": 1.5} == scores()


def test_no_run_is_made_where_there_is_none(capfd: pytest.CaptureFixture[str]) -> None:
    """The error says so, and the folder stays as it is."""
    Path("empty").mkdir()
    done = mark(capfd, "jan", "--comment", "x", run="empty")
    assert 2 == done.code
    assert "empty is not the folder of a run" in done.err
    assert [] == list(Path("empty").iterdir())


def test_who_comes_second_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    """Two at once would write each other's reports."""
    filed(Path("run"), some("jan"))
    with Store.writing(Path("run")):
        done = mark(capfd, "jan", "--comment", "x")
    assert 6 == done.code
    assert "another grader is writing to run" in done.err


# Tables


def test_table_is_decided_as_a_whole(capfd: pytest.CaptureFixture[str]) -> None:
    """As a spreadsheet of the south saves it: semicolons, a mark at its beginning, commas."""
    filed(Path("run"), some("jan"), some("=an"))
    text = (
        "\ufeffStudent;case;rule;points;verdict;penalty;because;comment\r\n"
        "jan;f/2;;0,5;;;Nearly right;\r\n"
        "\r\n"
        "'=an;;loops/f;;broken;0,25;A loop;See me\r\n"
    )
    done = mark(capfd, "--from", table(text), "--by", "prof")
    assert (0, ["jan (yinyang): 1 -> 1.5 of 2", "=an (yinyang): 1 -> 0.75 of 2"]) == (
        done.code,
        done.err.splitlines(),
    )
    assert 3 == len(mark(capfd, "--list").out.splitlines())


def test_table_with_mistakes_decides_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """All of them are told, each with its line."""
    filed(Path("run"), some("jan"))
    text = (
        "student,case,points,because\n"
        "jan,f/2,1,right\n"
        'jan,f/2,1,"of\ntwo lines"\n'
        "jan,f/2,9,too many\n"
        "kim,f/2,1,nobody\n"
        "jan,f/2,0.5,right\n"
    )
    done = mark(capfd, "--from", table(text))
    assert 2 == done.code
    assert "line 5: 9 is more than the maximum for the case: 1" in done.err
    assert (
        "line 6: there is no hand-in by kim for yinyang in the run (students in the run: jan)"
        in done.err
    )
    assert "line 7: line 2 has another decision on the case f/2" in done.err
    assert "there are no decisions\n" == mark(capfd, "--list").err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the column 'student' is missing"),
        ("who,case\n", "unknown column 'who'"),
        ("student,case,\n", "column 3 has no name"),
        ("student,caze\n", "unknown column 'caze' (did you mean case?)"),
        ("student,case,case\n", "the column 'case' occurs more than once"),
        ("student,case\njan,f/2,1\n", "line 2 has 3 cells, but the header has 2"),
        ("student,undo\njan,perhaps\n", "line 2: undo must be yes or no, not 'perhaps'"),
        ('student,case\n"jan,f/2\n', "line 2 is not valid CSV: unexpected end of data"),
        ("student,case\n", "the table contains no decisions"),
        ("student,case\n,f/2\n", "line 2: the student is missing"),
    ],
)
def test_what_is_no_table_of_marks_is_told(
    capfd: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    """With the columns that there can be."""
    filed(Path("run"), some("jan"))
    done = mark(capfd, "--from", table(text))
    assert 2 == done.code
    assert said in done.err


def test_table_in_another_encoding_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    """Nobody's name is read wrongly."""
    filed(Path("run"), some("jan"))
    Path("marks.csv").write_bytes("student;comment\nZoë;x".encode("latin-1"))
    assert "marks.csv is not encoded in UTF-8" in mark(capfd, "--from", "marks.csv").err
    assert "cannot read the table nowhere.csv" in mark(capfd, "--from", "nowhere.csv").err


# What comes later


@pytest.fixture
def graded(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A run over two hand-ins, in which one case of bo was decided."""
    assert here.is_dir()
    write("testsuites/double.yaml", SUITE)
    write("double/an.py", RIGHT)
    write("double/bo.py", HALF)
    assert 0 == grader(capfd, "grade", "double", "--out", "run").code
    assert 0 == mark(capfd, "bo", "--case", "g/2", "--points", "0.5", *WHY).code


def page(run: str = "run") -> str:
    """Return the page of bo."""
    return Path(run, "double/bo.html").read_text()


@pytest.mark.usefixtures("graded")
def test_decision_survives_grading_again(capfd: pytest.CaptureFixture[str]) -> None:
    """The same command goes on, also where the page is gone, and where others come in."""
    assert {"an": 2.0, "bo": 1.5} == scores()
    Path("run/double/bo.html").unlink()
    write("double/cas.py", WRONG)
    done = grader(capfd, "grade", "double", "--out", "run")
    assert 0 == done.code
    assert "decisions in force: 1;" in done.err
    assert {"an": 2.0, "bo": 1.5, "cas": 0.0} == scores()
    assert (1.5, 1.0) == kept_marks()["bo"]
    assert "We have talked." in page()


@pytest.mark.usefixtures("graded")
@pytest.mark.parametrize("broken", ["rewrite_marked_pages", "write_reports"])
def test_what_is_cut_off_is_made_good(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """A decision that was made is kept; no results of before are left, and grading goes on."""

    def cut_off(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(f"grader.cli.mark.{broken}", cut_off)
        arguments = ("an", "--case", "g/1", "--points", "0", "--because", "It was copied.")
        assert 130 == mark(capfd, *arguments).code
    assert not Path("run/results.json").exists()
    assert 0 == grader(capfd, "grade", "double", "--out", "run").code
    assert {"an": 1.0, "bo": 1.5} == scores()
    assert "It was copied." in Path("run/double/an.html").read_text()


@pytest.mark.usefixtures("graded")
def test_a_fresh_run_says_what_it_leaves_behind(capfd: pytest.CaptureFixture[str]) -> None:
    """What was decided stays with the run that is set aside, also where that is damaged."""
    done = grader(capfd, "grade", "double", "--out", "run", "--fresh")
    assert "decisions that stay in run.1, and are not in the new run: 1" in done.err
    assert {"an": 2.0, "bo": 1.0} == scores()
    assert 1 == len(mark(capfd, "--list", run="run.1").out.splitlines())
    Path("run/run.db").write_bytes(b"damaged")
    assert 0 == grader(capfd, "grade", "double", "--out", "run", "--fresh").code


@pytest.mark.usefixtures("graded")
def test_decision_on_other_files_is_in_doubt(capfd: pytest.CaptureFixture[str]) -> None:
    """It is carried along, told with what was found then, and stands in the overview."""
    write("double/bo.py", RIGHT)
    done = grader(capfd, "grade", "double", "--out", "run")
    said = "decided when the case was WRONG (0 of 1); now it is PASSED (1 of 1)"
    assert "warning: review this decision, because its finding changed or is gone: " in done.err
    assert said in done.err
    assert "[in doubt] case g/2: 0.5 points" in mark(capfd, "--list").out
    assert "1 decision to look at again" in Path("run/index.html").read_text()
    assert {"an": 2.0, "bo": 1.5} == scores()
    write("double/bo.py", HALF)
    assert "review this decision" not in grader(capfd, "grade", "double", "--out", "run").err


@pytest.mark.usefixtures("graded")
def test_decision_is_carried_along_by_a_regrade(capfd: pytest.CaptureFixture[str]) -> None:
    """Beside the run and where it takes its place; a case that is gone is told."""
    write("other/double.yaml", SUITE.replace("do: double(3)", "case: three, do: double(3)"))
    done = grader(capfd, "regrade", "run", "--suite", "other/double.yaml")
    assert "its case no longer exists, so it has no effect" in done.err
    assert (1.0, 1.0) == kept_marks("run-regraded")["bo"]
    done = grader(capfd, "regrade", "run", "--suite", "testsuites/double.yaml", "--accept")
    assert 0 == done.code, done.err
    assert "review this decision" not in done.err
    assert {"an": 2.0, "bo": 1.5} == scores()
    assert "We have talked." in page()
    assert 1 == len(mark(capfd, "--list").out.splitlines())


@pytest.mark.usefixtures("graded")
def test_diff_tells_a_decision_from_what_was_found(capfd: pytest.CaptureFixture[str]) -> None:
    """It is a cause of its own, and nobody need be surprised."""
    assert 0 == grader(capfd, "grade", "double", "--out", "plain").code
    done = grader(capfd, "diff", "plain", "run", "--csv", "c.csv")
    assert "bo  1 -> 1.5 of 2 (+0.5)  [decision]" in done.out
    assert "unexpected changes" not in done.out
    (row,) = csv.DictReader(io.StringIO(Path("c.csv").read_text("utf-8-sig")))
    assert ("decision", "no") == (row["causes"], row["unexpected"])


@pytest.mark.usefixtures("graded")
def test_a_decision_hides_no_surprise(capfd: pytest.CaptureFixture[str]) -> None:
    """Where the same files on the same suite were found to be otherwise, that is flagged."""
    assert 0 == grader(capfd, "grade", "double", "--out", "plain").code
    with database(Path("plain")) as store:
        ((better,),) = store.execute("SELECT data FROM record WHERE student = 'an'")
        better = compress(decompress(better).replace(b'"an"', b'"bo"'))
        store.execute("UPDATE record SET data = ? WHERE student = 'bo'", [better])
    assert "unexpected changes: 1," in grader(capfd, "diff", "plain", "run").out


def test_run_with_names_lists_them(capfd: pytest.CaptureFixture[str]) -> None:
    """Two who could be meant are both named, and none is taken."""
    filed(Path("run"), named("Jan Jansens"), named("Jan Peeters"))
    done = mark(capfd, "jan", "--comment", "x")
    assert "give the full name of one of them: Jan Jansens, Jan Peeters" in done.err
