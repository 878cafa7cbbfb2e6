"""What a run leaves behind: pages, index, JUnit XML and results, whole or not at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from builders import graded, submission, suite
from filed_runs import begun, filed, keep, take

from grader.errors import OutputError
from grader.judging.record import Record
from grader.judging.recording import Recorder
from grader.messages import message
from grader.reporting.evidence_page import EVIDENCE_NAME
from grader.reporting.output import prepare, write_page, write_reports
from grader.reporting.results import as_json, entry_json, results_json, summary_of
from grader.reporting.sheet import defence_sheet
from grader.reporting.student_page import student_page
from grader.sandbox.zygote import Zygote
from grader.store.runs import Run
from grader.store.store import Store
from grader.verdict import Status

NOBODY: Final = 65534
BODY: Final = """\
groups:
  - id: double
    points: 3
  - id: secret
    points: 2
sessions:
  - id: example
    steps:
      - do: double(2)
        returns: "4"
        group: double
      - do: double(3)
        returns: "6"
        group: double
  - id: hidden
    visibility: hidden
    steps:
      - do: double('ab')
        returns: "'abab'"
        group: secret
"""
STUDENTS: Final = (
    "../../etc/passwd",
    "/etc/passwd",
    "..",
    "<b>x</b>",
    "a\nb",
    "CON",
    "\u202ex",
    "x" * 120,
    "ünïcödé",
    "?",
    "%2e%2e",
    "index",
)
"""What a student may be called, to harm us."""
RIGHT: Final = "def double(x):\n    return 2 * x\n"
HALF: Final = "def double(x):\n    return 4\n"


@pytest.fixture(scope="module")
def record(zygote: Zygote) -> Record:
    """The record of a submission that is half right."""
    return graded(zygote, BODY, HALF)


@pytest.fixture(scope="module")
def faulty(zygote: Zygote) -> Record:
    """The record of a submission that we failed to grade."""
    return Recorder(suite(BODY), submission(RIGHT), zygote.isolation).fault_record(
        "a traceback of ours"
    )


def named(record: Record, student: str) -> Record:
    """Return `record` as that of `student`."""
    return replace(record, id=student, student=student)


def below(folder: Path) -> list[str]:
    """Return the names of all files below `folder`."""
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


def reports(folder: Path) -> list[str]:
    """Return the names of all files below `folder` but those of the store and what pages share."""
    return [name for name in below(folder) if not name.startswith(("run.", "page-"))]


# Results


def test_results_have_exactly_this_shape(tmp_path: Path, record: Record) -> None:
    """Other tools depend on every key, their order and the kind of each value."""
    filed(tmp_path, replace(record, remarks=(message("remark.prints"),)))
    case = {"points": 1.5, "max_points": 1.5, "visibility": "public"}
    expected = {
        "schema": "grader/run/1",
        "submissions": [
            {
                "id": "student",
                "student": "student",
                "exercise": "sample",
                "status": "graded",
                "score": 1.5,
                "max_score": 5,
                "isolation": record.conditions.isolation,
                "isolation_gaps": record.isolation_gaps,
                "remarks": [
                    (
                        "Your code prints text where none is asked for. Remove that: "
                        "it can get mixed up with the output that is asked for."
                    )
                ],
                "cases": [
                    {"id": "double/1", "group": "double", "verdict": "PASSED", **case},
                    {"id": "double/2", "group": "double", "verdict": "WRONG", **case, "points": 0},
                    {
                        "id": "secret/1",
                        "group": "secret",
                        "verdict": "WRONG",
                        "points": 0,
                        "max_points": 2,
                        "visibility": "hidden",
                    },
                ],
                "rules": [],
            }
        ],
    }
    found = json.loads((tmp_path / "results.json").read_bytes())
    assert expected == found
    assert keys(expected) == keys(found), "in this order"


def keys(document: object) -> list[object]:
    """Return the keys of everything in `document`, in their order."""
    match document:
        case dict():
            return [[key, keys(value)] for key, value in document.items()]
        case list():
            return [keys(value) for value in document]
        case _:
            return []


@pytest.mark.parametrize(
    ("source", "status"), [(RIGHT, "graded"), ("def double(x)\n", "ungradable")]
)
def test_every_status_has_the_same_shape(zygote: Zygote, source: str, status: str) -> None:
    """A submission of which nothing can be run has all its cases, its reason and no points."""
    summary: dict[str, Any] = dict(summary_of(graded(zygote, BODY, source)))
    assert status == summary["status"]
    assert 3 == len(summary["cases"])
    assert (status == "graded") is (summary["score"] == summary["max_score"])
    assert (status == "graded") is (summary["remarks"] == [])


def test_fault_costs_no_verdict_and_is_counted(tmp_path: Path, faulty: Record) -> None:
    """A failure of ours is listed as such, and the traceback does not reach the results."""
    assert {Status.FAULT: 1} == filed(tmp_path, faulty)
    (entry,) = json.loads((tmp_path / "results.json").read_bytes())["submissions"]
    assert "fault" == entry["status"]
    assert {"FAULT"} == {case["verdict"] for case in entry["cases"]}
    assert "traceback" not in (tmp_path / "results.json").read_text()


def test_results_are_in_the_order_of_tasks(tmp_path: Path, record: Record) -> None:
    """The order in which submissions happen to be done does not show."""
    texts = []
    for number, order in enumerate([(0, 1, 2), (2, 0, 1)]):
        records = [named(record, f"student-{index}") for index in range(3)]
        folder = tmp_path / str(number)
        with begun(folder, *records) as store:
            for index in order:
                take(folder, store, index, records[index])
            write_reports(folder, store)
        texts.append([(folder / name).read_bytes() for name in reports(folder)])
    assert texts[0] == texts[1]


def test_json_is_ascii_and_ends_in_a_newline() -> None:
    """Any reader takes it, lone surrogates and all; keys keep their order."""
    data = as_json({"z": "é\udcff", "a": float("1.5")})
    assert b'{\n "z": "\\u00e9\\udcff",\n "a": 1.5\n}\n' == data


@pytest.mark.parametrize("count", [0, 1, 3])
def test_results_in_pieces_are_the_results(record: Record, count: int) -> None:
    """Nobody holds those of a whole run; together they are JSON, which no log obeys."""
    shown = named(record, "##[error]")
    text = b"".join(results_json([entry_json(shown)] * count))
    assert b"##[" not in text
    assert {"schema": "grader/run/1", "submissions": [plain(shown)] * count} == json.loads(text)


def plain(record: Record) -> object:
    """Return what is summed up of `record`, as JSON has it."""
    return json.loads(json.dumps(summary_of(record)))


# Pages


def test_run_leaves_index_pages_and_results(tmp_path: Path, record: Record) -> None:
    """One page per student in the folder of the exercise, what pages share, and the store."""
    filed(tmp_path / "new" / "deep", record, named(record, "jan"))
    out = tmp_path / "new" / "deep"
    files = ["index.html", "results.json", "sample/jan.html", "sample/student.html"]
    assert files == reports(out)
    assert {"run.db", "run.lock"} < {*below(out)}
    shared = {path.suffix for path in out.glob("page-*")}
    assert {".css", ".js"} == shared, "style and script, which pages share"


@pytest.mark.parametrize("student", STUDENTS)
def test_no_student_writes_outside_or_over_another(
    tmp_path: Path, record: Record, student: str
) -> None:
    """Whatever a student is called, her page lies in its folder, and the index links to it."""
    out = tmp_path / "out"
    alike = (student, f"{student.upper()}!", f"{student}?")
    filed(out, *(named(record, name) for name in alike))
    pages = [path for path in out.glob("sample/*") if path.suffix == ".html"]
    assert 3 == len(pages)
    assert 5 + 2 + 2 == len(below(tmp_path)), "reports, what they share; the store; nothing else"
    index = (out / "index.html").read_text()
    assert all(f'"sample/{page.name}"' in index for page in pages)
    assert "<b>" not in index
    assert "\u202e" not in index


def test_same_student_in_two_exercises_has_two_pages(tmp_path: Path, record: Record) -> None:
    """Pages of one exercise do not take the names of another's."""
    filed(tmp_path, record, replace(record, exercise="other"))
    assert {"sample/student.html", "other/student.html"} <= set(below(tmp_path))


