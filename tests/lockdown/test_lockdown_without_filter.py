"""Layers that the filter hides: what stays shut when there is no filter at all."""

from __future__ import annotations

import errno
import os
import resource
import socket

import pytest
from attempts import FILES, OTHERS, PROCESSES, UNLOCKING, escapes, fork_and_forget, start_thread
from hosts import refuse_outside, without_namespaces
from locked_forks import described, in_executor, in_turn, on_linux

from grader.executor.rlimits import CHILD_FILES

pytestmark = on_linux


def without_seccomp() -> None:
    """Take seccomp away, so that the other layers show."""
    refuse_outside("seccomp", errno.EPERM)


def connect() -> None:
    """Connect to a port of this machine on which nobody listens."""
    with socket.socket() as client:
        client.connect(("127.0.0.1", 1))


def bind() -> None:
    """Take a port of this machine."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))


def test_landlock_is_a_wall_of_its_own() -> None:
    """Without the filter and namespaces, Landlock keeps files, TCP and signals out of reach."""
    if in_executor(int).layers.landlock_abi < 6:
        pytest.skip("this kernel's Landlock does not cover all of it")
    names = ("open", "open-null", "open-own-maps", "create", "listdir", "mkdir", "symlink")
    attempts = {name: FILES[name] for name in names}
    attempts |= {"exec": PROCESSES["exec"], "connect": connect, "bind": bind}
    attempts |= {name: OTHERS[name] for name in ("kill-zygote", "ptrace-zygote")}

    outcome = in_executor(
        lambda: escapes(attempts), lambda: in_turn(without_namespaces, without_seccomp)
    )

    assert 0 == outcome.layers.level
    assert {} == outcome.value


def test_limits_are_a_wall_of_their_own() -> None:
    """Without the filter, limits refuse a fork, a thread and many descriptors."""

    def attempt() -> list[object]:
        files = described(lambda: [os.dup(0) for _ in range(CHILD_FILES)])
        return [described(fork_and_forget)["errno"], described(start_thread)["raised"], files]

    too_many = {"raised": "OSError", "errno": errno.EMFILE}

    assert [errno.EAGAIN, "RuntimeError", too_many] == in_executor(attempt, without_seccomp).value


def test_limits_can_only_go_down() -> None:
    """Without the filter, no limit can be raised again, and no file or core dump can grow."""
    attempts = {name: UNLOCKING[name] for name in ("more-memory", "more-processes", "more-files")}
    nothing = (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE, resource.RLIMIT_MEMLOCK)

    outcome = in_executor(
        lambda: [escapes(attempts), *(resource.getrlimit(which) for which in nothing)],
        without_seccomp,
    )

    assert [{}, [0, 0], [0, 0], [0, 0]] == outcome.value
