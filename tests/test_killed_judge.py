"""A judge that is killed, at whatever moment, leaves no process behind."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import pytest
from selection import SELECTION

from grader.executor import kernel
from grader.executor.lockdown import NOBODY

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has zygotes"),
    pytest.mark.walls,
]

PR_SET_CHILD_SUBREAPER: Final = 36
GRACE_S: Final = 20.0
"""Far more than a killed process takes to be gone, however busy the machine is."""
START_S: Final = 60.0
POLL_S: Final = 0.005
LONGEST_DELAYS_S: Final = {"judge": 0.8, "zygote": 0.3, "executor": 0.8}
"""Who must be there before the time of a kill is drawn, and how long it is put off at most."""
KILLS, FEW_KILLS = 30, 9
ZYGOTE: Final = "grader.executor.zygote"
SLEEPER: Final = "from threading import Lock\nlock = Lock()\nlock.acquire()\nlock.acquire()\n"
"""What sleeps in an executor does not see that the judge is gone: somebody has to end it."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process as the kernel shows it."""

    pid: int
    parent_pid: int
    filters: int
    command: str


@dataclass(frozen=True, slots=True)
class Kill:
    """Who was there when a judge was killed, and who still was long afterwards."""

    there: frozenset[str]
    survivors: tuple[str, ...]


@pytest.fixture
def class_folder(root: Path) -> Iterator[Path]:
    """A folder of an ordinary user with suites and hand-ins, the first of which sleeps."""
    with tempfile.TemporaryDirectory(prefix="grader-class-") as folder:
        shutil.copytree(root / "testsuites", f"{folder}/testsuites")
        for spec in root.glob("reference/*/spec.md"):
            Path(folder, "reference", spec.parent.name).mkdir(parents=True)
            shutil.copy(spec, Path(folder, "reference", spec.parent.name))
        shutil.copytree(root / "submissions" / "yinyang", f"{folder}/yinyang")
        Path(folder, "yinyang", "aa_sleeper.py").write_text(SLEEPER, encoding="utf-8")
        if os.geteuid() == 0:
            for path in (Path(folder), *Path(folder).rglob("*")):
                os.chown(path, NOBODY, NOBODY)
        yield Path(folder)


@pytest.fixture
def times(request: pytest.FixtureRequest) -> int:
    """How often a judge is killed."""
    return KILLS if request.config.stash[SELECTION].breadth == "all" else FEW_KILLS


def test_killed_judge_leaves_no_process(class_folder: Path, times: int) -> None:
    """Killed while it starts, while its zygotes start or while it grades: all end with it."""
    assert_all_end(times, Path(sys.executable), class_folder, user=None)


@pytest.mark.installs(one_in=None)
@pytest.mark.timeout(900)  # the installation may have to be waited for, on a busy machine
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_killed_judge_of_an_ordinary_user_leaves_no_process(
    class_folder: Path, installed: Path, times: int
) -> None:
    """Zygotes and executors of an ordinary user end with the judge, too."""
    assert_all_end(times, installed, class_folder, user=NOBODY)


