"""Witnesses: what attacks might reach on this machine, and what each noticed of them.

Every witness is left as open as the system allows: world-writable files, sockets for anybody, a
process of the very user that executors run as. So it is the sandbox that keeps attacks from them,
and not a permission.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from hosts import LIBC, PR_SET_DUMPABLE

from grader.executor import kernel

PUBLIC_PLACES: Final = ("/tmp", "/var/tmp", "/dev/shm")
"""Where anybody may make files, wherever that is a file system in memory or on a disk."""
SYSTEM_V: Final = ("shm", "sem", "msg")
IPC_CREATE_FOR_ALL: Final = 0o1666
IPC_REMOVE: Final = 0
POLL_S: Final = 0.01
Address: TypeAlias = int | str | tuple[str, ...]


class Witness(Protocol):
    """Something that an attack might reach."""

    def addresses(self) -> Mapping[str, Address]:
        """Return how to reach it, by the names that attacks know."""

    def noticed(self) -> Iterator[str]:
        """Yield a sentence about each thing that was done to it."""


class Sockets:
    """Sockets that listen on this machine, and that nobody has a reason to talk to."""

    def __init__(self, folder: Path, until: ExitStack) -> None:
        """Listen on TCP, UDP, in `folder` and under abstract names."""
        abstract = f"\0grader-witness-{os.getpid()}"
        path = str(folder / "socket")
        names: Mapping[str, tuple[int, int, str | tuple[str, int]]] = {
            "TCP": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            "UDP": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            "UNIX": (socket.AF_UNIX, socket.SOCK_STREAM, path),
            "UNIX_DATAGRAM": (socket.AF_UNIX, socket.SOCK_DGRAM, f"{path}-datagram"),
            "ABSTRACT": (socket.AF_UNIX, socket.SOCK_STREAM, abstract),
            "ABSTRACT_DATAGRAM": (socket.AF_UNIX, socket.SOCK_DGRAM, f"{abstract}-datagram"),
        }
        self._sockets: Final[dict[str, socket.socket]] = {}
        for kind, (family, type_, name) in names.items():
            opened = until.enter_context(socket.socket(family, type_ | socket.SOCK_NONBLOCK))
            opened.bind(name)
            if type_ == socket.SOCK_STREAM:
                opened.listen()
            self._sockets[kind] = opened
        for entry in (path, f"{path}-datagram"):
            os.chmod(entry, 0o777)

    def addresses(self) -> Mapping[str, Address]:
        """Return a port for TCP and UDP, and a name for the others."""
        names = {kind: opened.getsockname() for kind, opened in self._sockets.items()}
        return {
            kind: name[1] if isinstance(name, tuple) else os.fsdecode(name)
            for kind, name in names.items()
        }

    def noticed(self) -> Iterator[str]:
        """Tell who came."""
        for kind, opened in self._sockets.items():
            try:
                if opened.type == socket.SOCK_STREAM:
                    opened.accept()[0].close()
                else:
                    opened.recv(1)
            except BlockingIOError:
                continue
            yield f"somebody came to the socket {kind}"


class Files:
    """Files that everybody may read and write, with a secret in each."""

    def __init__(self, folders: Mapping[Path, str], until: ExitStack) -> None:
        """Put a file with its secret in each of `folders`, and note how it looks."""
        self._looks: Final[dict[Path, tuple[object, ...]]] = {}
        for folder, secret in folders.items():
            path = folder / f"grader-witness-{os.getpid()}"
            path.write_text(secret, encoding="utf-8")
            os.chmod(path, 0o666)
            until.callback(path.unlink, missing_ok=True)
            os.utime(path, (1, 1))  # so that the first who reads it moves its time of access
            self._looks[path] = _look(path)

    def addresses(self) -> Mapping[str, Address]:
        """Return the paths."""
        return {"FILES": tuple(map(str, self._looks))}

    def noticed(self) -> Iterator[str]:
        """Tell which file does not look as it did; nobody but us has read it either."""
        for path, look in self._looks.items():
            if not path.exists():
                yield f"{path} is gone"
            elif look != _look(path):
                yield f"{path} looks like {_look(path)}, not like {look}"


def _look(path: Path) -> tuple[object, ...]:
    status = path.stat()
    return tuple(getattr(status, name) for name in dir(status) if name.startswith("st_"))


class Canary:
    """A process of the user that executors run as, which blocks and so keeps every signal."""

    def __init__(self, uid: int, until: ExitStack) -> None:
        """Start it."""
        ready, tell_ready = os.pipe()
        lifeline, hold = os.pipe()
        self._pid = os.fork()
        if not self._pid:
            os.close(hold)
            _sit_still(uid, tell_ready, lifeline)
        for fd in (tell_ready, lifeline):
            os.close(fd)
        until.callback(self._bury, hold)
        assert b"." == os.read(ready, 1), "the canary did not start"
        os.close(ready)
        while not self._found()["State"].startswith("S"):
            time.sleep(POLL_S)  # it has yet to sit down
        self._state: Final = self._found()

    def _bury(self, hold: int) -> None:
        os.close(hold)
        os.kill(self._pid, signal.SIGKILL)  # it may have been stopped
        os.waitpid(self._pid, 0)

    @property
    def pid(self) -> int:
        """Its number."""
        return self._pid

    def addresses(self) -> Mapping[str, Address]:
        """Return its number."""
        return {"CANARY_PID": self._pid}

    def noticed(self) -> Iterator[str]:
        """Tell what of it somebody changed: signals that wait, its limits, its niceness."""
        now = self._found()
        for name, before in self._state.items():
            if now.get(name) != before:
                yield f"{name} of the canary is {now.get(name)}, not {before}"

    def _found(self) -> dict[str, str]:
        folder = Path(f"/proc/{self._pid}")
        wanted = {"State", "TracerPid", "SigPnd", "ShdPnd", "Cpus_allowed"}
        lines = (folder / "status").read_text().splitlines()
        found = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
        return {
            **{name: found[name] for name in wanted},
            "limits": (folder / "limits").read_text(),
            "niceness": str(os.getpriority(os.PRIO_PROCESS, self._pid)),
            "scheduler": str(os.sched_getscheduler(self._pid)),
        }


def _sit_still(uid: int, tell_ready: int, lifeline: int) -> None:
    """Wait until `lifeline` is let go of, with all signals blocked; does not return."""
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        if os.geteuid() == 0:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            kernel.call("prctl", PR_SET_DUMPABLE, 1)  # as open to others of its user as can be
        os.write(tell_ready, b".")
        os.close(tell_ready)
        os.read(lifeline, 1)
    finally:
        os._exit(0)


class Ipc:
    """Shared memory, semaphores and queues of System V, and a queue of POSIX."""

    def __init__(self, until: ExitStack, *, alone: bool) -> None:
        """Make one of each; `alone` says that this process is in a namespace of its own."""
        self._alone: Final = alone
        self._ids: Final = {
            "shm": LIBC.shmget(0, ctypes.c_size_t(4096), IPC_CREATE_FOR_ALL),
            "sem": LIBC.semget(0, 1, IPC_CREATE_FOR_ALL),
            "msg": LIBC.msgget(0, IPC_CREATE_FOR_ALL),
        }
        until.callback(self._remove)
        self._name: Final = f"/grader-witness-{os.getpid()}"
        self._queue: Final = LIBC.mq_open(
            self._name.encode(), os.O_CREAT | os.O_RDWR, 0o666, ctypes.c_void_p()
        )
        assert -1 not in {*self._ids.values(), self._queue}, os.strerror(ctypes.get_errno())
        until.callback(LIBC.mq_unlink, self._name.encode())
        os.fchmod(self._queue, 0o666)
        self._state: Final = self._found()

    def _remove(self) -> None:
        LIBC.shmctl(self._ids["shm"], IPC_REMOVE, None)
        LIBC.semctl(self._ids["sem"], 0, IPC_REMOVE)
        LIBC.msgctl(self._ids["msg"], IPC_REMOVE, None)

    def addresses(self) -> Mapping[str, Address]:
        """Return their numbers, and the name of the POSIX queue."""
        numbers = {f"SYSTEM_V_{kind.upper()}": number for kind, number in self._ids.items()}
        return {**numbers, "POSIX_QUEUE": self._name}

    def noticed(self) -> Iterator[str]:
        """Tell what was used, made or left: the kernel notes who attached, and when."""
        now = self._found()
        for kind, before in self._state.items():
            if now[kind] != before:
                yield f"{kind} is {now[kind]}, not {before}"

    def _found(self) -> dict[str, str | list[str]]:
        found: dict[str, str | list[str]] = {"POSIX queue": os.pread(self._queue, 100, 0).decode()}
        for kind in SYSTEM_V:
            lines = Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]
            ours = str(self._ids[kind])
            found[kind] = [line for line in lines if self._alone or line.split()[1] == ours]
        return found
