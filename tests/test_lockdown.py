"""Lockdown, tried on real processes: every attempt really is made, in every kind of host.

Each test forks a zygote that sets up its surroundings, locks itself and forks an executor, which
locks itself and then runs a function of this file. Nothing is imitated. Attempts on other
processes use signal 0 or read-only calls, so that a wall with a hole hurts nobody.
"""

from __future__ import annotations

import collections
import ctypes
import decimal
import errno
import fcntl
import gc
import hashlib
import io
import json
import mmap
import os
import platform
import random
import re
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pytest

from grader.executor import kernel, lockdown, seccomp
from grader.executor.layers import NONE, Layers
from grader.executor.lockdown import NOBODY, LockdownError, ZygoteLock, lock_child, lock_zygote
from grader.executor.probe import probe_layers
from grader.executor.syscall_numbers import MACHINES, Machine, this_machine
from grader.executor.syscall_policy import DENIALS, GRANTS, Arg, Grant

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="lockdown is for Linux"),
    # pytest-xdist runs a thread of its own; our forks never return into pytest.
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),
]

MIB: Final = 1024 * 1024
PR_SET_PDEATHSIG: Final = 1
PR_SET_DUMPABLE: Final = 4
PR_SET_NO_NEW_PRIVS: Final = 38
CLONE_THREAD_FLAGS: Final = 0x003D0F00
CLONE_NEW: Final = {
    "mount": 0x00020000,
    "cgroup": 0x02000000,
    "uts": 0x04000000,
    "ipc": 0x08000000,
    "user": 0x10000000,
    "pid": 0x20000000,
    "net": 0x40000000,
}
REFUSED: Final = {errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOTTY}
PASSWD: Final = ctypes.create_string_buffer(b"/etc/passwd")
BUFFER: Final = ctypes.create_string_buffer(4096)
BUFFER_AT: Final = ctypes.addressof(BUFFER)
PASSWD_AT: Final = ctypes.addressof(PASSWD)
LIBC: Final = ctypes.CDLL(None, use_errno=True)


# Surroundings, set up in the zygote before it locks itself


def as_root() -> None:
    """Leave root as it is: the lock can drop the uid."""


def as_user() -> None:
    """Become an ordinary user, like a student or a teacher on a machine of their own."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)


def as_root_without_setuid() -> None:
    """Be a root that cannot become anybody else, whom RLIMIT_NPROC does not bind."""
    cap_setgid, cap_setuid = 6, 7
    kept = (1 << 32) - 1 & ~(1 << cap_setgid | 1 << cap_setuid)
    header = ctypes.create_string_buffer(struct.pack("=Ii", 0x20080522, 0))
    data = ctypes.create_string_buffer(24)
    kernel.call("capget", ctypes.addressof(header), ctypes.addressof(data))
    words = [word & kept for word in struct.unpack("=6I", data.raw[:24])]
    data = ctypes.create_string_buffer(struct.pack("=6I", *words))
    kernel.call("capset", ctypes.addressof(header), ctypes.addressof(data))


def in_container() -> None:
    """Load a filter like the one that Docker gives its containers, and its capabilities."""
    dockers_capabilities = {0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31}
    for capability in set(range(64)) - dockers_capabilities:
        LIBC.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
    refuse_outside(
        "unshare setns mount umount2 pivot_root bpf perf_event_open keyctl add_key request_key "
        "io_uring_setup userfaultfd kexec_load init_module ptrace process_vm_readv",
        errno.EPERM,
    )
    refuse_outside("clone3", errno.ENOSYS)


def in_container_as_user() -> None:
    """Be an ordinary user in such a container."""
    in_container()
    as_user()


def without_landlock() -> None:
    """Take Landlock away, as a kernel before 5.13 has none."""
    refuse_outside("landlock_create_ruleset", errno.ENOSYS)


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


def refuse_outside(calls: str, error: int) -> None:
    """Refuse system calls with a filter that is older than ours."""
    numbers = [
        this().numbers[name] for name in calls.split() if name in this().numbers
    ]
    code = struct.pack("=HBBI", 0x20, 0, 0, 0)
    for number in numbers:
        code += struct.pack("=HBBI", 0x15, 0, 1, number)
        code += struct.pack("=HBBI", 0x06, 0, 0, seccomp.ERROR | error)
    code += struct.pack("=HBBI", 0x06, 0, 0, seccomp.ALLOW)
    if os.geteuid() != 0:
        kernel.call("prctl", PR_SET_NO_NEW_PRIVS, 1)
    seccomp.load(seccomp.Program(code))


def this() -> Machine:
    """Return the machine that runs the tests."""
    machine = this_machine()
    assert machine is not None
    return machine


# Running something in an executor


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a function that ran in an executor."""

    value: Any = None
    raised: str | None = None
    errno: int | None = None
    killed_by: int = 0
    layers: Layers = NONE

    @property
    def refused(self) -> bool:
        """Whether the attempt ended in an error that says no."""
        return self.errno in REFUSED or self.raised in {"RuntimeError", "ValueError"}


