"""Runs an instructor's tests in a walled process, and lends it executors.

The process is started by exec with its own environment, gets the settings and the hand-in, and
locks itself before it reads any of the tests: see `grader.executor.enclosing`. From then on it is
not trusted. It has one channel: it reports results, which `Ledger` checks, and requests executors,
of which it gets the sockets. It can reach no other process, so this side measures and kills those.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from grader.errors import ExecutorKilled
from grader.plugins.own_tests.bridge.wire import Malformed
from grader.plugins.own_tests.proxying.borrowed import HEADER_BYTES, MAX_BYTES, pack_message
from grader.plugins.own_tests.proxying.ledger import MAX_REPORT_BYTES, Ledger
from grader.plugins.own_tests.proxying.link import Trouble
from grader.plugins.own_tests.proxying.written_folder import (
    MAX_FILE_BYTES,
    MAX_FILES,
    WrittenFolder,
)
from grader.sandbox.clocks import clock_id, waited_s
from grader.sandbox.forked import ForkedProcess
from grader.sandbox.zygote import PACKAGE_ROOT, Zygote
from grader.verdict import Verdict

CAN_WALL: Final = sys.platform == "linux" and hasattr(os, "pidfd_open")
"""Elsewhere there is no wall, and no `/proc` with the memory of a process."""
_LOOK_S: Final = 0.05  # a limit may be exceeded for this long
_READ_BYTES: Final = 1 << 18
_MAX_LENT: Final = 8
_ANSWER_S: Final = 5.0
_PROGRAM: Final = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from grader.executor.enclosing import TestsRoom, enclose; "
    "from grader.plugins.own_tests.under_pytest.child import main; "
    "main(int(sys.argv[2]), lambda room, bounds: enclose(TestsRoom(**room), **bounds))"
)
_PASSED_ON: Final = ("PYTHONPATH", "PYTHONHASHSEED", "TZ", "TERM", "NO_COLOR", "COLUMNS")
"""Environment variables that tests inherit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Limits on one activity of the process: a test, or all that is around the tests."""

    cpu_s: float
    wall_s: float
    memory_bytes: int
    """Memory on top of what the process had at the start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WalledJob:
    """What a process of tests runs, and its limits."""

    start: Mapping[str, Any]
    """The first message."""
    readable: tuple[str, ...]
    listed: tuple[str, ...]
    folder: str
    around: Bounds
    """While no test runs, such as during collection."""
    testing: Bounds
    late: Bounds
    """For a test of a hand-in that has used up `all_s`."""
    all_s: float
    """Seconds for all tests of a hand-in, not counting waits for a processor."""
    shows: bool
    """Whether the output of pytest is shown."""
    has_terminal: bool = False
    """Whether it gets our terminal, for a debugger: then no limit ends it."""


class ProcessEnded(Exception):
    """The process of the tests has ended, or must; carries the trouble for the current test."""

    def __init__(self, verdict: Verdict, message: str, evidence: str) -> None:
        """Make the trouble."""
        super().__init__(message)
        self.trouble = Trouble(verdict=verdict, message=message, evidence=evidence)


_INTERFERED: Final = "the tests, or what a submission does in them, interfered with the grader"
_TOO_SLOW: Final = "the test itself took too long", "CPU limit"
_TOO_LARGE: Final = "the test itself used too much memory", "its own process"
_TOO_FULL: Final = "the test itself wrote too many files", "its own folder"
OVER: Final = Trouble(
    verdict=Verdict.TIMED_OUT,
    message="its tests have used up the time of this hand-in",
    evidence="time in all",
)


