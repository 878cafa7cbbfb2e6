"""How far a run is: in lines, on a terminal, and as events for other programs."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import struct
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import jsonschema
import pytest
from command_line import RIGHT, WRONG, grader, write
from rich.cells import cell_len

from grader.cli.progress import RunProgress
from grader.cli.terminal import warn
from grader.cli.verbs import program
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


def test_lines_have_the_time_left(capfd: pytest.CaptureFixture[str]) -> None:
    """A line per tenth, with what remains if the rest is as the last ones; the last one is bare."""
    clock = Clock()
    with RunProgress(100, clock=clock) as progress:
        for _ in range(100):
            clock.now += 2
            progress.tell(done(seconds=2.0))
    lines = capfd.readouterr().err.splitlines()
    assert "graded 10 of 100, about 3 min left" == lines[0]
    assert "graded 90 of 100, under 1 min left" == lines[8]
    assert "graded 100 of 100" == lines[-1]
    assert 10 == len(lines)


def left(line: str) -> str:
    """Return what a line says of the time that is left, nothing if it does not."""
    return next((part for part in line.strip().split(", ") if part.endswith(" left")), "")


@pytest.mark.parametrize(("number", "seconds"), [(9, 60.0), (50, 0.1)])
def test_nothing_is_said_of_the_rest_too_early(
    capfd: pytest.CaptureFixture[str], number: int, seconds: float
) -> None:
    """Neither few submissions nor few seconds tell how long the others will take."""
    clock = Clock()
    with RunProgress(90, clock=clock) as progress:
        for _ in range(number):
            clock.now += seconds
            progress.tell(done(seconds=seconds))
    lines = capfd.readouterr().err.splitlines()
    assert lines
    assert {""} == set(map(left, lines))


def test_a_slow_one_is_not_taken_for_what_the_others_will_be(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Two that take minutes among quick ones turn minutes into no hours."""
    clock = Clock()
    with RunProgress(600, clock=clock) as progress:
        for number in range(240):
            clock.now += 1
            progress.tell(done(seconds=900.0 if number in {20, 21} else 1.0))
    minutes = [line.split()[-3] for line in capfd.readouterr().err.splitlines() if left(line)]
    assert ["16", "12", "11", "10", "8", "7", "7", "6"] == minutes


def test_workers_share_what_is_left(capfd: pytest.CaptureFixture[str]) -> None:
    """Who grades four at once is done in a quarter of the time, but not before the last is."""
    clock = Clock()
    with RunProgress(100, workers=lambda: 4, clock=clock) as progress:
        for _ in range(99):
            clock.now += 30
            progress.tell(done(seconds=120.0))
    lines = capfd.readouterr().err.splitlines()
    told = {line.split(",")[0]: left(line) for line in lines}
    assert "about 30 min left" == told["graded 40 of 100"]
    assert "about 2 min left" == told["graded 99 of 100"]


def test_what_was_known_takes_no_time(capfd: pytest.CaptureFixture[str]) -> None:
    """Submissions that were graded before say nothing of how long the others take."""
    clock = Clock()
    with RunProgress(100, clock=clock) as progress:
        for _ in range(50):
            progress.tell(done(seconds=None))
        for _ in range(10):
            clock.now += 6
            progress.tell(done(seconds=6.0))
    last = capfd.readouterr().err.splitlines()[-1]
    assert "graded 60 of 100, about 4 min left" == last


