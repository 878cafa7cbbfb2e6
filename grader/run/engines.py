"""Where chunks are graded: on this machine, on a Dask cluster, or on any executor of one's own.

An engine is a `concurrent.futures.Executor` that runs `grader.run.chunks.grade_chunk`, a function
of bytes to bytes, and how many chunks of what size it likes to have under way.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from typing import Final, Self

from grader.errors import UsageError
from grader.run.chunks import dismiss_worker, grade_chunk
from grader.values.display import one_line

_CHUNK_HERE: Final = 4
_CHUNK_AFAR: Final = 50
"""Submissions of a chunk: far away each chunk costs more, with its suites, and is lost whole."""
_AHEAD: Final = 2
"""Chunks under way for each worker, so that none waits for the next."""


@dataclass(slots=True)
class Engine:
    """Runs chunks; a context manager that lets go of the workers."""

    start: Callable[[], Executor]
    """Starts an executor: the first, or another one when that has broken."""
    workers: int
    chunk: int
    """The most submissions of a chunk."""
    kill: Callable[[], None] = lambda: None
    """Ends workers in the middle of their work, where that can be done."""
    _executor: Executor | None = field(default=None, init=False)

    @property
    def ahead(self) -> int:
        """How many chunks should be under way."""
        return _AHEAD * self.workers

    def begin(self) -> None:
        """Start the workers now, before there are threads that a fork would not copy."""
        self._executor = self.start()
        self._executor.submit(int)

    def submit(self, chunk: bytes) -> Future[bytes]:
        """Have `chunk` graded; its future fails when it or its worker is lost."""
        if self._executor is None:
            self._executor = self.start()
        try:
            return self._executor.submit(grade_chunk, chunk)
        except BrokenExecutor:
            self._executor.shutdown(wait=False)
            self._executor = self.start()
            return self._executor.submit(grade_chunk, chunk)

    def stop(self) -> None:
        """Let go of what has not begun, and end what has."""
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self.kill()

    def __enter__(self) -> Self:
        """Return itself: workers start with the first chunk."""
        return self

    def __exit__(self, *_error: object) -> None:
        """End the workers, which have nothing to do."""
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)


def engine_of(name: str, workers: int) -> Engine:
    """Return the engine that `name` stands for; raises `UsageError` for none.

    That is `local`, `dask=ADDRESS` of a scheduler, or `MODULE:FACTORY` of a function without
    arguments that returns an executor. For others than the local one `workers` says how many there
    are, where they do not say so themselves.
    """
    if name == "local":
        return local_engine(workers)
    if name.startswith("dask="):
        return _dask_engine(name.removeprefix("dask="))
    return _own_engine(name, workers)


def local_engine(workers: int) -> Engine:
    """Return the engine of this machine, with that many processes."""

    def start() -> Executor:
        # A fork is the quickest start. Beside other threads Python warns of it since 3.12: then
        # this is the second start, after workers were lost.
        is_safe = sys.version_info < (3, 12) or threading.active_count() == 1
        can_fork = sys.platform == "linux" and is_safe
        context = multiprocessing.get_context("fork" if can_fork else "spawn")
        return ProcessPoolExecutor(workers, mp_context=context, initializer=_begin_worker)

    return Engine(start, workers=workers, chunk=_CHUNK_HERE, kill=_kill_children)


def _kill_children() -> None:
    for child in multiprocessing.active_children():
        child.kill()


def _begin_worker() -> None:
    """Make this process a worker: it heeds no Ctrl-C, and ends when the judge does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker has been started by somebody"
    sentinel = parent.sentinel

    def end_with_it() -> None:
        wait([sentinel])
        os._exit(1)

    threading.Thread(target=end_with_it, daemon=True).start()
    # What `atexit` knows is not heeded in a process of this kind.
    from multiprocessing.util import Finalize  # noqa: PLC0415 - it has no type for its users

    Finalize(None, dismiss_worker, exitpriority=10)


def _dask_engine(address: str) -> Engine:
    try:
        distributed = importlib.import_module("distributed")
    except ImportError as error:
        raise UsageError(
            "the engine dask needs Dask, which is not installed",
            help="pip install 'grader[dask]', on all machines",
        ) from error
    try:
        client = distributed.Client(address, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise UsageError(
            f"no Dask scheduler answers at {one_line(address)}: {one_line(str(error), 200)}",
            help="give the address that `dask scheduler` prints, such as dask=tcp://10.0.0.1:8786",
        ) from error
    threads = sum(client.nthreads().values())
    return Engine(client.get_executor, workers=max(1, threads), chunk=_CHUNK_AFAR)


def _own_engine(name: str, workers: int) -> Engine:
    module, _, factory = name.partition(":")
    found: object = None
    if factory:
        sys.path.insert(0, os.getcwd())
        with suppress(ModuleNotFoundError):
            found = getattr(importlib.import_module(module), factory, None)
    if not callable(found):
        raise UsageError(
            f"there is no engine {one_line(name)}",
            help="it is local, dask=ADDRESS, or MODULE:FACTORY of a function that returns an"
            " executor",
        )
    return Engine(found, workers=workers, chunk=_CHUNK_AFAR)
