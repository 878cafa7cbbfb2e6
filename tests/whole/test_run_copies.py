"""`grader mark --from` a copy of the run: what somebody else has decided there counts here too."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import Done, grader
from filed_runs import database, filed
from test_marking import some

from grader.judging.record import SourceText

pytestmark = pytest.mark.usefixtures("here")


def mark(capfd: pytest.CaptureFixture[str], run: str, *arguments: str) -> Done:
    """Decide something in a run."""
    return grader(capfd, "mark", run, *arguments)


def decide(capfd: pytest.CaptureFixture[str], run: str, points: str, at: str) -> None:
    """Decide on a case in a run, as if at another time."""
    asked = ("jan", "--case", "f/2", "--points", points, "--because", "x", "--by", "ann")
    assert 0 == mark(capfd, run, *asked).code
    change(
        run, f"decided_at = '2026-10-01T{at}:00+00:00' WHERE id = (SELECT max(id) FROM decision)"
    )


def change(run: str, how: str) -> None:
    """Change decisions of a run behind its back."""
    with database(Path(run)) as store:
        store.execute("DROP TRIGGER IF EXISTS decision_stands")
        store.execute(f"UPDATE decision SET {how}")


def scores(run: str) -> dict[str, float]:
    """Return the scores in `results.json`, by student."""
    told = json.loads(Path(run, "results.json").read_bytes())["submissions"]
    return {each["student"]: each["score"] for each in told}


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run with two students, and a copy of it."""
    monkeypatch.chdir(tmp_path)
    filed(Path("run"), some("jan"), some("an"))
    shutil.copytree("run", "copy")


@pytest.mark.usefixtures("two")
def test_two_copies_of_a_run_are_put_together(capfd: pytest.CaptureFixture[str]) -> None:
    """What was decided in either counts in both; of two on the same the later one."""
    assert 0 == mark(capfd, "copy", "an", "--comment", "Well done.").code
    decide(capfd, "copy", "0.5", "10:00")
    decide(capfd, "run", "1", "11:00")
    done = mark(capfd, "run", "--from", "copy")
    assert 0 == done.code
    assert "two decisions for jan; the later one is in force: case f/2: 1 point (" in done.err
    assert {"jan": 2.0, "an": 1.0} == scores("run")
    assert "Well done." in Path("run/yinyang/an.html").read_text()
    assert 4 == len(json.loads(mark(capfd, "run", "--list", "--json").out)["decisions"])
    done = mark(capfd, "run", "--from", "copy")
    assert (2, True) == (done.code, "error: copy contains no new decision\n" in done.err)


@pytest.mark.usefixtures("two")
def test_both_copies_come_to_the_same(capfd: pytest.CaptureFixture[str]) -> None:
    """In whatever order they are put together, and however often."""
    decide(capfd, "run", "1", "10:00")
    decide(capfd, "copy", "0.25", "11:00")
    shutil.copytree("copy", "friday")
    decide(capfd, "copy", "0.5", "12:00")
    for run, other in (("run", "friday"), ("run", "copy"), ("copy", "run"), ("friday", "copy")):
        assert 0 == mark(capfd, run, "--from", other).code
    assert [1.5] * 3 == [scores(run)["jan"] for run in ("run", "copy", "friday")]


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("points = -50", "its points are out of range: -50"),
        ("points = 1e999", "its points are out of range: inf"),
        ("points = NULL", "it lacks points"),
        (
            "penalty = -500, points = NULL, about = 'rule', verdict = 'BROKEN'",
            "its penalty is out of range: -500",
        ),
        (
            "penalty = 0, points = NULL, about = 'rule', verdict = NULL",
            "its verdict on the rule is missing",
        ),
        ("decided_at = '9999-01-01T00:00:00+00:00'", "its time is malformed or in the future"),
        ("decided_at = '2026-02-31T00:00:00+00:00'", "its time is malformed"),
        ("uid = 'x'", "its id is malformed"),
        ("because = printf('%.*c', 3000, 'x')", "a text is too long"),
        ("is_undone = 1", "it undoes a decision, but also has points"),
    ],
)
def test_copy_that_another_program_changed_is_refused(
    capfd: pytest.CaptureFixture[str], how: str, why: str
) -> None:
    """As a whole, with the place."""
    decide(capfd, "copy", "0.5", "10:00")
    change("copy", how)
    done = mark(capfd, "run", "--from", "copy")
    assert 2 == done.code
    assert (
        "copy contains a decision that `grader mark` would reject: number 1, on jan: " in done.err
    )
    assert why in done.err
    with database(Path("run")) as store:
        assert [(0,)] == store.execute("SELECT count(*) FROM decision").fetchall()


@pytest.mark.usefixtures("two")
def test_copy_with_an_unknown_kind_is_what_is_damaged(capfd: pytest.CaptureFixture[str]) -> None:
    """It is the copy that is named."""
    decide(capfd, "copy", "0.5", "10:00")
    with database(Path("copy")) as store:
        store.execute("PRAGMA ignore_check_constraints = 1")
        store.execute("UPDATE decision SET about = 'mood'")
    done = mark(capfd, "run", "--from", "copy")
    assert "error: copy/run.db is damaged: 'mood'" in done.err


def test_decisions_on_other_files_are_left_out(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """As those of last year, on the same exercise by somebody of the same name."""
    other: dict[str, Any] = {"sources": (SourceText(name="f.py", text="f = 1\n"),)}
    filed(Path("run"), some("jan"))
    filed(Path("copy"), replace(some("jan"), **other))
    decide(capfd, "copy", "0.5", "10:00")
    done = mark(capfd, "run", "--from", "copy")
    assert "left out, because the copy did not grade the same files: 1 decision" in done.err
    assert "copy contains no new decision" in done.err
    assert 2 == mark(capfd, "run", "--from", "copy", "--by", "me").code
