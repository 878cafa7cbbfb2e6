"""Tests what isolation this host provides, by trying it in throw-away processes.

Version numbers and configuration files show what a kernel could do, but container runtimes,
security modules and emulators decide what it does. So a zygote and an executor are locked down here
exactly as for grading, the executor tries to break out, and a layer counts only if it stopped an
attempt.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Final

from grader.executor import kernel, landlock, namespaces
from grader.executor.enclosing import enclose
from grader.executor.isolation_layers import NO_LAYERS, IsolationLayers
from grader.executor.kernel import this_machine
from grader.executor.lockdown import NOBODY, LockdownError, lock_child, lock_zygote

_MEMORY_BYTES: Final = 64 * 1024 * 1024
_CPU_S: Final = 2
_PR_SET_NO_NEW_PRIVS: Final = 38
_ROOM_BYTES, _ROOM_FILES = 1 << 16, 64
_SURVIVAL_S: Final = 2.0
"""After this time an executor that was not killed with its zygote reports that it survived."""
_STILL_ALIVE: Final = b"alive"


def probe_layers() -> IsolationLayers:
    """Return the layers that work on this host for a zygote and its executors.

    Takes two seconds if executors survive their zygote.
    """
    if this_machine() is None:
        return NO_LAYERS
    stop_read, stop_write = os.pipe()
    report_read, report_write = os.pipe()
    zygote_pid = _fork(
        lambda: _run_zygote(stop_read, report_write, fds_to_close=(stop_write, report_read))
    )
    os.close(stop_read)
    os.close(report_write)
    with open(report_read, "rb") as report:
        line = report.readline()
        os.close(stop_write)  # ends the zygote, which waits until this pipe is closed
        os.waitpid(zygote_pid, 0)
        # This waits for the executor to end, since it has the last open end of the pipe.
        dies_with_zygote = report.read() != _STILL_ALIVE
    if not line:
        return NO_LAYERS
    reported = IsolationLayers.from_json(json.loads(line))
    return replace(
        reported,
        landlock_abi=reported.landlock_abi if _succeeds(_try_landlock) else 0,
        namespaces=reported.namespaces and _namespaces_work(),
        parent_death_signal=reported.parent_death_signal and dies_with_zygote,
    )


def probe_test_isolation() -> IsolationLayers:
    """Return the layers that work on this host for the process that runs an instructor's tests."""
    if this_machine() is None:
        return NO_LAYERS
    report_read, report_write = os.pipe()
    folder = tempfile.mkdtemp(prefix="grader-probe-")
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    pid = _fork(lambda: _run_enclosed(folder, report_write, fd_to_close=report_read))
    os.close(report_write)
    with open(report_read, "rb") as report:
        line = report.readline()
    os.waitpid(pid, 0)
    shutil.rmtree(folder, ignore_errors=True)
    return IsolationLayers.from_json(json.loads(line)) if line else NO_LAYERS


def _run_enclosed(folder: str, report_fd: int, fd_to_close: int) -> None:
    """Enclose this process like one that runs tests, and write the layers that work to `report_fd`.

    A layer works if it stops what it should stop.
    """
    os.close(fd_to_close)
    room = namespaces.TestsRoom(
        readable=["/dev/null"],
        listed=[],
        writable=folder,
        folder=folder,
        most_bytes=_ROOM_BYTES,
        most_files=_ROOM_FILES,
        owner=NOBODY if os.geteuid() == 0 else None,
    )
    layers = enclose(room, memory_bytes=_MEMORY_BYTES, cpu_s=_CPU_S, keep_fd=report_fd)
    is_unreadable = _fails(lambda: os.close(os.open(__file__, os.O_RDONLY)))
    is_bounded = _fails(lambda: _write(os.path.join(folder, "large"), 2 * _ROOM_BYTES))
    layers = replace(
        layers,
        seccomp=layers.seccomp and _is_refused(_fork_once) and _is_refused(socket.socket),
        landlock_abi=layers.landlock_abi if is_unreadable else 0,
        namespaces=layers.namespaces and _fails(lambda: os.stat(__file__)) and is_bounded,
    )
    os.write(report_fd, json.dumps(layers.to_json()).encode() + b"\n")


