"""Grades many submissions side by side: each worker with sandboxes of its own.

Workers only grade. Records come back through a queue to the main thread, which alone writes,
shows progress and starts sandboxes (the kernel ends a zygote with the thread that started it). A
worker has one sandbox for all exercises that need no package, and one more for each set of packages
that an exercise needs, which is started when the first submission of that exercise comes up. So are
those with other seeds, when the first submission comes up that may be right or wrong by luck.
"""

from __future__ import annotations

import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final, TypeAlias

from grader.cache import Cache
from grader.errors import GraderError, HostError, ZygoteError
from grader.intake.submission import Submission
from grader.intake.submissions import Entry, read
from grader.judging.flakes import OTHER_SEEDS
from grader.judging.judge import Reseeded, grade
from grader.judging.record import Record
from grader.judging.recording import Recorder
from grader.sandbox.executor import LEAST_LEVEL, Executor, Isolation
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.sandbox.sessions import Gate
from grader.sandbox.zygote import package_folder
from grader.suite.model import Suite
from grader.suite.vocabulary import packages_among

_ATTEMPTS: Final = 2
"""A submission that takes a sandbox down gets one more, new one; then it is a fault."""


@dataclass(frozen=True, slots=True)
class Task:
    """One submission to grade on one suite."""

    suite: Suite
    entry: Entry

    @property
    def packages(self) -> tuple[str, ...]:
        """What has to be installed for this, and loaded in its sandbox."""
        return packages_among(self.suite.imports)


@dataclass(frozen=True, slots=True)
class _Graded:
    index: int
    record: Record


@dataclass(frozen=True, slots=True)
class _SandboxesWanted:
    packages: tuple[str, ...]
    seeds: Sequence[int]
    answer: queue.Queue[Sequence[Sandbox] | GraderError]


_POLL_S: Final = 0.05
_PATIENCE_S: Final = 3.0
"""How long an interrupted run waits for a submission under way without hearing of any."""
_SWITCH_S: Final = 0.0005
"""How long a thread that computes, such as the one that writes a page, keeps a worker waiting whose
executor has answered. With the 5 ms of Python both processors are idle for much of the time."""
_WAITING_RECORDS: Final = 4
"""Of a worker, until they are written: where the disk is slow, workers wait rather than memory."""
_MARKING: Final = (0,)
"""The seed with which marks are given."""


@dataclass(slots=True)
class _Sandboxes:
    """Those of one worker."""

    latest: Sandbox
    """The one that was used last for marks, broken or not."""
    started: dict[tuple[tuple[str, ...], tuple[int, ...]], Sequence[Sandbox]]
    """By the packages that they have loaded, and their seeds."""

    def forget(self, packages: tuple[str, ...]) -> None:
        """Do without those with `packages`, of which one broke: it is not known which."""
        self.started = {key: each for key, each in self.started.items() if key[0] != packages}


_Event: TypeAlias = _Graded | _SandboxesWanted | None
"""What a worker tells the main thread; None when it has come to its end."""
Sink: TypeAlias = Callable[[int, Record], None]
"""Takes the index of a task and its record, in the order in which they are done."""


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


def require_packages(tasks: Iterable[Task]) -> None:
    """Raise `HostError` when an exercise needs a package that is not installed."""
    for suite in {task.suite.exercise: task.suite for task in tasks}.values():
        for name in packages_among(suite.imports):
            try:
                package_folder(name)
            except HostError as error:
                message = f"the exercise {suite.exercise} needs {name}, which is not installed"
                raise HostError(message, help=error.help) from error


def grade_all(
    tasks: Sequence[Task],
    *,
    jobs: int,
    sink: Sink,
    least_level: int = LEAST_LEVEL,
    cache: Cache | None = None,
) -> bool:
    """Grade `tasks` with `jobs` workers; return whether all were done, False when interrupted.

    What the `cache` knows, such as the record of the same files, is not graded again.

    One Ctrl-C lets the submissions under way finish, if that is soon; a second one stops at once.
    Raises `HostError` when the machine does not reach `least_level` of isolation, or has no package
    that an exercise needs.
    """
    require_packages(tasks)
    return _Run(tasks, min(jobs, len(tasks)), sink, least_level, cache or Cache()).go()


class _OutOfPatience(Exception):
    """The run was interrupted, and the submissions under way do not come to their end."""


