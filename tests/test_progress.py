"""How far a run is: in lines, on a bar, and as events for other programs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command_line import RIGHT, WRONG, grader, write

from grader.cli.progress import RunProgress
from grader.run.keeping import Done
from grader.verdict import Status


class Clock:
    """A clock that is put forward by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def done(
    student: str = "an",
    *,
    status: Status = Status.GRADED,
    score: float = 2.0,
    seconds: float | None = 0.5,
) -> Done:
    """Return a submission that is done."""
    return Done(
        exercise="double",
        student=student,
        status=status,
        score=score,
        max_score=2.0,
        seconds=seconds,
    )


def test_lines_have_rate_and_time_left(capfd: pytest.CaptureFixture[str]) -> None:
    """A line per tenth, with what remains at the rate so far; the last one is bare."""
    clock = Clock()
    with RunProgress(100, clock=clock) as progress:
        for _ in range(100):
            clock.now += 2
            progress.tell(done())
    lines = capfd.readouterr().err.splitlines()
    assert "graded 10 of 100, 30/min, 3 min left" == lines[0]
    assert "graded 90 of 100, 30/min, 20 s left" == lines[8]
    assert "graded 100 of 100" == lines[-1]
    assert 10 == len(lines)


def test_what_was_known_is_no_rate(capfd: pytest.CaptureFixture[str]) -> None:
    """Submissions that were graded before say nothing of how long the others take."""
    clock = Clock()
    with RunProgress(100, clock=clock) as progress:
        for _ in range(50):
            progress.tell(done(seconds=None))
        for _ in range(10):
            clock.now += 1
            progress.tell(done())
    assert "graded 60 of 100, 1/s, 40 s left" == capfd.readouterr().err.splitlines()[-1]


def test_lines_are_few(capfd: pytest.CaptureFixture[str]) -> None:
    """There is no line more than one for each tenth, whatever the number of submissions."""
    with RunProgress(19, clock=Clock()) as progress:
        for _ in range(19):
            progress.tell(done())
    assert 10 == len(capfd.readouterr().err.splitlines())


def test_long_silence_is_broken(capfd: pytest.CaptureFixture[str]) -> None:
    """Where a tenth takes long, there is a line in between, and no more of them than needed."""
    clock = Clock()
    with RunProgress(1000, clock=clock) as progress:
        for _ in range(90):
            clock.now += 1
            progress.tell(done())
    lines = capfd.readouterr().err.splitlines()
    assert ["30", "60", "90"] == [line.split()[1] for line in lines]


def test_trouble_is_counted(capfd: pytest.CaptureFixture[str]) -> None:
    """Who lost points, what cannot be run and our own faults, each where there is any."""
    with RunProgress(10, clock=Clock()) as progress:
        progress.tell(done())
        progress.tell(done(score=1.0))
        progress.tell(done(score=0.0, status=Status.UNGRADABLE))
        progress.tell(done(score=0.0, status=Status.FAULT))
    assert [
        "graded 1 of 10",
        "graded 2 of 10, lost points: 1",
        "graded 3 of 10, lost points: 1, ungradable: 1",
        "graded 4 of 10, lost points: 1, ungradable: 1, faults: 1",
    ] == capfd.readouterr().err.splitlines()


def test_slow_ones_are_named(capfd: pytest.CaptureFixture[str]) -> None:
    """Far beyond the others only; not where all are slow, nor before there is anything usual."""
    with RunProgress(1000, clock=Clock()) as progress:
        progress.tell(done("first", seconds=60.0))
        for _ in range(6):
            progress.tell(done(seconds=4.0))
        for seconds in (9.0, 19.0, 21.0, None):
            progress.tell(done(f"::error::\x1b[2J{seconds}", seconds=seconds))
    (line,) = capfd.readouterr().err.splitlines()
    assert "slow: ::error::␛[2J21.0 (double) took 21 s, where 4 s is usual" == line
    with RunProgress(1000, clock=Clock()) as progress:
        for _ in range(50):
            progress.tell(done(seconds=60.0))
    assert not capfd.readouterr().err


