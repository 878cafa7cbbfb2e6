"""Forks that lock themselves as a zygote and an executor do, in every kind of host.

Nothing is imitated: a test forks a zygote that sets up its surroundings, locks itself and forks an
executor, which locks itself and then runs a function of the test.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import pytest
from hosts import (
    as_root,
    as_root_without_setuid,
    as_user,
    in_container,
    in_container_as_user,
    without_landlock,
)

from grader.executor.isolation_layers import NO_LAYERS, IsolationLayers
from grader.executor.lockdown import ZygoteLockdown, lock_child, lock_zygote

MIB: Final = 1024 * 1024
on_linux: Final = [
    pytest.mark.skipif(sys.platform != "linux", reason="lockdown is for Linux"),
    # pytest-xdist runs a thread of its own; our forks never return into pytest.
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),
]
SURROUNDINGS: Final = [
    pytest.param(
        set_up,
        id=set_up.__name__,
        marks=pytest.mark.skipif(
            set_up is not as_user and os.geteuid() != 0, reason="only root can set this up"
        ),
    )
    for set_up in (
        as_root,
        as_user,
        as_root_without_setuid,
        in_container,
        in_container_as_user,
        without_landlock,
    )
]
everywhere = pytest.mark.parametrize("surroundings", SURROUNDINGS)
as_root_only = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="only root can set this up"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a function that ran in an executor."""

    value: Any = None
    raised: str | None = None
    errno: int | None = None
    killed_by: int = 0
    layers: IsolationLayers = NO_LAYERS


def in_executor(
    run: Callable[[], object],
    surroundings: Callable[[], object] = as_root,
    *,
    memory_bytes: int = 256 * MIB,
    cpu_s: float = 10,
) -> Outcome:
    """Run `run` in a locked executor of a locked zygote; return what became of it."""

    def be_zygote(report_fd: int) -> None:
        surroundings()
        lock = lock_zygote()
        status = os.waitpid(fork_executor(lock, report_fd), 0)[1]
        killed_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        write_line(report_fd, {"layers": lock.layers.to_json(), "killed_by": killed_by})

    def fork_executor(lock: ZygoteLockdown, report_fd: int) -> int:
        def be_executor() -> None:
            lock_child(lock, memory_bytes=memory_bytes, cpu_s=cpu_s, keep_fd=report_fd)
            write_line(report_fd, described(run))

        return fork(be_executor, report_fd)

    reports = reports_of(be_zygote)
    merged = {key: value for report in reports for key, value in report.items()}
    assert "layers" in merged, merged
    return Outcome(**merged | {"layers": IsolationLayers.from_json(merged["layers"])})


def in_zygote(run: Callable[[], object], set_up: Callable[[], object] = as_root) -> object:
    """Run `run` in a locked zygote; return what it returned, or the text of what it raised."""

    def be_zygote(report_fd: int) -> None:
        set_up()
        lock_zygote()
        write_line(report_fd, {"value": run()})

    (report,) = reports_of(be_zygote)
    return report["value"]


def in_turn(*steps: Callable[[], object]) -> None:
    """Call one after the other."""
    for step in steps:
        step()


def reports_of(run: Callable[[int], object]) -> list[dict[str, Any]]:
    """Return what a fork and its children report on the pipe they get, until they all end."""
    read_fd, write_fd = os.pipe()

    def be_fork() -> None:
        os.close(read_fd)
        run(write_fd)

    pid = fork(be_fork, write_fd)
    os.close(write_fd)
    with open(read_fd, encoding="utf-8") as pipe:
        lines = pipe.readlines()
    os.waitpid(pid, 0)
    return [json.loads(line) for line in lines]


def fork(run: Callable[[], object], report_fd: int) -> int:
    """Run `run` in a fork that never returns from it; return the pid."""
    pid = os.fork()
    if pid:
        return pid
    try:
        run()
    except BaseException as error:  # noqa: BLE001 - pytest must never go on in a fork
        write_line(report_fd, {"raised": type(error).__name__, "value": str(error)})
    finally:
        os._exit(0)


def fork_with_pipe(run: Callable[[int], object]) -> tuple[int, int]:
    """Run `run` in a fork with the writing end of a pipe; return its pid and the reading end."""
    read_fd, write_fd = os.pipe()

    def be_fork() -> None:
        os.close(read_fd)
        run(write_fd)

    pid = fork(be_fork, write_fd)
    os.close(write_fd)
    return pid, read_fd


def described(run: Callable[[], object]) -> dict[str, object]:
    """Call `run` and describe what it did."""
    try:
        return {"value": run()}
    except Exception as error:  # noqa: BLE001 - how an attempt fails is what is tested
        return {"raised": type(error).__name__, "errno": getattr(error, "errno", None)}


def write_line(fd: int, data: object) -> None:
    """Write one line of JSON."""
    os.write(fd, json.dumps(data).encode() + b"\n")
