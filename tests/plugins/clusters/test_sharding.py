"""Shards: a class graded in shares, on several machines say, becomes one run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command_line import RIGHT, WRONG, Done, grader, write
from filed_runs import database

from grader.store.keys import environment
from grader.store.runs import Shard

pytestmark = pytest.mark.commands
STUDENTS = {"an": RIGHT, "bo": WRONG, "cas": "def double(x)\n", "jan": RIGHT, "zoë": WRONG}


@pytest.fixture
def hand_ins(here: Path) -> Path:
    """A class, handed in."""
    for name, source in STUDENTS.items():
        write(f"double/{name}.py", source)
    write("cells/an.py", "class Cell: pass\ndef neighbours(cell): return 4\n")
    return here


def shards(capfd: pytest.CaptureFixture[str], *numbers: int, count: int = 3) -> list[str]:
    """Grade these shards; return their folders."""
    for number in numbers:
        done = grade(capfd, "--shard", f"{number}/{count}")
        assert 0 == done.code, done.err
    return [f"reports/shard-{number}-of-{count}" for number in numbers]


def grade(capfd: pytest.CaptureFixture[str], *options: str) -> Done:
    """Grade the class."""
    return grader(capfd, "grade", "double", "cells", "--jobs", "1", *options)


def reports(folder: str) -> dict[str, bytes]:
    """Return all reports in `folder`; a store is none."""
    root = Path(folder)
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and not path.name.startswith("run.") and "shard" not in path.parts[1]
    }


@pytest.mark.usefixtures("hand_ins")
def test_merged_shards_are_an_undivided_run(capfd: pytest.CaptureFixture[str]) -> None:
    """All reports are the same, byte for byte; a shard by itself has none."""
    assert 0 == grade(capfd, "--sheets", "--out", "whole", "--junit", "whole/ci.xml").code
    for number in (3, 1, 2):
        done = grade(capfd, "--sheets", "--shard", f"{number}/3")
        assert 0 == done.code
        assert "when all shards are done: grader merge reports reports/shard-*-of-3\n" in done.err
    folders = sorted(map(str, Path("reports").iterdir()))
    assert [f"reports/shard-{number}-of-3" for number in (1, 2, 3)] == folders
    assert {} == {name: data for each in folders for name, data in reports(each).items()}
    done = grader(capfd, "merge", "reports", *folders, "--junit", "reports/ci.xml", "--json")
    assert 0 == done.code, done.err
    assert reports("whole") == reports("reports")
    assert Path("whole/results.json").read_text() == done.out
    assert "6 of the submissions were graded before" in grade(capfd, "--sheets").err


@pytest.mark.usefixtures("hand_ins")
def test_pages_are_made_by_any_engine(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the same bytes; a worker with other code refuses, and one that is lost is told."""
    write(
        "mine.py",
        "from concurrent.futures import ThreadPoolExecutor\n"
        "def pool(): return ThreadPoolExecutor(1)\n"
        "def no_pool():\n    class Lost(ThreadPoolExecutor):\n"
        "        def submit(self, work, chunk): return super().submit(int, 'lost')\n"
        "    return Lost(1)\n",
    )
    folders = shards(capfd, 1, 2, 3)
    assert 0 == grader(capfd, "merge", "local", *folders).code
    assert 0 == grader(capfd, "merge", "own", *folders, "--engine", "mine:pool").code
    assert reports("local") == reports("own")
    lost = grader(capfd, "merge", "lost", *folders, "--engine", "mine:no_pool")
    assert 4 == lost.code
    assert "a worker was lost while making pages" in lost.err
    monkeypatch.setattr(
        "grader.run.pages.environment", lambda _: {**environment(()), "grader": "x"}
    )
    refused = grader(capfd, "merge", "other", *folders, "--engine", "mine:pool")
    assert "a worker runs a different version of the grader" in refused.err


