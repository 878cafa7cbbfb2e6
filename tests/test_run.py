"""Whole runs: the same results whatever the circumstances, and a run survives what it meets."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from graded_classes import (
    TERMS,
    TOO_MUCH,
    Collector,
    InThisThread,
    engine_in_this_thread,
    engine_of_processes,
    graded_by,
    graded_here,
)
from handed_in import entries

from grader.errors import HostError, ZygoteError
from grader.intake.plan import PlanEntry
from grader.intake.submissions import Entry, HandIn
from grader.judging.flakes import OTHER_SEEDS
from grader.judging.judge import grade as judge
from grader.judging.record import Record
from grader.judging.rules import KINDS
from grader.run import chunks, grading, worker
from grader.run.engines import Engine, local_engine
from grader.run.grading import grade_all
from grader.run.needs import require_isolation
from grader.run.outcomes import Outcome
from grader.run.tasks import Task
from grader.run.worker import grade_task
from grader.sandbox.isolation import Isolation
from grader.sandbox.sandbox import usable_cores
from grader.sandbox.zygote import Zygote
from grader.store.keys import environment
from grader.suite.files import load_suite
from grader.suite.limits import Limits
from grader.suite.model import Suite
from grader.verdict import Status, Verdict

GRADER: Final = (sys.executable, "-c", "from grader.cli.verbs import main; main()")
PATIENCE_S: Final = 60
SUITE: Final = """\
exercise: sample
title: Sample
language: en
module: sample
defines: [double, words]
groups:
  - id: double
    points: 2
  - id: words
    points: 1
sessions:
  - id: example
    steps:
      - do: double(2)
        returns: "4"
        group: double
      - do: double('ab')
        returns: "'abab'"
        group: double
      - do: words()
        returns: "{'een', 'twee', 'drie'}"
        group: words
"""
RIGHT: Final = """\
def double(x):
    return 2 * x

def words():
    return {'een', 'twee', 'drie'}
