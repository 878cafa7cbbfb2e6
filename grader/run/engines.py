"""Engines, which run chunks on this machine, or on a cluster through a plug-in.

An engine wraps a `concurrent.futures.Executor` that runs `grader.run.chunks.grade_chunk`, or
another function from bytes to bytes. It also decides how large chunks are, and how many are in
progress.
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

_Prepare: TypeAlias = Callable[[], None]
LOCAL: Final = "local"
"""The name of the engine that runs on this machine."""
_LOCAL_CHUNK_SIZE: Final = 4
REMOTE_CHUNK_SIZE: Final = 50
"""The number of submissions in a remote chunk.

Few large chunks are cheaper to send, because each contains its suites. But if a worker is lost,
a large chunk loses more work.
"""
_CHUNKS_PER_WORKER: Final = 2
"""Chunks in progress per worker, so that no worker has to wait for the next one."""
_COUNT_INTERVAL_S: Final = 5.0
_LISTENER_TIMEOUT_S: Final = 5.0
_REASON_CHARS: Final = 300


def describe_error(error: BaseException) -> str:
    """Return a one-line description of `error`, which an engine raised."""
    return one_line(f"{type(error).__name__}: {error}", _REASON_CHARS)


@dataclass(slots=True, kw_only=True)
class Engine:
    """Runs chunks; a context manager that starts and ends the workers."""

    start: Callable[[], Executor]
    """Starts an executor, also to replace a broken one."""
    workers: int
    """The last known number of workers; 0 if none has joined yet."""
    chunk_size: int
    """The maximum number of submissions in a chunk."""
    count: Callable[[], int] | None = None
    """Returns the current number of workers, if it changes."""
    kill: Callable[[], None] = lambda: None
    """Ends workers in the middle of their work, if the engine can do that."""
    _executor: Executor | None = field(default=None, init=False)
    _counted_at_s: float = field(default=0.0, init=False)

    @property
    def parallel_chunks(self) -> int:
        """How many chunks can run in parallel; at least one, because workers might still join.

        Counts the workers again if the last count is some seconds old.
        """
        if self.count is not None and time.monotonic() > self._counted_at_s + _COUNT_INTERVAL_S:
            with suppress(Exception):  # the loss of a cluster is noticed when its chunks fail
                self.workers = self.count()
            self._counted_at_s = time.monotonic()
        return max(1, self.workers)

    @property
    def max_in_progress(self) -> int:
        """How many chunks should be in progress, so that no worker has to wait."""
        return _CHUNKS_PER_WORKER * self.parallel_chunks

    def submit(self, work: Callable[[bytes], bytes], chunk: bytes) -> Future[bytes]:
        """Submit `chunk` to a worker that calls `work` on it, and return the future result.

        The future fails if the worker is lost. Starts the executor if needed, or a new one if it is
        broken. Raises `HostError` if the engine accepts no more chunks.
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
                f"the engine accepts no more work: {describe_error(error)}",
                help="once the engine runs again, repeat the command: it resumes where it stopped",
            ) from error

    def stop(self) -> None:
        """Cancel the chunks that have not started, and kill the workers if possible."""
        if self._executor is None:
            return
        try:
            self._executor.shutdown(wait=False, cancel_futures=True)
        except (TypeError, NotImplementedError):  # not every executor can cancel futures
            self._executor.shutdown(wait=False)
        self.kill()

    def __enter__(self) -> Self:
        """Start the workers.

        They start now because a later fork would copy open files, and locks that threads hold.
        """
        self._executor = self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        """Shut down the workers, after waiting for any chunks in progress."""
        if self._executor is not None:
            self._executor.shutdown()


def make_engine(name: str, workers: int, prepare: _Prepare | None = None) -> Engine:
    """Return the engine called `name`; raise `UsageError` if there is none.

    The name is `local`, or one that the plug-in for clusters knows. `workers` is the number of
    workers, unless the engine counts them itself. Workers of the local engine call `prepare` first.
    """
    if name == LOCAL:
        return local_engine(workers, prepare)
    engine: Engine = EXTRAS.load("--engine")(name, workers)
    return engine


def local_engine(workers: int, prepare: _Prepare | None = None) -> Engine:
    """Return the engine of this machine, with `workers` processes that call `prepare` first."""
    connections: list[tuple[Connection, threading.Thread]] = []
    """Our write ends of the result pipes, and the threads that read from these pipes."""

    def start() -> Executor:
        """Start and return a pool of worker processes; remember its result pipe for `kill`."""
        import multiprocessing  # noqa: PLC0415 - some systems lack modules that it loads
        from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - as above

        # Forking is fastest. But Python 3.12 warns about forks while other threads run, as they
        # do when the pool is started again because workers were lost.
        is_safe = sys.version_info < (3, 12) or threading.active_count() == 1
        can_fork = sys.platform == "linux" and is_safe
        context = multiprocessing.get_context("fork" if can_fork else "spawn")
        executor = ProcessPoolExecutor(workers, context, _begin_worker, (prepare,))
        executor.submit(int)  # a pool starts its processes only when it gets its first task
        inner: Any = executor
        # `kill` needs the write end and the thread, to which there is no public access.
        connections.append((inner._result_queue._writer, inner._executor_manager_thread))  # noqa: SLF001
        return executor

    def kill() -> None:
        """Kill the worker processes, and end the threads that read their results."""
        import multiprocessing  # noqa: PLC0415 - as above

        for child in multiprocessing.active_children():
            child.kill()
        # A worker that is killed while sending a result leaves half of it in the pipe. The
        # reader would wait for the other half as long as a write end is open, and ours is the last.
        while connections:
            writer, listener = connections.pop()
            writer.close()
            # At interpreter exit the reader is woken through a pipe that might be closed by then.
            listener.join(_LISTENER_TIMEOUT_S)

    return Engine(start=start, workers=workers, chunk_size=_LOCAL_CHUNK_SIZE, kill=kill)


def _begin_worker(prepare: _Prepare | None) -> None:
    """Make this process a worker that ignores Ctrl-C, ends with the judge, and calls `prepare`."""
    import multiprocessing  # noqa: PLC0415 - as in `local_engine`
    from multiprocessing.connection import wait  # noqa: PLC0415

    # The terminal sends SIGINT to the whole process group, but only the judge handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker has a parent process"
    sentinel = parent.sentinel

    def exit_with_parent() -> None:
        wait([sentinel])
        # In a thread, `sys.exit` would end only that thread.
        os._exit(1)

    # A daemon, so that it does not keep the process from ending.
    threading.Thread(target=exit_with_parent, daemon=True).start()
    if prepare is not None:
        prepare()