@pytest.mark.usefixtures("hand_ins")
def test_merging_takes_pages_of_those_away_who_left(capfd: pytest.CaptureFixture[str]) -> None:
    """What else lies there stays."""
    folders = shards(capfd, 1, 2, 3)
    assert 0 == grader(capfd, "merge", "reports", *folders).code
    Path("double/an.py").unlink()
    write("reports/double/mine.html", "mine")
    shards(capfd, 1, 2, 3)
    assert 0 == grader(capfd, "merge", "reports", *folders).code
    pages = {path.name for path in Path("reports/double").glob("*.html")}
    assert {"bo.html", "cas.html", "jan.html", "zoe.html", "mine.html"} == pages


@pytest.mark.parametrize(("count", "total"), [(1, 5), (3, 7), (4, 3), (40, 400)])
def test_each_submission_is_in_one_shard(count: int, total: int) -> None:
    """However many there are, also where some shards get none."""
    shares = [Shard(number, count).positions(total) for number in range(1, count + 1)]
    assert [*range(total)] == sorted(position for share in shares for position in share)
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


@pytest.mark.usefixtures("hand_ins")
def test_what_is_missing_is_told_and_merging_goes_on(capfd: pytest.CaptureFixture[str]) -> None:
    """Reports cover what there is; with the missing shard they are those of the whole run."""
    first, third = shards(capfd, 1, 3)
    done = grader(capfd, "merge", "reports", first, third)
    assert 130 == done.code
    assert "missing in shard 2/3: bo, zoë\n" in done.err
    found = json.loads(Path("reports/results.json").read_bytes())["submissions"]
    assert ["an", "cas", "jan", "an"] == [one["student"] for one in found]
    shards(capfd, 2)
    done = grader(capfd, "merge", "reports", first, third, "reports/shard-2-of-3")
    assert (0, "written 2 of 2") == (done.code, done.err.splitlines()[0])
    assert 0 == grade(capfd, "--out", "whole").code
    assert reports("whole") == reports("reports")
    with database(Path("reports")) as store:
        assert (6,) == store.execute("SELECT count(*) FROM record").fetchone()


@pytest.mark.usefixtures("hand_ins")
def test_shard_goes_on_where_it_was(capfd: pytest.CaptureFixture[str]) -> None:
    """What it has graded is not graded again; a share may be empty."""
    shards(capfd, 1)
    with database(Path("reports/shard-1-of-3")) as store:
        store.execute("UPDATE entry SET record = NULL")
        store.execute("DELETE FROM record WHERE student = 'jan'")
    done = grade(capfd, "--shard", "1/3")
    assert "1 of the submissions were graded before" in done.err
    assert 0 == grade(capfd, "--shard", "7/7").code
    runs = json.loads(grader(capfd, "runs", "--json").out)["runs"]
    told = [(each["shard"], each["submissions"], each["graded"]) for each in runs]
    assert [("1/3", 2, 2), ("7/7", 0, 0)] == told


@pytest.mark.usefixtures("hand_ins")
def test_other_runs_are_refused(capfd: pytest.CaptureFixture[str]) -> None:
    """The error names what differs: the options, the suite, who has handed in, or all of it."""
    (first,) = shards(capfd, 1)
    refused = {
        "sheets, False and True": ("--shard", "2/3", "--sheets"),
        "shard 1/3 and shard 2/4": ("--shard", "2/4"),
        "is not a shard": (),
    }
    for number, (told, options) in enumerate(refused.items()):
        grade(capfd, *options, "--out", f"o{number}")
        (folder,) = {path.parent for path in Path(f"o{number}").rglob("run.db")}
        done = grader(capfd, "merge", "out", first, str(folder))
        assert 2 == done.code
        assert told in done.err
    with Path("testsuites/double.yaml").open("a") as suite:
        suite.write("limits: {wall_s: 60}\n")
    (second,) = shards(capfd, 2)
    assert "the suite of double differs" in grader(capfd, "merge", "out", first, second).err
    write("double/eva.py", RIGHT)
    (second,) = shards(capfd, 2)
    assert "eva (double) is in the second only" in grader(capfd, "merge", "out", first, second).err
    assert not Path("out").exists()


