"""Grades many submissions: reads them, sends them out in chunks, and collects the outcomes.

All decisions are made here, in one thread: which records are known, which hand-ins are identical,
what to do with a lost chunk. Workers only grade, wherever they are. The submissions of a lost chunk
are graded again, each alone: that shows for certain which one kills its worker, and affects no
other.
"""

from __future__ import annotations

import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Final, Protocol

from grader.errors import GraderError, HostError
from grader.intake.submissions import HandIn
from grader.run.chunks import Job, Terms, grade_chunk, packed_chunk, packed_suite
from grader.run.engines import Engine
from grader.run.needs import require_packages
from grader.run.outcomes import Outcome, outcomes
from grader.run.tasks import Task
from grader.store.graded import Earlier, Known
from grader.store.keys import UNREAD, RecordKey, environment, key_of, packages_of, submission_sha256

_POLL_S: Final = 0.1
_PATIENCE_S: Final = 3.0
"""How long an interrupted run waits for the next outcome before it stops."""
CHUNKS_OF_A_WORKER: Final = 8
"""The remaining submissions form at least this many chunks, so that workers finish together."""


class _Keeper(Protocol):
    """Stores outcomes, and knows earlier ones; see `grader.run.keeping`."""

    def has(self, index: int, key: RecordKey) -> bool:
        """Return whether the task at `index` is already done; if so, count it."""

    def known(self, index: int, key: RecordKey) -> Known | None:
        """Return the packed record of the same files, from this or another student, if any."""

    def earlier(self, index: int, key: RecordKey) -> Earlier | None:
        """Return a record of this task that may only have to be rescored."""

    def take(self, outcome: Outcome, hand_in: HandIn, key: RecordKey) -> None:
        """Store the outcome of `hand_in`."""


def grade_all(
    tasks: Sequence[Task],
    keeper: _Keeper,
    terms: Terms,
    engine: Engine,
    share: range | None = None,
) -> bool:
    """Grade `tasks` with `engine`, or only those whose index is in `share`.

    Returns whether all were done; False if interrupted.

    One Ctrl-C lets the submissions in progress finish, if that is soon; a second one stops at once.
    Raises `HostError` if a machine's isolation is below the requested level, or if it lacks a
    package that an exercise needs.
    """
    suites = {task.suite.sha256: task.suite for task in tasks}
    require_packages(suites.values())
    packed = cache(lambda sha256: packed_suite(suites[sha256]))
    needs = environment(sorted({name for suite in suites.values() for name in packages_of(suite)}))
    indices = range(len(tasks)) if share is None else share
    pack = partial(packed_chunk, needs, terms, packed)
    return _Run(tasks, indices, keeper, engine, pack, terms).go()


@dataclass(slots=True)
class _Sent:
    """A chunk in progress."""

    jobs: tuple[Job, ...]
    is_alone: bool


