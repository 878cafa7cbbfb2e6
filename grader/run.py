"""Grades many submissions side by side: a nursery for each worker, started by the main thread.

Workers only grade. Records come back through a queue to the main thread, which alone writes,
shows progress and starts nurseries (the kernel ends a zygote with the thread that started it).
"""

from __future__ import annotations

import gc
import os
import queue
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Final, TypeAlias

from grader.errors import GraderError, HostError, ZygoteError
from grader.intake.submissions import Entry, read
from grader.isolation import LEAST_LEVEL, Isolation
from grader.judge import grade
from grader.record import Record
from grader.recording import Recorder
from grader.sandbox.nursery import Nursery, new_nursery
from grader.sessions import Gate
from grader.submission import Submission
from grader.suite import Suite

_ATTEMPTS: Final = 2
"""A submission that takes a nursery down gets one more, new one; then it is a fault."""


@dataclass(frozen=True, slots=True)
class Task:
    """One submission to grade on one suite."""

    suite: Suite
    entry: Entry


@dataclass(frozen=True, slots=True)
class _Graded:
    index: int
    record: Record


@dataclass(frozen=True, slots=True)
class _NurseryWanted:
    answer: queue.Queue[Nursery | GraderError]


@dataclass(frozen=True, slots=True)
class _WorkerEnded:
    pass


_COLLECTION_THRESHOLD: Final = 100_000
_POLL_S: Final = 0.05
_Event: TypeAlias = _Graded | _NurseryWanted | _WorkerEnded
Sink: TypeAlias = Callable[[int, Record], None]
"""Takes the index of a task and its record, in the order in which they are done."""


def usable_cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def require_isolation(isolation: Isolation, least_level: int = LEAST_LEVEL) -> None:
    """Raise `HostError` when fewer walls than asked would stand around strangers' programs."""
    if isolation.level >= least_level:
        return
    if isolation.level == 0:
        raise HostError(
            "this machine cannot isolate submissions (isolation level 0)",
            help="grade on Linux (on Windows: in WSL2) or in CI; add --trust-submissions only if"
            " you would run every one of them yourself",
        )
    raise HostError(
        f"this machine gives isolation level {isolation.level}, and level {least_level} is asked",
        help="`grader doctor` tells what is missing and what would help;"
        f" --isolation {isolation.level} makes do with less",
    )


def grade_all(
    tasks: Sequence[Task], *, jobs: int, sink: Sink, least_level: int = LEAST_LEVEL
) -> bool:
    """Grade `tasks` with `jobs` workers; return whether all were done, False when interrupted.

    One Ctrl-C lets the submissions under way finish, a second one stops at once. Raises
    `HostError` when the machine does not reach `least_level` of isolation.
    """
    return _Run(tasks, min(jobs, len(tasks)), sink, least_level).go()


