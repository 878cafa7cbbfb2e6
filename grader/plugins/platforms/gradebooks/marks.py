"""The marks of a run, for gradebooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from grader.intake.people import Person
from grader.judging.deciding import Decision
from grader.judging.record import Record
from grader.reporting.reading import overview_of, record_of
from grader.reporting.reported import as_reported
from grader.store.graded import Graded
from grader.store.runs import RunEntry, names_apart
from grader.store.store import Store
from grader.verdict import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """The mark of one student, or one group, for one exercise."""

    student: str
    """The label of the hand-in in the run."""
    person: Person | None = None
    """The identity of who handed in, if the platform gives it."""
    called: str | None = None
    """A unique name in this run, if somebody else has the same name."""
    exercise: str
    title: str
    """The title of the exercise."""
    status: Status = Status.GRADED
    score: float
    max_score: float
    undecided: tuple[str, ...] = ()
    """Rules on which a person has to decide first."""

    @property
    def names(self) -> tuple[str, str]:
        """Names that the header of its column may have."""
        return self.exercise, self.title

    @property
    def is_lost(self) -> bool:
        """Whether nothing could be run, and nobody gave points by hand."""
        return self.status is Status.UNGRADABLE and not self.score

    @property
    def shown(self) -> str:
        """The name to show."""
        return self.called or (self.person and self.person.name) or self.student


Feedback: TypeAlias = Callable[[Mark], str]
"""Returns the feedback on a mark for its student."""


def marks_of(store: Store) -> Sequence[Mark]:
    """Return the marks of all graded entries, decisions included, in the order of the run."""
    suites, called = store.run.suites, names_apart(store.run.entries)
    decisions = store.decisions.by_entry()
    return [
        Mark(
            student=entry.student,
            person=entry.person,
            called=None if called[entry.name] == entry.called else called[entry.name],
            exercise=entry.exercise,
            title=suites[entry.exercise].title if entry.exercise in suites else entry.exercise,
            status=graded.status,
            score=graded.score,
            max_score=graded.max_score,
            undecided=_undecided(store, entry, graded, decisions.get(entry.name, ())),
        )
        for entry, graded in store
    ]


def _undecided(
    store: Store, entry: RunEntry, graded: Graded, decisions: Sequence[Decision]
) -> tuple[str, ...]:
    found = overview_of(entry, graded)
    if found.reviews and decisions:
        found = found.decided(_record(store, entry, graded, decisions))
    return found.reviews


def records_of(store: Store, marks: Sequence[Mark]) -> Iterator[tuple[Mark, RunEntry, Record]]:
    """Yield the record of each of `marks`, as its student may read it.

    Raises `RecordError` for one that cannot be read, or belongs to somebody else.
    """
    wanted = {(mark.exercise, mark.student): mark for mark in marks}
    decisions = store.decisions.by_entry()
    for entry, graded in store:
        mark = wanted.get(entry.name)
        if mark is not None:
            yield mark, entry, _record(store, entry, graded, decisions.get(entry.name, ()))


def _record(store: Store, entry: RunEntry, graded: Graded, decisions: Sequence[Decision]) -> Record:
    return as_reported(record_of(store, entry, graded), entry, decisions)