class _Run:
    def __init__(
        self,
        tasks: Sequence[Task],
        indices: range,
        keeper: _Keeper,
        engine: Engine,
        packed: Callable[[Sequence[Job]], bytes],
        terms: Terms,
    ) -> None:
        self._tasks: Final = tasks
        self._indices: Final = indices
        self._keeper: Final = keeper
        self._engine: Final = engine
        self._packed: Final = packed
        self._terms: Final = terms
        self._left = len(indices)
        """How many tasks `_jobs` has not reached yet."""
        self._remaining_jobs: Final = self._jobs()
        self._ready: Final[deque[Job]] = deque()
        """Jobs that have waited for the outcome of an identical hand-in."""
        self._suspects: Final[deque[Job]] = deque()
        """Jobs of lost chunks, to be sent one at a time."""
        self._sent: Final[dict[Future[bytes], _Sent]] = {}
        self._keys: Final[dict[int, RecordKey]] = {}
        self._waiting: Final[dict[str, list[Job]]] = {}
        """Jobs that wait for an identical hand-in in progress, by its key."""
        self._stopped = False
        self._patience_s = _PATIENCE_S
        self._done = 0

    def go(self) -> bool:
        with self._handling_interrupts():
            try:
                while self._send() or self._sent:
                    if not self._process_finished():
                        break
            finally:
                if self._sent:
                    self._engine.stop()
        return self._done == len(self._indices)

    @contextmanager
    def _handling_interrupts(self) -> Iterator[None]:
        """Make the first Ctrl-C only set a flag: it may come while a page is being written."""
        is_ours = (
            # Only the main thread may set handlers; a handler that others have set remains.
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

    def _jobs(self) -> Iterator[Job]:
        """Yield a job for each task that is neither done nor waiting for an identical one."""
        for index in self._indices:
            self._left -= 1
            task = self._tasks[index]
            key = None if task.known_sha256 is None else self._key(task, task.known_sha256)
            if key is not None and self._is_done(index, key):
                continue
            job = self._job(index, task)
            if job.failure is not None:
                # Unread, it has no hash, so it cannot be identical to another.
                self._keys[index] = self._key(task, UNREAD)
                yield job
                continue
            if key is None:
                pseudonym = self._terms.called(task.entry.student)
                key = self._key(task, submission_sha256(job.hand_in, pseudonym))
                if self._is_done(index, key):
                    continue
            self._keys[index] = key
            if (known := self._keeper.known(index, key)) is not None:
                yield replace(job, known=known)
            elif key.sha256 in self._waiting:
                self._waiting[key.sha256].append(job)
            else:
                self._waiting[key.sha256] = []
                yield replace(job, earlier=self._keeper.earlier(index, key))

    def _key(self, task: Task, submission: str) -> RecordKey:
        return key_of(task.suite, submission, task.lateness)

    def _is_done(self, index: int, key: RecordKey) -> bool:
        is_done = self._keeper.has(index, key)
        self._done += is_done
        return is_done

    def _job(self, index: int, task: Task) -> Job:
        student, failure = task.entry.student, None
        try:
            hand_in = task.hand_in()
        except Exception:  # noqa: BLE001 - our own bug must cost one submission, not the run
            hand_in, failure = HandIn(student=student, files={}), traceback.format_exc()
        is_hidden = self._terms.called(student) is not None
        called = None if task.person is None or is_hidden else task.person.name
        return Job(
            index=index,
            suite=task.suite.sha256,
            hand_in=hand_in,
            called=called,
            failure=failure,
        )

    def _send(self) -> bool:
        """Send chunks until enough are in progress; return whether any was sent."""
        sent_before = len(self._sent)
        while not self._stopped and len(self._sent) < self._engine.ahead:
            if self._suspects:
                # A suspect is sent alone: if its worker is lost, then certainly because of it.
                if self._sent:
                    break
                self._submit((self._suspects.popleft(),), is_alone=True)
                break
            if not (jobs := tuple(self._next_jobs())):
                break
            self._submit(jobs, is_alone=False)
        return len(self._sent) > sent_before

    def _next_jobs(self) -> Iterator[Job]:
        share = self._left // (self._engine.width * CHUNKS_OF_A_WORKER)
        for _ in range(max(1, min(self._engine.chunk, share))):
            job = self._ready.popleft() if self._ready else next(self._remaining_jobs, None)
            if job is None:
                return
            yield job

    def _submit(self, jobs: tuple[Job, ...], *, is_alone: bool) -> None:
        self._sent[self._engine.submit(grade_chunk, self._packed(jobs))] = _Sent(jobs, is_alone)

    def _process_finished(self) -> bool:
        """Process finished chunks; return whether to wait for more."""
        # With a timeout, as the first Ctrl-C only sets a flag.
        finished, _ = wait(self._sent, timeout=_POLL_S, return_when=FIRST_COMPLETED)
        for future in finished:
            self._process(self._sent.pop(future), future)
        if self._stopped:
            self._patience_s = _PATIENCE_S if finished else self._patience_s - _POLL_S
            for future in [each for each in self._sent if each.cancel()]:
                del self._sent[future]
        return self._patience_s > 0

    def _process(self, sent: _Sent, future: Future[bytes]) -> None:
        try:
            outcomes_by_index = {each.index: each for each in outcomes(future.result())}
            if outcomes_by_index.keys() != {job.index for job in sent.jobs}:
                raise ValueError("a worker answered for other submissions than were sent")
        # The worker refused the chunk, and would refuse any other.
        except GraderError:
            raise
        except (Exception, CancelledError) as error:  # noqa: BLE001 - each engine has its own
            self._process_loss(sent, error)
            return
        for job in sent.jobs:
            self._store_outcome(job, outcomes_by_index[job.index])

    def _process_loss(self, sent: _Sent, error: BaseException) -> None:
        """Send the jobs of a lost chunk again; a job that was lost alone becomes a fault."""
        if not sent.is_alone:
            self._suspects.extend(sent.jobs)
            return
        (job,) = sent.jobs
        if job.failure is not None:
            raise HostError(
                f"workers are lost whatever they are given: {error!r}",
                help="see to memory, disk and their log; then give the same command again",
            ) from error
        failure = f"it has taken its worker down: {error!r}"
        self._suspects.append(replace(job, failure=failure, known=None))

    def _store_outcome(self, job: Job, outcome: Outcome) -> None:
        key = self._keys.pop(job.index)
        self._done += 1
        self._keeper.take(outcome, job.hand_in, key)
        if job.known is not None:
            return
        identical_jobs = self._waiting.pop(key.sha256, [])
        graded = outcome.graded
        # A record that may differ the next time must not become another student's.
        known = Known(graded.data, is_lasting=True) if graded.is_lasting else None
        self._ready.extend(replace(each, known=known) for each in identical_jobs)