class _Run:
    def __init__(
        self, tasks: Sequence[Task], jobs: int, sink: Sink, least_level: int, cache: Cache
    ) -> None:
        self._tasks: Final = tasks
        self._jobs: Final = jobs
        self._sink: Final = sink
        self._least_level: Final = least_level
        self._cache: Final = cache
        self._events: Final[queue.Queue[_Event]] = queue.Queue(_WAITING_RECORDS * jobs)
        self._waiting: Final[queue.SimpleQueue[int]] = queue.SimpleQueue()
        self._gate: Final = Gate()
        self._stopped = False
        self._patience_s = _PATIENCE_S
        self._done = 0

    def go(self) -> bool:
        sys.setswitchinterval(_SWITCH_S)
        for index in range(len(self._tasks)):
            self._waiting.put(index)
        with ExitStack() as sandboxes, self._heeding_interrupts():
            threads = self._start_workers(sandboxes)
            try:
                self._serve(sandboxes, workers=len(threads))
            except KeyboardInterrupt:  # the second one; the workers are daemons, nobody waits
                threads.clear()
                raise
            except _OutOfPatience:
                threads.clear()
            finally:
                self._stopped = True
                self._dismiss(threads)
        return self._done == len(self._tasks)

    def _dismiss(self, threads: list[threading.Thread]) -> None:
        """Wait for the workers; one that waits for a sandbox is told that there is none."""
        while any(thread.is_alive() for thread in threads):
            with suppress(queue.Empty):
                event = self._events.get(timeout=_POLL_S)
                if isinstance(event, _SandboxesWanted):
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

    def _start_workers(self, sandboxes: ExitStack) -> list[threading.Thread]:
        """Start the first sandboxes side by side, and a worker for each."""
        started: list[_Sandboxes] = []
        for task in self._tasks[: self._jobs]:
            sandbox = new_sandbox(task.packages)
            sandboxes.callback(sandbox.close)
            started.append(_Sandboxes(sandbox, {(task.packages, _MARKING): (sandbox,)}))
        for own in started:
            require_isolation(own.latest.isolation, self._least_level)
        threads = [threading.Thread(target=self._work, args=(own,), daemon=True) for own in started]
        for thread in threads:
            thread.start()
        return threads

    def _next_event(self) -> _Event:
        """Return what a worker tells next; raises `_OutOfPatience` once nobody waits any more."""
        while True:
            with suppress(queue.Empty):
                return self._events.get(timeout=_POLL_S)
            if self._stopped:
                self._patience_s -= _POLL_S
            if self._patience_s <= 0:
                raise _OutOfPatience

    def _serve(self, sandboxes: ExitStack, workers: int) -> None:
        while workers:
            match self._next_event():
                case _Graded(index, record):
                    self._sink(index, record)
                    self._done += 1
                case _SandboxesWanted(packages, seeds, answer):
                    answer.put(self._started_sandboxes(sandboxes, packages, seeds))
                case None:
                    workers -= 1

    def _started_sandboxes(
        self, sandboxes: ExitStack, packages: tuple[str, ...], seeds: Iterable[int]
    ) -> Sequence[Sandbox] | GraderError:
        """Return more sandboxes, with walls as high as were asked."""
        try:
            started = _side_by_side(sandboxes, packages, seeds)
            for sandbox in started:
                require_isolation(sandbox.isolation, self._least_level)
        except GraderError as error:
            return error
        return started

    def _work(self, own: _Sandboxes) -> None:
        try:
            while not self._stopped:
                try:
                    index = self._waiting.get_nowait()
                except queue.Empty:
                    break
                self._events.put(_Graded(index, self._grade(self._tasks[index], own)))
        finally:
            self._events.put(None)

    def _grade(self, task: Task, own: _Sandboxes) -> Record:
        """Return the record of `task`; sandboxes that it takes down are replaced among `own`."""
        graded: Record | _Failure | None = None
        for _ in range(_ATTEMPTS):
            try:
                (own.latest,) = self._sandboxes(own, task.packages, _MARKING)
            except ZygoteError as error:
                graded = graded or _Failure(_unread(task), error.message, sandbox_broke=True)
                break
            reseeded = partial(self._sandboxes, own, task.packages, OTHER_SEEDS)
            graded = _attempt(task, own.latest, self._gate, reseeded, self._cache)
            if isinstance(graded, Record):
                return graded
            if not graded.sandbox_broke:
                break
            own.forget(task.packages)
        assert isinstance(graded, _Failure), "whatever has no record has failed"
        return graded.record(task.suite, own.latest.isolation)

    def _sandboxes(
        self, own: _Sandboxes, packages: tuple[str, ...], seeds: tuple[int, ...]
    ) -> Sequence[Sandbox]:
        """Return those with `packages` and `seeds` among `own`; raises `ZygoteError`.

        The main thread has to start those that are not there yet.
        """
        if (packages, seeds) not in own.started:
            answer: queue.Queue[Sequence[Sandbox] | GraderError] = queue.Queue()
            self._events.put(_SandboxesWanted(packages, seeds, answer))
            started = answer.get()
            if isinstance(started, GraderError):
                raise ZygoteError(started.message)
            own.started[packages, seeds] = started
        return own.started[packages, seeds]