def assert_all_end(times: int, python: Path, folder: Path, *, user: int | None) -> None:
    """Kill a judge `times` times; expect no survivors, and that it was killed in every phase."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as helper:
        kills = helper.submit(kill_judges, times, python, folder, user).result()

    assert [()] * times == [kill.survivors for kill in kills]
    assert {"worker", "starting zygote", "locked zygote", "executor"} <= {
        who for kill in kills for who in kill.there
    }


def kill_judges(times: int, python: Path, folder: Path, user: int | None) -> list[Kill]:
    """Start and kill a judge `times` times, in a process that inherits whom the judge leaves."""
    kernel.call("prctl", PR_SET_CHILD_SUBREAPER, 1)
    moments = random.Random(times)
    kills = []
    for number in range(times):
        landmark = list(LONGEST_DELAYS_S)[number % len(LONGEST_DELAYS_S)]
        delay_s = moments.uniform(0, LONGEST_DELAYS_S[landmark])
        kills.append(kill_judge(python, folder, user, landmark, delay_s))
    return kills


def kill_judge(python: Path, folder: Path, user: int | None, landmark: str, delay_s: float) -> Kill:
    """Start a judge, kill it `delay_s` after `landmark` has appeared; return what came of it."""
    judge = start_judge(python, folder, user)
    try:
        wait_for(landmark, judge)
        time.sleep(delay_s)
        there = roles(judge)
        assert judge.poll() is None, "the judge ended before it was killed"
    finally:
        judge.kill()
        judge.wait()
        left = survivors()
    return Kill(there, left)


def start_judge(python: Path, folder: Path, user: int | None) -> subprocess.Popen[bytes]:
    """Start to grade the class, as `user` if one is given."""
    main = "from grader.cli.verbs import main; main()"
    return subprocess.Popen(
        [python, "-c", main, "grade", "yinyang", "--jobs", "2", "--no-reports", "--json"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        # Who is killed leaves no data of coverage, and starts sooner without it.
        env={name: text for name, text in os.environ.items() if not name.startswith("COVERAGE_")},
        user=user,
        group=user,
        extra_groups=None if user is None else [],
    )


def wait_for(landmark: str, judge: subprocess.Popen[bytes]) -> None:
    """Wait until `landmark` has appeared among the processes of the judge."""
    deadline = time.monotonic() + START_S
    while landmark not in roles(judge):
        assert judge.poll() is None, f"the judge ended before there was a(n) {landmark}"
        assert time.monotonic() < deadline, f"no {landmark} in {START_S} s"
        time.sleep(POLL_S)


def roles(judge: subprocess.Popen[bytes]) -> frozenset[str]:
    """Return what kinds of processes there are from the judge down: workers, theirs, and so on.

    A zygote has one filter more than its worker once it is locked, an executor one more than that.
    """
    present = {process.pid: process for process in processes()}
    if judge.pid not in present:
        return frozenset()
    found = {"judge"}
    for process in present.values():
        parent = present.get(process.parent_pid)
        if parent is None or not is_below(process, judge.pid, present):
            continue
        is_locked = process.filters > parent.filters
        if ZYGOTE not in process.command:
            found.add("worker")
        elif ZYGOTE not in parent.command:
            found |= {"zygote", "locked zygote" if is_locked else "starting zygote"}
        elif is_locked:
            found.add("executor")
    return frozenset(found)


def is_below(process: Process, judge: int, present: Mapping[int, Process]) -> bool:
    """Return whether a process was started by the judge, or by one that was."""
    while process.parent_pid in present and process.parent_pid != judge:
        process = present[process.parent_pid]
    return process.parent_pid == judge


def processes() -> Iterator[Process]:
    """Yield all processes of the machine."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):  # it ended meanwhile
            status = (folder / "status").read_text(encoding="utf-8")
            facts = dict(re.findall(r"^(\w+):\s*(\d+)$", status, re.MULTILINE))
            yield Process(
                pid=int(facts["Pid"]),
                parent_pid=int(facts["PPid"]),
                filters=int(facts["Seccomp_filters"]),
                command=(folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(),
            )


def survivors() -> tuple[str, ...]:
    """Reap whom a judge left to this process; return those that do not end, having ended them.

    Who has lost its parent is a child of this process, so without children there is nobody left.
    """
    deadline = time.monotonic() + GRACE_S
    with suppress(ChildProcessError):
        while time.monotonic() < deadline:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(POLL_S)
    found: list[Process] = []
    while left := [process for process in processes() if process.parent_pid == os.getpid()]:
        found += left
        for process in left:
            os.kill(process.pid, signal.SIGKILL)
            os.waitpid(process.pid, 0)
    return tuple(f"{process.pid} {process.command[:200]}" for process in found)
