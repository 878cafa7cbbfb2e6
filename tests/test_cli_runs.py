"""`grader runs`: which runs there are in a folder, and how far each is."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import grader
from filed_runs import begun, database, filed, keep, named

from grader.store import overview
from grader.store.places import LOCK_NAME
from grader.verdict import Status

UNGRADABLE = replace(named("bo"), status=Status.UNGRADABLE)
FAULT = replace(named("zoe"), status=Status.FAULT)


def listed(capfd: pytest.CaptureFixture[str], *args: str) -> dict[str, dict[str, Any]]:
    """Return what `grader runs --json` tells, by the folder of the run."""
    done = grader(capfd, "runs", *args, "--json")
    assert 0 == done.code
    document = json.loads(done.out)
    assert "grader/runs/1" == document["schema"]
    return {run.pop("folder"): run for run in document["runs"]}


@pytest.mark.usefixtures("here")
def test_each_run_is_told_with_how_far_it_is(capfd: pytest.CaptureFixture[str]) -> None:
    """What is done is counted by status; the folder that is asked about may be one itself."""
    filed(Path("a"), named("an"), UNGRADABLE, FAULT)
    with begun(Path("a/b/c"), named("an"), named("jan")) as store:
        keep(store, 1, named("jan"))
    runs = listed(capfd)
    assert ["a", "a/b/c"] == list(runs)
    counts = ("submissions", "graded", "ungradable", "fault")
    assert [3, 1, 1, 1] == [runs["a"][key] for key in counts]
    assert [2, 1, 0, 0] == [runs["a/b/c"][key] for key in counts]
    assert runs["a"]["begun"] <= runs["a"]["written"]
    assert {None} == {run[key] for run in runs.values() for key in ("writer", "damage")}
    assert ["a", "a/b/c"] == list(listed(capfd, "a"))


@pytest.mark.usefixtures("here")
def test_table_has_a_line_for_each_run(capfd: pytest.CaptureFixture[str]) -> None:
    """Without `--json` the same stands in columns; one that nobody needs is not there."""
    filed(Path("a"), named("an"), FAULT)
    filed(Path("longer"), named("an"))
    lines = grader(capfd, "runs").out.splitlines()
    assert ["run", "exercises", "done", "faults", "begun", "written"] == lines[0].split()
    assert [["a", "yinyang", "2 of 2", "1"], ["longer", "yinyang", "1 of 1"]] == [
        re.split(r" {2,}(?=\S)", line.split("  20")[0].rstrip()) for line in lines[1:]
    ]


@pytest.mark.usefixtures("here")
def test_who_is_at_work_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    """Who writes is named as long as she does, and who was killed is not."""
    with begun(Path("busy"), named("an")):
        assert listed(capfd)["busy"]["writer"].startswith("process ")
        assert "at work: process " in grader(capfd, "runs").out
    assert listed(capfd)["busy"]["writer"] is None
    Path("busy", LOCK_NAME).write_text("process 1 on a machine that was switched off")
    assert listed(capfd)["busy"]["writer"] is None


@pytest.mark.usefixtures("here")
def test_damaged_store_is_listed_with_what_is_wrong(capfd: pytest.CaptureFixture[str]) -> None:
    """It stops nothing: neither what is no store, nor one of which rows are wrong."""
    for name in ("entry", "event", "good", "run"):
        filed(Path(name), named("an"))
    Path("noise").mkdir()
    Path("noise/run.db").write_bytes(b"\x1b[2J" * 500)
    with database(Path("entry")) as damaged:
        damaged.execute("UPDATE entry SET stem = '../../x'")
    with database(Path("event")) as damaged:
        damaged.execute("UPDATE event SET at = char(27) || 'noon'")
    with database(Path("run")) as damaged:
        damaged.execute("DELETE FROM run")
    runs = listed(capfd)
    assert ["good"] == [folder for folder, run in runs.items() if run["damage"] is None]
    assert {"entry", "event", "good", "noise", "run"} == runs.keys()
    table = grader(capfd, "runs").out
    assert "\x1b" not in table
    assert "noise/run.db is damaged: file is not a database" in table


@pytest.mark.usefixtures("here")
def test_links_are_not_followed(capfd: pytest.CaptureFixture[str]) -> None:
    """Neither to a folder, which may lead round, nor to a store."""
    filed(Path("real"), named("an"))
    Path("real/round").symlink_to(Path.cwd())
    Path("linked").mkdir()
    Path("linked/run.db").symlink_to(Path("real/run.db").absolute())
    assert ["real"] == list(listed(capfd))


@pytest.mark.usefixtures("here")
def test_search_has_an_end(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies too deep, or comes after too many, is left out, and a warning says so."""
    deep = Path(*["d"] * (overview.MAX_DEPTH + 1))
    filed(deep, named("an"))
    done = grader(capfd, "runs")
    assert (0, "") == (done.code, done.out)
    assert "no run in .\nwarning: there might be more" in done.err
    filed(Path("a"), named("an"))
    filed(Path("b"), named("an"))
    monkeypatch.setattr(overview, "MAX_RUNS", 1)
    assert ["a"] == list(listed(capfd))


@pytest.mark.usefixtures("here")
def test_hostile_folder_names_are_told_safely(capfd: pytest.CaptureFixture[str]) -> None:
    """The name of a folder is neither an escape of a terminal nor a command to a CI system."""
    filed(Path("::error::\x1b[2J"), named("an"))
    done = grader(capfd, "runs", "--json")
    assert "\x1b" not in done.out + grader(capfd, "runs").out
    assert "\n::error" not in grader(capfd, "runs").out


@pytest.mark.usefixtures("here")
def test_runs_of_what_is_no_folder_is_2(capfd: pytest.CaptureFixture[str]) -> None:
    """A file, or nothing at all, is told as such."""
    code, out, err = grader(capfd, "runs", "nowhere")
    assert (2, "") == (code, out)
    assert err.startswith(
        "error: nowhere is not a folder\n  = help: name a folder that contains runs"
    )
