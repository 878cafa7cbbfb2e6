"""Chooses the kind of sandbox for this system, and starts executors where there is no zygote.

The choice is made here and nowhere else. A zygote needs features that only Linux has. Elsewhere
each session gets a fresh interpreter without isolation, which needs only pipes, threads and a
clock. If the system cannot measure the CPU time of another process, wall time replaces it; units
still decide verdicts.
"""

from __future__ import annotations

import json
import os
import platform
import queue
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from threading import Event, Lock, Thread, Timer
from typing import IO, Any, Final

from grader.errors import HostError, ZygoteError
from grader.sandbox.clocks import clock_key, system_clock, waited_s
from grader.sandbox.executor import GRACE_S, Executor, ExecutorEnded, Sandbox
from grader.sandbox.isolation import Isolation, Layers
from grader.sandbox.zygote import (
    ENVIRONMENT,
    PACKAGE_ROOT,
    Zygote,
    environment,
    interpreter_command,
)

__all__ = [
    "FreshProcess",
    "FreshSandbox",
    "Sandbox",
    "end_early",
    "new_sandbox",
    "probe_isolation",
    "start_early",
    "usable_cores",
]

_PROBE_WALL_S: Final = 60.0
_PROBE: Final = (
    "import json, sys; sys.path.insert(0, sys.argv[1]); "
    "from grader.executor import probe; "
    "layers = getattr(probe, sys.argv[2])(); "
    "print(json.dumps({'level': layers.level, 'layers': layers.to_json()}))"
)