def _write(path: str, count: int) -> None:
    """Write `count` zero bytes to the file `path`; raise OSError if there is no space for them."""
    fd = os.open(path, os.O_CREAT | os.O_WRONLY)
    try:
        if os.write(fd, bytes(count)) < count:
            raise OSError(f"there is no space for {count} bytes in {path}")
    finally:
        os.close(fd)


def _fails(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return True
    return False


def _fork(run: Callable[[], object]) -> int:
    """Call `run` in a child that exits right afterwards; return the pid of the child.

    The child exits with status 1 if `run` raised an exception, otherwise with 0.
    """
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        run()
        status = 0
    finally:
        os._exit(status)  # the child must never return to the caller


def _run_zygote(stop_fd: int, report_fd: int, fds_to_close: tuple[int, ...]) -> None:
    """Lock this process down, fork an executor that reports, and wait until the parent is done.

    The parent then closes its end of the pipe `stop_fd`. If the lockdown fails, nothing is
    reported.
    """
    for fd in fds_to_close:
        os.close(fd)
    with suppress(LockdownError):
        lock = lock_zygote()

        def run_executor() -> None:
            lock_child(lock, memory_bytes=_MEMORY_BYTES, cpu_s=_CPU_S, keep_fd=report_fd)
            _report(lock.layers, report_fd)

        _fork(run_executor)
        os.close(report_fd)
        os.read(stop_fd, 1)  # returns when the parent closes its end


def _report(claimed: IsolationLayers, report_fd: int) -> None:
    """Test the `claimed` layers in an executor, and write those that work to `report_fd`.

    Then sleep, because this process should be killed together with the zygote. If it is not killed
    meanwhile, report that, too.
    """
    layers = replace(
        claimed,
        uid_dropped=claimed.uid_dropped and os.getresuid() == (NOBODY, NOBODY, NOBODY),
        seccomp=claimed.seccomp and _filter_works(),
        rlimits=claimed.rlimits and _memory_limit_works(),
    )
    os.write(report_fd, json.dumps(layers.to_json()).encode() + b"\n")
    time.sleep(_SURVIVAL_S)
    os.write(report_fd, _STILL_ALIVE)


def _filter_works() -> bool:
    return _is_refused(lambda: os.stat("/")) and _is_refused(_fork_once)


def _fork_once() -> None:
    if os.fork() == 0:
        os._exit(0)


def _memory_limit_works() -> bool:
    try:
        bytearray(2 * _MEMORY_BYTES)
    except MemoryError:
        return True
    return False


def _succeeds(attempt: Callable[[], object]) -> bool:
    return os.waitstatus_to_exitcode(os.waitpid(_fork(attempt), 0)[1]) == 0


def _try_landlock() -> None:
    """Enter our Landlock domain without a filter; raise LockdownError if / can be listed there."""
    kernel.call("prctl", _PR_SET_NO_NEW_PRIVS, 1)
    kernel.make(landlock.prepare_entry(landlock.create_ruleset(landlock.abi())).numbers)
    if not _is_refused(lambda: os.listdir("/")):
        raise LockdownError("Landlock: the domain does not prevent listing /")


def _namespaces_work() -> bool:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        return _succeeds(lambda: _try_namespaces(address))


def _try_namespaces(address: tuple[str, int]) -> None:
    """Enter our namespaces without a filter; raise LockdownError if anything outside is reachable.

    This tries to find this file, and to connect to the server at `address`. Raises LockdownError as
    well if the namespaces cannot be entered.
    """
    if not (
        namespaces.enter(through_user_namespace=False)
        or namespaces.enter(through_user_namespace=True)
    ):
        raise LockdownError("namespaces: a second process cannot enter them")
    with socket.socket() as client:
        for resource, attempt in (
            ("files", lambda: os.stat(__file__)),
            ("network", lambda: client.connect(address)),
        ):
            with suppress(OSError):
                attempt()
                raise LockdownError(f"namespaces: the {resource} outside can still be reached")


def _is_refused(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except PermissionError:
        return True
    return False
