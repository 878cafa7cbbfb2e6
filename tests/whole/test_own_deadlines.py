"""Deadlines of single students, from the roster, and hand-ins that are late without a time."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree
from typing import Any, Final

import pytest
from command_line import Done, grader, write

SUITE: Final = """\
exercise: double
title: A title
language: en
module: double
defines: [double]
groups: [{id: g, points: 8}]
sessions:
  - id: example
    steps:
      - {do: double(2), returns: "4", group: g}
"""
RIGHT: Final = "def double(x):\n    return 2 * x\n"
COMMON: Final = "2026-10-01T23:59 Europe/Brussels"
LATE: Final = ("--deadline", COMMON, "--late", "25%")
BY_TIME: Final = ("--pattern", "(?P<student>[a-z]+)@(?P<time>.+)[.]py")
ROSTER: Final = """\
id;name;deadline
an;an;
bo;bo;+3d
cas;cas;2026-10-02T12:00
dee;dee;2025-10-08 23:59:30+02:00
"""
TIMES: Final = dict.fromkeys(("an", "bo", "cas", "dee"), "2026-10-02T12:01")


@pytest.fixture(autouse=True)
def hand_ins(here: Path) -> None:
    """Hand-ins of four students, all of the same moment."""
    assert here.is_dir()
    write("testsuites/double.yaml", SUITE)
    for name, time in TIMES.items():
        write(f"double/{name}@{time}.py", RIGHT)


def run(capfd: pytest.CaptureFixture[str], *options: str, roster: str = ROSTER) -> Done:
    """Grade the hand-ins with this `roster`."""
    write("roster.csv", roster)
    told = ("--jobs", "1", "--roster", "roster.csv")
    return grader(capfd, "grade", "double", *BY_TIME, *told, *options)


def results(folder: str = "reports") -> dict[str, dict[str, Any]]:
    """Return what `results.json` says of each."""
    found = json.loads(Path(folder, "results.json").read_bytes())["submissions"]
    return {each["student"]: each for each in found}


def scores(folder: str = "reports") -> dict[str, float]:
    """Return the score of each."""
    return {name: each["score"] for name, each in results(folder).items()}


def test_own_deadline_replaces_that_of_all(capfd: pytest.CaptureFixture[str]) -> None:
    """In the zone of all where it has none; the page and the sheet say which one counted."""
    done = run(capfd, *LATE, "--sheets")
    assert 0 == done.code, done.err
    assert {"an": 6.0, "bo": 8.0, "cas": 6.0, "dee": 6.0} == scores()
    own = {name: each.get("deadline") for name, each in results().items()}
    assert {
        "an": None,
        "bo": "2026-10-04T23:59 Europe/Brussels",
        "cas": "2026-10-02T12:00 Europe/Brussels",
        "dee": "2025-10-08T23:59:30 +02:00",
    } == own
    assert f"after the deadline of {COMMON}: 3 of 4\n" in done.err
    assert "students with a deadline of their own: 3 (bo, cas, dee)\n" in done.err
    assert "own deadline in the roster before the common one: 1: dee\n" in done.err
    for name, deadline in (
        ("an", "The deadline was 2026-10-01 23:59 Europe/Brussels."),
        ("cas", "The deadline was 2026-10-02 12:00 Europe/Brussels."),
    ):
        assert deadline in Path(f"reports/double/{name}.html").read_text()
        assert deadline in Path(f"reports/double/sheets/{name}.html").read_text()


def told(folder: str) -> dict[str, bytes]:
    """Return the page of each student below `folder`, and the results of all."""
    names = [*(f"double/{name}.html" for name in TIMES), "results.json"]
    return {name: Path(folder, name).read_bytes() for name in names}


def test_run_keeps_own_deadlines(capfd: pytest.CaptureFixture[str]) -> None:
    """Going on, grading again and merging shares give the same, byte for byte."""
    assert 0 == run(capfd, *LATE).code
    copytree("reports", "twice")
    assert 0 == run(capfd, *LATE, "--out", "twice").code
    assert told("reports") == told("twice")
    for number in ("1", "2"):
        assert 0 == run(capfd, *LATE, "--out", "merged", "--shard", f"{number}/2").code
    shards = sorted(map(str, Path("merged").iterdir()))
    assert 0 == grader(capfd, "merge", "merged", *shards).code
    assert told("reports") == told("merged")
    write("testsuites/double.yaml", SUITE.replace("points: 8", "points: 4"))
    assert 0 == grader(capfd, "regrade", "reports", "--accept").code
    assert 0 == run(capfd, *LATE, "--out", "anew").code
    assert {"an": 3.0, "bo": 4.0, "cas": 3.0, "dee": 3.0} == scores()
    assert told("anew") == told("reports")


def test_changed_deadline_grades_nothing_again(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An extension given later changes the mark alone, and is named as the cause."""
    assert 0 == run(capfd, *LATE, "--out", "before").code
    copytree("before", "after")
    monkeypatch.setattr("grader.run.worker.grade", None)  # whatever is graded is a fault
    later = ROSTER.replace("an;an;", "an;an;2")
    assert 0 == run(capfd, *LATE, "--out", "after", roster=later).code
    assert (6.0, 8.0) == (scores("before")["an"], scores("after")["an"])
    assert "an  6 -> 8 of 8 (+2)  [deadline]" in grader(capfd, "diff", "before", "after").out


