"""Executors that run in web workers.

The judge waits for them as for other processes: WebAssembly is suspended until a JavaScript promise
resolves. A worker that does not answer in time is terminated.
"""

from __future__ import annotations

import platform
import signal
import time
from collections.abc import Mapping
from typing import Any, Final

from grader.errors import ZygoteError
from grader.sandbox.executor import Executor, ExecutorEnded, Sandbox
from grader.sandbox.isolation import Isolation

_START_WALL_S: Final = 60.0
_SLOWER: Final = 2.0
"""The factor on the time of a step before the clock ends it; units usually end it first."""


class WorkerProcess:
    """An executor in a worker, with messages as its channel."""

    measures_cpu: Final = False

    def __init__(self, worker: Any) -> None:
        """Use `worker`, an `Executor` of `judge.js`."""
        from pyodide.ffi import run_sync, to_js  # type: ignore[import-not-found]  # noqa: PLC0415

        self._worker: Final = worker
        self._run_sync: Final = run_sync
        self._to_js: Final = to_js

    def used_s(self) -> float:
        """Return the wall clock time: a browser has no clock for CPU time."""
        return time.monotonic() / _SLOWER

    def waited_s(self) -> float | None:
        """Return None: a browser does not report it."""
        return None

    def send(self, data: bytes, wall_s: float) -> None:
        """Send all of `data`; messages are queued, so it never blocks."""
        del wall_s
        self._worker.send(self._to_js(data))

    def has_sent(self, wait_s: float) -> bool:
        """Wait at most `wait_s`; return whether there is data."""
        return bool(self._worker.has() or self._run_sync(self._worker.wait(1000 * wait_s)))

    def await_end(self, wait_s: float) -> None:
        """Return at once: messages arrive meanwhile."""

    def receive(self) -> bytes:
        """Return the next data; raises `ConnectionResetError` at the end."""
        data = self._worker.receive()
        if data is None:
            raise ConnectionResetError
        return bytes(data.to_bytes())

    def end(self) -> None:
        """Reset the worker, or terminate it if it does not respond."""
        self._worker.end()

    def ending(self) -> int:
        """Return its exit code, that of a crash if it left none."""
        code = self._worker.code
        self.end()
        return -signal.SIGSEGV if code is None else int(code)


class WorkerSandbox(Sandbox):
    """Provides executors in workers that are reset to their initial state."""

    isolation: Final = Isolation(level=0, layers=(), python_version=platform.python_version())
    """None of our layers applies; the browser has its own sandbox."""

    def __init__(self, pool: Any, seed: int) -> None:
        """Take workers from the `pool` of `judge.js`, with `seed` for their hashes."""
        self._pool: Final = pool
        self._seed: Final = seed

    def fork(self, limits: Mapping[str, int]) -> Executor:
        """Return an executor for one session; raises `ZygoteError` if it does not start."""
        from pyodide.ffi import JsException, run_sync  # noqa: PLC0415

        try:
            worker = run_sync(self._pool.take(self._seed, limits["memory_bytes"]))
        except JsException as error:
            raise ZygoteError(str(error)) from error
        executor = Executor(WorkerProcess(worker))
        try:
            executor.ask(dict(limits), cpu_s=_START_WALL_S, wall_s=_START_WALL_S)
        except ExecutorEnded as ended:
            worker.discard()
            raise ZygoteError(f"an executor did not start: {ended.evidence}") from ended
        # Interrupted: nobody else would end it.
        except BaseException:
            executor.end()
            raise
        return executor

    def close(self) -> None:
        """Keep the workers for the next check."""
