"""The run on a desk: its students, and decisions on them, stored as `grader mark` stores them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Protocol

from grader.cli.mark_input import MarkInput, make_decisions, restamp
from grader.errors import RecordError, UsageError
from grader.judging.deciding import AppliedDecision, DecidedRecord, Decision, Subject, in_force
from grader.judging.record import Record
from grader.plugins.desk.queue import QueueRow, queue_row, sorted_by_urgency
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
from grader.reporting.reported_record import as_reported
from grader.reporting.wording import Locale
from grader.store.graded import Graded
from grader.store.runs import RunEntry, distinct_names
from grader.store.store import Store
from grader.values.foreign_text import one_line
from grader.verdict import RuleVerdict, Status

_MAX_SUGGESTED: Final = 200
"""The largest number of earlier comments and reasons to suggest."""


class _FileRenewer(Protocol):
    """Something that rewrites pages and reports."""

    def renew(self, marked: Iterable[tuple[str, str]]) -> None:
        """Rewrite the files about the `marked` students."""


class RunDesk:
    """One run, the person who decides on it, and that person's decisions since the desk opened."""

    def __init__(
        self,
        store: Store,
        by: str,
        renewer: _FileRenewer,
        rubric: RubricFile | None = None,
        suites: Path | None = None,
        earlier_runs: Sequence[Store] = (),
    ) -> None:
        """Open the run in `store` for decisions by the person `by`, as its only writer.

        The `renewer` rewrites files. Suites for trying lines come from the folder `suites`, or from
        the nearest folder with suites. The `earlier_runs` have earlier attempts, oldest first.
        """
        self._earlier_runs: Final = earlier_runs
        self.suites: Final = suites
        self._rubric: Final = rubric
        self.store: Final = store
        self.by: Final = by
        self._renewer: Final = renewer
        self.run: Final = store.run
        self._shown_names: Final = distinct_names(self.run.entries)
        requests: dict[tuple[str, str], dict[StudentRequest, str]] = {}
        for request, read_at in stored_requests(store).items():
            requests.setdefault(request.identity, {})[request] = read_at
        self._non_answers: Final = non_answers(store)
        """Ids of decisions that answer no request."""
        self._rows: Final = {
            entry.identity: self._row(
                entry, graded, self._shown_names[entry.identity], requests.get(entry.identity, {})
            )
            for entry, graded in store
        }
        self._identity_by_path: Final = {row.path: identity for identity, row in self._rows.items()}
        self._order: Final = [row.entry.identity for row in sorted_by_urgency(self._rows.values())]
        """The order when the desk opened, because a decision must not move anybody in the queue."""
        self._batches: Final[list[list[tuple[Decision, Decision | None]]]] = []
        """Decisions made together, each with the decision that it replaced; for `undo`."""

    def _row(
        self, entry: RunEntry, graded: Graded, shown_name: str, requests: Requests
    ) -> QueueRow:
        return queue_row(self.store, entry, graded, shown_name, requests, self._non_answers)

    @property
    def rows(self) -> list[QueueRow]:
        """All graded submissions, most urgent first."""
        return [self._rows[identity] for identity in self._order]

    @property
    def exercises(self) -> list[str]:
        """The exercises of all rows, sorted by name."""
        return sorted({row.entry.exercise for row in self._rows.values()})

    @property
    def has_rubric(self) -> bool:
        """Whether the desk was started with a rubric."""
        return self._rubric is not None

    def items(self, exercise: str) -> tuple[RubricItem, ...]:
        """Return the items that the rubric has for an exercise now.

        Reads the file again if it has changed. Return an empty tuple if there is no rubric.
        """
        return () if self._rubric is None else self._rubric.current().get(exercise, ())

    @property
    def unknown_exercises(self) -> list[str]:
        """Exercises in the rubric that the run does not have, perhaps because of a typing error."""
        in_rubric = {} if self._rubric is None else self._rubric.current()
        return sorted({*in_rubric}.difference(self.exercises))

    @property
    def rubric_problem(self) -> str:
        """Why the rubric file can no longer be read, or ""."""
        if self._rubric is None:
            return ""
        self._rubric.current()  # updates `problem` if the file has changed
        return self._rubric.problem

    def at(self, path: str) -> QueueRow | None:
        """Return the row whose page is at `path`, or None if there is none."""
        identity = self._identity_by_path.get(path)
        return None if identity is None else self._rows[identity]

    def row(self, identity: tuple[str, str]) -> QueueRow:
        """Return the row of the entry with this `identity`."""
        return self._rows[identity]

    def record(self, row: QueueRow) -> Record:
        """Return the record of `row` with all decisions applied."""
        return as_reported(self.graded_record(row), row.entry, self.decisions(row))

    def graded_record(self, row: QueueRow) -> Record:
        """Return the record of `row` without decisions."""
        graded = self.store.graded(row.entry)
        assert graded is not None, "only graded submissions have a row"
        return load_record(self.store, row.entry, graded)

    def attempts(self, row: QueueRow) -> list[Record]:
        """Return the attempts of the student of `row`, oldest first.

        Return an empty list if no earlier run has a readable attempt.
        """
        earlier: list[Record] = []
        for store in self._earlier_runs:
            with suppress(RecordError):  # a damaged old run must not prevent decisions
                attempt = find_attempt(store, row.entry.identity)
                earlier += [] if attempt is None else [attempt]
        return [*earlier, self.record(row)] if earlier else []

    def decisions(self, row: QueueRow) -> tuple[Decision, ...]:
        """Return all decisions on `row`, including those that were withdrawn."""
        return self.store.decisions.for_submission(*row.entry.identity)

    def suggestions(self) -> list[str]:
        """Return the latest distinct comments and reasons in this run, latest first."""
        texts = [
            decision.because
            for decision in self.store.decisions
            # Notes on questions are for staff only, but suggestions end up in texts for students.
            if decision.because and decision.about is not Subject.QUESTION
        ]
        return list(dict.fromkeys(reversed(texts)))[:_MAX_SUGGESTED]

    def decide(self, marks: Sequence[MarkInput], *, answers: bool = True) -> list[str]:
        """Store the decisions in `marks`, all or none. Return the names of the affected students.

        If `answers` is false, the requests of these students stay unanswered. Raises `UsageError`
        if any of the marks is invalid.
        """
        decisions = make_decisions([(None, mark) for mark in marks], self.store, self.by)
        return self._store(decisions, answers=answers)

    def accept(self, row: QueueRow) -> list[str]:
        """Confirm everything in `row` that waits for a person: rules, old decisions and the total.

        Return the names of the affected students. Raises `UsageError` if there is nothing to
        confirm.
        """
        if row.overview.status is Status.FAULT:
            raise UsageError(
                "there is no result to accept, because the grader failed",
                help="grade the submission again",
            )
        if not row.waits:
            raise UsageError(
                "nothing here is waiting for a person", help="go on to the next student"
            )
        record = self.record(row)
        locale = Locale.for_record(record)
        because = locale("decided_accepted")
        kept_rules = [
            replace(blank_mark(row, Subject.RULE, rule.id), verdict="kept", because=because)
            for rule in record.rules
            if rule.verdict is RuleVerdict.REVIEW
        ]
        repeated = [_repeating_mark(row, applied) for applied in _doubted_decisions(record)]
        points = f"{round(record.score, 6):f}"  # with `g`, small numbers would get an exponent
        total = replace(blank_mark(row, Subject.TOTAL), points=points, because=because)
        marks = [*kept_rules, *repeated, *[total] * row.wants_total]
        if not marks:
            raise UsageError(
                "there is nothing to accept: this student is waiting for an answer",
                help="write a comment, or decide on the points",
            )
        return self.decide(marks)

    def item(self, row: QueueRow, item_id: str) -> RubricItem:
        """Return a rubric item for the exercise of `row`.

        Raises `UsageError` if the rubric has no item with this id.
        """
        items = {item.id: item for item in self.items(row.entry.exercise)}
        if item_id not in items:
            raise UsageError(
                f"the rubric does not have the item {one_line(item_id, 60)}",
                help="load the page again",
            )
        return items[item_id]

    def toggle(self, row: QueueRow, item_id: str) -> list[str]:
        """Give a rubric item to `row`, or withdraw it if `row` has it.

        Return the names of the affected students. Raises `UsageError` if there is no such item.
        """
        mark = item_mark(row, self.item(row, item_id))
        if self.has_item(row, item_id):
            mark = replace(mark, points="", because="", undo=True)
        return self.decide([mark])

    def has_item(self, row: QueueRow, item_id: str) -> bool:
        """Return whether a decision in force gives `row` the rubric item with this id."""
        subjects = {(each.about, each.subject) for each in in_force(self.decisions(row))}
        return (Subject.BONUS, item_id) in subjects

    def undo(self) -> list[str]:
        """Undo the last decisions made together at this desk, so that earlier ones count again.

        Return the names of the affected students. Raises `UsageError` if nothing can be undone.
        """
        if not self._batches:
            raise UsageError(
                "there is nothing to undo: no decision made since the desk opened is left"
            )
        reversals = [
            restamp(replaced or _withdrawal(decision), self.by)
            for decision, replaced in self._batches.pop()
        ]
        names = self._store(reversals, answers=False)
        self._batches.pop()  # the reversals themselves cannot be undone
        return names

    def _store(self, decisions: Sequence[Decision], *, answers: bool) -> list[str]:
        """Store `decisions` as one batch to undo, and have the affected files rewritten.

        Updates the rows, and returns the names of the affected students.
        """
        identities = dict.fromkeys((decision.exercise, decision.student) for decision in decisions)
        previous = {
            (identity, each.about, each.subject): each
            for identity in identities
            for each in in_force(self.store.decisions.for_submission(*identity))
        }
        if not answers:  # stored first: if the desk is killed in between, requests stay unanswered
            uids = [decision.uid for decision in decisions]
            store_non_answers(self.store, uids)
            self._non_answers.update(uids)
        self.store.decide(decisions)
        keys = [((each.exercise, each.student), each.about, each.subject) for each in decisions]
        self._batches.append([*zip(decisions, map(previous.get, keys), strict=True)])
        for identity in identities:
            row = self._rows[identity]
            graded = self.store.graded(row.entry)
            assert graded is not None, "only graded submissions can be decided on"
            self._rows[identity] = self._row(row.entry, graded, row.shown_name, row.requests)
        self._renewer.renew(identities)
        return [self._shown_names[identity] for identity in identities]


def _withdrawal(decision: Decision) -> Decision:
    """Return a decision that withdraws `decision`."""
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
    # The total and the bonus are options without a value.
    options: dict[str, Any] = {} if about is Subject.PAGE else {field: subject or True}
    return MarkInput(student=row.entry.student, exercise=row.entry.exercise, **options)


def item_mark(row: QueueRow, item: RubricItem) -> MarkInput:
    """Return the mark that gives the rubric `item` to `row`."""
    mark = blank_mark(row, Subject.BONUS, item.id)
    return replace(mark, points=f"{item.points:f}", because=item.text)


def _doubted_decisions(record: Record) -> list[AppliedDecision]:
    """Return the decisions that were made on findings other than those in `record`.

    Decisions that another decision overrules are left out.
    """
    decisions = record.decisions if isinstance(record, DecidedRecord) else ()
    return [each for each in decisions if each.is_in_doubt and not each.is_overruled]


def _repeating_mark(row: QueueRow, applied: AppliedDecision) -> MarkInput:
    """Return a mark that repeats a decision on the current finding.

    If the finding no longer exists, the mark withdraws the decision.
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
