"""Runs an instructor's tests in a walled process, and lends executors to it.

The process is started by exec with an environment of its own. It gets the settings and the hand-in,
and locks itself before it reads any of the tests: see `grader.executor.enclosing`. From then on it
is not trusted. It has one channel. Over it, the process reports results, which `Ledger` checks, and
requests executors, for which it gets sockets. It cannot reach any other process, so this side
measures and kills the executors.
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
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from grader.plugins.own_tests.bridge.wire import Malformed
from grader.plugins.own_tests.proxying.borrowed import HEADER_BYTES, MAX_BYTES, pack_message
from grader.plugins.own_tests.proxying.ledger import MAX_REPORT_BYTES, Ledger
from grader.plugins.own_tests.proxying.lent_executors import REPLY_TIMEOUT_S, LentExecutors
from grader.plugins.own_tests.proxying.scratch_folder import (
    MAX_FILE_BYTES,
    MAX_FILES,
    ScratchFolder,
)
from grader.plugins.own_tests.proxying.troubles import Trouble
from grader.plugins.own_tests.proxying.walled_job import Bounds, WalledJob
from grader.sandbox.clocks import clock_id, waited_s
from grader.sandbox.zygote import PACKAGE_ROOT, Zygote
from grader.verdict import Verdict

HAS_WALLS: Final = sys.platform == "linux" and hasattr(os, "pidfd_open")
"""Other systems have neither walls nor a `/proc` that shows the memory of a process."""
_POLL_S: Final = 0.05  # the longest time for which a limit can be exceeded
_READ_BYTES: Final = 1 << 18
_PROGRAM: Final = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from grader.executor.enclosing import TestsRoom, enclose; "
    "from grader.plugins.own_tests.under_pytest.tests_process import main; "
    "main(int(sys.argv[2]), lambda room, bounds: enclose(TestsRoom(**room), **bounds))"
)
_INHERITED_VARIABLES: Final = ("PYTHONPATH", "PYTHONHASHSEED", "TZ", "TERM", "NO_COLOR", "COLUMNS")
"""Environment variables that tests inherit. They must not see the others, which are the user's."""


class ProcessEnded(Exception):
    """The process of the tests has ended, or must be stopped."""

    def __init__(self, verdict: Verdict, message: str, evidence: str) -> None:
        """Store the trouble with which the current test ends."""
        super().__init__(message)
        self.trouble = Trouble(verdict=verdict, message=message, evidence=evidence)


_INTERFERED: Final = "the tests, or a submission in their process, interfered with the grader"
# A message, with the evidence for staff.
_TOO_SLOW: Final = "the test itself took too long", "CPU limit"
_TOO_FULL: Final = (
    "the test itself wrote too many files",
    f"more than {MAX_FILES:,} files, or {MAX_FILE_BYTES >> 20:,} MiB, in its own folder",
)
OUT_OF_TIME: Final = Trouble(
    verdict=Verdict.TIMED_OUT,
    message="the time for all tests of this hand-in is used up",
    evidence="total time",
)