@dataclass(frozen=True, slots=True)
class _Failure:
    """How we failed to grade a submission."""

    submission: Submission
    evidence: str
    sandbox_broke: bool

    def record(self, suite: Suite, isolation: Isolation) -> Record:
        return Recorder(suite, self.submission, isolation).fault(self.evidence)


def _side_by_side(
    sandboxes: ExitStack, packages: tuple[str, ...], seeds: Iterable[int]
) -> Sequence[Sandbox]:
    """Start a sandbox for each of `seeds`; they get ready side by side. `sandboxes` ends them."""
    started = []
    for seed in seeds:
        started.append(new_sandbox(packages, seed))
        sandboxes.callback(started[-1].close)
    return started


def _one_by_one(
    sandboxes: ExitStack, packages: tuple[str, ...], seeds: Iterable[int]
) -> Sequence[Sandbox]:
    """Return a sandbox for each of `seeds` that is started when it is used."""
    return [_Later(partial(_side_by_side, sandboxes, packages, [seed])) for seed in seeds]


class _Later(Sandbox):
    """A sandbox that is started when it is first used: most need one seed more, not all."""

    def __init__(self, start: Callable[[], Sequence[Sandbox]]) -> None:
        self._start: Final = start

    @cached_property
    def _started(self) -> Sandbox:
        (started,) = self._start()
        return started

    @property
    def isolation(self) -> Isolation:
        return self._started.isolation

    def fork(self, limits: Mapping[str, int]) -> Executor:
        return self._started.fork(limits)

    def close(self) -> None:
        """Do nothing: whoever has started it ends it."""


def _attempt(
    task: Task, sandbox: Sandbox, gate: Gate, reseeded: Reseeded, cache: Cache
) -> Record | _Failure:
    """Grade `task`, or tell how we failed: that must cost one submission, not the run."""
    submission = _unread(task)
    try:
        submission = read(task.entry, task.suite.modules, task.suite.defines)

        def graded(watched: Gate) -> Record:
            return grade(task.suite, submission, sandbox, watched, reseeded)

        return cache.record(task.suite, submission, sandbox.isolation, gate, graded)
    except ZygoteError as error:
        return _Failure(submission, error.message, sandbox_broke=True)
    except Exception:  # noqa: BLE001 - whatever it is, it is a mistake of ours
        return _Failure(submission, traceback.format_exc(), sandbox_broke=False)


def _unread(task: Task) -> Submission:
    """Return what we know of a submission that we have not read."""
    return Submission(student=task.entry.student, modules={}, data={}, raw={})


def grade_one(task: Task, ready: Sandbox | None = None) -> Record:
    """Return the record of `task`, graded with sandboxes of its own.

    One without packages may be `ready`: it is ended. Raises `HostError` when none can be started.
    """
    require_packages([task])
    if task.packages:
        ready = None
    attempts = _ATTEMPTS
    while True:
        with ExitStack() as sandboxes:
            sandbox = sandboxes.enter_context(ready or new_sandbox(task.packages))
            reseeded = partial(_one_by_one, sandboxes, task.packages, OTHER_SEEDS)
            graded = _attempt(task, sandbox, Gate(), reseeded, Cache())
            if isinstance(graded, Record):
                return graded
            attempts, ready = attempts - 1, None
            if not attempts or not graded.sandbox_broke:
                return graded.record(task.suite, sandbox.isolation)
