"""Grades many submissions: reads them, sends them to workers in chunks, and collects outcomes.

All decisions are made here, in one thread: which records are known, which hand-ins are identical,
and what to do with a lost chunk. Workers, wherever they are, only grade. The submissions of a lost
chunk are graded again one at a time, which shows for certain which one kills its worker, and
affects no other submission.
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
from grader.run.chunks import Job, Terms, grade_chunk, pack_chunk, pack_suite
from grader.run.engines import Engine, describe_error
from grader.run.needs import require_packages
from grader.run.outcomes import Outcome, parse_outcomes
from grader.run.tasks import Task
from grader.store.graded import EarlierRecord, KnownRecord
from grader.store.keys import (
    UNREADABLE,
    RecordKey,
    environment,
    record_key,
    relevant_packages,
    submission_sha256,
)

_POLL_S: Final = 0.1
_PATIENCE_S: Final = 3.0
"""How long an interrupted run waits for each further outcome before it stops."""
MIN_CHUNKS_PER_WORKER: Final = 8
"""The remaining submissions are split into at least this many chunks per worker.

So chunks become smaller towards the end, and all workers finish at about the same time.
"""


class _Keeper(Protocol):
    """Stores outcomes, and finds earlier ones; implemented by `grader.run.keeping`."""

    def count_if_done(self, index: int, key: RecordKey) -> bool:
        """Return whether the task at `index` is already done; if so, count and report it."""

    def known_record(self, index: int, key: RecordKey) -> KnownRecord | None:
        """Return a packed record of the same files, of this or another student, if any."""

    def earlier_record(self, index: int, key: RecordKey) -> EarlierRecord | None:
        """Return a record of this task that might only need to be rescored, if any."""

    def store(self, outcome: Outcome, hand_in: HandIn, key: RecordKey) -> None:
        """Store the outcome of grading `hand_in`, and write its page."""


def grade_all(
    tasks: Sequence[Task],
    keeper: _Keeper,
    terms: Terms,
    engine: Engine,
    share: range | None = None,
) -> bool:
    """Grade `tasks` with `engine`, or only those whose indices are in `share`.

    Returns whether all are done, which is False after an interruption. On the first Ctrl-C,
    submissions in progress can still finish if that takes only seconds; a second one raises
    `KeyboardInterrupt` at once. Raises `HostError` if a machine's isolation is below the requested
    level, if it lacks a package that an exercise needs, or if the workers are lost without running
    a submission.
    """
    suites = {task.suite.sha256: task.suite for task in tasks}
    require_packages(suites.values())
    packed_by_hash = cache(lambda sha256: pack_suite(suites[sha256]))
    needs = environment(
        sorted({name for suite in suites.values() for name in relevant_packages(suite)})
    )
    indices = range(len(tasks)) if share is None else share
    pack = partial(pack_chunk, needs, terms, packed_by_hash)
    return _Run(tasks, indices, keeper, engine, pack, terms).execute()


@dataclass(slots=True)
class _SentChunk:
    """A chunk in progress."""

    jobs: tuple[Job, ...]
    is_alone: bool
    """Whether it contains a single suspect, sent while nothing else was in progress."""


class _Run:
    """One call of `grade_all`: the jobs that are waiting or in progress, and their results."""

    def __init__(
        self,
        tasks: Sequence[Task],
        indices: range,
        keeper: _Keeper,
        engine: Engine,
        pack: Callable[[Sequence[Job]], bytes],
        terms: Terms,
    ) -> None:
        """Prepare to grade the tasks at `indices`; `pack` returns the request for some jobs."""
        self._tasks: Final = tasks
        self._indices: Final = indices
        self._keeper: Final = keeper
        self._engine: Final = engine
        self._pack: Final = pack
        self._terms: Final = terms
        self._unread_count = len(indices)
        """The number of tasks that `_jobs` has not reached yet."""
        self._remaining_jobs: Final = self._jobs()
        self._ready: Final[deque[Job]] = deque()
        """Jobs that waited for the outcome of an identical hand-in, and can be sent now."""
        self._suspects: Final[deque[Job]] = deque()
        """Jobs of lost chunks, to be sent one at a time."""
        self._in_progress: Final[dict[Future[bytes], _SentChunk]] = {}
        self._keys: Final[dict[int, RecordKey]] = {}
        """The record keys of jobs whose outcomes are not stored yet, by the index of the task."""
        self._waiting: Final[dict[str, list[Job]]] = {}
        """Jobs that wait for an identical hand-in in progress, by the hash of its record key."""
        self._stopped = False
        self._patience_s = _PATIENCE_S
        self._done_count = 0

    def execute(self) -> bool:
        """Grade the tasks, and return whether all are done; False after an interruption."""
        with self._catch_interrupts():
            try:
                while self._send() or self._in_progress:
                    if not self._process_finished():
                        break
            finally:
                if self._in_progress:
                    self._engine.stop()
        return self._done_count == len(self._indices)

    @contextmanager
    def _catch_interrupts(self) -> Iterator[None]:
        """During the block, let the first Ctrl-C only set a flag.

        An exception could interrupt the writing of a page.
        """
        catches_interrupts = (
            # Only the main thread is allowed to set handlers. A handler that other code has set is
            # left alone.
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        )
        if catches_interrupts:
            signal.signal(signal.SIGINT, self._on_interrupt)
        try:
            yield
        finally:
            if catches_interrupts:
                signal.signal(signal.SIGINT, signal.default_int_handler)

    def _on_interrupt(self, signal_number: int, frame: object) -> None:
        if self._stopped:
            raise KeyboardInterrupt
        self._stopped = True

    def _jobs(self) -> Iterator[Job]:
        """Yield a job for each task that is neither done nor identical to one in progress.

        Reads each hand-in when its job is requested, and stores its record key in `_keys`. Tasks
        that are done are counted; identical ones are added to `_waiting`, and counted later.
        """
        for index in self._indices:
            self._unread_count -= 1
            task = self._tasks[index]
            # If the hash is known, a submission that is done does not even have to be read.
            key = None if task.known_sha256 is None else self._key(task, task.known_sha256)
            if key is not None and self._count_if_done(index, key):
                continue
            job = self._job(index, task)
            if job.failure is not None:
                # Without content there is no hash, so the hand-in cannot be identical to another.
                self._keys[index] = self._key(task, UNREADABLE)
                yield job
                continue
            if key is None:
                pseudonym = self._terms.pseudonym_of(task.entry.student)
                key = self._key(task, submission_sha256(job.hand_in, pseudonym))
                if self._count_if_done(index, key):
                    continue
            self._keys[index] = key
            if (known_record := self._keeper.known_record(index, key)) is not None:
                yield replace(job, known_record=known_record)
            elif key.sha256 in self._waiting:
                self._waiting[key.sha256].append(job)
            else:
                self._waiting[key.sha256] = []
                yield replace(job, earlier_record=self._keeper.earlier_record(index, key))

    def _key(self, task: Task, submission: str) -> RecordKey:
        return record_key(task.suite, submission, task.lateness)

    def _count_if_done(self, index: int, key: RecordKey) -> bool:
        """Return whether the task at `index` is already done; if so, count it."""
        is_done = self._keeper.count_if_done(index, key)
        self._done_count += is_done
        return is_done

    def _job(self, index: int, task: Task) -> Job:
        """Read the hand-in of `task`, and return the job to grade it.

        If reading fails, the job has an empty hand-in, and the traceback as its `failure`.
        """
        student, failure = task.entry.student, None
        try:
            hand_in = task.hand_in()
        except Exception:  # noqa: BLE001 - a bug of ours must affect one submission, not the run
            hand_in, failure = HandIn(student=student, files={}), traceback.format_exc()
        is_hidden = self._terms.pseudonym_of(student) is not None
        display_name = None if task.person is None or is_hidden else task.person.name
        return Job(
            index=index,
            suite=task.suite.sha256,
            hand_in=hand_in,
            display_name=display_name,
            failure=failure,
        )

    def _send(self) -> bool:
        """Send chunks until enough are in progress; return whether any were sent.

        Suspects come first, one at a time, and nothing else is in progress meanwhile.
        """
        # Nothing else must run beside a suspect, because a lost worker would cast doubt on both.
        if any(chunk.is_alone for chunk in self._in_progress.values()):
            return False
        sent_before = len(self._in_progress)
        while not self._stopped and len(self._in_progress) < self._engine.max_in_progress:
            if self._suspects:
                # A suspect is sent alone: if its worker is lost, the suspect is certainly to blame.
                if self._in_progress:
                    break
                self._submit((self._suspects.popleft(),), is_alone=True)
                break
            if not (jobs := tuple(self._next_jobs())):
                break
            self._submit(jobs, is_alone=False)
        return len(self._in_progress) > sent_before

    def _next_jobs(self) -> Iterator[Job]:
        """Yield the jobs for the next chunk, fewer towards the end of the run."""
        share = self._unread_count // (self._engine.parallel_chunks * MIN_CHUNKS_PER_WORKER)
        for _ in range(max(1, min(self._engine.chunk_size, share))):
            job = self._ready.popleft() if self._ready else next(self._remaining_jobs, None)
            if job is None:
                return
            yield job

    def _submit(self, jobs: tuple[Job, ...], *, is_alone: bool) -> None:
        self._in_progress[self._engine.submit(grade_chunk, self._pack(jobs))] = _SentChunk(
            jobs, is_alone
        )

    def _process_finished(self) -> bool:
        """Wait briefly, process the finished chunks, and return whether to wait for more.

        After an interruption, chunks that have not started are cancelled, and the others are waited
        for until none has finished for `_PATIENCE_S` seconds.
        """
        # There is a timeout because the first Ctrl-C only sets a flag, and must still be noticed.
        finished, _ = wait(self._in_progress, timeout=_POLL_S, return_when=FIRST_COMPLETED)
        for future in finished:
            self._process(self._in_progress.pop(future), future)
        if self._stopped:
            self._patience_s = _PATIENCE_S if finished else self._patience_s - _POLL_S
            for future in [future for future in self._in_progress if future.cancel()]:
                del self._in_progress[future]
        return self._patience_s > 0

    def _process(self, chunk: _SentChunk, future: Future[bytes]) -> None:
        """Store the outcomes of a finished chunk, or send its jobs again if its worker was lost.

        Raises `GraderError` if the worker refused the chunk.
        """
        try:
            outcomes_by_index = {
                outcome.index: outcome for outcome in parse_outcomes(future.result())
            }
            if outcomes_by_index.keys() != {job.index for job in chunk.jobs}:
                raise ValueError("a worker returned outcomes of submissions other than those sent")
        except GraderError:  # the worker refused the chunk, and would refuse all others too
            raise
        except (Exception, CancelledError) as error:  # noqa: BLE001 - engines raise different exceptions
            self._process_loss(chunk, error)
            return
        for job in chunk.jobs:
            self._store_outcome(job, outcomes_by_index[job.index])

    def _process_loss(self, chunk: _SentChunk, error: BaseException) -> None:
        """Queue the jobs of a lost chunk again, to be sent alone.

        A job that was already sent alone gets a `failure`, so that a worker only makes the record
        of a fault. Raises `HostError` if a worker is lost even though it did not run a submission.
        """
        if not chunk.is_alone:
            self._suspects.extend(chunk.jobs)
            return
        (job,) = chunk.jobs
        if job.failure is not None:
            raise HostError(
                f"workers are lost even without running a submission: {describe_error(error)}",
                help="check their memory, disk and log, then run the same command again",
            ) from error
        failure = f"it brought its worker down: {describe_error(error)}"
        self._suspects.append(replace(job, failure=failure, known_record=None))

    def _store_outcome(self, job: Job, outcome: Outcome) -> None:
        """Store and count the outcome of `job`, and make jobs with identical hand-ins ready."""
        key = self._keys.pop(job.index)
        self._done_count += 1
        self._keeper.store(outcome, job.hand_in, key)
        if job.known_record is not None:  # then no job waits for this one
            return
        identical_jobs = self._waiting.pop(key.sha256, [])
        graded = outcome.graded
        # A record that might come out differently next time must not be given to another student.
        shared = KnownRecord(graded.data, is_lasting=True) if graded.is_lasting else None
        self._ready.extend(replace(identical, known_record=shared) for identical in identical_jobs)
