"""Executors that run in web workers.

The judge waits for them as for other processes, because WebAssembly is suspended until a JavaScript
promise resolves. A worker that does not answer in time is terminated.
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
_SLOWDOWN: Final = 2.0
"""The clock ends a step only after its time limit times this factor; units usually end it first."""


class WorkerProcess:
    """An executor in a worker, which communicates by messages."""

    measures_cpu: Final = False

    def __init__(self, worker: Any) -> None:
        """Use `worker`, an `Executor` of `judge.js`."""
        from pyodide.ffi import run_sync, to_js  # type: ignore[import-not-found]  # noqa: PLC0415

        self._worker: Final = worker
        self._run_sync: Final = run_sync
        self._to_js: Final = to_js

    def used_s(self) -> float:
        """Return the wall clock time, slowed down, as a browser has no clock for CPU time."""
        return time.monotonic() / _SLOWDOWN

    def waited_s(self) -> float | None:
        """Return None, as a browser does not report waiting times."""
        return None

    def send(self, data: bytes, wall_s: float) -> None:
        """Send all of `data`. This never blocks, as messages are queued."""
        del wall_s
        self._worker.send(self._to_js(data))

    def has_sent(self, wait_s: float) -> bool:
        """Wait at most `wait_s` for data; return whether there is any."""
        return bool(self._worker.has() or self._run_sync(self._worker.wait(1000 * wait_s)))

    def await_end(self, wait_s: float) -> None:
        """Return at once, as messages arrive in any case."""

    def receive(self) -> bytes:
        """Return the next data. Raises `ConnectionResetError` if there is none left."""
        data = self._worker.receive()
        if data is None:
            raise ConnectionResetError
        return bytes(data.to_bytes())

    def end(self) -> None:
        """Reset the worker, or terminate it if it does not respond."""
        self._worker.end()

    def exit_code(self) -> int:
        """Reset the worker and return its exit code; without one, return that of a crash."""
        code = self._worker.code
        self.end()
        return -signal.SIGSEGV if code is None else int(code)


class WorkerSandbox(Sandbox):
    """Provides executors in workers that are reset to their initial state."""

    isolation: Final = Isolation(level=0, layers=(), python_version=platform.python_version())
    """None of our layers applies, but the browser has a sandbox of its own."""

    def __init__(self, pool: Any, seed: int) -> None:
        """Take workers from the `pool` of `judge.js`; `seed` is the hash seed of their Python."""
        self._pool: Final = pool
        self._seed: Final = seed

    def fork(self, limits: Mapping[str, int]) -> Executor:
        """Return an executor for one session. Raises `ZygoteError` if it does not start."""
        from pyodide.ffi import JsException, run_sync  # noqa: PLC0415

        try:
            worker = run_sync(self._pool.take(self._seed, limits["memory_bytes"]))
        except JsException as error:
            raise ZygoteError(
                f"the browser did not provide an executor: {error}", help="reload the page"
            ) from error
        executor = Executor(WorkerProcess(worker))
        try:
            executor.request(dict(limits), cpu_s=_START_WALL_S, wall_s=_START_WALL_S)
        except ExecutorEnded as ended:
            worker.discard()
            raise ZygoteError(
                f"an executor did not start: {ended.evidence}", help="reload the page"
            ) from ended
        # After an interrupt, the caller has no executor that it could shut down.
        except BaseException:
            executor.end()
            raise
        return executor

    def close(self) -> None:
        """Do nothing, as the workers are kept for the next check."""
