"""Where executors come from, what isolation they get, and how many can run side by side.

Here, and nowhere else, it is decided which kind of sandbox this system has. What a zygote is made
of, only Linux has. Elsewhere each session has a fresh interpreter, with no wall around it: pipes,
threads and a clock are everywhere. Where the system has no clock either that tells the CPU time of
another process, the time that passes stands for it, and units decide all the same.
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
from grader.sandbox.clocks import key, system_clock, waited_s
from grader.sandbox.executor import GRACE_S, Executor, ExecutorEnded, Sandbox
from grader.sandbox.isolation import Isolation, Layers
from grader.sandbox.zygote import ENVIRONMENT, PACKAGE_ROOT, Zygote, environment, interpreter

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
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def new_sandbox(packages: Sequence[str] = (), seed: int = 0, hosts: Sequence[str] = ()) -> Sandbox:
    """Return the kind of sandbox that this system can have; raises `ZygoteError`.

    Its executors can be given `packages` besides what is usual, and work with `hosts`, see
    `grader.executor.hosts`; raises `HostError` for a package that is not installed. What would
    differ from run to run is pinned to `seed` in them; marks are given with 0. Call it in the
    main thread, which has to outlive a zygote. One that was started early is used first.
    """
    if not packages and not hosts and (early := _EARLY.pop(seed, None)) is not None:
        return early
    is_linux = sys.platform == "linux"
    kind = partial(Zygote, packages=packages) if is_linux else partial(FreshSandbox, packages)
    return kind(seed=seed, hosts=hosts)


_EARLY: Final[dict[int, Sandbox]] = {}
"""Sandboxes without packages that nobody has asked for yet, by their seeds."""


def start_early(seed: int = 0) -> None:
    """Start what `new_sandbox` will most likely be asked for: it gets ready meanwhile.

    Where that fails, it fails again for who asks, and is told then.
    """
    if seed not in _EARLY:
        with suppress(ZygoteError, OSError):
            _EARLY[seed] = new_sandbox(seed=seed)


def end_early() -> None:
    """End what was started early, and what nobody has asked for."""
    while _EARLY:
        _EARLY.popitem()[1].close()


def probe_isolation(*, of_tests: bool = False) -> tuple[int, Layers]:
    """Try in a throw-away interpreter what isolation this machine gives, also to whole tests.

    Return the level reached here and the state of each layer; raises `HostError`.
    """
    probe = "probe_walls_of_tests" if of_tests else "probe_layers"
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-S", "-B", "-c", _PROBE, PACKAGE_ROOT, probe],
            capture_output=True,
            env=ENVIRONMENT,
            timeout=_PROBE_WALL_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise HostError("the probe of the sandbox did not end") from error
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
        raise HostError(f"the probe of the sandbox failed: {reason[-1]}")
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts["level"], tuple(facts["layers"].items())


_START_WALL_S: Final = 60.0
"""An interpreter starts in a tenth of a second, unless a scanner reads each of its files first."""
_READ_BYTES: Final = 1 << 18
_READS_AHEAD: Final = 4
"""How much may lie here that nobody has asked for; the rest waits in the executor."""
_KILLED: Final = -9
"""How POSIX tells that we killed it; Windows would tell an exit code of our choice."""
_PROGRAM: Final = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from grader.executor.alone import main; main(*sys.argv[2:4])"
)
_OWN_GROUP: Final[int] = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
"""For Windows what `start_new_session` is elsewhere: a Ctrl-C is for the judge alone."""


class FreshProcess:
    """An interpreter of its own for one executor, with two pipes for its channel."""

    def __init__(
        self, packages: Sequence[str] = (), seed: int = 0, hosts: Sequence[str] = ()
    ) -> None:
        """Start it, with chance pinned to `seed`.

        Raises `ZygoteError` when the system starts no interpreter.
        """
        try:
            self._process: Final = subprocess.Popen(
                interpreter(_PROGRAM, packages=packages, hosts=hosts),
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment(seed),
                cwd=os.path.abspath(os.sep),
                start_new_session=True,
                creationflags=_OWN_GROUP,
            )
        except OSError as error:
            raise ZygoteError(f"no interpreter can be started: {error}") from error
        self._clock: Final = system_clock()
        self.measures_cpu: Final = self._clock is not None
        self._used_s = 0.0
        self._requests: Final = _pipe(self._process.stdin)
        self._replies: Final = _pipe(self._process.stdout)
        self._complaints: Final = _pipe(self._process.stderr)
        self.last_words: str = ""
        """The last line that it wrote on standard error, once it has ended."""
        self._arrived: Final[queue.Queue[bytes]] = queue.Queue(_READS_AHEAD)
        self._next: bytes | None = None
        self.over = False
        """Whether it has been ended."""
        self._ending_lock: Final = Lock()
        self._listener: Final = Thread(target=self._listen, daemon=True)
        self._listener.start()

    def used_s(self) -> float:
        """Return its CPU seconds; those on the wall for want of a better clock."""
        if self._clock is None:
            return time.monotonic()
        with suppress(OSError):  # it has ended: what was read last holds
            self._used_s = self._clock(key(self._process))
        return self._used_s

    def waited_s(self) -> float | None:
        """Return the seconds that it was ready to run while others did; only Linux tells."""
        return waited_s(self._process.pid)

    def _listen(self) -> None:
        """Fetch what comes in: not every system can wait for a pipe and a clock at once."""
        with self._replies:
            data = None
            while data != b"" and not self.over:
                try:
                    data = self._replies.read(_READ_BYTES)
                except OSError:  # so some systems tell that the other end is gone
                    data = b""
                self._arrived.put(data)

    def send(self, data: bytes, wall_s: float) -> None:
        """Send all of `data`; one that does not take it in time is killed."""
        late = Event()

        def give_up() -> None:
            late.set()
            self._kill()

        timer = Timer(wall_s, give_up)
        timer.start()
        try:
            self._write(data)
        except OSError as error:  # Windows has no special one for a broken pipe
            if not late.is_set():
                raise ConnectionResetError from error
        finally:
            timer.cancel()
            timer.join()
        if late.is_set():
            raise TimeoutError

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[self._requests.write(rest) :]

    def has_sent(self, wait_s: float) -> bool:
        """Wait at most `wait_s`; return whether something has come in, or the end of it."""
        if self._next is None:
            with suppress(queue.Empty):
                self._next = self._arrived.get(timeout=wait_s)
        return self._next is not None

    def await_end(self, wait_s: float) -> None:
        """Wait for nothing: the listener is awake anyway."""

    def receive(self) -> bytes:
        """Return some of what came in, which `has_sent` has told."""
        data, self._next = self._next, None
        if not data:
            raise ConnectionResetError
        return data

    def end(self) -> None:
        """Kill it if it still runs, with all that it started, as far as the system lets us."""
        with self._ending_lock:
            if self.over:
                return
            self.over = True
            self._kill()
            self._process.wait()
            self._close()

    def ending(self) -> int:
        """Return how it ended; whoever does not end by itself in a moment is killed."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE_S)
        exit_code = self._process.returncode
        self.end()
        return _KILLED if exit_code is None else exit_code

    def _kill(self) -> None:
        # It leads a group, whose number goes to no other process as long as one of it is left.
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):  # macOS: only zombies are left
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()

    def _close(self) -> None:
        self._requests.close()
        with self._complaints:
            said = self._complaints.read().decode("utf-8", "replace")
        self.last_words = next(reversed(said.strip().splitlines()), "")
        with suppress(queue.Empty):
            while True:  # the listener may be waiting for room
                self._arrived.get_nowait()
        self._listener.join(GRACE_S)


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None, "a pipe was asked for"
    return stream


