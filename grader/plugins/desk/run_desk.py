"""The run on a desk: its students, and decisions on them, stored as `grader mark` stores them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Protocol

from grader.cli.mark_input import MarkInput, make_decisions, restamp
from grader.errors import RecordError, UsageError
from grader.judging.deciding import Applied, DecidedRecord, Decision, Subject, in_force
from grader.judging.record import Record
from grader.plugins.desk.queue import QueueRow, in_order, queue_row
from grader.plugins.desk.rubric import RubricFile, RubricItem
from grader.plugins.desk.student_requests import (
    Requests,
    StudentRequest,
    non_answers,
    store_non_answers,
    stored_requests,
)
from grader.plugins.regrading.attempts_page import find_attempt
from grader.reporting.reading import load_record
from grader.reporting.reported import as_reported
from grader.reporting.wording import Locale
from grader.store.graded import Graded
from grader.store.runs import RunEntry, distinct_names
from grader.store.store import Store
from grader.values.foreign_text import one_line
from grader.verdict import RuleVerdict, Status

_MAX_SUGGESTED: Final = 200
"""The largest number of earlier comments and reasons to suggest."""


class _Renews(Protocol):
    """Rewrites pages and reports."""

    def renew(self, marked: Iterable[tuple[str, str]]) -> None:
        """Rewrite the files about students who were `marked`."""


class RunDesk:
    """One run, the person who decides on it, and that person's decisions since the desk opened."""

    def __init__(
        self,
        store: Store,
        by: str,
        renewer: _Renews,
        rubric: RubricFile | None = None,
        suites: Path | None = None,
        before: Sequence[Store] = (),
    ) -> None:
        """Store decisions by the person `by` in `store`, as its only writer.

        The `renewer` rewrites files. Suites for lines to try come from the folder `suites`, or from
        the nearest folder with suites. The runs `before` have earlier attempts, oldest first.
        """
        self._earlier_runs: Final = before
        self.suites: Final = suites
        self._rubric: Final = rubric
        self.store: Final = store
        self.by: Final = by
        self._renewer: Final = renewer
        self.run: Final = store.run
        self._shown_names: Final = distinct_names(self.run.entries)
        requests: dict[tuple[str, str], dict[StudentRequest, str]] = {}
        for request, read_at in stored_requests(store).items():
            requests.setdefault(request.name, {})[request] = read_at
        self._non_answers: Final = non_answers(store)
        """Ids of decisions that answer no request."""
        self._rows: Final = {
            entry.identity: self._row(
                entry, graded, self._shown_names[entry.identity], requests.get(entry.identity, {})
            )
            for entry, graded in store
        }
        self._by_path: Final = {row.path: name for name, row in self._rows.items()}
        self._order: Final = [row.entry.identity for row in in_order(self._rows.values())]
        """The order when the desk opened: a decision must not move anybody in the queue."""
        self._batches: Final[list[list[tuple[Decision, Decision | None]]]] = []
        """Decisions that were made together, each with the decision that it replaced."""

    def _row(
        self, entry: RunEntry, graded: Graded, shown_name: str, requests: Requests
    ) -> QueueRow:
        return queue_row(self.store, entry, graded, shown_name, requests, self._non_answers)

    @property
    def rows(self) -> list[QueueRow]:
        """All graded submissions, most urgent first."""
        return [self._rows[name] for name in self._order]

    @property
    def exercises(self) -> list[str]:
        """The exercises of all rows, sorted by name."""
        return sorted({row.entry.exercise for row in self._rows.values()})

    @property
    def has_rubric(self) -> bool:
        """Whether the desk was started with a rubric."""
        return self._rubric is not None

    def items(self, exercise: str) -> tuple[RubricItem, ...]:
        """Return the items for an exercise that are in the rubric file now."""
        return () if self._rubric is None else self._rubric.current().get(exercise, ())

    @property
    def unknown_exercises(self) -> list[str]:
        """Exercises in the rubric that the run does not have: their names might be mistyped."""
        in_rubric = {} if self._rubric is None else self._rubric.current()
        return sorted({*in_rubric}.difference(self.exercises))

    @property
    def trouble(self) -> str:
        """Why the rubric file can no longer be read, or ""."""
        if self._rubric is None:
            return ""
        self._rubric.current()  # notices if the file has changed
        return self._rubric.trouble

    def at(self, path: str) -> QueueRow | None:
        """Return the row whose page is at `path`, or None."""
        name = self._by_path.get(path)
        return None if name is None else self._rows[name]

    def row(self, name: tuple[str, str]) -> QueueRow:
        """Return the row of the entry with this `name`."""
        return self._rows[name]

    def record(self, row: QueueRow) -> Record:
        """Return the record of `row` with all decisions applied."""
        return as_reported(self.graded_record(row), row.entry, self.decisions(row))

    def graded_record(self, row: QueueRow) -> Record:
        """Return the record of `row` without decisions."""
        graded = self.store.graded(row.entry)
        assert graded is not None, "only graded submissions have a row"
        return load_record(self.store, row.entry, graded)

    def attempts(self, row: QueueRow) -> list[Record]:
        """Return all attempts of `row`, oldest first; none if no earlier run has an attempt."""
        earlier: list[Record] = []
        for store in self._earlier_runs:
            with suppress(RecordError):  # a damaged old run must not prevent decisions
                attempt = find_attempt(store, row.entry.identity)
                earlier += [] if attempt is None else [attempt]
        return [*earlier, self.record(row)] if earlier else []

    def decisions(self, row: QueueRow) -> tuple[Decision, ...]:
        """Return all decisions on `row`, including those that were taken back."""
        return self.store.decisions.for_submission(*row.entry.identity)

    def suggestions(self) -> list[str]:
        """Return the distinct comments and reasons in this run, latest first."""
        texts = [
            decision.because
            for decision in self.store.decisions
            if decision.because and decision.about is not Subject.QUESTION
        ]
        return list(dict.fromkeys(reversed(texts)))[:_MAX_SUGGESTED]

    def decide(self, marks: Sequence[MarkInput], *, answers: bool = True) -> list[str]:
        """Store the decisions in `marks`, all or none. Return the names of the students concerned.

        If `answers` is false, requests of these students stay unanswered. Raises `UsageError` if
        any of the marks is not valid.
        """
        decisions = make_decisions([(None, mark) for mark in marks], self.store, self.by)
        return self._store(decisions, answers=answers)

    def accept(self, row: QueueRow) -> list[str]:
        """Confirm everything in `row` that waits for a person. Return the names of those concerned.

        Raises `UsageError` if there is nothing to confirm.
        """
        if row.overview.status is Status.FAULT:
            raise UsageError(
                "there is no result to accept, because the grader failed", help="grade it again"
            )
        if not row.waits:
            raise UsageError("nothing here waits for a person")
        record = self.record(row)
        locale = Locale.for_record(record)
        because = locale("decided_accepted")
        kept_rules = [
            replace(blank_mark(row, Subject.RULE, rule.id), verdict="kept", because=because)
            for rule in record.rules
            if rule.verdict is RuleVerdict.REVIEW
        ]
        repeated = [_repeated(row, applied) for applied in _in_doubt(record)]
        points = f"{round(record.score, 6):f}"  # with `g`, small numbers would get an exponent
        total = replace(blank_mark(row, Subject.TOTAL), points=points, because=because)
        marks = [*kept_rules, *repeated, *[total] * row.wants_total]
        if not marks:
            raise UsageError(
                "there is nothing to accept: this student waits for an answer",
                help="write a comment, or decide",
            )
        return self.decide(marks)

    def item(self, row: QueueRow, name: str) -> RubricItem:
        """Return the rubric item with the id `name`. Raises `UsageError` if there is none."""
        items = {item.id: item for item in self.items(row.entry.exercise)}
        if name not in items:
            raise UsageError(
                f"the rubric does not have the item {one_line(name, 60)}",
                help="load the page again",
            )
        return items[name]

    def toggle(self, row: QueueRow, name: str) -> list[str]:
        """Give a rubric item to `row`, or take it back if `row` has it.

        Return the names of the students concerned. Raises `UsageError` if there is no such item.
        """
        mark = item_mark(row, self.item(row, name))
        if self.has(row, name):
            mark = replace(mark, points="", because="", undo=True)
        return self.decide([mark])

    def has(self, row: QueueRow, name: str) -> bool:
        """Return whether `row` has the rubric item with the id `name`."""
        subjects = {(each.about, each.subject) for each in in_force(self.decisions(row))}
        return (Subject.BONUS, name) in subjects

    def undo(self) -> list[str]:
        """Take back the last decisions made at this desk, so that earlier ones count again.

        Return the names of the students concerned. Raises `UsageError` if nothing can be undone.
        """
        if not self._batches:
            raise UsageError(
                "there is nothing to undo: nothing has been decided since the desk opened"
            )
        reversals = [
            restamp(replaced or _undone(decision), self.by)
            for decision, replaced in self._batches.pop()
        ]
        names = self._store(reversals, answers=False)
        self._batches.pop()  # the reversals themselves cannot be undone
        return names

    def _store(self, decisions: Sequence[Decision], *, answers: bool) -> list[str]:
        """Store `decisions` as one batch to undo, and have the affected files rewritten."""
        names = dict.fromkeys((decision.exercise, decision.student) for decision in decisions)
        previous = {
            (name, each.about, each.subject): each
            for name in names
            for each in in_force(self.store.decisions.for_submission(*name))
        }
        if not answers:  # stored first: if the desk is killed in between, requests stay unanswered
            uids = [decision.uid for decision in decisions]
            store_non_answers(self.store, uids)
            self._non_answers.update(uids)
        self.store.decide(decisions)
        keys = [((each.exercise, each.student), each.about, each.subject) for each in decisions]
        self._batches.append([*zip(decisions, map(previous.get, keys), strict=True)])
        for name in names:
            row = self._rows[name]
            graded = self.store.graded(row.entry)
            assert graded is not None, "only graded submissions can be decided on"
            self._rows[name] = self._row(row.entry, graded, row.shown_name, row.requests)
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


