"""`grader plan`, and `grader grade`, on what platforms let a teacher download."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from command_line import SUITE, grader, write
from downloads import ANN, BOB, PLATFORMS, download
from test_cli_plan import CODE, put

from grader.reporting.plan_text import PLAN_SCHEMA
from grader.store.store import Store

pytestmark = pytest.mark.usefixtures("suite")


@pytest.fixture
def suite(here: Path) -> None:
    """An exercise that is handed in as `double.py`."""
    assert here.is_dir()
    write("testsuites/double.yaml", SUITE.format(name="double", defines="double", call="double(2)"))


@pytest.mark.parametrize("platform", PLATFORMS)
def test_each_platform_is_planned_as_an_archive_and_as_a_folder(
    capfd: pytest.CaptureFixture[str], platform: str
) -> None:
    """Two students, whatever they are called in there."""
    put("in.zip", download(platform, "double.py", CODE))
    with zipfile.ZipFile("in.zip") as archive:
        archive.extractall("in")
    for given in ("in.zip", "in"):
        done = grader(capfd, "plan", given, "--exercise", "double", "--json")
        assert (0, "") == (done.code, done.err)
        document = json.loads(done.out)
        (plan,) = document["plans"]
        assert PLAN_SCHEMA == document["schema"]
        assert [[platform]] == [source["layouts"] for source in plan["sources"]]
        assert 2 == len(plan["students"])
        named = [student["name"] for student in plan["students"]]
        assert named in ([ANN, BOB], [None, None])


def test_a_download_is_graded_and_the_run_knows_who_it_is(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The latest attempt counts; ids and times of the platform are in the results."""
    files = download("blackboard", "double.py", CODE)
    old = next(name for name in files if "r0102" in name and name.endswith(".py"))
    put("toledo.zip", {**files, old: b"def double(x):\n    return 0\n"})
    done = grader(capfd, "grade", "toledo.zip", "--exercise", "double", "--jobs", "1")
    assert 0 == done.code
    assert "toledo.zip: 6 of 6 names follow the naming scheme of Blackboard (nl)" in done.err
    results = json.loads(Path("reports/results.json").read_text())["submissions"]
    assert [(ANN, 2.0), (BOB, 2.0)] == [(each["student"], each["score"]) for each in results]
    assert ["2026-10-07T21:15:02", "2026-10-08T11:00:00"] == [each["submitted"] for each in results]
    assert 2 == len(list(Path("reports/double").glob("*.html")))
    with Store.reading(Path("reports")) as store:
        assert (str(Path("toledo.zip").absolute()),) == store.run.settings.sources


def test_a_class_may_come_in_several_downloads(capfd: pytest.CaptureFixture[str]) -> None:
    """A roster tells who is who in both, and who is in neither."""
    put("moodle.zip", download("moodle", "double.py", CODE))
    put("canvas.zip", download("canvas", "double.py", CODE))
    write("course.csv", f"id;naam\n101;{ANN}\n102;{BOB}\n103;Cas\n")
    args = ("moodle.zip", "canvas.zip", "--exercise", "double", "--roster", "course.csv")
    done = grader(capfd, "plan", *args)
    assert 0 == done.code
    assert "2 students found" in done.out
    assert "on the roster, but without a hand-in (1): Cas" in done.out


def test_an_empty_file_of_the_platform_is_nobodys_hand_in(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """It is told, and takes neither a mark of the run nor one of the gradebook away."""
    files = download("dodona", "double.py", CODE)
    files[f"Oefening/{BOB}.py"] = b""
    put("dodona.zip", files)
    done = grader(capfd, "grade", "dodona.zip", "--exercise", "double")
    assert f"handed in nothing (1): {BOB}" in done.err
    assert [ANN] == [
        each["student"]
        for each in json.loads(Path("reports/results.json").read_text())["submissions"]
    ]
    put("moodle.zip", download("moodle", "double.py", CODE))
    both = grader(capfd, "plan", "moodle.zip", "dodona.zip", "--exercise", "double")
    assert 1 == both.out.count("other attempts")
    assert "handed in nothing" not in both.out
    write("marks.csv", f"name,email,double\n{ANN},ann@example.org,\n{BOB},bob@example.org,1.5\n")
    done = grader(capfd, "export", "reports", "--into", "marks.csv")
    assert f"{BOB},bob@example.org,1.5\n" in Path("marks.filled.csv").read_text()
    assert f"without a mark in the run: 1: {BOB}" in done.err


def test_the_roster_of_another_course_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    """All would be missing, and all who handed in would be strangers."""
    put("moodle.zip", download("moodle", "double.py", CODE))
    write("course.csv", "id;naam\n7;Dee\n8;Eva\n")
    done = grader(capfd, "plan", "moodle.zip", "--exercise", "double", "--roster", "course.csv")
    assert (2, "") == (done.code, done.out)
    assert f"nobody who handed in is on the roster; the first hand-in is by {ANN}" in done.err
    assert "it lists Dee, Eva\n" in done.err


@pytest.mark.commands
def test_the_best_attempt_may_count(capfd: pytest.CaptureFixture[str]) -> None:
    """All are graded, each once; of equal ones the latest counts."""
    wrong = b"def double(x):\n    return 0\n"
    put(
        "toledo.zip",
        {
            "T_ann_attempt_2025-10-07-21-15-02_double.py": CODE,
            "T_ann_attempt_2025-10-08-21-15-02_double.py": wrong,
            "T_ann_attempt_2025-10-09-21-15-02_double.py": b"def dubbel(x): pass\n",
            "T_bob_attempt_2025-10-07-21-15-02_double.py": wrong,
            "T_bob_attempt_2025-10-08-21-15-02_double.py": b"# again\n" + wrong,
        },
    )
    asked = ("grade", "toledo.zip", "--exercise", "double", "--attempt", "best", "--json")
    done = grader(capfd, *asked)
    assert 0 == done.code, done.err
    ann, bob = json.loads(done.out)["submissions"]
    assert (ann["max_score"], "2025-10-07") == (ann["score"], ann["submitted"][:10])
    assert (0.0, "2025-10-08") == (bob["score"], bob["submitted"][:10])
    again = grader(capfd, *asked)
    assert done.out == again.out
    assert "2 of the submissions were graded before" in again.err
