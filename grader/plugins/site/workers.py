"""Executors that are workers of a browser.

The judge waits for them as for any other process: WebAssembly is suspended until a promise of
JavaScript is kept. A worker that does not answer in time is ended from outside.
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
"""So much longer a step may take here before a clock ends it: units decide, and come first."""


class WorkerProcess:
    """One executor that a worker serves, and messages for its channel."""

    measures_cpu: Final = False

    def __init__(self, worker: Any) -> None:
        """Talk to `worker`."""
        from pyodide.ffi import run_sync, to_js  # type: ignore[import-not-found]  # noqa: PLC0415

        self._worker: Final = worker
        self._run_sync: Final = run_sync
        self._to_js: Final = to_js

    def used_s(self) -> float:
        """Return the seconds on the wall: a browser has no other clock."""
        return time.monotonic() / _SLOWER

    def waited_s(self) -> float | None:
        """Return None: nobody tells."""
        return None

    def send(self, data: bytes, wall_s: float) -> None:
        """Send all of `data`; a worker takes it whenever it comes to it."""
        del wall_s
        self._worker.send(self._to_js(data))

    def has_sent(self, wait_s: float) -> bool:
        """Wait at most `wait_s`; return whether something has come in, or the end of it."""
        return bool(self._worker.has() or self._run_sync(self._worker.wait(1000 * wait_s)))

    def await_end(self, wait_s: float) -> None:
        """Wait for nothing: messages come in meanwhile."""

    def receive(self) -> bytes:
        """Return some of what came in; raises `ConnectionResetError` after the last of it."""
        data = self._worker.receive()
        if data is None:
            raise ConnectionResetError
        return bytes(data.to_bytes())

    def end(self) -> None:
        """Have it begin anew, or end it where it does not listen."""
        self._worker.end()

    def ending(self) -> int:
        """Return how it ended."""
        code = self._worker.code
        self.end()
        return -signal.SIGSEGV if code is None else int(code)


class WorkerSandbox(Sandbox):
    """Gives executors, each of which finds a worker as it was when it had just begun."""

    isolation: Final = Isolation(level=0, layers=(), python_version=platform.python_version())
    """None of our layers is in force; the browser has its own."""

    def __init__(self, pool: Any, seed: int) -> None:
        """Take workers from the `pool` of `judge.js`, with chance pinned to `seed` in them."""
        self._pool: Final = pool
        self._seed: Final = seed

    def fork(self, limits: Mapping[str, int]) -> Executor:
        """Return an executor for one session; raises `ZygoteError` when it does not start."""
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
        except BaseException:
            executor.end()
            raise
        return executor

    def close(self) -> None:
        """Leave the workers to the page: the next check finds them ready."""