@pytest.mark.usefixtures("hand_ins")
def test_same_submission_twice_must_agree(capfd: pytest.CaptureFixture[str]) -> None:
    """A copy of a shard does no harm; one that says something else is not believed."""
    first, second, third = shards(capfd, 1, 2, 3)
    shutil.copytree(second, "copy")
    assert 0 == grader(capfd, "merge", "reports", first, second, "copy", third).code
    with database(Path("copy")) as store:
        rivals = "UPDATE record SET data = (SELECT data FROM record WHERE student = 'bo')"
        store.execute(f"{rivals} WHERE student = 'zoë'")
    done = grader(capfd, "merge", "again", first, second, "copy", third)
    assert 6 == done.code
    assert f"with different results:\n  zoë: {second} and copy\n" in done.err
    with database(Path("copy")) as store:
        store.execute("UPDATE record SET status = 'fault' WHERE student = 'zoë'")
    assert 0 == grader(capfd, "merge", "again", "copy", first, second, third).code


@pytest.mark.usefixtures("hand_ins")
def test_damaged_record_of_a_shard_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    """It ends with an error that names the student and the way out."""
    (first,) = shards(capfd, 1, count=1)
    with database(Path(first)) as store:
        store.execute("UPDATE record SET data = x'00' WHERE student = 'jan'")
    done = grader(capfd, "merge", "reports", first)
    assert 6 == done.code
    assert "error: the record of jan (double) cannot be read: it is truncated" in done.err


@pytest.mark.usefixtures("hand_ins")
def test_other_versions_are_told(capfd: pytest.CaptureFixture[str]) -> None:
    """Shards of machines with other Pythons are merged, and a warning says so."""
    folders = shards(capfd, 1, 2, count=2)
    with database(Path(folders[0])) as store:
        store.execute("INSERT INTO environment SELECT 'other', facts FROM environment LIMIT 1")
        store.execute("UPDATE record SET environment = 'other' WHERE exercise = 'double'")
    done = grader(capfd, "merge", "reports", *folders)
    assert 0 == done.code
    assert done.err.startswith("warning: marks of double may not be comparable: their shards")


@pytest.mark.usefixtures("hand_ins")
@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--shard", "0/3"), "it must be K/N"),
        (("--shard", "4/3"), "it must be K/N"),
        (("--shard", "3"), "it must be K/N"),
        (("--shard", "1/2", "--json"), "--shard and --json contradict each other"),
        (("--shard", "1/2", "--pseudonyms"), "--shard and --pseudonyms contradict each other"),
    ],
)
def test_what_makes_no_shard_is_2(
    capfd: pytest.CaptureFixture[str], options: tuple[str, ...], told: str
) -> None:
    """Nothing is graded, and nothing written."""
    done = grade(capfd, *options)
    assert 2 == done.code
    assert told in done.err
    assert not Path("reports").exists()


@pytest.mark.usefixtures("hand_ins")
def test_nothing_is_merged_into_itself(capfd: pytest.CaptureFixture[str]) -> None:
    """A shard stays what it is."""
    (first,) = shards(capfd, 1)
    done = grader(capfd, "merge", first, "reports/../" + first)
    assert 2 == done.code
    assert "cannot be merged into itself" in done.err


@pytest.mark.usefixtures("hand_ins")
def test_shard_is_not_regraded_by_itself(capfd: pytest.CaptureFixture[str]) -> None:
    """Marks change for a class, and a shard is none."""
    (first,) = shards(capfd, 1)
    done = grader(capfd, "regrade", first)
    refusal = "error: the run is only shard 1/3, which cannot be regraded alone"
    assert (2, refusal) == (done.code, done.err.splitlines()[0])