def test_without_a_deadline_of_all_none_counts(capfd: pytest.CaptureFixture[str]) -> None:
    """It is told, so that nobody believes otherwise; the plan shows what the roster says."""
    done = run(capfd)
    assert (
        "own deadline in the roster, which has no effect without --deadline: 3: bo, c" in done.err
    )
    assert {8.0} == set(scores().values())
    assert "deadline" not in results()["bo"]
    told = grader(capfd, "plan", "double", *BY_TIME, "--roster", "roster.csv")
    assert "deadline: +3d" in told.out


@pytest.mark.parametrize(
    ("cell", "deadline"),
    [
        ("3", "2026-10-04T23:59 Europe/Brussels"),
        ("+3", "2026-10-04T23:59 Europe/Brussels"),
        ("+030 d", "2026-10-31T23:59 Europe/Brussels"),
        (" 2026-10-08 12:00 ", "2026-10-08T12:00 Europe/Brussels"),
        ("2026-10-08T12:00[Europe/Madrid]", "2026-10-08T12:00 Europe/Madrid"),
    ],
)
def test_ways_to_write_one(capfd: pytest.CaptureFixture[str], cell: str, deadline: str) -> None:
    """Also as a spreadsheet leaves it, which drops a plus sign."""
    assert 0 == run(capfd, *LATE, roster=ROSTER.replace("+3d", cell)).code
    assert deadline == results()["bo"]["deadline"]


@pytest.mark.parametrize(
    "cell",
    [
        *("soon", "-3d", "+3 weeks", "+3.5d", "+3,5", "+9999d", "46297", "٣", "=1+1", "d", "+"),
        *("2026-10-08", "08/10/2026 23:59", "2026-02-30T12:00", "2026-10-08T12:00 Mars/Base"),
        *("2026-10-08T12:00 ../../etc/passwd", "2026-10-08T12:00\x1b[2J", "x" * 100_000),
    ],
    ids=lambda cell: cell[:20],
)
def test_bad_cell_is_refused_with_its_line(capfd: pytest.CaptureFixture[str], cell: str) -> None:
    """Before anything is graded, with how to write it, and nothing that a terminal obeys."""
    done = run(capfd, *LATE, roster="sep=;\n\n" + ROSTER.replace("+3d", f'"{cell}"'))
    assert 2 == done.code
    assert "line 5 of roster.csv: " in done.err
    assert "is not a valid deadline" in done.err
    assert "+3d for three more days" in done.err
    assert "\x1b" not in done.err
    assert 1_000 > len(done.err)
    assert not Path("reports").exists()