def blank_mark(row: QueueRow, about: Subject, subject: str = "") -> MarkInput:
    """Return a mark on `row` with only its subject filled in."""
    field = "item" if about is Subject.BONUS and subject else about.value
    named: dict[str, Any] = {} if about is Subject.PAGE else {field: subject or True}
    return MarkInput(student=row.entry.student, exercise=row.entry.exercise, **named)


def item_mark(row: QueueRow, item: RubricItem) -> MarkInput:
    """Return the mark that gives the rubric `item` to `row`."""
    mark = blank_mark(row, Subject.BONUS, item.id)
    return replace(mark, points=f"{item.points:f}", because=item.text)


def _in_doubt(record: Record) -> list[Applied]:
    """Return the decisions that were made on findings other than those in `record`."""
    decisions = record.decisions if isinstance(record, DecidedRecord) else ()
    return [each for each in decisions if each.is_in_doubt and not each.is_overruled]


def _repeated(row: QueueRow, applied: Applied) -> MarkInput:
    """Return a mark that repeats a decision on the current finding.

    If there is no finding any more, the mark takes the decision back.
    """
    decision, finding = applied.decision, applied.finding
    mark = blank_mark(row, decision.about, decision.subject)
    if finding is None:
        return replace(mark, undo=True)
    if decision.about is Subject.LINE:
        return replace(mark, comment=decision.because)
    mark = replace(mark, because=decision.because)
    if decision.verdict is RuleVerdict.PASSED:
        return replace(mark, verdict="kept")
    if decision.verdict is not None:
        return replace(mark, verdict="broken", penalty=f"{decision.penalty or 0:f}")
    return replace(mark, points=f"{min(decision.points or 0.0, finding.max_points):f}")