"""
HAND_INS: Final = {
    "right": RIGHT,
    "wrong": RIGHT.replace("2 * x", "x"),
    "other_words": RIGHT.replace("'drie'", "'vier', 'vijf', 'zes'"),
    "raises": RIGHT.replace("2 * x", "1 / 0"),
    "endless": RIGHT.replace("2 * x", "double(x) if x else 0").replace(
        "    return", "    while True: pass\n    return", 1
    ),
    "exits": RIGHT.replace("2 * x", "exit(3)"),
    "prints": RIGHT.replace(
        "    return 2 * x", "    print(hash('a'), {'x', 'y', 'z'})\n    return 2 * x"
    ),
    "object": RIGHT.replace("2 * x", "object()"),
    "syntax": "def double(x)\n",
    "empty": "",
}


@pytest.fixture
def suites(tmp_path: Path) -> Path:
    """A folder of suites with the one of `sample`."""
    folder = tmp_path / "testsuites"
    folder.mkdir()
    limits = "limits: {cpu_s: 0.2}\ngroups:"
    (folder / "sample.yaml").write_text(SUITE.replace("groups:", limits))
    return folder


@pytest.fixture
def suite(suites: Path) -> Suite:
    """The suite of `sample`."""
    return load_suite(suites / "sample.yaml", KINDS)


def hand_ins(folder: Path, sources: dict[str, str]) -> Path:
    """Write a hand-in per student to `folder`; return `folder`."""
    folder.mkdir()
    for student, source in sources.items():
        (folder / f"{student}.py").write_text(source)
    return folder


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """A folder with thirty hand-ins without mistakes, no two of them the same."""
    sources = {f"s{number:02}": f"{RIGHT}# {number}\n" for number in range(30)}
    return hand_ins(tmp_path / "sample", sources)


def tasks(suite: Suite, folder: Path) -> list[Task]:
    """Return the tasks of grading the hand-ins in `folder` on `suite`."""
    return [Task(suite, entry) for entry in entries(folder)]


def grader(cwd: Path, *args: str, **environment: str) -> subprocess.Popen[str]:
    """Start the command line in `cwd`."""
    return subprocess.Popen(
        [*GRADER, *args],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def results_of(folder: Path) -> dict[str, Any]:
    """Return what `results.json` in `folder` holds."""
    document: dict[str, Any] = json.loads((folder / "results.json").read_bytes())
    return document


def children(pid: int) -> list[int]:
    """Return the processes that `pid` started, and those that they started, and so on."""
    found: list[int] = []
    for thread in entries_of(Path(f"/proc/{pid}/task")):
        try:
            direct = [int(child) for child in (thread / "children").read_text().split()]
        except OSError:
            continue
        found += [below for child in direct for below in (child, *children(child))]
    return found


def entries_of(folder: Path) -> list[Path]:
    """Return what is in `folder`; nothing when it is gone by now."""
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def is_alive(pid: int) -> bool:
    """Return whether `pid` runs; one that is dead and not reaped yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def eventually(condition: Callable[[], object]) -> bool:
    """Return whether `condition` comes to hold, with a patience that no busy machine exhausts."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


# The same results


@pytest.mark.commands
@pytest.mark.usefixtures("suites")
def test_results_do_not_depend_on_workers_hash_seed_or_run(tmp_path: Path) -> None:
    """Other numbers of workers, other hash seeds and a second run give the same bytes."""
    hand_ins(tmp_path / "sample", HAND_INS)
    runs = [("1", "0"), ("1", "0"), ("2", "1"), ("5", "random")]
    started = [
        grader(tmp_path, "grade", "sample", "--out", f"r{n}", "--jobs", jobs, PYTHONHASHSEED=seed)
        for n, (jobs, seed) in enumerate(runs)
    ]
    assert [0] * len(runs) == [process.wait(PATIENCE_S) for process in started], [
        process.communicate() for process in started
    ]
    for process in started:
        process.communicate()
    for name in ("results.json", "index.html", *(f"sample/{s}.html" for s in HAND_INS)):
        assert 1 == len({(tmp_path / f"r{n}" / name).read_bytes() for n in range(len(runs))}), name
    listed = [entry["id"] for entry in results_of(tmp_path / "r0")["submissions"]]
    assert sorted(HAND_INS) == listed, "every hand-in is in the list"


@pytest.mark.commands
def test_record_does_not_depend_on_its_neighbours(tmp_path: Path, suite: Suite) -> None:
    """Graded in another order, or alone, each submission has the same record."""
    todo = tasks(suite, hand_ins(tmp_path / "in", HAND_INS))
    forth = graded_by(2, todo)
    back = graded_by(1, todo[::-1])
    alone = graded_here([todo[3]])
    assert [forth[i] for i in range(len(todo))] == [
        back[len(todo) - 1 - i] for i in range(len(todo))
    ]
    assert forth[3] == alone[0]


def test_verdicts_of_typical_hand_ins(tmp_path: Path, suite: Suite) -> None:
    """Each hand-in has its own verdicts and points, next to whatever others do."""
    records = graded_by(2, tasks(suite, hand_ins(tmp_path / "in", HAND_INS)))
    found = {
        record.student: (
            record.status.value,
            record.score,
            *(c.verdict.value for c in record.cases),
        )
        for record in records.values()
    }
    assert {
        "right": ("graded", 3, "PASSED", "PASSED", "PASSED"),
        "wrong": ("graded", 1, "WRONG", "WRONG", "PASSED"),
        "other_words": ("graded", 2, "PASSED", "PASSED", "WRONG"),
        "raises": ("graded", 1, "ERROR", "ERROR", "PASSED"),
        "endless": ("graded", 1, "TIMED_OUT", "TIMED_OUT", "PASSED"),
        "exits": ("graded", 1, "EXITED", "EXITED", "PASSED"),
        "prints": ("graded", 3, "PASSED", "PASSED", "PASSED"),
        "object": ("graded", 1, "WRONG", "WRONG", "PASSED"),
        "syntax": ("ungradable", 0, "SKIPPED", "SKIPPED", "SKIPPED"),
        "empty": ("ungradable", 0, "SKIPPED", "SKIPPED", "SKIPPED"),
    } == found


@pytest.mark.parametrize("workers", [1, 2])
def test_each_task_is_handed_over_once(suite: Suite, many: Path, workers: int) -> None:
    """Whatever the number of workers, every index arrives, and only once, in the main thread."""
    todo = tasks(suite, many)[:9]

    class Watched(Collector):
        def store(self, outcome: Outcome, hand_in: Any, key: Any) -> None:
            assert threading.current_thread() is threading.main_thread()
            super().store(outcome, hand_in, key)
            assert todo[outcome.index].entry.student == outcome.student

    watched = Watched()
    assert grade_all(todo, watched, TERMS, engine_of_processes(workers))
    assert {*range(9)} == watched.outcomes.keys()


def test_workers_wait_for_who_writes(
    suite: Suite, many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records do not pile up in memory where writing them takes longer than grading."""
    todo, read, read_before = tasks(suite, many), list[str](), list[int]()

    really = PlanEntry.hand_in

    def noted(entry: PlanEntry) -> HandIn:
        read.append(entry.student)
        return really(entry)

    monkeypatch.setattr(PlanEntry, "hand_in", noted)

    class Slow(Collector):
        def store(self, outcome: Outcome, hand_in: Any, key: Any) -> None:
            read_before.append(len(read))
            super().store(outcome, hand_in, key)

    with engine_in_this_thread() as engine:
        assert grade_all(todo, Slow(), TERMS, engine)
    assert read_before[0] < len(todo) / 2
    assert len(todo) == len(read) == len(read_before)


