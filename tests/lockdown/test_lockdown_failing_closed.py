"""A child that cannot be locked ends."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hosts import as_root, this, without_landlock
from locked_forks import MIB, fork, on_linux, reports_of, write_line

from grader.executor import lockdown, rlimits, seccomp
from grader.executor.isolation_layers import NO_LAYERS
from grader.executor.lockdown import ZygoteLockdown, lock_child, lock_zygote

pytestmark = on_linux


def failure_of_child(
    spoil: Callable[[ZygoteLockdown, int], ZygoteLockdown],
    surroundings: Callable[[], object] = as_root,
    **changes: object,
) -> str:
    """Return the message with which a child refuses a lock that was spoiled."""

    def be_zygote(report_fd: int) -> None:
        surroundings()
        lock = spoil(lock_zygote(), report_fd)
        options: dict[str, Any] = {"memory_bytes": 64 * MIB, "cpu_s": 10, "keep_fd": report_fd}

        def be_executor() -> None:
            lock_child(lock, **options | changes)
            write_line(report_fd, {"raised": None, "value": "it was locked"})

        os.waitpid(fork(be_executor, report_fd), 0)

    (report,) = reports_of(be_zygote)
    assert "LockdownError" == report["raised"], report
    message: str = report["value"]
    return message


def unspoiled(lock: ZygoteLockdown, _: int) -> ZygoteLockdown:
    """Leave the lock as it is."""
    return lock


def without_descriptors(lock: ZygoteLockdown, kept: int) -> ZygoteLockdown:
    """Lose what the zygote prepared: the Landlock ruleset and /dev/null."""
    os.closerange(3, kept)
    os.closerange(kept + 1, 64)
    return lock


def test_child_fails_without_its_ruleset() -> None:
    """A Landlock domain that cannot be entered ends the child."""
    expected = "Landlock: landlock_restrict_self in the child: Bad file descriptor"

    assert expected == failure_of_child(without_descriptors)


def test_child_fails_without_null_device() -> None:
    """A child that cannot cover 0-2 ends."""
    expected = "descriptors: dup3 in the child: Bad file descriptor"

    assert expected == failure_of_child(without_descriptors, without_landlock)


def test_child_fails_when_its_zygote_is_gone() -> None:
    """A child whose parent is not the zygote would outlive it, so it ends."""
    message = failure_of_child(lambda lock, _: replace(lock, zygote_pid=lock.zygote_pid + 1))

    assert "the zygote is gone" == message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"keep_fd": 1}, "keep_fd=1"),
        ({"keep_fd": -1}, "keep_fd=-1"),
        ({"memory_bytes": 0}, "memory_bytes=0"),
        ({"memory_bytes": 2**63}, "memory_bytes=9223372036854775808"),
        ({"cpu_s": 0}, "cpu_s=0"),
        ({"cpu_s": float("inf")}, "cpu_s=inf"),
        ({"cpu_s": float("nan")}, "cpu_s=nan"),
    ],
)
def test_child_fails_on_nonsense(changes: dict[str, Any], message: str) -> None:
    """Options that cannot be meant end the child, whoever sent them."""
    assert message in failure_of_child(unspoiled, **changes)


def test_child_fails_outside_a_locked_zygote() -> None:
    """A lock that says more than is in force ends the child."""
    program = seccomp.FilterProgram(seccomp.compile_child_filter(this()))

    def be_unlocked(report_fd: int) -> None:
        pretended = ZygoteLockdown(
            layers=replace(NO_LAYERS, seccomp=True),
            zygote_pid=os.getppid(),
            limits=rlimits.ExecutorLimits(),
            final_calls=lockdown.filter_calls(program),
        )
        lock_child(pretended, memory_bytes=MIB, cpu_s=1, keep_fd=report_fd)

    (report,) = reports_of(be_unlocked)

    assert "seccomp: prctl in the child: not refused, although it must be" == report["value"]
