"""What a check or a run will need is started before that is known, and changes no verdict."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from command_line import RIGHT, SUITE, grader, write
from graded_classes import graded_here
from lucky_programs import WORDS, order_of_marks

from grader.cli import check
from grader.cli.grading import RunTasks
from grader.intake.submissions import Entry
from grader.judging.flakes import OTHER_SEEDS
from grader.judging.rules import KINDS
from grader.run.engines import local_engine
from grader.run.tasks import Task
from grader.sandbox import sandbox
from grader.sandbox.zygote import Zygote
from grader.store.runs import Run, RunSettings
from grader.suite.loading import parse_suite

MAKES_A_SET = "def double(x):\n    return len({y for y in range(2 * x)})\n"
LUCKY = f"""
def double(x):
    words = set({WORDS})
    return 2 * x if list(words) == {order_of_marks()} else x
"""


@pytest.fixture
def seeds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[int]:
    """Return the seeds of sandboxes, in the order in which checks here start them."""
    started: list[int] = []

    class Noted(Zygote):
        def __init__(self, packages: Sequence[str] = (), seed: int = 0, **given: Any) -> None:
            started.append(seed)
            super().__init__(packages=packages, seed=seed, **given)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sandbox, "Zygote", Noted)
    write("testsuites/double.yaml", SUITE.format(name="double", defines="double", call="double(2)"))
    return started


def test_the_seed_is_the_first_of_the_others() -> None:
    """What is started early is what the judge asks for first."""
    assert OTHER_SEEDS[0] == check.OTHER_SEED


def test_a_set_has_another_sandbox_started_once(
    seeds: list[int], capfd: pytest.CaptureFixture[str]
) -> None:
    """Who mentions a set has a second sandbox from the start, which is the one that is used."""
    assert 0 == grader(capfd, "check", write("double.py", MAKES_A_SET)).code
    assert [0, 1] == seeds


def test_who_mentions_none_has_one(seeds: list[int], capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing is started for a program that can have no luck."""
    assert 0 == grader(capfd, "check", write("double.py", RIGHT)).code
    assert [0] == seeds


def test_a_set_that_was_not_seen_is_tried_all_the_same(
    seeds: list[int], capfd: pytest.CaptureFixture[str]
) -> None:
    """The look of a file decides on nothing: a set in other clothes is run with another seed."""
    hidden = MAKES_A_SET.replace("{y for y in range(2 * x)}", "set\\\n  (range(2 * x))")
    assert 0 == grader(capfd, "check", write("double.py", hidden)).code
    assert [0, 1] == seeds


@pytest.mark.parametrize("source", [LUCKY, LUCKY.replace("set(", "set\\\n (")])
def test_luck_earns_nothing_either_way(
    source: str, seeds: list[int], capfd: pytest.CaptureFixture[str]
) -> None:
    """A program that is right with one seed only fails, whenever its second sandbox began."""
    done = grader(capfd, "check", write("double.py", source), "--all")
    assert (1, [0, 1]) == (done.code, seeds[:2])


@pytest.mark.parametrize(
    ("source", "doubt"),
    [
        (b"x = set(y)", True),
        (b"x = {1, 2}", True),
        (b"x = {(r, c) for r in y for c in z}", True),
        (b"  import random", True),
        (b"x = {1: 2, 3: 4}", False),
        (b"print(f'{x}')", False),
        (b"x.reset(y)", False),
        (b"if x in {'a', 'b'}: pass", False),
    ],
)
def test_what_looks_like_luck(source: bytes, doubt: bool, tmp_path: Path) -> None:
    """Sets and chance are seen; dictionaries, formatted text and sets of text are not."""
    path = tmp_path / "double.py"
    path.write_bytes(source)
    assert doubt == check._may_vary([path])


def test_what_is_no_file_is_not_looked_at(tmp_path: Path) -> None:
    """A folder, what is not there, a pipe that nobody writes to: no look, no mistake, no wait."""
    os.mkfifo(tmp_path / "pipe")
    for paths in ([tmp_path], [tmp_path / "absent"], [tmp_path / "pipe"], [tmp_path] * 2):
        assert not check._may_vary(paths)


@pytest.mark.parametrize("part", [b"{,", b"{" + b",a" * 90, b"{" + b"for " * 20, b"set "])
def test_no_file_holds_the_look_up(part: bytes, tmp_path: Path) -> None:
    """A file that is made to be slow to search takes no time that anybody sees."""
    path = tmp_path / "double.py"
    path.write_bytes(part * (1_000_000 // len(part)))
    start_s = time.process_time()
    check._may_vary([path])
    assert 1.0 > time.process_time() - start_s


# Of a class


def one_task(**head: str) -> Task:
    """Return a right file to grade on a suite of its exercise, with more in its head."""
    more = "".join(f"{key}: {value}\n" for key, value in head.items())
    suite = SUITE.replace("A title", "Of this test alone")  # workers keep what they saw of a suite
    text = suite.format(name="double", defines="double", call="double(2)") + more
    entry = Entry("ada", Path(write("double.py", RIGHT)))
    return Task(parse_suite(text.encode(), "double.yaml", KINDS), entry)


def test_a_worker_uses_what_was_started_early(seeds: list[int]) -> None:
    """The sandbox that a worker begins with is the one that grades, and no other is started."""
    sandbox.start_early()
    (record,) = graded_here([one_task()]).values()
    assert ([0], 2.0) == (seeds, record.score)
    assert {} == sandbox._EARLY_SANDBOXES


@pytest.mark.parametrize(
    ("anew", "imports", "early"),
    [(True, "[standard]", True), (False, "[standard]", False), (True, "[numpy]", False)],
)
def test_only_who_will_need_it_begins_with_a_sandbox(
    anew: bool, imports: str, early: bool, seeds: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that goes on may need none, and one with packages needs another."""
    asked: list[object] = []
    monkeypatch.setattr("grader.cli.grading.engine_of", lambda *given: asked.append(given[-1]))
    tasks = [one_task(imports=imports)]
    run = Run(entries=(), language="en", settings=RunSettings(), suites={})
    RunTasks(tasks=tasks, run=run).engine("local", 1, is_new=anew)
    assert [sandbox.start_early if early else None] == asked
    assert [] == seeds


@pytest.mark.commands
def test_processes_begin_with_what_they_prepare(tmp_path: Path) -> None:
    """Each worker of this machine does it before the first chunk."""
    with local_engine(1, (tmp_path / "begun").touch) as engine:
        assert b"\x00" == engine.submit(bytes, 1).result()  # type: ignore[arg-type]  # any work
    assert (tmp_path / "begun").exists()