class FreshSandbox(Sandbox):
    """Starts executors one by one, each ahead of time; a context manager that ends them all."""

    isolation: Final = Isolation(level=0, layers=(), python_version=platform.python_version())
    """No layer is in force; the interpreter is the one that runs the judge."""

    def __init__(
        self, packages: Sequence[str] = (), seed: int = 0, hosts: Sequence[str] = ()
    ) -> None:
        """Start the first one; raises `ZygoteError` when the system starts no interpreter.

        They can be given `packages` and work with `hosts`; raises `HostError` for a package that is
        not installed. Chance is pinned to `seed`.
        """
        self._hosts: Final = tuple(hosts)
        self._packages: Final = tuple(packages)
        self._seed: Final = seed
        self._started: Final[list[FreshProcess]] = []
        self._spare = self._start()

    def _start(self) -> FreshProcess:
        self._started[:] = [process for process in self._started if not process.over]
        self._started.append(FreshProcess(self._packages, self._seed, self._hosts))
        return self._started[-1]

    def fork(self, limits: Mapping[str, int]) -> Executor:
        """Return an executor for one session; raises `ZygoteError` when it does not start.

        Of `limits` it keeps those that the interpreter itself can keep.
        """
        if self._spare.over:  # it did not start; this one may
            self._spare = self._start()
        process, executor = self._spare, Executor(self._spare)
        try:
            executor.ask(dict(limits), cpu_s=_START_WALL_S, wall_s=_START_WALL_S)
            self._spare = self._start()
        except ExecutorEnded as ended:
            said = process.last_words or ended.evidence
            raise ZygoteError(f"an executor did not start: {said}") from ended
        except BaseException:
            executor.end()
            raise
        return executor

    def close(self) -> None:
        """End all that were started."""
        for process in self._started:
            process.end()
