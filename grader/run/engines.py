"""Engines, which run chunks on this machine, or on a cluster through a plug-in.

An engine is a `concurrent.futures.Executor` that runs `grader.run.chunks.grade_chunk`, or another
function from bytes to bytes, and knows the best number and size of chunks in progress.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

from grader.errors import HostError
from grader.seams import EXTRAS
from grader.values.foreign_text import one_line

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_Work: TypeAlias = Callable[[], None]
LOCAL: Final = "local"
"""The engine of this machine."""
_LOCAL_CHUNK: Final = 4
CHUNK_AFAR: Final = 50
"""Submissions per remote chunk, which costs more to send, with its suites, and is lost whole."""
_CHUNKS_PER_WORKER: Final = 2
"""Chunks in progress for each worker, so that no worker waits for the next."""
_COUNT_INTERVAL_S: Final = 5.0
_LISTENER_TIMEOUT_S: Final = 5.0
_REASON_CHARS: Final = 300


def reason(error: BaseException) -> str:
    """Return the `error` of an engine on one line."""
    return one_line(f"{type(error).__name__}: {error}", _REASON_CHARS)


@dataclass(slots=True, kw_only=True)
class Engine:
    """Runs chunks; a context manager that starts and ends the workers."""

    start: Callable[[], Executor]
    """Starts an executor, also to replace a broken one."""
    workers: int
    """The last known number of workers."""
    chunk: int
    """The maximum number of submissions in a chunk."""
    count: Callable[[], int] | None = None
    """Returns the current number of workers, if it changes."""
    kill: Callable[[], None] = lambda: None
    """Ends workers in the middle of their work, if possible."""
    _executor: Executor | None = field(default=None, init=False)
    _counted_at_s: float = field(default=0.0, init=False)

    @property
    def width(self) -> int:
        """How many chunks can run in parallel; at least one, as workers may still arrive."""
        if self.count is not None and time.monotonic() > self._counted_at_s + _COUNT_INTERVAL_S:
            with suppress(Exception):  # a lost cluster shows when its chunks fail
                self.workers = self.count()
            self._counted_at_s = time.monotonic()
        return max(1, self.workers)

    @property
    def ahead(self) -> int:
        """How many chunks should be in progress, so that no worker waits."""
        return _CHUNKS_PER_WORKER * self.width

    def submit(self, work: Callable[[bytes], bytes], chunk: bytes) -> Future[bytes]:
        """Submit `work` on `chunk`; the future fails if the worker is lost.

        Raises `HostError` if the engine accepts no more chunks.
        """
        if self._executor is None:
            self._executor = self.start()
        try:
            try:
                return self._executor.submit(work, chunk)
            except BrokenExecutor:
                self._executor.shutdown(wait=False)
                self._executor = self.start()
                return self._executor.submit(work, chunk)
        except Exception as error:
            raise HostError(
                f"the engine takes no more work: {reason(error)}",
                help="once it runs again, give the same command again: it goes on",
            ) from error

    def stop(self) -> None:
        """Cancel waiting chunks, and kill running ones."""
        if self._executor is None:
            return
        try:
            self._executor.shutdown(wait=False, cancel_futures=True)
        except (TypeError, NotImplementedError):  # not every executor can cancel futures
            self._executor.shutdown(wait=False)
        self.kill()

    def __enter__(self) -> Self:
        """Start the workers now, before there are threads and files that a fork would copy."""
        self._executor = self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        """End the idle workers."""
        if self._executor is not None:
            self._executor.shutdown()


def engine_of(name: str, workers: int, prepare: _Work | None = None) -> Engine:
    """Return the engine called `name`; raises `UsageError` if it is unknown.

    The name is `local`, or comes from the plug-in for clusters. `workers` is their number, unless
    the engine counts them. Workers of a local engine call `prepare` first.
    """
    if name == LOCAL:
        return local_engine(workers, prepare)
    engine: Engine = EXTRAS.load("--engine")(name, workers)
    return engine


def local_engine(workers: int, prepare: _Work | None = None) -> Engine:
    """Return the engine of this machine, with `workers` processes that call `prepare` first."""
    connections: list[tuple[Connection, threading.Thread]] = []
    """Our write ends of the pipes for results, and the threads that read from those pipes."""

    def start() -> Executor:
        import multiprocessing  # noqa: PLC0415 - some systems lack what it loads
        from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - as above

        # Forking is fastest. Python 3.12 warns about forks while other threads run, as they do
        # at a second start, after workers were lost.
        is_safe = sys.version_info < (3, 12) or threading.active_count() == 1
        can_fork = sys.platform == "linux" and is_safe
        context = multiprocessing.get_context("fork" if can_fork else "spawn")
        executor = ProcessPoolExecutor(workers, context, _begin_worker, (prepare,))
        executor.submit(int)  # a pool starts its processes only with its first work
        inner: Any = executor
        # There is no public access to either.
        connections.append((inner._result_queue._writer, inner._executor_manager_thread))  # noqa: SLF001
        return executor

    def kill() -> None:
        import multiprocessing  # noqa: PLC0415 - as above

        for child in multiprocessing.active_children():
            child.kill()
        # A worker killed while sending a result leaves half of it. The reader would wait for
        # the rest forever while a write end is open, and ours is the last one.
        while connections:
            writer, listener = connections.pop()
            writer.close()
            # At interpreter exit it is woken by a pipe that may be closing by then: wait first.
            listener.join(_LISTENER_TIMEOUT_S)

    return Engine(start=start, workers=workers, chunk=_LOCAL_CHUNK, kill=kill)


def _begin_worker(prepare: _Work | None) -> None:
    """Make this process a worker that ignores Ctrl-C, ends with the judge, and calls `prepare`."""
    import multiprocessing  # noqa: PLC0415 - as in `local_engine`
    from multiprocessing.connection import wait  # noqa: PLC0415

    # The terminal sends Ctrl-C to the whole process group; only the judge handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker has been started by somebody"
    sentinel = parent.sentinel

    def exit_with_parent() -> None:
        wait([sentinel])
        # Called from a thread, sys.exit would end that thread only.
        os._exit(1)

    threading.Thread(
        target=exit_with_parent, daemon=True
    ).start()  # daemon: it must not delay the end
    if prepare is not None:
        prepare()