def in_executor(
    run: Callable[[], object],
    surroundings: Callable[[], object] = as_root,
    *,
    memory_bytes: int = 256 * MIB,
    cpu_s: float = 10,
) -> Outcome:
    """Run `run` in a locked executor of a locked zygote; return what it returned or raised."""
    with ended(in_fork(lambda fd: be_zygote(fd, run, surroundings, memory_bytes, cpu_s))) as lines:
        reports = [json.loads(line) for line in lines]
    merged = {key: value for report in reports for key, value in report.items()}
    assert "layers" in merged, merged
    return Outcome(**merged | {"layers": Layers.from_json(merged["layers"])})


def be_zygote(
    report_fd: int,
    run: Callable[[], object],
    surroundings: Callable[[], object],
    memory_bytes: int,
    cpu_s: float,
) -> None:
    """Lock, fork one executor, reap it and report how it ended."""
    surroundings()
    lock = lock_zygote()
    pid = os.fork()
    if pid == 0:
        try:
            lock_child(lock, memory_bytes=memory_bytes, cpu_s=cpu_s, keep_fd=report_fd)
            write_line(report_fd, outcome_of(run))
        finally:
            os._exit(0)
    _, status = os.waitpid(pid, 0)
    killed_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    write_line(report_fd, {"layers": lock.layers.to_json(), "killed_by": killed_by})


def outcome_of(run: Callable[[], object]) -> dict[str, object]:
    """Call `run` and describe what it did."""
    try:
        return {"value": run()}
    except Exception as error:
        return {"raised": type(error).__name__, "errno": getattr(error, "errno", None)}


def write_line(fd: int, data: object) -> None:
    """Write one line of JSON, small enough to arrive in one piece."""
    os.write(fd, json.dumps(data).encode() + b"\n")


@dataclass(frozen=True, slots=True)
class Fork:
    """A process of ours, and the pipe it reports on."""

    pid: int
    report_fd: int


def in_fork(run: Callable[[int], object]) -> Fork:
    """Run `run` with the writing end of a pipe in a fork of pytest, which never returns."""
    read_fd, write_fd = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(read_fd)
            run(write_fd)
        except BaseException as error:
            write_line(write_fd, {"raised": type(error).__name__, "value": str(error)})
        finally:
            os._exit(0)
    os.close(write_fd)
    return Fork(pid, read_fd)


class ended:
    """All lines that a fork reports until it and its children end."""

    def __init__(self, fork: Fork) -> None:
        self.fork = fork

    def __enter__(self) -> list[str]:
        with open(self.fork.report_fd, encoding="utf-8") as report:
            return report.readlines()

    def __exit__(self, *_: object) -> None:
        os.waitpid(self.fork.pid, 0)


def report_of(run: Callable[[int], object]) -> dict[str, Any]:
    """Return the one thing that a fork reports."""
    with ended(in_fork(run)) as lines:
        (line,) = lines
    report: dict[str, Any] = json.loads(line)
    return report
