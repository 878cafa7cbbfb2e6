"""Pseudonyms: nothing that a run writes names a student, but the table of who is who."""

from __future__ import annotations

import csv
import json
import re
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from filed_runs import records_of
from record_samples import case, group, line, record, submitted_file

from grader.cli.grade import command
from grader.errors import GraderError, OutputError, UsageError
from grader.judging.pictures import PlotPicture, PlotPoint
from grader.judging.record import Advice, Record, RuleHit, RuleResult, SourceLine
from grader.messages import message
from grader.reporting.output import run_entries
from grader.reporting.pseudonyms import Pseudonyms, load_pseudonyms, write_pseudonyms
from grader.store.runs import Run
from grader.store.store import Store
from grader.verdict import RuleVerdict, Verdict

SUITE = """\
exercise: double
title: Double
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
NAME = "de_smet_élise"


def naming(name: str, spelt: str) -> Record:
    """Return the record of `name` with `spelt` wherever a name can come to stand."""
    told = message("error.exception", type="X", message=f"in {spelt}.py", depth=0, file=spelt)
    failing = case(
        "f/1",
        Verdict.ERROR,
        explanation=(told,),
        got=f"KeyError: '{spelt}'",
        transcript=(line("f(1)", f"by {spelt}!"),),
        source=SourceLine(file=f"{spelt}.py", line=1, function="f", text=f"# {spelt}"),
        staff_evidence=f'File "/tmp/{spelt}.py"',
    )
    hit = RuleHit(file=f"{spelt}.py", line=1, column=1, text=f"'{spelt}'", what="x")
    rule = RuleResult(
        id="loops/f",
        verdict=RuleVerdict.REVIEW,
        demand=message("rule.demand"),
        evidence=(told,),
        hits=(hit,),
    )
    advice = Advice(kind="unused", said=told, hits=(hit,), count=1)
    files = (submitted_file(f"{spelt}.py"), submitted_file(f"backup/{spelt}/x.py"))
    given = record(group("f", failing), id=name, student=name, files=files, remarks=(told,))
    return replace(given, rules=(rule,), advice=(advice,))


@pytest.mark.parametrize(
    "spelt",
    [
        NAME,
        "de smet élise",
        "De Smet Élise",
        "ÉLISE DE SMET",
        "Élise_de-Smet",
        "elise.de.smet",
        "de_smet_e\u0301lise",
    ],
)
def test_name_stands_nowhere_however_it_is_spelt(spelt: str) -> None:
    """In another order, with other joints, other capitals or other accents it is the same name."""
    names = Pseudonyms({NAME: "student-007"})
    hidden = names.hide(naming(NAME, spelt))
    assert "lise" not in repr(hidden).casefold()
    assert ("student-007", "student-007") == (hidden.id, hidden.student)
    assert "student-007.py" == hidden.files[0].name
    source = hidden.cases[0].source
    assert source is not None
    assert "# student-007" == source.text


def test_part_of_a_name_is_hidden_in_names_of_files() -> None:
    """A file that is called after half of the name tells it as well."""
    given = record(group("f"), student=NAME, files=(submitted_file("puzzle_Élise(2).py"),))
    hidden = Pseudonyms({NAME: "student-1"}).hide(given)
    assert "puzzle_student-1(2).py" == hidden.files[0].name


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("'C:\\\\Users\\\\Lies\\\\puzzle.txt'", "'C:\\\\Users\\\\student-1\\\\puzzle.txt'"),
        ("'C:/Users/Lies V/x.txt'", "'C:/Users/student-1/x.txt'"),
        ("open /home/lies/x", "open /home/student-1/x"),
        ("/home", "/home"),
    ],
)
def test_home_of_a_user_is_hidden(text: str, shown: str) -> None:
    """It is seldom called as the hand-in is, and often as its student."""
    given = record(group("f", case("f/1", Verdict.ERROR, got=text)), student=NAME)
    assert shown == Pseudonyms({NAME: "student-1"}).hide(given).cases[0].got


def test_number_of_a_second_hand_in_is_no_part_of_the_name() -> None:
    """`jan (2)` handed in `jan.py` as well."""
    hidden = Pseudonyms({"jan (2)": "student-2"}).hide(naming("jan (2)", "jan"))
    assert "jan" not in repr(hidden)


@pytest.mark.parametrize("name", ["anne", "f", "1", "?", "f/1", "x_(", "\u202e", "a" * 120])
def test_nothing_else_changes(name: str) -> None:
    """Words that hold the name, and what comes from the suite, stay as they are."""
    failing = case("f/1", Verdict.WRONG, code="f(1)", expected="f", got="scanned 11 off")
    given = record(group("f", failing, title="f"), id=name, student=name, exercise="f")
    hidden = Pseudonyms({name: "student-1"}).hide(given)
    assert replace(hidden, id=name, student=name) == given


def test_everybody_has_another_pseudonym_in_no_order() -> None:
    """A hundred students have the numbers from 1 on, hardly ever in the order of their names."""
    students = [f"s{n:03}" for n in range(100)]
    drawn = Pseudonyms.draw([*students, *students])
    given = [drawn.pseudonym_of(student) for student in students]
    assert [f"student-{n:03}" for n in range(1, 101)] == sorted(given)
    assert given != sorted(given)
    assert drawn != Pseudonyms.draw(students)


def test_table_is_csv_that_no_spreadsheet_calculates() -> None:
    """By pseudonym, quoted where it must be, harmless whatever a student is called."""
    names = {"b": "student-2", 'a "x", y': "student-1", "=1+1": "student-3", "\x1b\n": "student-4"}
    rows = list(csv.reader(Pseudonyms(names).table().splitlines()))
    expected = ["student", 'a "x", y', "b", "'=1+1", "␛⏎"]
    assert expected == [student for _, student in rows]
    assert ["student-1", "student-2", "student-3", "student-4"] == [key for key, _ in rows[1:]]


def test_table_is_for_its_owner_only(tmp_path: Path) -> None:
    """It is there before the first page is, and nobody else can read it."""
    write_pseudonyms(tmp_path, Pseudonyms({"a": "student-1"}))
    table = tmp_path / "pseudonyms.csv"
    assert 0o600 == stat.S_IMODE(table.stat().st_mode)
    assert "pseudonym,student\nstudent-1,a\n" == table.read_text()


def test_folder_with_pages_of_old_is_refused(tmp_path: Path) -> None:
    """They have names, or pseudonyms that now belong to others."""
    (tmp_path / "index.html").write_text("old")
    with pytest.raises(OutputError) as caught:
        write_pseudonyms(tmp_path, Pseudonyms({"a": "student-1"}))
    assert f"{tmp_path} is not empty" == caught.value.message
    assert ["index.html"] == [path.name for path in tmp_path.iterdir()]


def graded(folder: Path, *options: str) -> Result:
    """Return what became of `grader grade` on the class in `folder`."""
    (folder / "double.yaml").write_text(SUITE)
    hand_ins = folder / "hand-ins"
    hand_ins.mkdir()
    (hand_ins / "maes_noor.py").write_text("def double(x):\n    return x + 2  # Noor Maes\n")
    (hand_ins / "aerts_bo.py").write_text("def double(x):\n    raise ValueError('aerts bo')\n")
    (hand_ins / "zegers_li.py").write_text("def double(x)\n")
    (hand_ins / "claes_wout").mkdir()
    (hand_ins / "claes_wout" / "claes.py").write_text("def double(x):\n    return 2 * x\n")
    arguments = [str(hand_ins), "--exercise", str(folder / "double.yaml"), *options]
    return CliRunner().invoke(command, arguments, prog_name="grader grade")


def test_run_names_nobody_but_in_the_table(tmp_path: Path) -> None:
    """Pages, sheets, results and what is printed have pseudonyms; so have names of files."""
    out = tmp_path / "out"
    options = ["--pseudonyms", "--sheets", "--json"]
    done = graded(tmp_path, "--out", str(out), *options)
    assert 0 == done.exit_code, done.output
    written = [path for path in out.rglob("*") if path.is_file() and path.suffix != ".csv"]
    assert 4 + 4 + 2 + 4 == len(written), "pages, sheets, looks; index, results, store, lock"
    texts = [path.read_text("latin-1") for path in written]
    with Store.reading(out) as store:
        texts += [repr(store.run), *(repr(each) for each in records_of(store))]
    for text in (*texts, *map(str, written), done.stdout):
        assert not re.search("maes|noor|aerts|zegers|claes|wout", text, re.IGNORECASE)
    rows = list(csv.reader((out / "pseudonyms.csv").read_text().splitlines()))[1:]
    assert {"maes_noor", "aerts_bo", "zegers_li", "claes_wout"} == {name for _, name in rows}
    results = json.loads((out / "results.json").read_text())["submissions"]
    shown = [f"student-{n:03}" for n in range(1, 5)]
    assert shown == [one["id"] for one in results], "not in the order of names"
    assert {f"{name}.html" for name in shown} == {p.name for p in out.glob("double/*.html")}
    index = (out / "index.html").read_text()
    assert all(f'href="double/{name}.html"' in index for name in shown)


@pytest.mark.commands
def test_run_with_pseudonyms_is_gone_on_with(tmp_path: Path) -> None:
    """Nobody is called otherwise, nothing is graded twice, and who comes late gets a new number."""
    out, options = tmp_path / "out", ["--pseudonyms", "--out", str(tmp_path / "out")]
    assert 0 == graded(tmp_path, *options).exit_code
    files = out / "pseudonyms.csv", out / "results.json"
    before = [path.read_text() for path in files]
    arguments = [str(tmp_path / "hand-ins"), "--exercise", str(tmp_path / "double.yaml"), *options]
    again = CliRunner().invoke(command, arguments)
    assert 0 == again.exit_code, again.output
    assert "4 of the submissions were graded before" in again.stderr
    assert before == [path.read_text() for path in files]
    (tmp_path / "hand-ins" / "zegers_li.py").unlink()
    (tmp_path / "hand-ins" / "=late.py").write_text("def double(x):\n    return 2 * x\n")
    assert 0 == CliRunner().invoke(command, arguments).exit_code
    later = (out / "pseudonyms.csv").read_text()
    assert sorted([*before[0].splitlines(), "student-005,'=late"]) == sorted(later.splitlines())
    assert 0o600 == stat.S_IMODE((out / "pseudonyms.csv").stat().st_mode)


def test_folder_in_which_names_stand_is_not_gone_on_with(tmp_path: Path) -> None:
    """Reports that may be shown to others would have them."""
    with Store.writing(tmp_path) as store:
        store.begin(Run(entries=run_entries([("double", "jan")]), language="en"), {})
    (tmp_path / "pseudonyms.csv").write_text("pseudonym,student\nstudent-001,jan\n")
    with pytest.raises(UsageError, match="contains names of students, not only pseudonyms"):
        load_pseudonyms(tmp_path)
    (tmp_path / "pseudonyms.csv").write_text("pseudonym,student\nstudent-001\n")
    with pytest.raises(UsageError, match=r"pseudonyms\.csv cannot be read"):
        load_pseudonyms(tmp_path)


def test_whom_a_table_cannot_tell_apart_gets_another_number() -> None:
    """Two names may look the same in it; nobody gets the record of somebody else."""
    known = Pseudonyms.draw(["a\n", "b", "c"]).by_student
    shown = {"a⏎": known["a\n"], "b": known["b"], "c": known["c"]}
    again = Pseudonyms.draw(["a\n", "a⏎", "b"], known=shown).by_student
    assert (known["b"], known["c"]) == (again["b"], again["c"])
    assert {"student-004", "student-005"} == {again["a\n"], again["a⏎"]}


def test_pseudonyms_need_a_place_for_their_table(tmp_path: Path) -> None:
    """Without reports there would be no telling who is who."""
    done = graded(tmp_path, "--pseudonyms", "--no-reports", "--json")
    assert isinstance(done.exception, UsageError)
    assert "--pseudonyms and --no-reports contradict each other" == done.exception.message
    assert issubclass(UsageError, GraderError)


def test_the_kind_of_a_picture_is_no_name() -> None:
    """Who is called what a picture is, or what stands at its axes, still has it drawn."""
    found = PlotPicture(
        expected=(PlotPoint(1.0, 2.0, differs=True),), got=(), x="plot", y="plot", joined=True
    )
    given = replace(
        record(group("f", replace(case("f/1", Verdict.WRONG), pictures=(found,)))),
        id="plot",
        student="plot",
    )
    hidden = Pseudonyms.draw(["plot"]).hide(given)
    (shown,) = (each.pictures for each in hidden.cases)
    assert (found,) == shown
