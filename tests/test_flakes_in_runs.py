"""Luck in whole runs: the same records in all circumstances, and sandboxes with other seeds."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import pytest
from builders import suite
from graded_classes import graded_by, graded_here
from lucky_programs import IN_ORDER_OF_A_SET, WORDS, asking, order_of_marks, step

from grader.errors import ZygoteError
from grader.intake.submissions import Entry
from grader.judging.flakes import OTHER_SEEDS
from grader.judging.record import Record, to_json
from grader.run import worker
from grader.run.tasks import Task
from grader.run.worker import grade_task
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.zygote import Zygote
from grader.verdict import Status

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="zygotes are for Linux")

CLASS: Final[Mapping[str, str]] = {
    "right": f"def words(): return sorted({WORDS})",
    "lucky": IN_ORDER_OF_A_SET,
    "random": f"import random\ndef words(): return random.sample({WORDS}, {len(WORDS)})",
    "wrong": "def words(): return []",
    "sorted": f"def words(): return sorted(set({WORDS}))",
    "raises": f"def words(): raise KeyError(*set({WORDS}))",
    "endless": "x = set()\ndef words():\n    while True: pass",
    "syntax": "def words(:",
    "chaos": f"import time\ndef words(): return [hash(w) for w in set({WORDS})]",
}


@pytest.fixture(scope="module")
def lucky() -> str:
    """What a list of the set of all words is with the seed that marks are given with."""
    return order_of_marks()


def tasks(folder: Path, lucky: str) -> list[Task]:
    """Return the tasks of grading a class on a suite whose answers come by luck."""
    hidden = asking(step("words()", str(sorted(WORDS))), id="h", visibility="hidden")
    session = hidden.partition("sessions: [")[2]
    body = asking(step("words()", lucky)).strip().removesuffix("]") + ", " + session
    whole = suite(f"limits: {{cpu_s: 0.2}}\n{body}")
    entries = []
    for name, source in CLASS.items():
        path = folder / f"{name}.py"
        path.write_text(dedent(source))
        entries.append(Entry(name, path))
    return [Task(whole, entry) for entry in entries]


def texts(todo: Sequence[Task]) -> dict[str, str]:
    """Return the records of `todo`, graded in this process, as JSON, by student."""
    return as_json(graded_here(todo))


def as_json(records: dict[int, Record]) -> dict[str, str]:
    """Return `records` as JSON, by student."""
    return {each.student: to_json(each).decode() for each in records.values()}


@pytest.mark.commands
def test_records_are_the_same_whatever_the_circumstances(tmp_path: Path, lucky: str) -> None:
    """With other workers, in another order, or alone, luck is found in the same words."""
    todo = tasks(tmp_path, lucky)
    forth, back = as_json(graded_by(2, todo)), as_json(graded_by(1, todo[::-1]))
    assert len(CLASS) == len(forth)
    assert forth == back
    for task in todo[:3]:
        alone = to_json(grade_task(task)).decode()
        assert forth[task.entry.student] == alone
    found = {name for name, text in forth.items() if '"flakes.' in text}
    assert {"lucky", "random", "raises", "chaos"} == found


def test_each_worker_starts_the_other_seeds_once(
    tmp_path: Path, lucky: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sandboxes with other seeds are started when they are wanted, and kept for who comes next."""
    started: list[int] = []

    def noted(packages: tuple[str, ...], seed: int = 0) -> Sandbox:
        started.append(seed)
        return Zygote(packages=packages, seed=seed)

    monkeypatch.setattr(worker, "new_sandbox", noted)
    todo = tasks(tmp_path, lucky)
    texts([task for task in todo if task.entry.student in {"lucky", "wrong", "random"}])
    assert [0, *OTHER_SEEDS] == started
    started.clear()
    alone = suite(asking(step("words()", str(sorted(WORDS)))))
    texts([Task(alone, todo[0].entry)])
    assert [0] == started


@pytest.mark.parametrize(
    ("student", "seeds"),
    [("right", [0]), ("sorted", [0, OTHER_SEEDS[0]])],
)
def test_alone_no_seed_is_started_in_vain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, student: str, seeds: Sequence[int]
) -> None:
    """A single submission has a sandbox for each seed that is tried, and no more."""
    started: list[int] = []

    def noted(packages: tuple[str, ...], seed: int = 0) -> Sandbox:
        started.append(seed)
        return Zygote(packages=packages, seed=seed)

    monkeypatch.setattr(worker, "new_sandbox", noted)
    path = tmp_path / f"{student}.py"
    path.write_text(CLASS[student], encoding="utf-8")
    grade_task(Task(suite(asking(step("words()", str(sorted(WORDS))))), Entry(student, path)))
    assert seeds == started


def test_a_broken_sandbox_with_another_seed_is_replaced(
    tmp_path: Path, lucky: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The submission is graded once more, with new ones, and has the record that it would have."""
    todo = [task for task in tasks(tmp_path, lucky) if task.entry.student == "lucky"]
    expected = texts(todo)
    started: list[Zygote] = []

    def breaks(packages: tuple[str, ...], seed: int = 0) -> Sandbox:
        started.append(Zygote(packages=packages, seed=seed))
        if len(started) == 1 + len(OTHER_SEEDS):
            assert started[-1].isolation.python_version
            os.kill(started[-1]._process.pid, signal.SIGKILL)
        return started[-1]

    monkeypatch.setattr(worker, "new_sandbox", breaks)
    assert expected == texts(todo)
    assert 2 * (1 + len(OTHER_SEEDS)) == len(started)


def test_other_seeds_that_do_not_start_are_our_fault(
    tmp_path: Path, lucky: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without them nobody is marked right or wrong by luck: the record says that we failed.

    Who mentions nothing that may differ has no need of them.
    """

    def plain(packages: tuple[str, ...], seed: int = 0) -> Any:
        if seed:
            raise ZygoteError("out of processes")
        return Zygote(packages=packages)

    monkeypatch.setattr(worker, "new_sandbox", plain)
    some = {"right", "sorted", "lucky"}
    todo = [task for task in tasks(tmp_path, lucky) if task.entry.student in some]
    records = {one.student: one for one in graded_here(todo).values()}
    statuses = {name: record.status for name, record in records.items()}
    assert {"right": Status.GRADED, "sorted": Status.FAULT, "lucky": Status.FAULT} == statuses
    assert "out of processes" in str(records["lucky"].cases[0].staff_evidence)