def usable_cores() -> int:
    """Return how many CPU cores this process is allowed to use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def new_sandbox(packages: Sequence[str] = (), seed: int = 0, hosts: Sequence[str] = ()) -> Sandbox:
    """Return a new sandbox of the kind that this system supports.

    Its executors can import `packages` besides the usual modules, and work with `hosts` (see
    `grader.executor.hosts`). Sources of randomness are pinned to `seed`; marks are always given
    with seed 0. Call this in the main thread, because a zygote dies with the thread that started
    it. If a suitable sandbox was started early, that one is returned and no longer kept. Raises
    `ZygoteError` if no interpreter can be started, and `HostError` for a package that is not
    installed.
    """
    if not packages and not hosts and (early := _EARLY_SANDBOXES.pop(seed, None)) is not None:
        return early
    is_linux = sys.platform == "linux"
    create = partial(Zygote, packages=packages) if is_linux else partial(FreshSandbox, packages)
    return create(seed=seed, hosts=hosts)


_EARLY_SANDBOXES: Final[dict[int, Sandbox]] = {}
"""Sandboxes that were started early and are not used yet, keyed by seed; they have no packages."""


def start_early(seed: int = 0) -> None:
    """Start the sandbox that `new_sandbox` will most likely be called for, to save time.

    Does nothing if a sandbox with `seed` is kept already. Errors are ignored, because `new_sandbox`
    will raise them again.
    """
    if seed not in _EARLY_SANDBOXES:
        with suppress(ZygoteError, OSError):
            _EARLY_SANDBOXES[seed] = new_sandbox(seed=seed)


def end_early() -> None:
    """End the sandboxes that were started early but never used."""
    while _EARLY_SANDBOXES:
        _EARLY_SANDBOXES.popitem()[1].close()


def probe_isolation(*, for_tests: bool = False) -> tuple[int, Layers]:
    """Return the isolation level of this machine and the state of each layer.

    A throw-away interpreter tries out the layers that isolate executors or, with `for_tests`, the
    layers around the process that runs an instructor's tests. Raises `HostError` if it fails.
    """
    probe = "probe_test_isolation" if for_tests else "probe_layers"
    try:
        process = subprocess.run(
            [sys.executable, "-P", "-S", "-B", "-c", _PROBE, PACKAGE_ROOT, probe],
            capture_output=True,
            env=ENVIRONMENT,
            timeout=_PROBE_WALL_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise HostError(
            f"the sandbox probe did not finish within {_PROBE_WALL_S:.0f} seconds",
            help="try again when the machine is less busy",
        ) from error
    if process.returncode:
        reason = process.stderr.decode("utf-8", "replace").strip().splitlines() or [
            f"exit code {process.returncode} without an error message"
        ]
        raise HostError(
            f"the sandbox probe failed: {reason[-1]}",
            help=f"check that {sys.executable} starts, and can load the files in {PACKAGE_ROOT}",
        )
    facts: dict[str, Any] = json.loads(process.stdout)
    return facts["level"], tuple(facts["layers"].items())


_START_WALL_S: Final = 60.0
"""An interpreter starts in a tenth of a second, unless a virus scanner reads its files first."""
_READ_BYTES: Final = 1 << 18
_READS_AHEAD: Final = 4
"""How many reads are buffered in the judge; further output waits in the pipe."""
_KILLED: Final = -9
"""POSIX exit code of a process that the judge killed; also used for Windows."""
_PROGRAM: Final = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from grader.executor.alone import main; main(*sys.argv[2:4])"
)
_NEW_GROUP_FLAG: Final[int] = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
"""The Windows counterpart of `start_new_session`: Ctrl-C must reach the judge only."""


class FreshProcess:
    """A fresh interpreter for one executor, with two pipes for its channel."""

    def __init__(
        self, packages: Sequence[str] = (), seed: int = 0, hosts: Sequence[str] = ()
    ) -> None:
        """Start the interpreter, with randomness pinned to `seed`.

        Raises `ZygoteError` if the system cannot start an interpreter.
        """
        try:
            self._process: Final = subprocess.Popen(
                interpreter_command(_PROGRAM, packages=packages, hosts=hosts),
                bufsize=0,  # so that `read` returns what has arrived
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment(seed),
                cwd=os.path.abspath(os.sep),
                start_new_session=True,
                creationflags=_NEW_GROUP_FLAG,
            )
        except OSError as error:
            raise ZygoteError(
                f"no interpreter can be started: {error}",
                help=f"check that {sys.executable} can be executed, and that this machine has"
                " memory and processes left",
            ) from error
        self._clock: Final = system_clock()
        self.measures_cpu: Final = self._clock is not None
        self._used_s = 0.0
        self._requests: Final = _pipe(self._process.stdin)
        self._replies: Final = _pipe(self._process.stdout)
        self._stderr: Final = _pipe(self._process.stderr)
        self.last_error_line: str = ""
        """The last line that the process wrote to standard error; set when it has ended."""
        self._arrived: Final[queue.Queue[bytes]] = queue.Queue(_READS_AHEAD)
        self._received: bytes | None = None
        self.has_ended = False
        """Whether `end` has been called."""
        self._ending_lock: Final = Lock()
        # The thread is a daemon so that it cannot keep the judge alive.
        self._listener: Final = Thread(target=self._listen, daemon=True)
        self._listener.start()

    def used_s(self) -> float:
        """Return the CPU seconds of the process, or wall time if the system has no CPU clock.

        Return the last reading if the process has ended.
        """
        if self._clock is None:
            return time.monotonic()
        with suppress(OSError):  # the process has ended
            self._used_s = self._clock(clock_key(self._process))
        return self._used_s

    def waited_s(self) -> float | None:
        """Return the seconds that the process has waited for CPU; None except on Linux."""
        return waited_s(self._process.pid)

    def _listen(self) -> None:
        """Move replies from the pipe to the queue until the stream or the process ends.

        This runs in a thread, because not every system can wait for a pipe with a timeout.
        """
        with self._replies:
            data = None
            while data != b"" and not self.has_ended:
                try:
                    data = self._replies.read(_READ_BYTES)
                except OSError:  # on some systems: the other end has closed the pipe
                    data = b""
                self._arrived.put(data)

    def send(self, data: bytes, wall_s: float) -> None:
        """Send all of `data`; if the process does not read it within `wall_s`, kill the process.

        Raises `TimeoutError` in that case, and `ConnectionResetError` if the process has ended.
        """
        timed_out = Event()

        def kill_on_timeout() -> None:
            timed_out.set()
            self._kill()

        timer = Timer(wall_s, kill_on_timeout)
        timer.start()
        try:
            self._write(data)
        except OSError as error:  # Windows has no special error for a broken pipe
            if not timed_out.is_set():
                raise ConnectionResetError from error
        finally:
            timer.cancel()
            timer.join()  # from now on `timed_out` cannot change
        if timed_out.is_set():
            raise TimeoutError

    def _write(self, data: bytes) -> None:
        # Without a buffer, `write` can return before everything is written.
        unsent = memoryview(data)
        while unsent:
            unsent = unsent[self._requests.write(unsent) :]

    def has_sent(self, wait_s: float) -> bool:
        """Wait at most `wait_s`; return whether there is data, or the end of the stream."""
        if self._received is None:
            with suppress(queue.Empty):
                self._received = self._arrived.get(timeout=wait_s)
        return self._received is not None

    def await_end(self, wait_s: float) -> None:
        """Do nothing: waiting would save no wake-ups, as the listener is woken by each reply."""

    def receive(self) -> bytes:
        """Return some received bytes, after `has_sent` has returned True.

        Raises `ConnectionResetError` at the end of the stream.
        """
        data, self._received = self._received, None
        if not data:
            raise ConnectionResetError
        return data

    def end(self) -> None:
        """Kill the process, if possible with all processes that it started, and clean up."""
        with self._ending_lock:
            if self.has_ended:
                return
            self.has_ended = True
            self._kill()
            self._process.wait()
            self._close()

    def exit_code(self) -> int:
        """Return the exit code of the process; kill it if it does not exit within `GRACE_S`."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE_S)
        exit_code = self._process.returncode  # read before `end` kills the process
        self.end()
        return _KILLED if exit_code is None else exit_code

    def _kill(self) -> None:
        """Kill the process group where the system has process groups, or else only the process."""
        # The process leads its group, and a group id is not reused while a member is left.
        if hasattr(os, "killpg"):
            # macOS raises PermissionError if only zombies are left.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()

    def _close(self) -> None:
        """Close the pipes, keep the last line of standard error, and wait for the listener."""
        self._requests.close()
        with self._stderr:
            text = self._stderr.read().decode("utf-8", "replace")
        self.last_error_line = next(reversed(text.strip().splitlines()), "")
        with suppress(queue.Empty):
            while True:  # the listener might be blocked on a full queue
                self._arrived.get_nowait()
        self._listener.join(GRACE_S)


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None, "`Popen` was called with `PIPE`"
    return stream


