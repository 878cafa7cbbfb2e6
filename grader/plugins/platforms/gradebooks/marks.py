"""The marks in a run, for gradebooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from grader.intake.people import Person
from grader.judging.deciding import Decision
from grader.judging.record import Record
from grader.reporting.reading import load_record, read_overview
from grader.reporting.reported_record import as_reported
from grader.store.graded import Graded
from grader.store.runs import RunEntry, distinct_names
from grader.store.store import Store
from grader.verdict import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """The mark of one student or group for one exercise."""

    student: str
    """The hand-in's label in the run."""
    person: Person | None = None
    """The person or group who handed in, if the platform identifies them."""
    unique_name: str | None = None
    """A unique name, set if somebody else in the run has the same name."""
    exercise: str
    title: str
    """The title of the exercise."""
    status: Status = Status.GRADED
    score: float
    max_score: float
    undecided: tuple[str, ...] = ()
    """Rules that await a person's decision."""

    @property
    def names(self) -> tuple[str, str]:
        """Names that the header of the mark column can have."""
        return self.exercise, self.title

    @property
    def is_lost(self) -> bool:
        """Whether nothing could be run, and nobody awarded points by hand."""
        return self.status is Status.UNGRADABLE and not self.score

    @property
    def display_name(self) -> str:
        """The name to display."""
        return self.unique_name or (self.person and self.person.name) or self.student


Feedback: TypeAlias = Callable[[Mark], str]
"""Returns the feedback for the student with a mark."""


def marks_of(store: Store) -> Sequence[Mark]:
    """Return the marks of all graded entries in run order, with decisions applied.

    Raises `RecordError` if a record with decisions cannot be read.
    """
    suites, unique_names = store.run.suites, distinct_names(store.run.entries)
    decisions = store.decisions.by_entry()
    return [
        Mark(
            student=entry.student,
            person=entry.person,
            unique_name=None
            if unique_names[entry.identity] == entry.display_name
            else unique_names[entry.identity],
            exercise=entry.exercise,
            title=suites[entry.exercise].title if entry.exercise in suites else entry.exercise,
            status=graded.status,
            score=graded.score,
            max_score=graded.max_score,
            undecided=_undecided_rules(store, entry, graded, decisions.get(entry.identity, ())),
        )
        for entry, graded in store
    ]


def _undecided_rules(
    store: Store, entry: RunEntry, graded: Graded, decisions: Sequence[Decision]
) -> tuple[str, ...]:
    """Return the rules that still await a decision."""
    overview = read_overview(entry, graded)
    # Only decisions can change these rules, so without any, the record need not be read.
    if overview.reviews and decisions:
        overview = overview.with_decisions(_record(store, entry, graded, decisions))
    return overview.reviews


def records_of(store: Store, marks: Sequence[Mark]) -> Iterator[tuple[Mark, RunEntry, Record]]:
    """Yield each of `marks` with its entry, and with the record as reports show it.

    Raises `RecordError` if a record cannot be read or belongs to somebody else.
    """
    marks_by_name = {(mark.exercise, mark.student): mark for mark in marks}
    decisions = store.decisions.by_entry()
    for entry, graded in store:
        mark = marks_by_name.get(entry.identity)
        if mark is not None:
            yield mark, entry, _record(store, entry, graded, decisions.get(entry.identity, ()))


def _record(store: Store, entry: RunEntry, graded: Graded, decisions: Sequence[Decision]) -> Record:
    return as_reported(load_record(store, entry, graded), entry, decisions)
