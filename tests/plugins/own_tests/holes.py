"""What code of a submission would do that has got among the tests, by whatever hole.

The tests of the corpus call one of these functions, the one that a hand-in names. Each returns
where it was refused all that it tried, and fails where it got through. It lies beside tests that
run behind the wall; `witnesses`, beside it there, says where is what it must not reach.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

witnesses: Any = import_module("witnesses")
LIBC = ctypes.CDLL(None, use_errno=True)
OWN = Path(__file__).parent
OUTSIDE: list[str | Path] = [
    *("/etc/shadow", "/etc/passwd", "/etc/hostname", "/proc/self/environ", "/proc/self/maps"),
    *("/proc/1/environ", "/sys/kernel/version", "/var/log", "/root", "/home"),
    *(f"/proc/{os.getppid()}/{name}" for name in ("environ", "mem", "cmdline")),
    *witnesses.FILES,
    *(OWN.parent / "handed" / name for name in ("honest", "honest/sol.py", "other/sol.py")),
    *(OWN.parent / "reports" / name for name in ("", "run.db", "results.json", "index.html")),
]


def nothing(_: Path) -> None:
    """Do nothing, as an honest hand-in does."""


def refused(*attempts: Callable[[], object]) -> None:
    """Fail unless each of `attempts` does."""
    for number, attempt in enumerate(attempts):
        try:
            got = attempt()
        except (OSError, ValueError, RuntimeError):
            continue
        raise AssertionError(f"escaped: attempt {number} gave {got!r:.100}")


def called(name: str, *arguments: Any) -> int:
    """Call a function of the C library; raise what it says that went wrong."""
    result: int = getattr(LIBC, name)(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), name)
    return result


def reads(_: Path) -> None:
    """Read what lies outside: secrets of the machine, other hand-ins, what was graded."""
    linked = Path(os.environ["TMPDIR"]) / "link"
    linked.symlink_to("/etc/passwd")
    outside: list[str | Path] = [*OUTSIDE, linked]
    for path in map(Path, outside):
        refused(path.read_bytes, partial(os.listdir, path))


def reads_the_environment(_: Path) -> None:
    """Look for a secret in the variables, as Python has them and as the C library does."""
    block = ctypes.POINTER(ctypes.c_char_p).in_dll(LIBC, "environ")
    found, place = [], 0
    while block[place] is not None:
        found.append(block[place] or b"")
        place += 1
    said = repr(found) + repr(dict(os.environ))
    assert "secret" not in said, "escaped: a secret"
    assert "WITNESS" not in said, "escaped: its variable"


def writes(_: Path) -> None:
    """Write, change and remove what lies outside, and what lies beside the tests."""
    places: tuple[str | Path, ...] = (
        "/tmp/hole",
        "/var/tmp/hole",
        "/dev/shm/hole",
        "/hole",
        OWN / "hole",
        "hole",
    )
    for place in map(Path, places):
        refused(partial(place.write_text, "x"), place.mkdir)
    for path in (*map(Path, witnesses.FILES), Path(__file__)):
        refused(
            partial(path.write_text, "x"),
            path.unlink,
            partial(path.rename, path.with_name("hole")),
            partial(os.truncate, path, 0),
        )
        for change in (
            partial(os.chmod, path, 0o777),
            partial(os.utime, path, (5, 5)),
            partial(os.chown, path, 65534, 65534),
            partial(os.setxattr, path, "user.hole", b"x"),
        ):
            with contextlib.suppress(OSError):
                change()  # without a room it does nothing, and says that it did


def connects(_: Path) -> None:
    """Talk to somebody."""
    refused(
        lambda: socket.create_connection(("127.0.0.1", witnesses.TCP)),
        lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(
            b"x", ("127.0.0.1", witnesses.UDP)
        ),
        lambda: socket.socket(socket.AF_UNIX).connect(witnesses.UNIX),
        lambda: socket.socket(socket.AF_UNIX).connect(witnesses.ABSTRACT),
        lambda: socket.getaddrinfo("example.org", 80),
        lambda: called("socket", 1, 1, 0),
        lambda: called("socketpair", 1, 1, 0, ctypes.create_string_buffer(8)),
    )


def starts_processes(_: Path) -> None:
    """Start a process, by Python, by the C library and by the kernel."""

    def forked(fork: Callable[[], int]) -> Callable[[], int]:
        def attempt() -> int:
            child = fork()
            if child == 0:
                time.sleep(100)
                os._exit(0)
            return child

        return attempt

    refused(
        forked(os.fork),
        forked(lambda: called("fork")),
        forked(lambda: called("syscall", 56, 17, 0, 0, 0, 0)),
        forked(lambda: called("syscall", 435, 0, 0)),
        lambda: subprocess.run(["/bin/true"], check=False),
        lambda: os.posix_spawn("/bin/true", ["true"], {}),
        lambda: os.execv(sys.executable, [sys.executable]),
        lambda: called("execv", b"/bin/sh", (ctypes.c_char_p * 2)(b"sh", None)),
    )


def attacks_processes(_: Path) -> None:
    """Send signals to other processes, look into them, and change what they may."""
    buffer = ctypes.create_string_buffer(16)
    for pid in (os.getppid(), witnesses.CANARY_PID, 1):
        refused(
            partial(os.kill, pid, signal.SIGTERM if pid > 1 else 0),
            partial(called, "ptrace", 16, pid, 0, 0),
            partial(called, "process_vm_readv", pid, buffer, 1, buffer, 1, 0),
            partial(os.setpriority, os.PRIO_PROCESS, pid, 19),
            partial(os.sched_setaffinity, pid, {0}),
            partial(called, "prlimit", pid, 7, buffer, None),
            partial(time.clock_gettime, (~pid << 3) | 2),
        )
    refused(lambda: os.kill(-1, 0), lambda: os.killpg(0, 0))


def talks_past_files(_: Path) -> None:
    """Use memory, semaphores and queues that somebody has left open."""
    refused(
        lambda: called("shmget", 0, 4096, 0o1666),
        lambda: called("shmat", witnesses.SYSTEM_V_SHM, None, 0),
        lambda: called("msgget", 0, 0o1666),
        lambda: called("semget", 0, 1, 0o1666),
        lambda: called("mq_open", witnesses.POSIX_QUEUE.encode(), 2, 0, None),
        lambda: called("memfd_create", b"x", 0),
        lambda: called("unshare", 0x10000000),
        lambda: called("mount", b"tmpfs", b"/", b"tmpfs", 0, None),
        lambda: called("setuid", 0),
        lambda: called("chroot", b"/"),
    )


def fills_the_disk(folder: Path) -> None:
    """Write as much as can be, in one file after the other, and as many as can be."""
    sizes = 0
    with contextlib.suppress(OSError):
        for number in range(1_000):
            sizes += (folder / f"large{number}").write_bytes(bytes(1 << 20))
    time.sleep(0.2)
    assert sizes <= 64 << 20, "escaped: more bytes than there are"
    count = 0
    with contextlib.suppress(OSError):
        for number in range(10_000):
            (folder / f"small{number}").touch()
            count += 1
    time.sleep(0.2)
    assert count <= 4_096, "escaped: more files than there are"


def leaves_things_behind(folder: Path) -> None:
    """Leave a folder that nobody may enter, links that lead out, and a thread."""
    locked = folder / "locked"
    locked.mkdir()
    (locked / "kept").write_text("x")
    (folder / "out").symlink_to("/")
    locked.chmod(0)
    threading.Thread(target=time.sleep, args=(1_000,), daemon=True).start()


def _channel() -> int:
    """Return the descriptor by which this process tells what came of its tests."""
    frame: Any = sys._getframe()
    while "item" not in frame.f_locals:
        frame = frame.f_back
    telling = frame.f_locals["item"].config.pluginmanager.get_plugin("grader-telling")
    fd: int = vars(vars(telling)["_send"].__self__)["_channel"].fileno()
    return fd


def _told(**message: Any) -> None:
    data = json.dumps(message).encode()
    os.write(_channel(), len(data).to_bytes(4, "big") + data)


def _passed(name: str) -> list[Any]:
    file = f"tests/test_target.py::{name}"
    return [file, ["PASSED", 1.0, 1.0, "", "", "", None], {}, []]


def forges_the_next(_: Path) -> None:
    """Say that another test has passed."""
    _told(tested=_passed("test_last"))


def forges_a_second_say(_: Path) -> None:
    """Say twice what came of this test."""
    _told(tested=_passed("test_attack"))
    _told(tested=_passed("test_attack"))


def forges_a_test(_: Path) -> None:
    """Say that there are more tests than there are, and begin one."""
    more = ["tests/test_target.py::test_more", 100.0, "", "", False, "", "test_more", False]
    _told(collected=[[more], [], []])


def forges_points(_: Path) -> None:
    """Say that a test was worth more than any is."""
    _told(score=[1e300, float("nan")])


def ends_early(_: Path) -> None:
    """Say that all is done, and go."""
    _told(finished=0)
    os._exit(0)


def ends_oddly(_: Path) -> None:
    """Say that pytest came to no end, and go."""
    _told(finished=3)
    os._exit(0)


def ends_twice(_: Path) -> None:
    """Say for the second time that all is done."""
    _told(tested=_passed("test_attack"))
    _told(begin="tests/test_target.py::test_last")
    _told(tested=_passed("test_last"))
    _told(finished=0)
    _told(finished=0)
    os._exit(0)


def says_a_fault(_: Path) -> None:
    """Say that it is a fault of the tests."""
    name, (_verdict, *rest), *others = _passed("test_attack")
    _told(tested=[name, ["FAULT", *rest], *others])
    _told(begin="tests/test_target.py::test_last")
    os._exit(0)


def reports_nonsense(_: Path) -> None:
    """Say of a test what pytest cannot show, and crash."""
    name, told, facts, _reports = _passed("test_attack")
    _told(tested=[name, told, facts, [3, {"outcome": []}]])
    ctypes.string_at(0)


def wants_a_secret(_: Path) -> None:
    """Fail for want of a file that is there, and that nobody may read."""
    raise FileNotFoundError(2, "not there", bytes.fromhex("2f7573722f73686172652f646f63").decode())


def says_nonsense(_: Path) -> None:
    """Say what is no message."""
    os.write(_channel(), b"\0\0\0\4[[[[")


def says_too_much(_: Path) -> None:
    """Say that a message comes that fills the memory."""
    os.write(_channel(), b"\xff\xff\xff\xff")


def says_the_same_for_ever(_: Path) -> None:
    """Fill the memory of whoever listens, by messages of the form that they should have."""
    data = b'{"score": [1,' + b" " * 10_000_000 + b"1]}"
    for _time in range(1_000):
        sent = len(data).to_bytes(4, "big") + data
        while sent:
            sent = sent[os.write(_channel(), sent) :]


def asks_and_does_not_listen(_: Path) -> None:
    """Keep whoever answers busy with answers that nobody reads."""
    data = b'{"clock": 1}'
    with contextlib.suppress(OSError):
        while os.write(_channel(), 10_000 * (len(data).to_bytes(4, "big") + data)):
            pass


def borrows_too_much(_: Path) -> None:
    """Ask for executors without end, with limits of its own."""
    _told(lend={"memory_bytes": 1 << 40})


def ends_what_was_not_lent(_: Path) -> None:
    """Have an executor of somebody else killed."""
    _told(end=os.getppid())


def goes_on_for_ever(_: Path) -> None:
    """Compute without end, whatever signals come."""
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    while True:
        pass


def sleeps(_: Path) -> None:
    """Wait without end, and swallow whatever is raised."""
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(1_000)


def fills_the_memory(_: Path) -> None:
    """Take as much memory as there is."""
    kept = []
    while True:
        kept.append(b"x" * (1 << 26))


def exits(_: Path) -> None:
    """End the process."""
    os._exit(0)


def crashes(_: Path) -> None:
    """Crash the interpreter."""
    ctypes.string_at(0)


def raises(_: Path) -> None:
    """Fail, as a test does."""
    pytest.fail("as it should")