class _Run:
    def __init__(self, tasks: Sequence[Task], jobs: int, sink: Sink, least_level: int) -> None:
        self._tasks: Final = tasks
        self._jobs: Final = jobs
        self._sink: Final = sink
        self._least_level: Final = least_level
        self._events: Final[queue.Queue[_Event]] = queue.Queue()
        self._waiting: Final[queue.SimpleQueue[int]] = queue.SimpleQueue()
        self._gate: Final = Gate()
        self._stopped = False
        self._done = 0

    def go(self) -> bool:
        for index in range(len(self._tasks)):
            self._waiting.put(index)
        with ExitStack() as nurseries, self._heeding_interrupts(), _rare_collections():
            threads = self._start_workers(nurseries)
            try:
                self._serve(nurseries, workers=len(threads))
            except KeyboardInterrupt:  # the second one; the workers are daemons, nobody waits
                threads.clear()
                raise
            finally:
                self._stopped = True
                self._dismiss(threads)
        return self._done == len(self._tasks)

    def _dismiss(self, threads: list[threading.Thread]) -> None:
        """Wait for the workers; one that waits for a nursery is told that there is none."""
        while any(thread.is_alive() for thread in threads):
            with suppress(queue.Empty):
                event = self._events.get(timeout=_POLL_S)
                if isinstance(event, _NurseryWanted):
                    event.answer.put(ZygoteError("the run is over"))

    @contextmanager
    def _heeding_interrupts(self) -> Iterator[None]:
        """Have the first Ctrl-C only set a flag: it may come while a page is being written."""
        is_ours = (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        )
        if is_ours:
            signal.signal(signal.SIGINT, self._on_interrupt)
        try:
            yield
        finally:
            if is_ours:
                signal.signal(signal.SIGINT, signal.default_int_handler)

    def _on_interrupt(self, number: int, frame: object) -> None:
        if self._stopped:
            raise KeyboardInterrupt
        self._stopped = True

    def _start_workers(self, nurseries: ExitStack) -> list[threading.Thread]:
        """Start the nurseries side by side, and a worker for each."""
        started = []
        for _ in range(self._jobs):
            started.append(new_nursery())
            nurseries.callback(started[-1].close)
        for nursery in started:
            require_isolation(nursery.isolation, self._least_level)
        threads = [
            threading.Thread(target=self._work, args=(each,), daemon=True) for each in started
        ]
        for thread in threads:
            thread.start()
        return threads

    def _serve(self, nurseries: ExitStack, workers: int) -> None:
        while workers:
            match self._events.get():
                case _Graded(index, record):
                    self._sink(index, record)
                    self._done += 1
                case _NurseryWanted(answer):
                    answer.put(self._started_nursery(nurseries))
                case _WorkerEnded():
                    workers -= 1

    def _started_nursery(self, nurseries: ExitStack) -> Nursery | GraderError:
        """Return a nursery in place of one that broke, with walls as high as were asked."""
        try:
            nursery = nurseries.enter_context(new_nursery())
            require_isolation(nursery.isolation, self._least_level)
        except GraderError as error:
            return error
        return nursery

    def _work(self, nursery: Nursery) -> None:
        try:
            while not self._stopped:
                try:
                    index = self._waiting.get_nowait()
                except queue.Empty:
                    break
                record, nursery = self._grade(self._tasks[index], nursery)
                self._events.put(_Graded(index, record))
        finally:
            self._events.put(_WorkerEnded())

    def _grade(self, task: Task, nursery: Nursery) -> tuple[Record, Nursery]:
        """Return the record of `task`, and the nursery to go on with."""
        attempts = _ATTEMPTS
        while True:
            graded = _attempt(task, nursery, self._gate)
            if isinstance(graded, Record):
                return graded, nursery
            attempts -= 1
            another = self._another_nursery() if attempts and graded.nursery_broke else None
            if another is None:
                return graded.record(task.suite, nursery.isolation), nursery
            nursery = another

    def _another_nursery(self) -> Nursery | None:
        """Return a new nursery, which the main thread has to start; None when it cannot."""
        answer: queue.Queue[Nursery | GraderError] = queue.Queue()
        self._events.put(_NurseryWanted(answer))
        another = answer.get()
        return None if isinstance(another, GraderError) else another


@dataclass(frozen=True, slots=True)
class _Failure:
    """How we failed to grade a submission."""

    submission: Submission
    evidence: str
    nursery_broke: bool

    def record(self, suite: Suite, isolation: Isolation) -> Record:
        return Recorder(suite, self.submission, isolation).fault(self.evidence)


def _attempt(task: Task, nursery: Nursery, gate: Gate) -> Record | _Failure:
    """Grade `task`, or tell how we failed: that must cost one submission, not the run."""
    submission = Submission(student=task.entry.student, main=None, modules={}, data={}, raw={})
    try:
        submission = read(task.entry, task.suite.module, task.suite.defines)
        return grade(task.suite, submission, nursery, gate)
    except ZygoteError as error:
        return _Failure(submission, error.message, nursery_broke=True)
    except Exception:  # noqa: BLE001 - whatever it is, it is a mistake of ours
        return _Failure(submission, traceback.format_exc(), nursery_broke=False)


def grade_one(task: Task) -> Record:
    """Return the record of `task`, graded with nurseries of its own.

    Raises `HostError` when none can be started.
    """
    attempts = _ATTEMPTS
    while True:
        with new_nursery() as nursery:
            graded = _attempt(task, nursery, Gate())
            if isinstance(graded, Record):
                return graded
            attempts -= 1
            if not attempts or not graded.nursery_broke:
                return graded.record(task.suite, nursery.isolation)


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Have the garbage collector look less often: what replies decode to holds no cycles."""
    thresholds = gc.get_threshold()
    gc.set_threshold(_COLLECTION_THRESHOLD, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
