"""A locked zygote: what it still does, what it has given up, and when it is not locked at all."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import socket
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path

from attempts import FILES, OTHERS, PROCESSES, SOCKETS, escapes
from locked_forks import (
    MIB,
    as_root_only,
    described,
    everywhere,
    fork,
    fork_with_pipe,
    in_executor,
    in_turn,
    in_zygote,
    on_linux,
    reports_of,
    write_line,
)

from grader.executor.lockdown import NOBODY, lock_child, lock_zygote

pytestmark = on_linux


@everywhere
def test_locked_zygote_does_its_work(surroundings: Callable[[], object]) -> None:
    """A locked zygote receives sockets, forks executors that answer on them, and reaps them."""
    control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def be_zygote(_: int) -> None:
        control.close()
        surroundings()
        lock = lock_zygote()
        for _session in range(3):
            fds = socket.recv_fds(theirs, 16, 1)[1]
            channel = socket.socket(fileno=fds[0])

            def be_executor(fd: int = channel.fileno()) -> None:
                lock_child(lock, memory_bytes=64 * MIB, cpu_s=10, keep_fd=fd)
                write_line(fd, {"sum": sum(range(10))})

            pid = fork(be_executor, channel.fileno())
            channel.close()
            _, status, usage = os.wait4(pid, 0)
            theirs.send(json.dumps([status, usage.ru_maxrss > 0]).encode())

    pid, read_fd = fork_with_pipe(be_zygote)
    theirs.close()
    with control:
        for _ in range(3):
            ours, far = socket.socketpair()
            socket.send_fds(control, [b"F"], [far.fileno()])
            far.close()
            with ours:
                assert {"sum": 45} == json.loads(ours.recv(100))
            assert [0, True] == json.loads(control.recv(100))
    os.waitpid(pid, 0)
    os.close(read_fd)


def test_zygote_cannot_kill_or_read_files() -> None:
    """A locked zygote has given up files, signals and new sockets, as its executors have."""
    refused = in_zygote(
        lambda: [
            described(FILES["open"])["errno"],
            described(OTHERS["kill-init"])["errno"],
            described(SOCKETS["inet"])["errno"],
            described(PROCESSES["thread"])["raised"],
            described(PROCESSES["exec"])["errno"],
        ]
    )

    assert [errno.EACCES, errno.EPERM, errno.EPERM, "RuntimeError", errno.EACCES] == refused


@as_root_only
def test_root_becomes_nobody() -> None:
    """Started as root, the zygote keeps no uid, gid or group of it."""
    identity = in_zygote(
        lambda: [*os.getresuid(), *os.getresgid(), *os.getgroups()],
        lambda: os.setgroups([0, 4]),
    )

    assert [NOBODY] * 6 == identity


@everywhere
def test_zygote_has_no_privileges(surroundings: Callable[[], object]) -> None:
    """Also a root that stays root keeps no capability, and others of its uid cannot debug it."""

    def be_zygote(report_fd: int) -> None:
        surroundings()
        lock_zygote()
        write_line(report_fd, {"locked": True})
        time.sleep(60)

    pid, read_fd = fork_with_pipe(be_zygote)
    with open(read_fd, encoding="utf-8") as pipe:
        assert {"locked": True} == json.loads(pipe.readline())
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        owner = os.stat(f"/proc/{pid}/mem").st_uid
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    facts = dict(re.findall(r"^(\w+):\s*(\w+)$", status, re.MULTILINE))
    names = ("CapInh", "CapPrm", "CapEff", "CapAmb", "NoNewPrivs", "Seccomp")
    assert [0, 0, 0, 0, 1, 2] == [int(facts[name], 16) for name in names]
    assert 0 == owner, "not dumpable: nobody of the same uid may look in"


def make_root_of(folder: Path) -> None:
    """Go to a host with other devices and without /proc."""
    os.chroot(folder)
    os.chdir("/")


@as_root_only
def test_false_null_device_is_refused(tmp_path: Path) -> None:
    """A file in the place of /dev/null would let executors leave messages, so there is no lock."""
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "null").touch()

    (report,) = reports_of(lambda _: in_turn(lambda: make_root_of(tmp_path), lock_zygote))

    assert report["value"].startswith("/dev/null is not the null device on this host: create it")


@as_root_only
def test_host_without_proc(tmp_path: Path) -> None:
    """Without /proc everything holds as well."""
    (tmp_path / "dev").mkdir()
    os.mknod(tmp_path / "dev" / "null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))

    outcome = in_executor(lambda: escapes(FILES), lambda: make_root_of(tmp_path))

    assert ({}, 2) == (outcome.value, outcome.layers.level)


def test_zygote_with_a_thread_is_refused() -> None:
    """A zygote in which a thread runs cannot be forked safely, so it is not locked."""
    stop = threading.Event()

    def start_a_thread() -> None:
        threading.Thread(target=stop.wait, daemon=True).start()

    (report,) = reports_of(lambda _: in_turn(start_a_thread, lock_zygote))

    expected = {
        "raised": "LockdownError",
        "value": "this process runs 2 threads, but must run only one: a module imported before the"
        " lockdown starts threads, and must not be preloaded",
    }
    assert expected == report


def test_zygote_cannot_be_locked_twice() -> None:
    """A second lock fails instead of pretending."""
    (report,) = reports_of(lambda _: in_turn(lock_zygote, lock_zygote))

    assert "LockdownError" == report["raised"]