class WalledProcess:
    """One process of tests.

    As a context manager, it cleans up after the process.
    """

    def __init__(
        self, job: WalledJob, ledger: Ledger, sandbox: Zygote, show: Callable[[int, bytes], None]
    ) -> None:
        """Start the process, which borrows executors from `sandbox`.

        `show` is called with the number of a stream, 1 or 2, and output of the process. Raises
        `ProcessEnded` if the process does not read its first message.
        """
        self._job: Final = job
        self._ledger: Final = ledger
        self._show: Final = show
        self._drops_output = bool(ledger.results)
        """Whether the process is still repeating reports that an earlier process has shown."""
        self._buffer: Final = bytearray()
        self.layers: dict[str, Any] | None = None
        """The walls around the process, or None until it reports them, which it does before it runs
        any foreign code."""
        self.spent_s = 0.0
        """The seconds that the tests have taken, without those in which they waited for the CPU."""
        self._activity_start_s = self._spent_before_s = 0.0
        self._around_remaining_s = job.around_bounds.wall_s
        ledger.begin_process()
        self._folder: Final = ScratchFolder()
        self._channel, child = socket.socketpair()
        self._executors: Final = LentExecutors(
            sandbox, job.start["limits"], self._channel, self._send
        )
        self._handlers: Final[dict[str, Callable[[Any], None]]] = {
            "locked": self._record_walls,
            "shown": self._stop_dropping_output,
            "lend": self._executors.lend,
            "clock": self._executors.send_clocks,
            "end": self._executors.end,
            "ending": self._executors.send_ending,
        }
        output = subprocess.PIPE if job.shows_output else subprocess.DEVNULL
        with child:
            self._process: Final = subprocess.Popen(
                # Without `-S`, unlike a zygote: tests use the packages of this environment.
                [sys.executable, "-P", "-B", "-c", _PROGRAM, PACKAGE_ROOT, str(child.fileno())],
                stdin=None if job.has_terminal else subprocess.DEVNULL,
                stdout=None if job.has_terminal else output,
                stderr=None if job.has_terminal else subprocess.PIPE,
                env=self._environment(),
                pass_fds=[child.fileno()],
                start_new_session=not job.has_terminal,  # so that only `interrupt` passes on Ctrl-C
            )
        self._pid: Final = self._process.pid
        self._apply_bounds(job.around_bounds)
        self._activity_start_s = self._clock_s()
        self._send(self._first_message())

    def _environment(self) -> dict[str, str]:
        """Return the environment variables of the process."""
        variables = {name: os.environ[name] for name in _INHERITED_VARIABLES if name in os.environ}
        variables |= {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
        variables |= dict.fromkeys(("HOME", "TMPDIR"), self._folder.path)
        variables |= dict.fromkeys(("USER", "LOGNAME"), "tests")
        return variables | {"PYTHONSAFEPATH": "1", "OPENBLAS_NUM_THREADS": "1"}

    def _first_message(self) -> dict[str, Any]:
        """Return the first message to the process: the job, its walls and the results so far."""
        reports = self._ledger.reports_to_repeat(with_reports=self._job.shows_output)
        room = {
            "readable": self._job.readable,
            "listed": self._job.listed,
            "writable": self._folder.path,
            "folder": self._job.folder,
            "most_bytes": MAX_FILE_BYTES,
            "most_files": MAX_FILES,
            "owner": self._folder.owner,
        }
        # The kernel enforces these limits, which are on the whole process.
        bounds = {
            "memory_bytes": self._job.test_bounds.memory_bytes,
            "cpu_s": 2 * self._job.total_s
            + self._job.test_bounds.cpu_s
            + 2 * self._job.around_bounds.cpu_s,
        }
        return {**self._job.start, "known": reports, "room": room, "bounds": bounds}

    # Limits

    def _apply_bounds(self, bounds: Bounds) -> None:
        """Apply the limits in `bounds` from now on."""
        self._bounds = bounds
        self._cpu_end_s = self._used_s() + bounds.cpu_s
        self._wall_end_s = self._clock_s() + bounds.wall_s
        self._max_memory_bytes = _resident_bytes(self._pid) + bounds.memory_bytes

    def _switch_limits(self, *, is_test: bool) -> None:
        """Apply the limits on a test or, unless `is_test`, those around tests for the time left."""
        if self._bounds is self._job.around_bounds:
            # The limit around the tests is on the total, so the times of hooks add up.
            self._around_remaining_s -= self._clock_s() - self._activity_start_s
        self._apply_bounds(self._job.test_bounds if is_test else self._job.around_bounds)
        self._spent_before_s, self._activity_start_s = self.spent_s, self._clock_s()
        if not is_test:
            self._wall_end_s = self._activity_start_s + self._around_remaining_s

    def _used_s(self) -> float:
        """Return the CPU seconds that the process has used, or 0 if it has ended."""
        try:
            return time.clock_gettime(clock_id(self._pid))
        except OSError:  # the process has ended, which `serve` detects
            return 0.0

    def _clock_s(self) -> float:
        """Return a time that does not advance while the process waits for CPU."""
        return time.monotonic() - (waited_s(self._pid) or 0.0)

    def check(self, spent_s: float) -> None:
        """Raise `ProcessEnded` if the process exceeds a limit.

        Earlier processes of the same tests have used `spent_s` seconds. If the time for all tests
        is used up, the limits on late tests apply to the current test.
        """
        if self._job.has_terminal:
            return
        if _resident_bytes(self._pid) > self._max_memory_bytes:
            evidence = f"more than {self._bounds.memory_bytes >> 20:,} MiB in its own process"
            raise ProcessEnded(Verdict.MEMORY, "the test itself used too much memory", evidence)
        if self._used_s() > self._cpu_end_s:
            raise ProcessEnded(Verdict.TIMED_OUT, *_TOO_SLOW)
        if self._clock_s() > self._wall_end_s:
            raise ProcessEnded(Verdict.TIMED_OUT, _TOO_SLOW[0], "wall clock limit")
        if not (self.layers or {}).get("namespaces") and self._folder.is_full():
            raise ProcessEnded(Verdict.OUTPUT, *_TOO_FULL)
        if self._ledger.current is not None:
            self.spent_s = self._spent_before_s + self._clock_s() - self._activity_start_s
            is_late = spent_s + self.spent_s > self._job.total_s
            if is_late and self._bounds is self._job.test_bounds:
                self._apply_bounds(self._job.late_bounds)

    def serve(self, spent_s: float) -> None:
        """Serve the process until it ends; raises `ProcessEnded` if it fails or exceeds a limit.

        Earlier processes of the same tests have used `spent_s` seconds.
        """
        poll, exit_fd = select.poll(), os.pidfd_open(self._pid)
        streams = {
            stream.fileno(): stream
            for stream in (self._process.stdout, self._process.stderr)
            if stream
        }
        for fd in (self._channel.fileno(), exit_fd, *streams):
            poll.register(fd, select.POLLIN)
        try:
            while True:
                ready = dict(poll.poll(1000 * _POLL_S))
                for fd in streams.keys() & ready.keys():
                    if not self._pass_on(fd, 1 if streams[fd] is self._process.stdout else 2):
                        poll.unregister(fd)  # at the end of the stream, it would always be ready
                if self._channel.fileno() in ready and not self._receive():
                    poll.unregister(self._channel)
                elif exit_fd in ready:
                    self._receive_rest(streams)
                    return self._check_exit()
                self.check(spent_s)
        finally:
            os.close(exit_fd)

    def _receive_rest(self, streams: Mapping[int, Any]) -> None:
        """Process everything that the process sent before it ended."""
        while self._receive():
            pass
        for fd, stream in streams.items():
            while self._pass_on(fd, 1 if stream is self._process.stdout else 2):
                pass

    def _pass_on(self, fd: int, stream: int) -> bool:
        """Show output that the process has written; return False at the end of the stream.

        Repeated output on stdout, which an earlier process has shown, is dropped.
        """
        data = os.read(fd, _READ_BYTES)
        if data and not (self._drops_output and stream == 1):
            self._show(stream, data)
        return bool(data)

    def _receive(self) -> bool:
        """Process messages that the process has sent; return whether there may be more of them.

        Raises `ProcessEnded` if a message is too large, or invalid.
        """
        try:
            data = self._channel.recv(_READ_BYTES)
        except OSError:
            return False
        self._buffer.extend(data)
        while len(self._buffer) >= HEADER_BYTES:
            size = int.from_bytes(self._buffer[:HEADER_BYTES], "big")
            if size > MAX_BYTES:
                raise ProcessEnded(
                    Verdict.OUTPUT, "the test itself reported too much", "size of its report"
                )
            if len(self._buffer) < HEADER_BYTES + size:
                break
            frame = bytes(self._buffer[HEADER_BYTES : HEADER_BYTES + size])
            del self._buffer[: HEADER_BYTES + size]
            self._process_frame(frame)
        return bool(data)

    def _process_frame(self, frame: bytes) -> None:
        """Serve one message of the process, or pass it to the ledger.

        Raises `ProcessEnded` if no honest process would send it.
        """
        self._ledger.report_bytes += len(frame)
        try:
            if self._ledger.report_bytes > MAX_REPORT_BYTES:
                raise Malformed(f"the reports exceed {MAX_REPORT_BYTES:,} bytes in all")
            message = json.loads(frame)
            if type(message) is not dict or len(message) != 1:
                raise Malformed("expected one message of one kind")
            ((kind, content),) = message.items()
            if (handler := self._handlers.get(kind)) is not None:
                return handler(content)
            self._ledger.process_message(message)
            if kind != "score":  # a test reports its score while it runs
                self._switch_limits(is_test=kind == "begin")
        except (ValueError, RecursionError, Malformed) as error:  # RecursionError: nested JSON
            raise ProcessEnded(Verdict.TAMPERED, _INTERFERED, str(error)) from error

    def _record_walls(self, content: Any) -> None:
        """Store the walls that the process has reported; raises `Malformed` if they are invalid."""
        if self.layers is not None or type(content) is not dict:
            raise Malformed("the walls were reported twice, or are invalid")
        self.layers = content

    def _stop_dropping_output(self, _: Any) -> None:
        """Stop dropping output: the process has repeated the reports that were shown before.

        The output that is still in the pipe belongs to these reports, and is dropped as well.
        """
        if self._process.stdout is not None:
            fd = self._process.stdout.fileno()
            ready = select.poll()
            ready.register(fd, select.POLLIN)
            while ready.poll(0) and self._pass_on(fd, 1):
                pass
        self._drops_output = False

    def _send(self, message: Mapping[str, Any]) -> None:
        """Send a message to the process; raises `ProcessEnded` if the process does not read it."""
        self._channel.settimeout(REPLY_TIMEOUT_S)
        try:
            self._channel.sendall(pack_message(dict(message)))
        except TimeoutError:  # it sends requests without reading replies, to block the grader
            raise ProcessEnded(
                Verdict.TAMPERED, _INTERFERED, "the process does not read replies"
            ) from None
        except OSError:
            return  # the process has ended, which `serve` detects

    # The end of the process

    def interrupt(self) -> None:
        """Interrupt pytest, as Ctrl-C does."""
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGINT)

    def _check_exit(self) -> None:
        """Wait for the end of the process; raises `ProcessEnded` unless pytest has finished."""
        code = self._process.wait()
        if self._ledger.exit_code is not None:
            return
        if code == -signal.SIGXCPU:
            raise ProcessEnded(Verdict.TIMED_OUT, *_TOO_SLOW)
        if code == -signal.SIGKILL:
            message = "another process killed the tests; check whether memory ran out, and retry"
            raise ProcessEnded(Verdict.FAULT, message, "SIGKILL")
        if code < 0:
            message = "the test itself crashed the interpreter"
            raise ProcessEnded(Verdict.CRASHED, message, f"signal {-code}")
        raise ProcessEnded(Verdict.EXITED, "the test itself ended the program", f"exit code {code}")

    def __enter__(self) -> Self:
        """Return this process."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        """Kill the process and its executors, and remove the folder of the process."""
        self._process.kill()
        self._process.wait()
        self._executors.end_all()
        for stream in (self._channel, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        self._folder.remove()


def _resident_bytes(pid: int) -> int:
    """Return the memory that a process uses, or 0 if it has ended."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_bytes().split()[1]
    except (OSError, IndexError):  # the process has ended, which `serve` detects
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
