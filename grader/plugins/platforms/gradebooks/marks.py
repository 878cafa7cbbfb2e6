"""What a run has to say of each student, as far as a gradebook is concerned."""

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
    """How one student, or one group of them, did on one exercise."""

    student: str
    """By which the run knows who handed in."""
    person: Person | None = None
    """Who handed in, as far as the platform told."""
    called: str | None = None
    """What people call her in this run, where somebody else has her name too."""
    exercise: str
    title: str
    """Of the exercise."""
    status: Status = Status.GRADED
    score: float
    max_score: float
    undecided: tuple[str, ...] = ()
    """Rules that a person has to decide on first."""

    @property
    def names(self) -> tuple[str, str]:
        """What a column of marks may be called after."""
        return self.exercise, self.title

    @property
    def is_lost(self) -> bool:
        """Whether nothing could be run, and no person gave points all the same."""
        return self.status is Status.UNGRADABLE and not self.score

    @property
    def shown(self) -> str:
        """What people call who handed in."""
        return self.called or (self.person and self.person.name) or self.student


Feedback: TypeAlias = Callable[[Mark], str]
"""Returns the sentences on a mark for its student."""


def marks_of(store: Store) -> Sequence[Mark]:
    """Return the marks of all that was graded, in the order of the run, as persons decided."""
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
    """Yield the record behind each of `marks`, as its student may read it.

    Raises `RecordError` for one that cannot be read, or that is of somebody else.
    """
    wanted = {(mark.exercise, mark.student): mark for mark in marks}
    decisions = store.decisions.by_entry()
    for entry, graded in store:
        mark = wanted.get(entry.name)
        if mark is not None:
            yield mark, entry, _record(store, entry, graded, decisions.get(entry.name, ()))


def _record(store: Store, entry: RunEntry, graded: Graded, decisions: Sequence[Decision]) -> Record:
    return as_reported(record_of(store, entry, graded), entry, decisions)
