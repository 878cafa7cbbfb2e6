"""Grades made-up classes: in this process where a test looks into workers, else in real ones."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

from grader.intake.submissions import HandIn
from grader.judging.record import Record
from grader.run.chunks import Terms, close_thread_worker
from grader.run.engines import Engine, local_engine
from grader.run.grading import grade_all
from grader.run.outcomes import Outcome
from grader.run.tasks import Task
from grader.store.graded import KnownRecord, Pattern
from grader.store.keys import RecordKey
from grader.store.runs import RunSettings

TERMS: Final = Terms(settings=RunSettings(pages=False))
TOO_MUCH: Final = Terms(settings=RunSettings(least_isolation=4))
"""No machine has walls as high as that."""


class Collector:
    """Keeps outcomes in memory, in the order in which they come."""

    def __init__(self, tasks: Sequence[Task] = ()) -> None:
        suites = {task.suite.sha256: task.suite for task in tasks}
        patterns = map(Pattern.from_suite, suites.values())
        self._patterns: Final = {pattern.sha256: pattern for pattern in patterns}
        self.outcomes: Final[dict[int, Outcome]] = {}
        self._lasting: Final[dict[str, KnownRecord]] = {}

    @property
    def records(self) -> dict[int, Record]:
        """The records, by the index of their tasks, which have been told."""
        graded = {index: each.graded for index, each in self.outcomes.items()}
        return {
            index: self._patterns[each.pattern].unpack(each.data) for index, each in graded.items()
        }

    def count_if_done(self, index: int, key: RecordKey) -> bool:
        """Return that there is nothing from before."""
        return False

    def known_record(self, index: int, key: RecordKey) -> KnownRecord | None:
        """Return the record of the same files, if that is sure to be the same."""
        return self._lasting.get(key.sha256)

    def earlier_record(self, index: int, key: RecordKey) -> None:
        """Return that there is nothing from before."""

    def store(self, outcome: Outcome, hand_in: HandIn, key: RecordKey) -> None:
        """Keep `outcome`; it must be the first of its task."""
        assert outcome.index not in self.outcomes
        self.outcomes[outcome.index] = outcome
        if outcome.graded.is_lasting:
            self._lasting[key.sha256] = KnownRecord(outcome.graded.data, is_lasting=True)


class InThisThread(Executor):
    """Does at once what it is given."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Return a future that is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - so does any executor
            future.set_exception(error)
        return future


@contextmanager
def engine_in_this_thread() -> Iterator[Engine]:
    """An engine of which each worker, and what it uses, can be looked at and replaced."""
    close_thread_worker()
    try:
        yield Engine(start=InThisThread, workers=1, chunk_size=1)
    finally:
        close_thread_worker()


@cache
def engine_of_processes(workers: int) -> Engine:
    """An engine with processes that last until the tests are over: they take long to start.

    It is shut down then: an executor that is left to the end of the interpreter complains.
    """
    engine = local_engine(workers)
    atexit.register(engine.__exit__)
    return engine


def graded_here(tasks: Sequence[Task], terms: Terms = TERMS) -> dict[int, Record]:
    """Return the records of `tasks`, graded in this process; all must be done."""
    collector = Collector(tasks)
    with engine_in_this_thread() as engine:
        assert grade_all(tasks, collector, terms, engine)
    assert {*range(len(tasks))} == collector.outcomes.keys()
    return collector.records


def graded_by(workers: int, tasks: Sequence[Task], terms: Terms = TERMS) -> dict[int, Record]:
    """Return the records of `tasks`, graded by so many processes; all must be done."""
    collector = Collector(tasks)
    assert grade_all(tasks, collector, terms, engine_of_processes(workers))
    assert {*range(len(tasks))} == collector.outcomes.keys()
    return collector.records