@pytest.mark.parametrize(
    ("roster", "deadline", "said"),
    [
        ("id;deadline;Frist\nan;;\n", COMMON, "has 2 deadline columns"),
        (
            ROSTER,
            "2026-10-01T23:59",
            "submission times have a time zone, but the deadline has none",
        ),
        (ROSTER, "9999-12-30T23:59 Europe/Brussels", "cannot be extended by +3d"),
    ],
)
def test_what_cannot_be_kept_to_is_refused(
    capfd: pytest.CaptureFixture[str], roster: str, deadline: str, said: str
) -> None:
    """Rather than guessed."""
    done = run(capfd, "--deadline", deadline, roster=roster)
    assert 2 == done.code
    assert said in done.err
    assert not Path("reports").exists()


# Late without a time


@pytest.fixture
def from_canvas() -> None:
    """Two hand-ins from Canvas, of which one is marked late; Canvas tells no times."""
    for name in ("maesann_LATE_7_205_double.py", "devosbob_8_206_double.py"):
        write(f"canvas/{name}", RIGHT)


def graded_from_canvas(capfd: pytest.CaptureFixture[str], *options: str) -> Done:
    """Grade these two."""
    return grader(capfd, "grade", "canvas", "--exercise", "double", "--jobs", "1", *options)


@pytest.mark.usefixtures("from_canvas")
def test_late_without_a_time_waits_for_a_person(capfd: pytest.CaptureFixture[str]) -> None:
    """It costs nothing until somebody has decided, and only that hand-in waits."""
    done = graded_from_canvas(capfd, *LATE)
    assert (
        "marked late by the platform without a time, so a person has to decide: 1: maesann\n"
        in done.err
    )
    assert "submission time unknown, so nothing is deducted: 1" in done.err
    found = results()["maesann"]
    assert (8.0, "REVIEW", 0.0) == (found["score"], *_lateness(found))
    assert [] == results()["devosbob"]["rules"]
    page = Path("reports/double/maesann.html").read_text()
    assert "The platform marks it as late, but does not say when it was handed in." in page
    assert "The deadline was 2026-10-01 23:59 Europe/Brussels." in page
    assert 0 == grader(capfd, "regrade", "reports", "--accept").code
    assert found == results()["maesann"]


@pytest.mark.usefixtures("from_canvas")
@pytest.mark.parametrize(
    ("decided", "score"),
    [(("kept",), 8.0), (("broken", "--penalty", "2"), 6.0)],
)
def test_a_person_decides_on_it(
    capfd: pytest.CaptureFixture[str], decided: tuple[str, ...], score: float
) -> None:
    """As on any rule."""
    graded_from_canvas(capfd, *LATE)
    mark = ("mark", "reports", "maesann", "--rule", "lateness", "--because", "We asked.")
    assert 0 == grader(capfd, *mark, "--verdict", *decided).code
    assert score == scores()["maesann"]
    assert "REVIEW" != _lateness(results()["maesann"])[0]


@pytest.mark.usefixtures("from_canvas")
def test_price_of_unknown_lateness_is_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    """Terms say what an hour or a day costs, and nobody knows how many there were."""
    graded_from_canvas(capfd, *LATE)
    mark = ("mark", "reports", "maesann", "--rule", "lateness", "--because", "Late.")
    done = grader(capfd, *mark, "--verdict", "broken")
    assert (2, True) == (done.code, "add --penalty" in done.err)


@pytest.mark.usefixtures("from_canvas")
def test_marks_of_the_platform_are_told_without_a_deadline(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """They count where the course asks about lateness."""
    done = graded_from_canvas(capfd)
    said = "marked late by the platform, but nothing is deducted without --deadline: 1: maesann\n"
    assert said in done.err
    assert [] == results()["maesann"]["rules"]


def _lateness(found: dict[str, Any]) -> tuple[str, float]:
    """Return verdict and penalty of the lateness of an entry of `results.json`."""
    (rule,) = (each for each in found["rules"] if each["id"] == "lateness")
    return rule["verdict"], rule["penalty"]
