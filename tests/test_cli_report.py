"""`grader report`: the reports of a run again, also of one that was killed."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
from command_line import COMMAND, RIGHT, WRONG, grader, write

from grader.judging.record import RECORD_SCHEMA
from grader.store.graded import compress, decompress

SLEEPER: Final = "from threading import Lock\nlock = Lock()\nlock.acquire()\nlock.acquire()\n"
PATIENCE_S: Final = 60.0
STORE: Final = ("reports/run.db", "reports/run.lock")


def files(folder: str = "reports") -> dict[str, bytes]:
    """Return all files below `folder`."""
    return {str(path): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


def listed() -> list[str]:
    """Return the submissions in the results."""
    results = json.loads(Path("reports/results.json").read_bytes())
    return [one["id"] for one in results["submissions"]]


@pytest.mark.usefixtures("here")
def test_reports_are_made_again_from_the_store_alone(capfd: pytest.CaptureFixture[str]) -> None:
    """Pages, sheets, index and results are the same, byte for byte."""
    write("all/double/jan.py", RIGHT)
    write("all/double/Jan.py", WRONG)
    write("all/double/an.py", "def double(x)\n")
    write("all/cells/jan.py", "class Cell: pass\ndef neighbours(cell): return 4\n")
    assert 0 == grader(capfd, "grade", "all", "--sheets").code
    before = files()
    for name in before:
        if name not in STORE:
            Path(name).unlink()
    done = grader(capfd, "report", "reports", "--json")
    assert (0, "reports: reports/index.html\n") == (done.code, done.err)
    after = files()
    assert before.keys() == after.keys()
    assert not {name for name in before.keys() - {*STORE} if before[name] != after[name]}
    assert before["reports/results.json"].decode() == done.out


@pytest.mark.usefixtures("here")
def test_sheets_can_be_had_afterwards(capfd: pytest.CaptureFixture[str]) -> None:
    """A run without sheets gets them, and its index leads to them."""
    write("double/jan.py", RIGHT)
    grader(capfd, "grade", "double")
    assert 0 == grader(capfd, "report", "reports", "--sheets").code
    assert Path("reports/double/sheets/jan.html").is_file()
    assert "double/sheets/jan.html" in Path("reports/index.html").read_text()


@pytest.mark.usefixtures("here")
@pytest.mark.skipif(sys.platform == "win32", reason="kills as Unix does")
def test_killed_run_leaves_what_it_had(capfd: pytest.CaptureFixture[str]) -> None:
    """After a kill that nothing can catch, the reports cover what was graded, and say so."""
    write("double/an.py", RIGHT)
    write("double/jan.py", WRONG)
    write("double/zoe.py", SLEEPER)
    write("double/zzz.py", RIGHT)
    with Path("testsuites/double.yaml").open("a") as suite:
        suite.write("limits: {wall_s: 60, session_wall_s: 60, submission_wall_s: 180}\n")
    command = [sys.executable, *COMMAND, "grade", "double", "--jobs", "1"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as run:
        deadline = time.monotonic() + PATIENCE_S
        while not Path("reports/double/jan.html").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        run.send_signal(signal.SIGKILL)
    assert -signal.SIGKILL == run.returncode
    assert not Path("reports/results.json").exists()
    done = grader(capfd, "report", "reports")
    assert 0 == done.code, done.err
    assert (
        "warning: the reports cover 2 of 4 submissions, because not all have been graded;"
        " run the grading command again to continue\n" in done.err
    )
    assert ["an", "jan"] == listed()
    assert "interrupted" in Path("reports/index.html").read_text().split("</style>")[-1]


@pytest.mark.usefixtures("here")
def test_damaged_record_is_told_and_nothing_is_lost(capfd: pytest.CaptureFixture[str]) -> None:
    """The error names the student and the way out, and the results stay; that way leads out."""
    write("double/an.py", RIGHT)
    write("double/jan.py", WRONG)
    grader(capfd, "grade", "double")
    before = files()
    damage("jan")
    done = grader(capfd, "report", "reports")
    assert 6 == done.code
    assert done.err.startswith("error: the reports cannot be made:\n  the record of jan (double)")
    assert " cannot be read: it is truncated, " in done.err
    assert "help: grade again with --fresh" in done.err
    assert "Traceback" not in done.err
    assert before["reports/results.json"] == files()["reports/results.json"]
    assert 0 == grader(capfd, "grade", "double", "--fresh").code
    assert 0 == grader(capfd, "report", "reports").code
    assert ["an", "jan"] == listed()


@pytest.mark.usefixtures("here")
def test_run_of_an_earlier_grader_is_graded_on(capfd: pytest.CaptureFixture[str]) -> None:
    """It is told as such and not as damaged; the way out keeps what a person has decided."""
    write("double/an.py", RIGHT)
    write("double/jan.py", WRONG)
    grader(capfd, "grade", "double")
    grader(capfd, "mark", "reports", "jan", "--group", "g", "--points", "1", "--because", "nearly")
    with closing(sqlite3.connect("reports/run.db")) as store, store:
        for key, data in store.execute("SELECT id, data FROM record").fetchall():
            earlier = decompress(data).replace(RECORD_SCHEMA.encode(), b"grader/record/4")
            store.execute(
                "UPDATE record SET key = 'x', data = ? WHERE id = ?", [compress(earlier), key]
            )
    for reader in ("report reports", "show reports jan"):
        done = grader(capfd, *reader.split())
        assert 6 == done.code
        reason = "it was made by an earlier version of the grader"
        assert f"the record of jan (double) cannot be read: {reason}\n" in done.err
        assert (
            "help: run the command that graded this run again, without --fresh: the records are"
            " made again, and decisions are kept\n"
        ) in done.err
    assert 0 == grader(capfd, "grade", "double").code
    assert 0 == grader(capfd, "report", "reports").code
    assert "nearly" in Path("reports/double/jan.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("here")
def test_damaged_record_of_which_a_page_is_wanted_is_graded_again(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Whoever hands in the same, or has lost a page, gets a page all the same."""
    write("double/an.py", RIGHT)
    write("double/jan.py", WRONG)
    grader(capfd, "grade", "double")
    pages = files("reports/double")
    damage("an")
    damage("jan")
    Path("reports/double/jan.html").unlink()
    write("double/bo.py", RIGHT)
    assert 0 == grader(capfd, "grade", "double").code
    assert ["an", "bo", "jan"] == listed()
    assert pages == {name: files()[name] for name in pages}


def damage(student: str) -> None:
    """Damage the record of `student` on the disk."""
    with closing(sqlite3.connect("reports/run.db")) as store, store:
        store.execute("UPDATE record SET data = substr(data, 1, 200) WHERE student = ?", [student])


@pytest.mark.usefixtures("here")
def test_folder_that_is_no_run_is_2(capfd: pytest.CaptureFixture[str]) -> None:
    """A folder of hand-ins, or none at all, is told as such."""
    write("double/jan.py", RIGHT)
    for folder in ("double", "nowhere"):
        done = grader(capfd, "report", folder)
        assert 2 == done.code
        assert f"error: {folder} is not the folder of a run" in done.err


def test_what_is_graded_without_reports_leaves_no_store(
    here: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records have names and code in them: nobody asked for them to stay."""
    write("double/jan.py", RIGHT)
    write("tmp/other", "")
    monkeypatch.setattr(tempfile, "tempdir", str(here / "tmp"))
    assert 0 == grader(capfd, "grade", "double", "--no-reports", "--json").code
    left = [name for name in files("tmp") if not name.startswith(f"tmp/grader-{os.getuid()}/")]
    assert ["tmp/other"] == left, "and the gate of the machine"
    assert not Path("reports").exists()