class Walled:
    """One process of tests; as a context manager, it cleans up after the process."""

    def __init__(
        self, job: WalledJob, ledger: Ledger, sandbox: Zygote, show: Callable[[int, bytes], None]
    ) -> None:
        """Start the process, which borrows executors of `sandbox`; its output goes to `show`."""
        self._job: Final = job
        self._ledger: Final = ledger
        self._sandbox: Final = sandbox
        self._show: Final = show
        self._drops_output = bool(ledger.results)  # until it has repeated what was shown before
        self._lent_processes: Final[dict[int, ForkedProcess]] = {}
        self._count = 0
        self._buffer: Final = bytearray()
        self._handlers: Final[dict[str, Callable[[Any], None]]] = {
            "locked": self._lock,
            "shown": self._shown,
            "lend": self._lend,
            "clock": self._clock,
            "end": self._end,
            "ending": self._ending,
        }
        self.layers: dict[str, Any] | None = None
        """The walls around it, which it reports before it runs any foreign code."""
        self.spent_s = 0.0
        """Seconds that its tests have taken, not counting waits for a processor."""
        self._activity_start_s = self._spent_before_s = 0.0
        self._around_left_s = job.around.wall_s
        ledger.begin_process()
        self._folder: Final = WrittenFolder()
        self._channel, child = socket.socketpair()
        output = subprocess.PIPE if job.shows else subprocess.DEVNULL
        with child:
            self._process: Final = subprocess.Popen(
                # Unlike a zygote without `-S`: tests use the packages of this environment.
                [sys.executable, "-P", "-B", "-c", _PROGRAM, PACKAGE_ROOT, str(child.fileno())],
                stdin=None if job.has_terminal else subprocess.DEVNULL,
                stdout=None if job.has_terminal else output,
                stderr=None if job.has_terminal else subprocess.PIPE,
                env=self._environment(),
                pass_fds=[child.fileno()],
                start_new_session=not job.has_terminal,  # `interrupt` passes Ctrl-C on
            )
        self._pid: Final = self._process.pid
        self._begin(job.around)
        self._activity_start_s = self._clock_s()
        self._send(self._start())

    def _environment(self) -> dict[str, str]:
        own = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        own |= {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
        own |= dict.fromkeys(("HOME", "TMPDIR"), self._folder.path)
        own |= dict.fromkeys(("USER", "LOGNAME"), "tests")
        return own | {"PYTHONSAFEPATH": "1", "OPENBLAS_NUM_THREADS": "1"}

    def _start(self) -> dict[str, Any]:
        known = self._ledger.reports_to_repeat(with_reports=self._job.shows)
        room = {
            "readable": self._job.readable,
            "listed": self._job.listed,
            "writable": self._folder.path,
            "folder": self._job.folder,
            "most_bytes": MAX_FILE_BYTES,
            "most_files": MAX_FILES,
            "owner": self._folder.owner,
        }
        bounds = {
            "memory_bytes": self._job.testing.memory_bytes,
            "cpu_s": 2 * self._job.all_s + self._job.testing.cpu_s + 2 * self._job.around.cpu_s,
        }
        return {**self._job.start, "known": known, "room": room, "bounds": bounds}

    # Limits

    def _begin(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._cpu_end_s = self._used_s() + bounds.cpu_s
        self._wall_end_s = self._clock_s() + bounds.wall_s
        self._most_bytes = _resident_bytes(self._pid) + bounds.memory_bytes

    def _switch_limits(self, *, testing: bool) -> None:
        """Apply the limits of a test, or what is left of those around the tests."""
        if self._bounds is self._job.around:
            # In all, so hooks add up.
            self._around_left_s -= self._clock_s() - self._activity_start_s
        self._begin(self._job.testing if testing else self._job.around)
        self._spent_before_s, self._activity_start_s = self.spent_s, self._clock_s()
        if not testing:
            self._wall_end_s = self._activity_start_s + self._around_left_s

    def _used_s(self) -> float:
        try:
            return time.clock_gettime(clock_id(self._pid))
        except OSError:  # it has ended, which `serve` notices
            return 0.0

    def _clock_s(self) -> float:
        """Return a time that stands still while the process waits for a processor."""
        return time.monotonic() - (waited_s(self._pid) or 0.0)

    def check(self, spent_s: float) -> None:
        """Raise `ProcessEnded` if it exceeds a limit; earlier processes have used `spent_s`."""
        if self._job.has_terminal:
            return
        if _resident_bytes(self._pid) > self._most_bytes:
            raise ProcessEnded(Verdict.MEMORY, *_TOO_LARGE)
        if self._used_s() > self._cpu_end_s:
            raise ProcessEnded(Verdict.TIMED_OUT, *_TOO_SLOW)
        if self._clock_s() > self._wall_end_s:
            raise ProcessEnded(Verdict.TIMED_OUT, _TOO_SLOW[0], "clock on the wall")
        if not (self.layers or {}).get("namespaces") and self._folder.is_full():
            raise ProcessEnded(Verdict.OUTPUT, *_TOO_FULL)
        if self._ledger.current is not None:
            self.spent_s = self._spent_before_s + self._clock_s() - self._activity_start_s
            is_late = spent_s + self.spent_s > self._job.all_s
            if is_late and self._bounds is self._job.testing:
                self._begin(self._job.late)

    def serve(self, spent_s: float) -> None:
        """Serve requests until the process ends; raises `ProcessEnded` if it has to be stopped."""
        poll, ended = select.poll(), os.pidfd_open(self._pid)
        streams = {
            each.fileno(): each for each in (self._process.stdout, self._process.stderr) if each
        }
        for fd in (self._channel.fileno(), ended, *streams):
            poll.register(fd, select.POLLIN)
        try:
            while True:
                ready = dict(poll.poll(1000 * _LOOK_S))
                for fd in streams.keys() & ready.keys():
                    if not self._pass_on(fd, 1 if streams[fd] is self._process.stdout else 2):
                        poll.unregister(fd)  # at its end it would always be ready
                if self._channel.fileno() in ready and not self._receive():
                    poll.unregister(self._channel)
                elif ended in ready:
                    self._receive_rest(streams)
                    return self._has_ended()
                self.check(spent_s)
        finally:
            os.close(ended)

    def _receive_rest(self, streams: Mapping[int, Any]) -> None:
        while self._receive():
            pass
        for fd, stream in streams.items():
            while self._pass_on(fd, 1 if stream is self._process.stdout else 2):
                pass

    def _pass_on(self, fd: int, stream: int) -> bool:
        data = os.read(fd, _READ_BYTES)
        if data and not (self._drops_output and stream == 1):
            self._show(stream, data)
        return bool(data)

    def _receive(self) -> bool:
        """Process what the process of the tests has sent; return whether there may be more."""
        try:
            data = self._channel.recv(_READ_BYTES)
        except OSError:
            return False
        self._buffer.extend(data)
        while len(self._buffer) >= HEADER_BYTES:
            size = int.from_bytes(self._buffer[:HEADER_BYTES], "big")
            if size > MAX_BYTES:
                raise ProcessEnded(
                    Verdict.OUTPUT, "the test itself told too much", "length of its report"
                )
            if len(self._buffer) < HEADER_BYTES + size:
                break
            frame = bytes(self._buffer[HEADER_BYTES : HEADER_BYTES + size])
            del self._buffer[: HEADER_BYTES + size]
            self._process_frame(frame)
        return bool(data)

    def _process_frame(self, frame: bytes) -> None:
        self._ledger.report_bytes += len(frame)
        try:
            if self._ledger.report_bytes > MAX_REPORT_BYTES:
                raise Malformed("more than anybody has to tell")
            message = json.loads(frame)
            if type(message) is not dict or len(message) != 1:
                raise Malformed("a message that is none")
            ((kind, content),) = message.items()
            if (serve := self._handlers.get(kind)) is not None:
                return serve(content)
            self._ledger.process_message(message)
            if kind != "score":
                self._switch_limits(testing=kind == "begin")
        except (ValueError, RecursionError, Malformed) as error:  # JSON may be nested deeply
            raise ProcessEnded(Verdict.TAMPERED, _INTERFERED, str(error)) from error

    def _lock(self, content: Any) -> None:
        if self.layers is not None or type(content) is not dict:
            raise Malformed("walls that are none")
        self.layers = content

    def _shown(self, _: Any) -> None:
        if self._process.stdout is not None:
            fd = self._process.stdout.fileno()
            ready = select.poll()
            ready.register(fd, select.POLLIN)
            while ready.poll(0) and self._pass_on(fd, 1):
                pass
        self._drops_output = False

    def _lend(self, limits: Any) -> None:
        if len(self._lent_processes) >= _MAX_LENT or limits != self._job.start["limits"]:
            raise Malformed("more than is lent")
        process = self._sandbox.lend(self._job.start["limits"])
        self._count += 1
        self._lent_processes[self._count] = process
        packed = pack_message({"number": self._count})
        self._channel.settimeout(_ANSWER_S)
        socket.send_fds(self._channel, [packed], [process.channel.fileno()])

    def _clock(self, number: Any) -> None:
        process = self._lent_process(number)
        self._send({"used_s": process.used_s(), "waited_s": process.waited_s()})

    def _end(self, number: Any) -> None:
        self._lent_process(number).end()
        del self._lent_processes[number]

    def _ending(self, number: Any) -> None:
        process = self._lent_process(number)
        del self._lent_processes[number]
        try:
            self._send({"code": process.ending()})
        except ExecutorKilled as killed:
            self._send({"killed": str(killed), "help": killed.help})

    def _lent_process(self, number: Any) -> ForkedProcess:
        process = self._lent_processes.get(number) if type(number) is int else None
        if process is None:
            raise Malformed("what was not lent")
        return process

    def _send(self, message: Mapping[str, Any]) -> None:
        self._channel.settimeout(_ANSWER_S)
        try:
            self._channel.sendall(pack_message(dict(message)))
        except TimeoutError:  # it sends requests without reading replies, to block us
            raise ProcessEnded(Verdict.TAMPERED, _INTERFERED, "answers are not read") from None
        except OSError:
            return  # it has ended, which `serve` notices

    # How it ends

    def interrupt(self) -> None:
        """Interrupt pytest, as Ctrl-C does."""
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGINT)

    def _has_ended(self) -> None:
        """Raise `ProcessEnded` unless pytest has reported its exit code."""
        code = self._process.wait()
        if self._ledger.exit_code is not None:
            return
        if code == -signal.SIGXCPU:
            raise ProcessEnded(Verdict.TIMED_OUT, *_TOO_SLOW)
        if code == -signal.SIGKILL:
            message = "the test itself was killed by somebody else"
            raise ProcessEnded(Verdict.FAULT, message, "SIGKILL")
        if code < 0:
            message = "the test itself crashed the interpreter"
            raise ProcessEnded(Verdict.CRASHED, message, f"signal {-code}")
        raise ProcessEnded(Verdict.EXITED, "the test itself ended the program", f"exit code {code}")

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        """Kill the process and its executors, and remove its folder."""
        self._process.kill()
        self._process.wait()
        for process in self._lent_processes.values():
            process.end()
        for each in (self._channel, self._process.stdout, self._process.stderr):
            if each is not None:
                each.close()
        self._folder.remove()


def _resident_bytes(pid: int) -> int:
    try:
        pages = Path(f"/proc/{pid}/statm").read_bytes().split()[1]
    except (OSError, IndexError):  # it has ended, which `serve` notices
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