def test_interrupted_run_says_so_in_its_index(tmp_path: Path, record: Record) -> None:
    """Nobody takes half a class for the whole one."""
    for interrupted in (True, False):
        folder = tmp_path / str(interrupted)
        with begun(folder, record, *[named(record, "jan")] * interrupted) as store:
            take(folder, store, 0, record)
            write_reports(folder, store)
    texts = [(tmp_path / str(flag) / "index.html").read_text() for flag in (True, False)]
    assert texts[0] != texts[1]
    assert "interrupted" in texts[0]
    assert "interrupted" not in texts[1].split("</style>")[-1]


def test_run_that_was_interrupted_before_anything_is_filed_too(
    tmp_path: Path, record: Record
) -> None:
    """Index and results over nothing are written all the same."""
    with begun(tmp_path, record) as store:
        write_reports(tmp_path, store)
    assert ["index.html", "results.json"] == reports(tmp_path)
    assert b'"submissions": []' in (tmp_path / "results.json").read_bytes()


# Sheets


def test_sheets_are_written_on_demand(tmp_path: Path, record: Record, faulty: Record) -> None:
    """Whatever became of a submission, it has its sheet beside its page; unasked there is none."""
    for sheets in (True, False):
        filed(tmp_path / str(sheets), record, named(faulty, "jan"), sheets=sheets)
    sheets_of = {f"sample/sheets/{name}.html" for name in ("jan", "student")}
    assert sheets_of == set(below(tmp_path / "True")) - set(below(tmp_path / "False"))
    assert defence_sheet(record) == (tmp_path / "True/sample/sheets/student.html").read_text()


