"""`--junit`: whichever verb writes the file, and whatever else is wanted of a run."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import RIGHT, WRONG, grader, write
from filed_runs import PATTERNS, begun, filed, keep, named
from record_samples import one_case_per_verdict
from test_persons import run_with

from grader.intake.people import Person
from grader.reporting.output import write_reports
from grader.verdict import Status


@pytest.mark.usefixtures("here")
def test_report_writes_what_grade_wrote(capfd: pytest.CaptureFixture[str]) -> None:
    """Several places for one exercise make one file; from the store alone it is the same."""
    write("a/jan.py", RIGHT)
    write("b/an.py", RIGHT)
    done = grader(capfd, "grade", "a", "b/an.py", "--exercise", "double", "--junit", "ci/j.xml")
    assert 0 == done.code, done.err
    before = Path("ci/j.xml").read_bytes()
    assert 2 == len(list(ET.fromstring(before).iter("testcase")))
    assert 0 == grader(capfd, "report", "reports", "--junit", "again.xml").code
    assert before == Path("again.xml").read_bytes()


@pytest.mark.usefixtures("here")
def test_pseudonyms_reach_it(capfd: pytest.CaptureFixture[str]) -> None:
    """It names nobody where the pages name nobody."""
    write("double/maes_noor.py", f"# Noor Maes\n{WRONG}")
    done = grader(capfd, "grade", "double", "--pseudonyms", "--junit", "out.xml")
    assert 0 == done.code, done.err
    assert not re.search("maes|noor", Path("out.xml").read_text(), re.IGNORECASE)


def test_students_are_called_as_people_do(tmp_path: Path) -> None:
    """Markup in the name of a person stays text."""
    run = run_with(Person(name="<b>Jan</b>"))
    with begun(tmp_path, named("jan")) as store:
        store.begin(run, PATTERNS)
        keep(store, 0, named("jan"))
        write_reports(tmp_path, store, junit=tmp_path / "ci.xml")
    text = (tmp_path / "ci.xml").read_text()
    assert "&lt;b&gt;Jan&lt;/b&gt;" in text
    assert "<b>Jan" not in text


def test_it_has_each_case_of_each_submission(tmp_path: Path) -> None:
    """It parses, a fault is a case too, and its folder is made."""
    record = one_case_per_verdict()
    faulty = replace(record, id="other", student="other", status=Status.FAULT, groups=())
    filed(tmp_path, record, faulty, junit=tmp_path / "ci" / "junit.xml")
    cases = list(ET.parse(tmp_path / "ci" / "junit.xml").getroot().iter("testcase"))
    assert len(record.cases) + 1 == len(cases), "and one that says the fault"


def test_alone_it_leaves_no_pages(tmp_path: Path) -> None:
    """Where no pages are wanted there is no index either; the results are there."""
    record = one_case_per_verdict()
    with begun(tmp_path, record) as store:
        keep(store, 0, record)
        write_reports(tmp_path, store, junit=tmp_path / "junit.xml", index=False)
    left = {path.name for path in tmp_path.iterdir() if not path.name.startswith("run.")}
    assert {"junit.xml", "results.json"} == left


@pytest.mark.usefixtures("here")
def test_check_writes_junit(capfd: pytest.CaptureFixture[str]) -> None:
    """`--junit` writes a file that parses, beside what is shown."""
    done = grader(capfd, "check", write("mine.py", WRONG), "--junit", "out.xml")
    assert 1 == done.code
    assert 1 == len(list(ET.parse("out.xml").getroot().iter("failure")))


@pytest.mark.usefixtures("here")
def test_check_whose_junit_cannot_be_written_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    """A folder is made for it, where that is possible."""
    write("file", "")
    done = grader(capfd, "check", write("mine.py", RIGHT), "--junit", "file/out.xml")
    assert 6 == done.code
    assert done.err.startswith("error: cannot create file: File exists\n")
