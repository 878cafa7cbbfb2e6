"""Grades many submissions side by side: one worker per zygote, all started by the main thread.

Workers only grade. Records come back through a queue to the main thread, which alone writes,
shows progress and starts zygotes (the kernel ends a zygote with the thread that started it).
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
from grader.judge import grade
from grader.record import Record
from grader.recording import Recorder
from grader.sandbox.zygote import Isolation, Zygote
from grader.sessions import Gate
from grader.submission import Submission
from grader.suite import Suite

_ATTEMPTS: Final = 2
"""A submission that takes a zygote down gets one more, fresh one; then it is a fault."""


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
class _ZygoteWanted:
    answer: queue.Queue[Zygote | GraderError]


@dataclass(frozen=True, slots=True)
class _WorkerEnded:
    pass


_COLLECTION_THRESHOLD: Final = 100_000
_POLL_S: Final = 0.05
_Event: TypeAlias = _Graded | _ZygoteWanted | _WorkerEnded
Sink: TypeAlias = Callable[[int, Record], None]
"""Takes the index of a task and its record, in the order in which they are done."""


def usable_cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def require_isolation(isolation: Isolation, *, trusted: bool) -> None:
    """Raise `HostError` when strangers' programs would run here without any wall."""
    if isolation.level < 1 and not trusted:
        raise HostError(
            "this machine cannot isolate submissions (isolation level 0)",
            help="use Linux, or, if you trust every submission, add --trust-submissions",
        )


def grade_all(tasks: Sequence[Task], *, jobs: int, sink: Sink, trusted: bool = False) -> bool:
    """Grade `tasks` with `jobs` workers; return whether all were done, False when interrupted.

    One Ctrl-C lets the submissions under way finish, a second one stops at once. Raises
    `HostError` when the machine cannot isolate submissions.
    """
    return _Run(tasks, min(jobs, len(tasks)), sink, trusted=trusted).go()


class _Run:
    def __init__(self, tasks: Sequence[Task], jobs: int, sink: Sink, *, trusted: bool) -> None:
        self._tasks: Final = tasks
        self._jobs: Final = jobs
        self._sink: Final = sink
        self._trusted: Final = trusted
        self._events: Final[queue.Queue[_Event]] = queue.Queue()
        self._waiting: Final[queue.SimpleQueue[int]] = queue.SimpleQueue()
        self._gate: Final = Gate()
        self._stopped = False
        self._done = 0

    def go(self) -> bool:
        for index in range(len(self._tasks)):
            self._waiting.put(index)
        with ExitStack() as zygotes, self._heeding_interrupts(), _rare_collections():
            threads = self._start_workers(zygotes)
            try:
                self._serve(zygotes, workers=len(threads))
            except KeyboardInterrupt:  # the second one; the workers are daemons, nobody waits
                threads.clear()
                raise
            finally:
                self._stopped = True
                self._dismiss(threads)
        return self._done == len(self._tasks)

    def _dismiss(self, threads: list[threading.Thread]) -> None:
        """Wait for the workers; one that waits for a zygote is told that there is none."""
        while any(thread.is_alive() for thread in threads):
            with suppress(queue.Empty):
                event = self._events.get(timeout=_POLL_S)
                if isinstance(event, _ZygoteWanted):
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

    def _start_workers(self, zygotes: ExitStack) -> list[threading.Thread]:
        """Start the zygotes side by side, and a worker for each."""
        started = []
        for _ in range(self._jobs):
            started.append(Zygote())
            zygotes.callback(started[-1].close)
        for zygote in started:
            require_isolation(zygote.isolation, trusted=self._trusted)
        threads = [threading.Thread(target=self._work, args=(z,), daemon=True) for z in started]
        for thread in threads:
            thread.start()
        return threads

    def _serve(self, zygotes: ExitStack, workers: int) -> None:
        while workers:
            match self._events.get():
                case _Graded(index, record):
                    self._sink(index, record)
                    self._done += 1
                case _ZygoteWanted(answer):
                    answer.put(_new_zygote(zygotes))
                case _WorkerEnded():
                    workers -= 1

    def _work(self, zygote: Zygote) -> None:
        try:
            while not self._stopped:
                try:
                    index = self._waiting.get_nowait()
                except queue.Empty:
                    break
                record, zygote = self._grade(self._tasks[index], zygote)
                self._events.put(_Graded(index, record))
        finally:
            self._events.put(_WorkerEnded())

    def _grade(self, task: Task, zygote: Zygote) -> tuple[Record, Zygote]:
        """Return the record of `task`, and the zygote to go on with."""
        attempts = _ATTEMPTS
        while True:
            graded = _attempt(task, zygote, self._gate)
            if isinstance(graded, Record):
                return graded, zygote
            attempts -= 1
            fresh = self._fresh_zygote() if attempts and graded.zygote_broke else None
            if fresh is None:
                return graded.record(task.suite, zygote.isolation), zygote
            zygote = fresh

    def _fresh_zygote(self) -> Zygote | None:
        """Return a new zygote, which the main thread has to start; None when it cannot."""
        answer: queue.Queue[Zygote | GraderError] = queue.Queue()
        self._events.put(_ZygoteWanted(answer))
        fresh = answer.get()
        return None if isinstance(fresh, GraderError) else fresh


@dataclass(frozen=True, slots=True)
class _Failure:
    """How we failed to grade a submission."""

    submission: Submission
    evidence: str
    zygote_broke: bool

    def record(self, suite: Suite, isolation: Isolation) -> Record:
        return Recorder(suite, self.submission, isolation).fault(self.evidence)


def _attempt(task: Task, zygote: Zygote, gate: Gate) -> Record | _Failure:
    """Grade `task`, or tell how we failed: that must cost one submission, not the run."""
    submission = Submission(student=task.entry.student, main=None, modules={}, data={}, raw={})
    try:
        submission = read(task.entry, task.suite.module, task.suite.defines)
        return grade(task.suite, submission, zygote, gate)
    except ZygoteError as error:
        return _Failure(submission, error.message, zygote_broke=True)
    except Exception:  # noqa: BLE001 - whatever it is, it is a mistake of ours
        return _Failure(submission, traceback.format_exc(), zygote_broke=False)


def grade_one(task: Task) -> Record:
    """Return the record of `task`, graded with zygotes of its own.

    Raises `HostError` when none can be started.
    """
    attempts = _ATTEMPTS
    while True:
        with Zygote() as zygote:
            graded = _attempt(task, zygote, Gate())
            if isinstance(graded, Record):
                return graded
            attempts -= 1
            if not attempts or not graded.zygote_broke:
                return graded.record(task.suite, zygote.isolation)


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Have the garbage collector look less often: what replies decode to holds no cycles."""
    thresholds = gc.get_threshold()
    gc.set_threshold(_COLLECTION_THRESHOLD, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


def _new_zygote(zygotes: ExitStack) -> Zygote | GraderError:
    try:
        return zygotes.enter_context(Zygote())
    except GraderError as error:
        return error