@pytest.mark.parametrize("student", STUDENTS)
def test_sheets_have_the_names_of_their_pages(tmp_path: Path, record: Record, student: str) -> None:
    """No student gets the sheet of another, or one that is outside; the index links to each."""
    out = tmp_path / "out"
    filed(out, named(record, student), named(record, f"{student.upper()}!"), sheets=True)
    sheets = {path.name for path in out.glob("sample/sheets/*")}
    assert {path.name for path in out.glob("sample/*.html")} == sheets
    assert 6 + 2 + 2 == len(below(tmp_path)), "reports, what they share; store; nothing else"
    index = (out / "index.html").read_text()
    assert all(f'<a href="sample/sheets/{name}">sheet</a>' in index for name in sheets)


def test_index_without_sheets_links_to_none(tmp_path: Path, record: Record) -> None:
    """Sheets of an earlier run may lie there still."""
    for sheets in (True, False):
        filed(tmp_path, record, sheets=sheets)
    assert "sheets/" not in (tmp_path / "index.html").read_text()


# JUnit


def test_junit_place_is_tried_before_anything_is_graded(tmp_path: Path) -> None:
    """A place where the JUnit file cannot be written is told at once, not after an hour."""
    (tmp_path / "file").touch()
    with pytest.raises(OutputError) as caught:
        prepare(tmp_path / "out", tmp_path / "file" / "junit.xml")
    assert "choose another path with --junit" == caught.value.help


def test_junit_file_of_an_earlier_run_is_kept_until_there_is_another(tmp_path: Path) -> None:
    """A run that fails takes nothing away."""
    junit = tmp_path / "junit.xml"
    junit.write_text("<testsuites/>")
    prepare(tmp_path / "out", junit)
    assert "<testsuites/>" == junit.read_text()
    assert ["junit.xml", "out"] == sorted(os.listdir(tmp_path))


# Trouble


def test_results_of_old_are_taken_away_first(tmp_path: Path, record: Record) -> None:
    """A run that dies halfway leaves no results of another run before."""
    filed(tmp_path, record)
    with begun(tmp_path, named(record, "jan")):
        assert "results.json" not in below(tmp_path)


def test_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    """The error names the place, and what to do."""
    (tmp_path / "out").touch()
    with pytest.raises(OutputError) as caught:
        prepare(tmp_path / "out", None)
    assert f"cannot write to {tmp_path / 'out'}: File exists" == caught.value.message
    assert "choose another path with --out" == caught.value.help
    assert 6 == caught.value.exit_code


def test_page_that_cannot_be_written_is_told(tmp_path: Path, record: Record) -> None:
    """A file where the folder of an exercise should be stops the run with its place."""
    (tmp_path / "sample").touch()
    with begun(tmp_path, record) as store, pytest.raises(OutputError) as caught:
        take(tmp_path, store, 0, record)
    assert f"cannot create {tmp_path / 'sample'}: File exists" == caught.value.message