class FreshSandbox(Sandbox):
    """A sandbox without isolation that starts each executor as a fresh process, in advance."""

    isolation: Final = Isolation(level=0, layers=(), python_version=platform.python_version())
    """No layer is in force; executors run the same Python as the judge."""

    def __init__(
        self, packages: Sequence[str] = (), seed: int = 0, hosts: Sequence[str] = ()
    ) -> None:
        """Start the first executor; raises `ZygoteError` if no interpreter can be started.

        Executors can import `packages` and work with `hosts`; raises `HostError` for a package that
        is not installed. Randomness is pinned to `seed`.
        """
        self._hosts: Final = tuple(hosts)
        self._packages: Final = tuple(packages)
        self._seed: Final = seed
        self._started: Final[list[FreshProcess]] = []
        self._spare = self._start()

    def _start(self) -> FreshProcess:
        """Start and return a process, and forget those that have ended."""
        self._started[:] = [process for process in self._started if not process.has_ended]
        self._started.append(FreshProcess(self._packages, self._seed, self._hosts))
        return self._started[-1]

    def fork(self, limits: Mapping[str, int]) -> Executor:
        """Return an executor for one session; raises `ZygoteError` if it does not start.

        The executor enforces only those `limits` that the interpreter itself can enforce. The next
        executor is started in advance.
        """
        if self._spare.has_ended:  # the spare failed to start, but another process might succeed
            self._spare = self._start()
        process, executor = self._spare, Executor(self._spare)
        try:
            executor.request(dict(limits), cpu_s=_START_WALL_S, wall_s=_START_WALL_S)
            self._spare = self._start()
        except ExecutorEnded as ended:
            reason = process.last_error_line or ended.evidence
            raise ZygoteError(
                f"an executor did not start: {reason}",
                help=f"check that {sys.executable} starts; if this machine is out of memory, run"
                " fewer executors at once with `--jobs`",
            ) from ended
        except BaseException:  # also on Ctrl-C: nobody else could end this executor
            executor.end()
            raise
        return executor

    def close(self) -> None:
        """End all executors that were started."""
        for process in self._started:
            process.end()