def test_slow_ones_do_not_fill_the_log(capfd: pytest.CaptureFixture[str]) -> None:
    """After ten of them nobody needs more names."""
    with RunProgress(1000, clock=Clock()) as progress:
        for number in range(99):
            progress.tell(done(seconds=60.0 if number % 4 == 3 else 0.1))
    assert 10 == len(capfd.readouterr().err.splitlines())


@pytest.mark.parametrize(
    ("seconds", "left"), [(0.1, "6 s"), (1.5, "90 s"), (7.1, "7 min"), (101.0, "1 h 41 min")]
)
def test_time_left_is_in_words(
    capfd: pytest.CaptureFixture[str], seconds: float, left: str
) -> None:
    """In the largest unit that tells enough."""
    clock = Clock()
    with RunProgress(120, clock=clock) as progress:
        for _ in range(60):
            clock.now += seconds
            progress.tell(done())
    assert capfd.readouterr().err.splitlines()[-1].endswith(f", {left} left")


# Events


def events(root: Path, text: str) -> list[dict[str, Any]]:
    """Return the events in `text`, each of which must be as the schema says."""
    schema = json.loads((root / "docs/events.schema.json").read_bytes())
    lines = [json.loads(line) for line in text.splitlines()]
    for line in lines:
        jsonschema.validate(line, schema)
    return lines


@pytest.mark.usefixtures("here")
def test_events_tell_what_happens(capfd: pytest.CaptureFixture[str], root: Path) -> None:
    """The beginning, each submission with its score and time, and what there is in the end."""
    for name, source in {"an": RIGHT, "bo": WRONG, "jan": RIGHT, "zoë": "def double(x)\n"}.items():
        write(f"double/{name}.py", source)
    done = grader(capfd, "grade", "double", "--events", "-", "--jobs", "1")
    assert 0 == done.code
    first, *graded, last = events(root, done.out)
    assert ("begun", 4) == (first["event"], first["submissions"])
    scores = {each["student"]: (each["status"], each["score"]) for each in graded}
    ran = {"an": ("graded", 2.0), "bo": ("graded", 0.0), "jan": ("graded", 2.0)}
    assert ran | {"zoë": ("ungradable", 0.0)} == scores
    known = [each["student"] for each in graded if each["seconds"] is None]
    assert len(known) <= 1  # whose files are those of another; unless a clock had a say
    assert {"event": "done", "graded": 3, "ungradable": 1, "fault": 0} == last


@pytest.mark.usefixtures("here")
def test_events_go_to_a_file(capfd: pytest.CaptureFixture[str], root: Path) -> None:
    """In it, what was graded before is told without a time; it leaves standard output alone."""
    write("double/an.py", RIGHT)
    write("double/bo.py", WRONG)
    for options in ((), ("--shard", "2/2"), ("--json",)):
        done = grader(capfd, "grade", "double", "--events", "events.jsonl", *options)
        assert 0 == done.code
    assert done.out.startswith('{\n "schema": "grader/run/1"')
    lines = events(root, Path("events.jsonl").read_text())
    assert [None, None] == [each["seconds"] for each in lines[1:3]]
    grader(capfd, "grade", "double", "--events", "events.jsonl", "--shard", "2/2")
    first, graded, _ = events(root, Path("events.jsonl").read_text())
    assert ("2/2", 1, "bo") == (first["shard"], first["submissions"], graded["student"])


@pytest.mark.usefixtures("here")
def test_events_that_cannot_be_written_cost_no_run(capfd: pytest.CaptureFixture[str]) -> None:
    """A file that cannot be opened is told before anything is graded, a full one once."""
    write("double/an.py", RIGHT)
    done = grader(capfd, "grade", "double", "--events", "nowhere/events.jsonl")
    assert (6, False) == (done.code, "graded" in done.err)
    if os.path.exists("/dev/full"):
        done = grader(capfd, "grade", "double", "--events", "/dev/full")
        assert 0 == done.code
        assert 1 == done.err.count("warning: events cannot be written any more: No space left")
    done = grader(capfd, "grade", "double", "--events", "-", "--json")
    assert (2, "") == (done.code, done.out)