def test_shared_file_that_cannot_be_read_is_written_anew(
    tmp_path: Path, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A style sheet that only somebody else may read is replaced, as one that is missing."""
    filed(tmp_path, record)
    (style,) = tmp_path.glob("page-*.css")
    content, read = style.read_bytes(), Path.read_bytes
    style.write_bytes(b"secret")

    def read_or_refuse(path: Path) -> bytes:
        if (data := read(path)) == b"secret":
            raise PermissionError(13, "Permission denied")
        return data

    monkeypatch.setattr(Path, "read_bytes", read_or_refuse)
    filed(tmp_path, record)
    assert content == style.read_bytes()


def test_folder_with_the_name_of_the_page_of_evidence_is_told(
    tmp_path: Path, record: Record
) -> None:
    """A page of evidence that cannot be deleted is an error with its place, like one to write."""
    (tmp_path / EVIDENCE_NAME).mkdir()
    with pytest.raises(OutputError, match=f"cannot write {tmp_path / EVIDENCE_NAME}: "):
        filed(tmp_path, record)


def test_full_disk_is_told_and_leaves_nothing_half_written(
    small_disk: Path, record: Record
) -> None:
    """The error names the page and the way out; each file that is there is whole."""
    records = [named(record, f"student-{index}") for index in range(100)]
    with begun(small_disk, *records) as store:
        with pytest.raises(OutputError) as caught:
            write_pages(small_disk, store.run, record)
        assert "No space left on device" in caught.value.message
        assert "free some space on that disk, or choose another folder" == caught.value.help
        written = [small_disk / name for name in reports(small_disk)]
        assert written
        assert all(path.read_bytes().rstrip().endswith(b"</html>") for path in written)
        with pytest.raises(OutputError, match="database or disk is full"):
            keep_all(store, records)
        with pytest.raises(OutputError, match="No space left on device"):
            write_reports(small_disk, store)
    assert not {"results.json", "index.html"} & set(below(small_disk))


def write_pages(folder: Path, run: Run, record: Record) -> None:
    """Write the same page for all of a run."""
    for entry in run.entries:
        page = student_page(record, shares=True)
        write_page(folder, entry, page, None, shares=True)


def keep_all(store: Store, records: Sequence[Record]) -> None:
    """Keep the records of a run, without their pages."""
    for index, each in enumerate(records):
        keep(store, index, each)


def test_full_disk_ends_the_command_line_with_an_error(small_disk: Path, tmp_path: Path) -> None:
    """`grader grade` on a full disk: exit 6, the way out, no traceback and no results."""
    (tmp_path / "sample").mkdir()
    (tmp_path / "sample" / "jan.py").write_text(RIGHT)
    (small_disk / "filling").write_bytes(b"x" * 512 * 1024)
    done = grade_as(None, tmp_path, small_disk / "out")
    assert 6 == done.returncode, done.stderr
    assert f"error: cannot use {small_disk}/out/run.db: " in done.stderr
    assert "= help: check the disk and its permissions" in done.stderr
    assert "Traceback" not in done.stderr
    assert [] == reports(small_disk / "out")


def grade_as(user: int | None, folder: Path, out: Path) -> subprocess.CompletedProcess[str]:
    """Run `grader grade` on `folder/sample`, as `user` if one is given."""
    suites = folder / "testsuites"
    suites.mkdir(exist_ok=True)
    head = "exercise: sample\ntitle: Sample\nlanguage: en\nmodule: sample\ndefines: [double]\n"
    (suites / "sample.yaml").write_text(head + BODY)
    # An interpreter of root's own is not there for others; the system's is, with our packages.
    python = sys.executable if user is None else "/usr/bin/python3." + str(sys.version_info.minor)
    if not os.access(python, os.X_OK):
        pytest.skip("no interpreter of this version that every user may run")
    return subprocess.run(
        [
            python,
            "-c",
            "from grader.cli.verbs import main; main()",
            "grade",
            "sample",
            "--out",
            str(out),
        ],
        cwd=folder,
        user=user,
        capture_output=True,
        text=True,
        env={"PATH": os.defpath, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )


def test_read_only_folder_is_told(record: Record) -> None:
    """An ordinary user who may not write there reads so before anything is graded."""
    if os.geteuid() != 0:
        pytest.skip("only root can be another user")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "sample").mkdir()
        (folder / "sample" / "jan.py").write_text(RIGHT)
        out = folder / "out"
        filed(out, record)
        before = below(out)
        done = grade_as(NOBODY, folder, out)
        assert 6 == done.returncode, done.stderr
        assert f"error: cannot open {out / 'run.lock'}: Permission denied\n" in done.stderr
        assert "= help: check the disk and its permissions, or choose another folder" in done.stderr
        assert "graded" not in done.stderr
        assert before == below(out)
