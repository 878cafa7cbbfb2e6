"""A run that ends at any moment, for any reason, is gone on with as if nothing had happened."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import pytest
from command_line import COMMAND, SUITE, process, write

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="kills as Linux does"),
    pytest.mark.commands,
]

STUDENTS: Final = 30
KILLS: Final = 4
PATIENCE_S: Final = 60.0
POLL_S: Final = 0.002
GRADE: Final = ("grade", "double", "--jobs", "2", "--sheets")
SLOWLY: Final = "for _ in range(200_000): pass\n"
"""Else a class would be done before anybody can kill its judge."""
OURS: Final = ("run.db", "run.db-shm", "run.db-wal", "run.lock")


def source(number: int) -> str:
    """Return a hand-in: every third is wrong, every fifth a copy, one cannot be read."""
    if number == 7:
        return "def double(x)\n"
    told = "" if number % 5 == 0 else f"# {number}\n"
    return f"{told}{SLOWLY}def double(x):\n    return {3 if number % 3 == 0 else 2} * x\n"


def lay_out(count: int) -> None:
    """Write a class of so many hand-ins, with the suite of their exercise."""
    write("testsuites/double.yaml", SUITE.format(name="double", defines="double", call="double(2)"))
    for number in range(count):
        write(f"double/student_{number:02}.py", source(number))


@pytest.fixture
def class_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a class to be graded."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRADER_SUITES", raising=False)
    lay_out(STUDENTS)
    return tmp_path


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What is left of a run on that class to which nothing happens."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("calm"))
        patch.delenv("GRADER_SUITES", raising=False)
        lay_out(STUDENTS)
        return undisturbed()


def left(folder: str = "reports") -> dict[str, bytes]:
    """Return all that a run has left in `folder` but its store."""
    root = Path(folder)
    files = {str(path.relative_to(root)): path for path in root.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items() if name not in OURS}


def undisturbed() -> dict[str, bytes]:
    """Return what is left of a run on the current class to which nothing happens."""
    assert 0 == process(*GRADE, "--out", "calm").code
    return left("calm")


def records(folder: str = "reports") -> Counter[str]:
    """Return how many records each student has."""
    with closing(sqlite3.connect(f"file:{folder}/run.db?mode=ro", uri=True)) as store:
        return Counter(student for (student,) in store.execute("SELECT student FROM record"))


def graded_by_now() -> int:
    """Return of how many a running or killed judge has a record."""
    with suppress(sqlite3.Error):  # nothing is there yet
        return records().total()
    return 0


def started() -> subprocess.Popen[bytes]:
    """Start to grade the class, in a group of processes of its own."""
    return subprocess.Popen(
        [sys.executable, *COMMAND, *GRADE],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def wait_for(count: int, judge: subprocess.Popen[bytes]) -> None:
    """Wait until so many are graded, or the judge is done."""
    deadline = time.monotonic() + PATIENCE_S
    while graded_by_now() < count and judge.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(POLL_S)


def kill_group(judge: subprocess.Popen[bytes]) -> None:
    """Kill the judge with its workers and their sandboxes, as a power cut does."""
    os.killpg(judge.pid, signal.SIGKILL)


def kill_judge(judge: subprocess.Popen[bytes]) -> None:
    """Kill the judge alone, as the kernel does that needs memory."""
    judge.kill()


def children(pid: int) -> Iterator[int]:
    """Yield the processes that a process has started."""
    with suppress(FileNotFoundError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            yield from map(int, (task / "children").read_text().split())


# Kills


@pytest.mark.parametrize("kill", [kill_group, kill_judge])
@pytest.mark.usefixtures("class_folder")
def test_killed_run_is_gone_on_with(
    calm: dict[str, bytes], kill: Callable[[subprocess.Popen[bytes]], None]
) -> None:
    """Killed again and again, it leaves in the end what it leaves undisturbed."""
    moments = random.Random(kill.__name__)
    had: list[int] = []
    for _ in range(KILLS):
        with started() as judge:
            wait_for((had[-1] if had else 0) + moments.randrange(1, STUDENTS // KILLS), judge)
            time.sleep(moments.uniform(0, 0.02))
            kill(judge)
        had.append(graded_by_now())
        assert not Path("reports/results.json").exists() or had[-1] == STUDENTS
    assert 0 < had[0] < STUDENTS, "it was killed on the way"
    assert had == sorted(had), "what was graded stays graded"
    done = process(*GRADE)
    assert 0 == done.code, done.err
    assert "Traceback" not in done.err
    assert calm == left()
    assert {1} == set(records().values())
    assert STUDENTS == len(records())


@pytest.mark.usefixtures("class_folder")
def test_kill_before_anything_is_graded_costs_nothing(calm: dict[str, bytes]) -> None:
    """Also while the store is being made."""
    moments = random.Random(0)
    for _ in range(KILLS):
        with started() as judge:
            deadline = time.monotonic() + PATIENCE_S
            while not Path("reports/run.db").exists() and time.monotonic() < deadline:
                time.sleep(POLL_S)
            time.sleep(moments.uniform(0, 0.1))
            kill_group(judge)
    assert 0 == process(*GRADE).code
    assert calm == left()


@pytest.mark.usefixtures("class_folder")
def test_killed_worker_costs_nobody_anything(calm: dict[str, bytes]) -> None:
    """Its submissions are graded by another, and the run ends as if nothing had happened."""
    with started() as judge:
        wait_for(3, judge)
        workers = [pid for pid in children(judge.pid) if list(children(pid))]
        assert workers
        os.kill(workers[0], signal.SIGKILL)
        _, said = judge.communicate()
    assert 0 == judge.returncode, said
    assert b"Traceback" not in said
    assert calm == left()
    assert {1} == set(records().values())


@pytest.mark.usefixtures("class_folder")
def test_interrupted_run_is_gone_on_with(calm: dict[str, bytes]) -> None:
    """Ctrl-C leaves reports on what was graded, and the same command grades the others."""
    with started() as judge:
        wait_for(3, judge)
        os.killpg(judge.pid, signal.SIGINT)
        _, said = judge.communicate()
    assert 130 == judge.returncode, said
    assert (
        b"interrupted: the reports cover the submissions graded so far;"
        b" run the same command again to continue" in said
    )
    had = records()
    listed = json.loads(Path("reports/results.json").read_bytes())["submissions"]
    assert set(had) == {one["student"] for one in listed}
    done = process(*GRADE)
    assert 0 == done.code, done.err
    assert (
        f"{len(had)} of the submissions were graded before; use --fresh to grade them again\n"
        in done.err
    )
    assert calm == left()
    assert {1} == set(records().values())


# The same command with other files


@pytest.mark.usefixtures("class_folder")
def test_changed_file_is_graded_again_and_no_other(calm: dict[str, bytes]) -> None:
    """Her record of before stays in the store, and stands in no result."""
    assert 0 == process(*GRADE).code
    write("double/student_09.py", "def double(x):\n    return x + x\n")
    done = process(*GRADE)
    assert f"{STUDENTS - 1} of the submissions were graded before" in done.err
    assert {"student_09": 2} == {name: count for name, count in records().items() if count != 1}
    assert undisturbed() == left()
    write("double/student_09.py", source(9))
    assert f"{STUDENTS} of the submissions were graded before" in process(*GRADE).err
    assert calm == left()


@pytest.mark.usefixtures("class_folder")
def test_lost_pages_are_made_again(calm: dict[str, bytes]) -> None:
    """A page, a sheet or the results that somebody took away come back without grading."""
    assert 0 == process(*GRADE).code
    for name in ("double/student_03.html", "double/sheets/student_04.html", "results.json"):
        Path("reports", name).unlink()
    assert f"{STUDENTS} of the submissions were graded before" in process(*GRADE).err
    assert calm == left()
    assert {1} == set(records().values())


@pytest.mark.usefixtures("class_folder")
def test_who_has_left_the_list_is_in_no_report() -> None:
    """Neither in results and index nor as a page; those who come in have theirs."""
    assert 0 == process(*GRADE).code
    for number in (3, 9):
        Path(f"double/student_{number:02}.py").unlink()
    write("double/bo.py", source(1))
    assert 0 == process(*GRADE).code
    found = left()
    assert undisturbed() == found
    assert "double/student_03.html" not in found
    assert b"student_03" not in found["results.json"] + found["index.html"]


@pytest.mark.usefixtures("class_folder")
def test_page_follows_the_name_of_its_file() -> None:
    """Who comes in before a namesake changes what the pages of both are called."""
    write("double/student-02.py", source(3))
    assert 0 == process(*GRADE).code
    write("double/Student 02.py", source(4))
    assert 0 == process(*GRADE).code
    assert undisturbed() == left()


@pytest.mark.usefixtures("class_folder")
def test_other_options_go_on_too(calm: dict[str, bytes]) -> None:
    """A run without sheets gets them, and one with them loses them, without grading anybody."""
    sheetless = ("grade", "double", "--jobs", "2")
    assert 0 == process(*sheetless).code
    bare = left()
    assert f"{STUDENTS} of the submissions were graded before" in process(*GRADE).err
    assert calm == left()
    assert 0 == process(*sheetless).code
    assert bare == {name: data for name, data in left().items() if "/sheets/" not in name}
    assert {1} == set(records().values())


# Anew


@pytest.mark.usefixtures("class_folder")
def test_fresh_run_keeps_the_one_before_beside_it() -> None:
    """Nothing of it is lost, and nothing of it is taken over."""
    assert 0 == process(*GRADE).code
    before = left()
    for number in (1, 2):
        done = process(*GRADE, "--fresh")
        assert 0 == done.code, done.err
        assert f"the earlier run is now in reports.{number}\n" in done.err
        assert "graded before" not in done.err
        assert before == left() == left(f"reports.{number}")
        assert {1} == set(records(f"reports.{number}").values())
    assert 0 == process("report", "reports.1").code


@pytest.mark.usefixtures("class_folder")
def test_fresh_leads_out_of_a_damaged_store() -> None:
    """Whatever is the matter with what is there, it is set aside as it is."""
    Path("reports").mkdir()
    Path("reports/run.db").write_bytes(b"no database" * 1000)
    done = process(*GRADE)
    assert 6 == done.code
    assert "run.db is damaged: file is not a database\n" in done.err
    assert (
        "help: grade with --fresh to start again; the old folder is kept under another name\n"
        in done.err
    )
    assert 0 == process(*GRADE, "--fresh").code
    assert b"no database" * 1000 == Path("reports.1/run.db").read_bytes()


@pytest.mark.usefixtures("class_folder")
def test_first_run_may_be_fresh() -> None:
    """Where there is nothing, nothing is set aside, also with pseudonyms."""
    assert 0 == process(*GRADE, "--fresh", "--pseudonyms").code
    assert not Path("reports.1").exists()
    done = process(*GRADE, "--fresh", "--pseudonyms")
    assert 0 == done.code, done.err
    assert Path("reports.1/pseudonyms.csv").exists()


# No room


def test_full_disk_is_gone_on_with(
    small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was graded is there; with room again the same command grades and writes the others."""
    monkeypatch.chdir(tmp_path)
    lay_out(3)
    calm = undisturbed()
    filling, out = small_disk / "filling", str(small_disk / "reports")
    codes = []
    for room in (30_000, 80_000, 120_000, 200_000):
        filling.unlink(missing_ok=True)
        free = os.statvfs(small_disk)
        filling.write_bytes(b"x" * max(0, free.f_bavail * free.f_frsize - room))
        done = process(*GRADE, "--out", out)
        assert "Traceback" not in done.err
        codes.append(done.code)
    assert {0, 6} >= set(codes)
    assert 6 in codes
    filling.unlink()
    assert 0 == process(*GRADE, "--out", out).code
    assert calm == left(out)
    assert {1} == set(records(out).values())
