"""The run on a desk: its students, and decisions on them, stored as by `grader mark`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Protocol

from grader.cli.mark_input import AskedMark, decisions_from, made_now
from grader.errors import RecordError, UsageError
from grader.judging.deciding import Applied, DecidedRecord, Decision, Subject, in_force
from grader.judging.record import Record
from grader.plugins.desk.queue import QueueRow, in_order, queue_row
from grader.plugins.desk.rubric import RubricFile, RubricItem
from grader.plugins.desk.student_requests import (
    Requests,
    StudentRequest,
    no_answers,
    note_no_answers,
    noted,
)
from grader.plugins.regrading.attempts_page import attempt_in
from grader.reporting.reading import record_of
from grader.reporting.reported import as_reported
from grader.reporting.wording import Locale
from grader.store.graded import Graded
from grader.store.runs import RunEntry, names_apart
from grader.store.store import Store
from grader.verdict import RuleVerdict, Status

_MAX_SUGGESTED: Final = 200
"""Comments and reasons that are suggested again."""


class _Renews(Protocol):
    """Rewrites pages and reports."""

    def renew(self, marked: Iterable[tuple[str, str]]) -> None:
        """Rewrite the files about students who were `marked`."""


class RunDesk:
    """One run, the person who decides on it, and her decisions since the desk opened."""

    def __init__(
        self,
        store: Store,
        by: str,
        renewer: _Renews,
        rubric: RubricFile | None = None,
        suites: Path | None = None,
        before: Sequence[Store] = (),
    ) -> None:
        """Decide in `store`, as its only writer, in the name `by`; the `renewer` rewrites files.

        Suites for lines to try come from the folder `suites`, or the nearest one. The runs `before`
        have earlier attempts, the oldest first.
        """
        self._earlier_runs: Final = before
        self.suites: Final = suites
        self._rubric: Final = rubric
        self.store: Final = store
        self.by: Final = by
        self._renewer: Final = renewer
        self.run: Final = store.run
        self._shown_names: Final = names_apart(self.run.entries)
        requests: dict[tuple[str, str], dict[StudentRequest, str]] = {}
        for each, at in noted(store).items():
            requests.setdefault(each.name, {})[each] = at
        self._non_answers: Final = no_answers(store)
        """Ids of decisions that answer no request."""
        self._rows: Final = {
            entry.name: self._row(
                entry, graded, self._shown_names[entry.name], requests.get(entry.name, {})
            )
            for entry, graded in store
        }
        self._by_path: Final = {row.path: name for name, row in self._rows.items()}
        self._order: Final = [row.entry.name for row in in_order(self._rows.values())]
        """The order when the desk opened: deciding must not move anybody in the queue."""
        self._batches: Final[list[list[tuple[Decision, Decision | None]]]] = []
        """Decisions that were made together, each with the one that it replaced."""

    def _row(self, entry: RunEntry, graded: Graded, called: str, requests: Requests) -> QueueRow:
        return queue_row(self.store, entry, graded, called, requests, self._non_answers)

    @property
    def rows(self) -> list[QueueRow]:
        """All graded submissions, the most pressing first."""
        return [self._rows[name] for name in self._order]

    @property
    def exercises(self) -> list[str]:
        """The exercises of all rows, by name."""
        return sorted({row.entry.exercise for row in self._rows.values()})

    @property
    def has_rubric(self) -> bool:
        """Whether a rubric was named."""
        return self._rubric is not None

    def items(self, exercise: str) -> tuple[RubricItem, ...]:
        """Return the items for an exercise that are in the rubric file now."""
        return () if self._rubric is None else self._rubric.current().get(exercise, ())

    @property
    def strange(self) -> list[str]:
        """Exercises in the rubric that the run does not have: their names may be mistyped."""
        known = {} if self._rubric is None else self._rubric.current()
        return sorted({*known}.difference(self.exercises))

    @property
    def trouble(self) -> str:
        """Why the rubric file cannot be read any more, "" if it can."""
        if self._rubric is None:
            return ""
        self._rubric.current()  # which notices whether the file has changed
        return self._rubric.trouble

    def at(self, path: str) -> QueueRow | None:
        """Return the row whose page is at `path`, or None."""
        name = self._by_path.get(path)
        return None if name is None else self._rows[name]

    def row(self, name: tuple[str, str]) -> QueueRow:
        """Return the row of an entry by its name."""
        return self._rows[name]

    def record(self, row: QueueRow) -> Record:
        """Return the record of `row` with all decisions applied."""
        return as_reported(self.found(row), row.entry, self.decisions(row))

    def found(self, row: QueueRow) -> Record:
        """Return the record of `row` without decisions."""
        graded = self.store.graded(row.entry)
        assert graded is not None, "what has a row was graded"
        return record_of(self.store, row.entry, graded)

    def attempts(self, row: QueueRow) -> list[Record]:
        """Return all attempts of `row`, the oldest first, or nothing if no earlier run has any."""
        earlier: list[Record] = []
        for store in self._earlier_runs:
            with suppress(RecordError):  # a damaged old run does not keep anybody from deciding
                found = attempt_in(store, row.entry.name)
                earlier += [] if found is None else [found]
        return [*earlier, self.record(row)] if earlier else []

    def decisions(self, row: QueueRow) -> tuple[Decision, ...]:
        """Return all decisions on `row`, including those that were taken back."""
        return self.store.decisions.of(*row.entry.name)

    def bank(self) -> list[str]:
        """Return the distinct comments and reasons of this run, the latest first."""
        made = self.store.decisions
        reasons = [e.because for e in made if e.because and e.about is not Subject.QUESTION]
        return list(dict.fromkeys(reversed(reasons)))[:_MAX_SUGGESTED]

    def decide(self, marks: Sequence[AskedMark], *, answers: bool = True) -> list[str]:
        """Store what `marks` decide, all or nothing; return the names of the students concerned.

        Unless it `answers` them, requests of these students wait as before. Raises `UsageError`
        saying what is wrong with any of the marks.
        """
        made = decisions_from([(None, each) for each in marks], self.store, self.by)
        return self._store(made, answers=answers)

    def accept(self, row: QueueRow) -> list[str]:
        """Confirm everything in `row` that waits for a person."""
        if row.overview.status is Status.FAULT:
            raise UsageError("nothing was found, as we failed: grade it once more")
        if not row.waits:
            raise UsageError("nothing here waits for you")
        record = self.record(row)
        locale = Locale.of_record(record)
        because = locale("decided_accepted")
        kept_rules = [
            replace(asked(row, Subject.RULE, rule.id), verdict="kept", because=because)
            for rule in record.rules
            if rule.verdict is RuleVerdict.REVIEW
        ]
        repeated = [_decide_again(row, each) for each in _doubts(record)]
        points = f"{round(record.score, 6):f}"  # `g` would write small numbers with an exponent
        total = replace(asked(row, Subject.TOTAL), points=points, because=because)
        marks = [*kept_rules, *repeated, *[total] * row.wants_total]
        if not marks:
            raise UsageError(
                "nothing to accept: this student is waiting for an answer",
                help="comment, or decide",
            )
        return self.decide(marks)

    def item(self, row: QueueRow, name: str) -> RubricItem:
        """Return the item of the rubric that has this `name`."""
        items = self.items(row.entry.exercise)
        found = next((each for each in items if each.id == name), None)
        if found is None:
            raise UsageError("the rubric has no such item")
        return found

    def toggle(self, row: QueueRow, name: str) -> list[str]:
        """Give an item of the rubric to `row`, or take it back if it was given."""
        mark = given(row, self.item(row, name))
        if self.has(row, name):
            mark = replace(mark, points="", because="", undo=True)
        return self.decide([mark])

    def has(self, row: QueueRow, name: str) -> bool:
        """Return whether an item of the rubric was given to `row`."""
        standing_decisions = in_force(self.decisions(row))
        return any((e.about, e.subject) == (Subject.BONUS, name) for e in standing_decisions)

    def undo(self) -> list[str]:
        """Take back the last decisions of this desk, so that earlier ones count again."""
        if not self._batches:
            raise UsageError("there is nothing to undo that was decided at this desk")
        reversals = [
            made_now(before or _undone(made), self.by) for made, before in self._batches.pop()
        ]
        names = self._store(reversals, answers=False)
        self._batches.pop()  # to undo is not undone
        return names

    def _store(self, made: Sequence[Decision], *, answers: bool) -> list[str]:
        names = dict.fromkeys((each.exercise, each.student) for each in made)
        previous = {
            (name, each.about, each.subject): each
            for name in names
            for each in in_force(self.store.decisions.of(*name))
        }
        if not answers:  # noted first: a desk that is killed in between must not answer anybody
            uids = [each.uid for each in made]
            note_no_answers(self.store, uids)
            self._non_answers.update(uids)
        self.store.decide(made)
        self._batches.append(
            [
                (each, previous.get(((each.exercise, each.student), each.about, each.subject)))
                for each in made
            ]
        )
        for name in names:
            row = self._rows[name]
            graded = self.store.graded(row.entry)
            assert graded is not None, "nobody decides on what was not graded"
            self._rows[name] = self._row(row.entry, graded, row.called, row.requests)
        self._renewer.renew(names)
        return [self._shown_names[name] for name in names]


def _undone(decision: Decision) -> Decision:
    """Return a decision that takes `decision` back."""
    return replace(
        decision,
        is_undone=True,
        points=None,
        verdict=None,
        penalty=None,
        because="",
        finding=None,
    )


def asked(row: QueueRow, about: Subject, subject: str = "") -> AskedMark:
    """Return a mark on `row` with only its subject filled in."""
    field = "item" if about is Subject.BONUS and subject else about.value
    named: dict[str, Any] = {} if about is Subject.PAGE else {field: subject or True}
    return AskedMark(student=row.entry.student, exercise=row.entry.exercise, **named)


def given(row: QueueRow, item: RubricItem) -> AskedMark:
    """Return the mark that gives `item` to `row`."""
    mark = asked(row, Subject.BONUS, item.id)
    return replace(mark, points=f"{item.points:f}", because=item.text)


def _doubts(record: Record) -> list[Applied]:
    """Return the decisions whose findings differ from what is found in `record` now."""
    made = record.decisions if isinstance(record, DecidedRecord) else ()
    return [each for each in made if each.is_in_doubt and not each.is_overruled]


def _decide_again(row: QueueRow, applied: Applied) -> AskedMark:
    """Return a mark that repeats a decision on the current finding, or undoes it without one."""
    decision, found = applied.decision, applied.finding
    mark = asked(row, decision.about, decision.subject)
    if found is None:
        return replace(mark, undo=True)
    if decision.about is Subject.LINE:
        return replace(mark, comment=decision.because)
    mark = replace(mark, because=decision.because)
    if decision.verdict is RuleVerdict.PASSED:
        return replace(mark, verdict="kept")
    if decision.verdict is not None:
        return replace(mark, verdict="broken", penalty=f"{decision.penalty or 0:f}")
    return replace(mark, points=f"{min(decision.points or 0.0, found.max_points):f}")
