"""Where chunks are graded: on this machine, or on what a plug-in knows.

An engine is a `concurrent.futures.Executor` that runs `grader.run.chunks.grade_chunk`, or another
function of bytes to bytes, and how many chunks of what size it likes to have under way.
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
"""The engine that needs no other machine."""
_CHUNK_HERE: Final = 4
CHUNK_AFAR: Final = 50
"""Submissions of a chunk: far away each chunk costs more, with its suites, and is lost whole."""
_AHEAD: Final = 2
"""Chunks under way for each worker, so that none waits for the next."""
_COUNTED_EACH_S: Final = 5.0
_LEAVING_S: Final = 5.0
_REASON_CHARS: Final = 300


def reason(error: BaseException) -> str:
    """Return in one line what an engine failed of."""
    return one_line(f"{type(error).__name__}: {error}", _REASON_CHARS)


@dataclass(slots=True, kw_only=True)
class Engine:
    """Runs chunks; a context manager that starts the workers, and lets go of them."""

    start: Callable[[], Executor]
    """Starts an executor: the first, or another one when that has broken."""
    workers: int
    """How many there are, as far as is known."""
    chunk: int
    """The most submissions of a chunk."""
    count: Callable[[], int] | None = None
    """Tells how many workers there are now, where they come and go."""
    kill: Callable[[], None] = lambda: None
    """Ends workers in the middle of their work, where that can be done."""
    _executor: Executor | None = field(default=None, init=False)
    _counted: float = field(default=0.0, init=False)

    @property
    def width(self) -> int:
        """How many chunks can be graded side by side; at least one, for workers may be to come."""
        if self.count is not None and time.monotonic() > self._counted + _COUNTED_EACH_S:
            with suppress(Exception):  # nobody answers; what is under way will tell
                self.workers = self.count()
            self._counted = time.monotonic()
        return max(1, self.workers)

    @property
    def ahead(self) -> int:
        """How many chunks should be under way."""
        return _AHEAD * self.width

    def submit(self, work: Callable[[bytes], bytes], chunk: bytes) -> Future[bytes]:
        """Have `work` done on `chunk`; the future fails when the worker is lost.

        Raises `HostError` where no chunk is taken any more.
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
        """Let go of what has not begun, and end what has."""
        if self._executor is None:
            return
        try:
            self._executor.shutdown(wait=False, cancel_futures=True)
        except (TypeError, NotImplementedError):  # not every executor can
            self._executor.shutdown(wait=False)
        self.kill()

    def __enter__(self) -> Self:
        """Start the workers now, before there are threads and files that a fork would copy."""
        self._executor = self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        """End the workers, which have nothing to do."""
        if self._executor is not None:
            self._executor.shutdown()


def engine_of(name: str, workers: int, prepare: _Work | None = None) -> Engine:
    """Return the engine that `name` stands for; raises `UsageError` for none.

    That is `local`, or what the plug-in for clusters knows. `workers` says how many there are,
    where it does not know better. A local one begins with what there is to `prepare`.
    """
    if name == LOCAL:
        return local_engine(workers, prepare)
    engine: Engine = EXTRAS.load("--engine")(name, workers)
    return engine


def local_engine(workers: int, prepare: _Work | None = None) -> Engine:
    """Return the engine of this machine, with that many processes.

    Each begins with what there is to `prepare`.
    """
    ours: list[tuple[Connection, threading.Thread]] = []
    """Our ends of pipes that workers tell results by, and who listens to these."""

    def start() -> Executor:
        import multiprocessing  # noqa: PLC0415 - it loads what some systems lack
        from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - and so does it

        # A fork is the quickest start. Beside other threads Python warns of it since 3.12: then
        # this is the second start, after workers were lost.
        is_safe = sys.version_info < (3, 12) or threading.active_count() == 1
        can_fork = sys.platform == "linux" and is_safe
        context = multiprocessing.get_context("fork" if can_fork else "spawn")
        executor = ProcessPoolExecutor(workers, context, _begin_worker, (prepare,))
        executor.submit(int)  # it starts its processes with the first work that it has
        inner: Any = executor
        # There is no other way to either.
        ours.append((inner._result_queue._writer, inner._executor_manager_thread))  # noqa: SLF001
        return executor

    def kill() -> None:
        import multiprocessing  # noqa: PLC0415 - as above

        for child in multiprocessing.active_children():
            child.kill()
        # Who was killed in the middle of a result leaves half of it. The rest would be waited for,
        # for ever, while anybody could still write it, and that is us.
        while ours:
            writer, listener = ours.pop()
            writer.close()
            # At the exit of the interpreter it is woken by a pipe that it may be about to close.
            listener.join(_LEAVING_S)

    return Engine(start=start, workers=workers, chunk=_CHUNK_HERE, kill=kill)


def _begin_worker(prepare: _Work | None) -> None:
    """Make this process a worker: it heeds no Ctrl-C, and ends when the judge does.

    It begins with what there is to `prepare`.
    """
    import multiprocessing  # noqa: PLC0415 - as in `local_engine`
    from multiprocessing.connection import wait  # noqa: PLC0415

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker has been started by somebody"
    sentinel = parent.sentinel

    def end_with_it() -> None:
        wait([sentinel])
        os._exit(1)

    threading.Thread(target=end_with_it, daemon=True).start()
    if prepare is not None:
        prepare()