def test_nothing_to_do_is_done() -> None:
    """A run without tasks starts nothing."""
    nobody = Engine(start=lambda: pytest.fail("nobody is needed"), workers=4, chunk_size=1)
    assert grade_all([], Collector(), TERMS, nobody)


def test_at_least_one_core_is_usable() -> None:
    """The default number of workers is that of the processors this process may use."""
    assert len(os.sched_getaffinity(0)) == usable_cores() > 0


# Trouble


def test_killed_zygotes_cost_retries_and_nothing_else(
    suite: Suite, many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A zygote that is killed at any moment is replaced; nobody loses points."""
    started: list[Zygote] = []
    after = {5, 10, 15, 20, 25}

    class Watched(Zygote):
        def __init__(self, packages: Sequence[str], seed: int = 0) -> None:
            super().__init__(packages=packages, seed=seed)
            started.append(self)

    class Killing(Collector):
        def store(self, outcome: Outcome, hand_in: Any, key: Any) -> None:
            super().store(outcome, hand_in, key)
            if len(self.outcomes) in after:
                os.kill(started[-1]._process.pid, signal.SIGKILL)

    monkeypatch.setattr(worker, "new_sandbox", Watched)
    todo = tasks(suite, many)
    killing = Killing(todo)
    with engine_in_this_thread() as engine:
        assert grade_all(todo, killing, TERMS, engine)
    assert 30 == len(killing.records)
    assert {(Status.GRADED, 3.0)} == {(one.status, one.score) for one in killing.records.values()}
    assert len(started) <= (1 + len(OTHER_SEEDS)) * (1 + len(after))


def test_killed_zygote_is_replaced_once(
    suite: Suite, many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The submission that lost its zygote is graded by a fresh one, as if nothing had been."""
    zygotes: list[Zygote] = []

    def grade(on: Suite, submission: Any, zygote: Zygote, gate: Any, *_: Any) -> Record:
        if not zygotes:
            os.kill(zygote._process.pid, signal.SIGKILL)
        zygotes.append(zygote)
        return judge(on, submission, zygote, gate)

    monkeypatch.setattr(worker, "grade", grade)
    records = graded_here(tasks(suite, many)[:4])
    assert {(Status.GRADED, 3.0)} == {(one.status, one.score) for one in records.values()}
    assert 5 == len(zygotes)
    assert 2 == len(set(zygotes))


def test_submission_that_takes_zygotes_down_is_a_fault(
    suite: Suite, many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a second, fresh zygote it is our fault: no verdict, and the others are graded."""
    attempts: list[str] = []

    def grade(on: Suite, submission: Any, zygote: Zygote, gate: Any, *_: Any) -> Record:
        if submission.student == "s01":
            attempts.append(submission.student)
            os.kill(zygote._process.pid, signal.SIGKILL)
            zygote._process.wait()
        return judge(on, submission, zygote, gate)

    monkeypatch.setattr(worker, "grade", grade)
    records = graded_here(tasks(suite, many)[:4])
    assert 2 == len(attempts)
    assert ["graded", "fault", "graded", "graded"] == [records[i].status.value for i in range(4)]
    assert {Verdict.FAULT} == {case.verdict for case in records[1].cases}
    assert "zygote" in str(records[1].cases[0].staff_evidence)


def test_a_zygote_that_dies_as_it_starts_is_replaced(
    suite: Suite, many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was killed so early is no reason to give up the run; two in a row are."""
    tries: list[str] = []

    def late(packages: Sequence[str], seed: int = 0) -> Zygote:
        tries.append("")
        if len(tries) <= failures:
            raise ZygoteError("the zygote did not start")
        return Zygote(packages=packages, seed=seed)

    monkeypatch.setattr(worker, "new_sandbox", late)
    failures = 1
    (record,) = graded_here(tasks(suite, many)[:1]).values()
    assert Status.GRADED is record.status
    tries.clear()
    failures = 2
    with pytest.raises(HostError, match="did not start"):
        graded_here(tasks(suite, many)[:1])


def test_no_zygote_to_be_had_is_a_fault_of_each(
    suite: Suite, many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When no new zygote starts, every submission is in the list all the same."""
    real = Zygote
    started: list[Zygote] = []

    def once(packages: Sequence[str], seed: int = 0) -> Zygote:
        if started:
            raise ZygoteError("out of processes")
        started.append(real(packages=packages, seed=seed))
        return started[0]

    def grade(*_: object) -> Record:
        raise ZygoteError("the zygote stopped answering")

    monkeypatch.setattr(worker, "new_sandbox", once)
    monkeypatch.setattr(worker, "grade", grade)
    records = graded_here(tasks(suite, many)[:3])
    assert ["fault"] * 3 == [record.status.value for record in records.values()]


@pytest.mark.parametrize("broken", ["grade", "build_submission", "hand_in"])
def test_mistake_of_ours_costs_one_submission_and_no_points(
    suite: Suite, many: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """An exception in reading or grading one submission is its fault; staff see the traceback."""
    module: Any = {"grade": worker, "build_submission": chunks, "hand_in": PlanEntry}[broken]
    real = getattr(module, broken)

    def breaks(*given: Any) -> Any:
        if any(getattr(each, "student", None) == "s02" for each in given):
            raise LookupError("a mistake of ours")
        return real(*given)

    monkeypatch.setattr(module, broken, breaks)
    records = graded_here(tasks(suite, many)[:4])
    assert ["graded", "graded", "fault", "graded"] == [records[i].status.value for i in range(4)]
    assert "s02" == records[2].student
    assert "LookupError: a mistake of ours" in str(records[2].cases[0].staff_evidence)
    assert {Verdict.FAULT} == {case.verdict for case in records[2].cases}


def test_error_while_writing_ends_the_run(suite: Suite, many: Path) -> None:
    """What the keeper raises comes out, and no worker or zygote stays behind."""

    class Full(Collector):
        def store(self, outcome: Outcome, hand_in: Any, key: Any) -> None:
            raise OSError(28, "No space left on device")

    before = set(children(os.getpid()))
    with pytest.raises(OSError, match="No space left"), local_engine(2) as engine:
        grade_all(tasks(suite, many), Full(), TERMS, engine)
    assert eventually(lambda: not set(children(os.getpid())) - before)


# Workers that are lost


class Losing(InThisThread):
    """Loses the worker of each chunk that has a submission with `mark` in it."""

    def __init__(self, mark: bytes, times: int = 1_000) -> None:
        self.mark = mark
        self.times = times
        self.lost = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Grade, or lose what was sent."""
        if self.mark in args[0] and self.lost < self.times:
            self.lost += 1
            future: Future[Any] = Future()
            future.set_exception(BrokenExecutor("a process in the pool was terminated"))
            return future
        return super().submit(fn, *args, **kwargs)


@pytest.mark.parametrize(("times", "fault"), [(1, False), (2, True), (3, True)])
def test_a_lost_chunk_is_done_again(suite: Suite, many: Path, times: int, *, fault: bool) -> None:
    """Each of its submissions alone; only one that is lost alone too is a fault, of no one else."""
    losing, collector = Losing(b"# 17\n", times), Collector(tasks(suite, many))
    # The fault is told by another worker, of which one more may be lost.
    with engine_in_this_thread():
        engine = Engine(start=lambda: losing, workers=1, chunk_size=3)
        if times == 3:
            with pytest.raises(HostError, match="workers are lost even without running"):
                grade_all(tasks(suite, many), collector, TERMS, engine)
            return
        assert grade_all(tasks(suite, many), collector, TERMS, engine)
    records = collector.records
    assert 30 == len(records)
    statuses = {record.student for record in records.values() if record.status is Status.FAULT}
    assert ({"s17"} if fault else set()) == statuses
    if fault:
        evidence = str(records[17].cases[0].staff_evidence)
        assert "it brought its worker down" in evidence


class Delaying(Losing):
    """Returns what it grades only after some polls, and notes what runs beside what was lost."""

    def __init__(self, mark: bytes) -> None:
        super().__init__(mark, times=1)
        self.pending: list[Future[Any]] = []
        self.suspects: set[bytes] = set()
        self.suspected: list[bool] = []
        self.beside: list[bytes] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Grade, or lose what was sent; the future is done after a while."""
        if self.mark in args[0] and not self.lost:
            self.suspects = set(re.findall(rb"# \d+\n", args[0]))
            return super().submit(fn, *args, **kwargs)
        if any(not future.done() for future in self.pending) and (
            self.suspected[-1] or any(mark in args[0] for mark in self.suspects)
        ):
            self.beside.append(args[0])
        self.suspected.append(any(mark in args[0] for mark in self.suspects))
        done, later = super().submit(fn, *args, **kwargs), Future[Any]()
        self.pending.append(later)
        threading.Timer(0.3, lambda: later.set_result(done.result())).start()
        return later


def test_nothing_runs_beside_a_suspect(suite: Suite, many: Path) -> None:
    """The loss of another chunk would look as if it were the fault of the suspect."""
    delaying, collector = Delaying(b"# 10\n"), Collector(tasks(suite, many))
    with engine_in_this_thread():
        engine = Engine(start=lambda: delaying, workers=1, chunk_size=3)
        assert grade_all(tasks(suite, many), collector, TERMS, engine)
    assert 1 < len(delaying.suspects) == delaying.suspected.count(True)
    assert [] == delaying.beside


@pytest.mark.commands
def test_a_killed_worker_costs_nothing(suite: Suite, many: Path) -> None:
    """A process that is killed is replaced, and what it had is graded by another."""
    killed: list[int] = []

    class Killing(Collector):
        def store(self, outcome: Outcome, hand_in: Any, key: Any) -> None:
            super().store(outcome, hand_in, key)
            if len(self.outcomes) in {3, 11}:
                child = multiprocessing.active_children()[0]
                killed.append(child.pid or 0)
                child.kill()

    killing = Killing(tasks(suite, many))
    with local_engine(2) as engine:
        assert grade_all(tasks(suite, many), killing, TERMS, engine)
    assert 2 == len(killed)
    assert {(Status.GRADED, 3.0)} == {(one.status, one.score) for one in killing.records.values()}


@pytest.mark.parametrize(
    "reply", [b"", b"[]", b"{}", b'{"outcomes": []}', b'{"outcomes": [{}]}', b"\xff", b"[" * 10_000]
)
def test_an_answer_of_another_shape_is_a_loss(suite: Suite, many: Path, reply: bytes) -> None:
    """What a worker never sends is believed in nothing, and what it had is not taken for done."""

    class Lying(InThisThread):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            return super().submit(lambda: reply)

    collector = Collector()
    with pytest.raises(HostError, match="workers are lost"):
        grade_all(
            tasks(suite, many)[:2], collector, TERMS, Engine(start=Lying, workers=1, chunk_size=1)
        )
    assert {} == collector.outcomes


def test_a_worker_with_other_code_is_refused(
    suite: Suite, many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two versions of the grader would give two marks for one program."""
    needs = {**environment([]), "grader": "other"}
    monkeypatch.setattr(grading, "environment", lambda _: needs)
    with (
        pytest.raises(HostError, match="a worker runs a different version"),
        engine_in_this_thread() as engine,
    ):
        grade_all(tasks(suite, many), Collector(), TERMS, engine)


def test_a_worker_without_walls_is_refused(suite: Suite, many: Path) -> None:
    """Each worker looks at its own walls, and grades nothing behind lower ones than asked."""
    with (
        pytest.raises(HostError, match="but level 4 is required"),
        engine_in_this_thread() as engine,
    ):
        grade_all(tasks(suite, many), Collector(), TOO_MUCH, engine)


# The same files


def test_the_same_files_are_graded_once(
    tmp_path: Path, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The records of the others are the same but for the student."""
    judged: list[str] = []

    def counted(on: Suite, submission: Any, *more: Any) -> Record:
        judged.append(submission.student)
        return judge(on, submission, *more)

    monkeypatch.setattr(worker, "grade", counted)
    for student in ("an", "bo", "cas"):
        (tmp_path / "in" / student).mkdir(parents=True)
        (tmp_path / "in" / student / "sample.py").write_text(HAND_INS["wrong"])
    records = graded_here(tasks(suite, tmp_path / "in"))
    assert ["an"] == judged
    for index, student in enumerate(("an", "bo", "cas")):
        assert (student, student) == (records[index].id, records[index].student)
        assert records[0] == replace(records[index], id="an", student="an")


@pytest.mark.parametrize(
    ("source", "graded"),
    [
        (HAND_INS["endless"], ["an"]),
        ("def double(n): return sum(range(10**12))\n", ["an", "bo"]),
    ],
    ids=["units", "clock"],
)
def test_what_a_clock_has_cut_off_is_nobody_elses_record(
    tmp_path: Path, suite: Suite, monkeypatch: pytest.MonkeyPatch, source: str, graded: list[str]
) -> None:
    """What units have cut off is the same for whoever hands it in."""
    judged: list[str] = []

    def counted(on: Suite, submission: Any, *more: Any) -> Record:
        judged.append(submission.student)
        return judge(on, submission, *more)

    monkeypatch.setattr(worker, "grade", counted)
    for student in ("an", "bo"):
        (tmp_path / "in" / student).mkdir(parents=True)
        (tmp_path / "in" / student / "sample.py").write_text(source)
    graded_here(tasks(suite.with_changes(limits=Limits(cpu_s=0.05)), tmp_path / "in"))
    assert graded == judged


@pytest.mark.parametrize(
    ("level", "least_level", "message"),
    [
        (0, 0, None),
        (1, 1, None),
        (3, 2, None),
        (0, 1, "this machine cannot isolate submissions (isolation level 0)"),
        (0, 3, "this machine cannot isolate submissions (isolation level 0)"),
        (2, 3, "this machine offers isolation level 2, but level 3 is required"),
    ],
)
def test_isolation_is_required(level: int, least_level: int, message: str | None) -> None:
    """Strangers' programs run only behind as many walls as were asked for."""
    isolation = Isolation(level=level, layers=(), python_version="3.11.0")
    if message is None:
        require_isolation(isolation, least_level)
        return
    with pytest.raises(HostError) as caught:
        require_isolation(isolation, least_level)
    assert (message, 4) == (caught.value.message, caught.value.exit_code)
    assert caught.value.help


# Interrupted and killed


class Interrupting(Collector):
    """Presses Ctrl-C `times` times while the first outcome is kept."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def store(self, outcome: Outcome, hand_in: Any, key: Any) -> None:
        """Keep it, after the Ctrl-C."""
        if not self.outcomes:
            for _press in range(self.times):
                signal.raise_signal(signal.SIGINT)
        super().store(outcome, hand_in, key)


def test_interrupt_while_a_page_is_written_breaks_nothing(suite: Suite, many: Path) -> None:
    """Ctrl-C while writing lets that finish, and what runs too; the rest is not begun."""
    interrupting = Interrupting(1)
    assert not grade_all(tasks(suite, many), interrupting, TERMS, engine_of_processes(1))
    assert 0 < len(interrupting.outcomes) < 30
    assert signal.default_int_handler == signal.getsignal(signal.SIGINT)


def test_second_interrupt_stops_at_once(suite: Suite, many: Path) -> None:
    """Whoever presses Ctrl-C twice does not wait for anything, and nothing stays behind."""
    before = set(children(os.getpid()))
    with pytest.raises(KeyboardInterrupt), local_engine(1) as engine:
        grade_all(tasks(suite, many), Interrupting(2), TERMS, engine)
    assert eventually(lambda: not set(children(os.getpid())) - before)
    assert signal.default_int_handler == signal.getsignal(signal.SIGINT)


WAITS: Final = "from threading import Lock\nlock = Lock()\nlock.acquire()\nlock.acquire()\n"


def test_an_interrupted_run_does_not_wait_for_ever(tmp_path: Path) -> None:
    """After a Ctrl-C a submission that takes its time is given up; nothing of it stays behind."""
    text = f"limits: {{wall_s: 300, session_wall_s: 300, submission_wall_s: 1000}}\n{SUITE}"
    (tmp_path / "sample.yaml").write_text(text)
    hand_ins(tmp_path / "sample", {"a": RIGHT, "b": WAITS})
    asked = tasks(load_suite(tmp_path / "sample.yaml", KINDS), tmp_path / "sample")
    before, interrupting = set(children(os.getpid())), Interrupting(1)
    with local_engine(2) as engine:
        assert not grade_all(asked, interrupting, TERMS, engine)
    assert {0} == interrupting.outcomes.keys()
    assert eventually(lambda: not set(children(os.getpid())) - before)


@pytest.mark.commands
@pytest.mark.usefixtures("suites")
def test_interrupted_run_leaves_index_and_results(tmp_path: Path) -> None:
    """Ctrl-C on the real command line: exit 130, and reports over what was done."""
    hand_ins(tmp_path / "sample", {f"s{number:03}": HAND_INS["endless"] for number in range(60)})
    process = grader(tmp_path, "grade", "sample", "--jobs", "1")
    reports = tmp_path / "reports"
    assert eventually(lambda: len(list((reports / "sample").glob("s*.html"))) >= 2)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=PATIENCE_S)
    assert 130 == process.returncode, stderr
    assert "run the same command again to continue" in stderr
    assert "Traceback" not in stderr
    listed = results_of(reports)["submissions"]
    assert 2 <= len(listed) < 60
    pages = {path.stem for path in (reports / "sample").iterdir()}
    assert pages == {entry["id"] for entry in listed}
    index = (reports / "index.html").read_text()
    assert all(f"sample/{page}.html" in index for page in pages)


@pytest.fixture
def running(
    tmp_path: Path,
    suites: Path,  # noqa: ARG001 - the folder must be there
) -> Iterator[subprocess.Popen[str]]:
    """A real run in the middle of endless submissions, with executors under way."""
    hand_ins(tmp_path / "sample", {f"s{number:03}": HAND_INS["endless"] for number in range(60)})
    with grader(tmp_path, "grade", "sample", "--jobs", "2") as process:
        assert eventually(lambda: len(children(process.pid)) >= 4), "two zygotes, two executors"
        yield process
        process.kill()


@pytest.mark.commands
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_killed_judge_leaves_nothing_behind(
    running: subprocess.Popen[str], number: signal.Signals
) -> None:
    """When the grader is killed, its zygotes and executors end too, and no results are there."""
    family = children(running.pid)
    running.send_signal(number)
    assert -number == running.wait(PATIENCE_S)
    assert eventually(lambda: not any(map(is_alive, family)))


@pytest.mark.commands
def test_killed_judge_leaves_no_results(tmp_path: Path, running: subprocess.Popen[str]) -> None:
    """Half a run has no `results.json`: while it is there, it is whole."""
    running.kill()
    running.wait(PATIENCE_S)
    assert not (tmp_path / "reports" / "results.json").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="zygotes are for Linux")
def test_a_sandbox_that_is_ready_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A single submission starts none of its own then, unless the one that is there has broken."""
    started: list[Zygote] = []

    def noted(packages: tuple[str, ...], seed: int = 0) -> Zygote:
        started.append(Zygote(packages=packages, seed=seed))
        return started[-1]

    monkeypatch.setattr(worker, "new_sandbox", noted)
    path = tmp_path / "right.py"
    path.write_text("def double(x): return 2 * x\ndef words(): return 3\n", encoding="utf-8")
    (tmp_path / "sample.yaml").write_text(SUITE, encoding="utf-8")
    task = Task(load_suite(tmp_path / "sample.yaml", KINDS), Entry("right", path))
    with Zygote() as ready:
        record = grade_task(task, ready)
    assert (Status.GRADED, []) == (record.status, started)
    with Zygote() as broken:
        broken._process.kill()
        assert record == grade_task(task, broken)
    assert 1 == len(started)
    assert started[0]._process.poll() is not None