def test_what_has_no_time_of_its_own_took_as_long_as_the_others(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Such as wrong programs, of which several end at once and then none for long."""
    clock = Clock()
    with RunProgress(100, "auditing", "tried", clock=clock) as progress:
        for number in range(20):
            clock.now += 0 if number % 4 else 24
            progress.advance()
    assert "tried 20 of 100, about 11 min left" == capfd.readouterr().err.splitlines()[-1]


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
    with RunProgress(1000, clock=Clock(), load=lambda: 1.0) as progress:
        progress.tell(done("first", seconds=60.0))
        for _ in range(6):
            progress.tell(done(seconds=4.0))
        for seconds in (9.0, 19.0, 21.0, None):
            progress.tell(done(f"::error::\x1b[2J{seconds}", seconds=seconds))
    (line,) = capfd.readouterr().err.splitlines()
    assert "slow: ::error::␛[2J21.0 (double) took 21 s; the median is 4 s" == line
    with RunProgress(1000, clock=Clock(), load=lambda: 1.0) as progress:
        for _ in range(50):
            progress.tell(done(seconds=60.0))
    assert not capfd.readouterr().err


def test_slow_ones_do_not_fill_the_log(capfd: pytest.CaptureFixture[str]) -> None:
    """After ten of them nobody needs more names."""
    with RunProgress(1000, clock=Clock(), load=lambda: 1.0) as progress:
        for number in range(99):
            progress.tell(done(seconds=60.0 if number % 4 == 3 else 0.1))
    assert 10 == len(capfd.readouterr().err.splitlines())


def test_a_machine_that_is_busy_makes_no_submission_slow(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """What takes long while others want the cores may be as quick as any."""
    with RunProgress(1000, clock=Clock(), load=lambda: 2.0) as progress:
        for number in range(99):
            progress.tell(done(seconds=60.0 if number % 4 == 3 else 0.1))
    assert not capfd.readouterr().err


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.2, "under 1 min"), (1.5, "about 2 min"), (7.1, "about 8 min"), (2468.0, "about 2470 min")],
)
def test_time_left_has_one_unit(
    capfd: pytest.CaptureFixture[str], seconds: float, told: str
) -> None:
    """Whole minutes, whether there are many or few; of many the last digit is not known."""
    clock = Clock()
    with RunProgress(120, clock=clock) as progress:
        for _ in range(60):
            clock.now += seconds
            progress.tell(done(seconds=seconds))
    assert f"{told} left" == left(capfd.readouterr().err.splitlines()[-1])


# On a terminal


Screen: TypeAlias = Callable[[int], Callable[[], list[str]]]


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Screen]:
    """Give what makes standard error a terminal of so many columns; that returns what it shows.

    Each text that was written over another is a line.
    """
    ours, theirs = pty.openpty()

    def lines() -> list[str]:
        shown = b""
        while select.select([ours], [], [], 0)[0]:
            shown += os.read(ours, 65536)
        return [line.rstrip() for line in re.split("[\r\n]+", shown.decode())]

    with open(theirs, "w", encoding="utf-8") as terminal:

        def opened(columns: int) -> Callable[[], list[str]]:
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            monkeypatch.setattr(sys, "stderr", terminal)
            return lines

        yield opened
    os.close(ours)


@pytest.mark.parametrize(
    ("columns", "wanted"),
    [
        (100, "grading [#---------] 12/96, about 5 min left, lost points: 12 vandenberghe_sam"),
        (70, "grading [#---------] 12/96, about 5 min left, lost points: 12"),
        (50, "grading 12/96, about 5 min left, lost points: 12"),
        (44, "12/96, about 5 min left, lost points: 12"),
        (32, "12/96, about 5 min left, lost …"),
    ],
)
def test_the_count_is_never_cut(screen: Screen, columns: int, wanted: str) -> None:
    """The name gives way first, then the bar, then the word, then what comes after the count."""
    shown, clock = screen(columns), Clock()
    with RunProgress(96, clock=clock) as progress:
        for _ in range(12):
            clock.now += 3
            progress.tell(done("vandenberghe_sam", score=1.0, seconds=3.0))
    lines = shown()
    assert wanted in lines
    assert max(map(len, lines)) < columns
    assert "" == lines[-1]


@pytest.mark.usefixtures("here")
def test_check_says_at_once_that_it_is_at_work(screen: Screen) -> None:
    """The command is shown until there is something to read, and on a terminal alone."""
    shown, mine = screen(80), write("mine.py", RIGHT)
    program.main(["check", mine], standalone_mode=False)
    lines = shown()
    assert "grader check mine.py …" in lines
    assert "" == lines[-1]


def test_lines_stand_above_what_is_shown(
    screen: Screen,
) -> None:
    """A warning in the middle of a run has a line of its own, and the count is there again."""
    shown = screen(80)
    with RunProgress(96) as progress:
        progress.tell(done())
        warn("it is late")
        lines = shown()
    at = lines.index("warning: it is late")
    assert ("", "grading [----------] 1/96 an") == (lines[at - 1], lines[at + 1])


def test_the_name_of_a_student_moves_nothing(
    screen: Screen,
) -> None:
    """Names that are wide are cut by what they take on the screen, others by nothing they say."""
    shown = screen(40)
    with RunProgress(96) as progress:
        progress.tell(done("\x1b[2J学生学生学生学生学生学生"))
        lines = shown()
    assert max(map(cell_len, lines)) < 40
    assert not any("\x1b" in line for line in lines)


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
        assert 1 == done.err.count("warning: cannot write to --events any more: No space left")
    done = grader(capfd, "grade", "double", "--events", "-", "--json")
    assert (2, "") == (done.code, done.out)
