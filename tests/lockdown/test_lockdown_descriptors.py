"""The descriptors that an executor has."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from attempts import is_open
from hosts import refuse_outside
from locked_forks import MIB, everywhere, fork, fork_with_pipe, in_executor, on_linux

from grader.executor import lockdown
from grader.executor.lockdown import lock_child, lock_zygote

pytestmark = on_linux


def test_standard_descriptors_are_the_null_device(tmp_path: Path) -> None:
    """Whatever 0-2 were in the zygote, in an executor they are empty and swallow everything."""
    file = tmp_path / "log"
    file.write_text("secret", encoding="utf-8")

    def open_log() -> None:
        fd = os.open(file, os.O_RDWR)
        for standard_fd in (0, 1, 2):
            os.dup2(fd, standard_fd)

    outcome = in_executor(
        lambda: [os.read(0, 6).decode(), os.write(1, b"out"), os.write(2, b"err")], open_log
    )

    assert ["", 3, 3] == outcome.value
    assert "secret" == file.read_text(encoding="utf-8")


def test_a_false_null_device_is_not_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever catches the error has no descriptor more than before."""
    monkeypatch.setattr(lockdown, "_DEV_NULL", -1)
    before = os.listdir("/proc/self/fd")
    with pytest.raises(lockdown.LockdownError):
        lockdown._open_null()
    assert before == os.listdir("/proc/self/fd")


def test_inherited_descriptors_are_closed(tmp_path: Path) -> None:
    """A file that is open in the zygote cannot be written by an executor."""
    file = tmp_path / "kept-open"
    fds: list[int] = []

    def open_files() -> None:
        fds.extend(os.open(file, os.O_RDWR | os.O_CREAT) for _ in range(40))
        os.dup2(fds[0], 700)

    def attempt() -> list[int]:
        return [fd for fd in range(3, 1024) if is_open(fd)]

    kept = in_executor(attempt, open_files).value

    assert 1 == len(kept)
    assert "" == file.read_text(encoding="utf-8")


def test_descriptors_are_closed_one_by_one_on_old_kernels() -> None:
    """Without close_range, before Linux 5.9, no descriptor is left either."""

    def set_up() -> None:
        os.dup2(0, 700)
        refuse_outside("close_range", errno.ENOSYS)

    outcome = in_executor(lambda: [fd for fd in range(3, 1024) if is_open(fd)], set_up)

    assert 1 == len(outcome.value)


@everywhere
def test_kept_socket_reads_and_writes(surroundings: Callable[[], object]) -> None:
    """An executor talks over the one socket it keeps, both ways and in bulk."""
    ours, theirs = socket.socketpair()
    size, piece = 3 * MIB, 32 * 1024

    def be_zygote(_: int) -> None:
        ours.close()
        surroundings()
        lock = lock_zygote()

        def be_executor() -> None:
            lock_child(lock, memory_bytes=64 * MIB, cpu_s=10, keep_fd=theirs.fileno())
            fd, echoed = theirs.fileno(), 0
            while echoed < size:
                echoed += os.write(fd, os.read(fd, 65536).upper())

        os.waitpid(fork(be_executor, theirs.fileno()), 0)

    pid, read_fd = fork_with_pipe(be_zygote)
    theirs.close()
    received = b""
    with ours:
        while len(received) < size:
            ours.sendall(b"x" * piece)
            received += exactly(ours, piece)
    os.waitpid(pid, 0)
    os.close(read_fd)
    assert b"X" * size == received


def exactly(sock: socket.socket, count: int) -> bytes:
    """Return the next `count` bytes that arrive."""
    received = b""
    while len(received) < count:
        arrived = sock.recv(count - len(received))
        assert arrived
        received += arrived
    return received


def test_zygote_without_standard_descriptors() -> None:
    """A zygote that was started with 0-2 closed gives its executors /dev/null all the same."""
    outcome = in_executor(lambda: [os.write(fd, b"x") for fd in (0, 1, 2)], close_standard_fds)

    assert [1, 1, 1] == outcome.value


def close_standard_fds() -> None:
    """Close 0-2."""
    os.closerange(0, 3)
