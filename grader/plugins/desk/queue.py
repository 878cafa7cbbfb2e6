"""The queue of a desk: submissions sorted by how urgently they need a person, and its filters."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final
from urllib.parse import urlencode

from grader.intake.names import without_accents
from grader.judging.deciding import DecidedRecord, Subject, for_reports
from grader.plugins.desk.student_requests import Requests, StudentRequest, unanswered
from grader.reporting.index_entry import IndexEntry, stopped_kind
from grader.reporting.reading import load_record, read_overview
from grader.reporting.reported_record import as_reported
from grader.store.graded import Graded
from grader.store.runs import RunEntry
from grader.store.store import Store
from grader.verdict import Status, Verdict

WAITING: Final = "waiting"
STATES: Final = {WAITING: "waits for a person", "decided": "decided", "all": "all"}
REASONS: Final = {
    "asked": "a student asks",
    "review": "a rule to judge",
    "doubt": "a decision to look at again",
    "tampered": "tampering",
    "fault": "the grader failed",
    "budget": "time ran out",
    "syntax": "not valid Python",
    "empty": "an empty file",
    "python2": "Python 2",
    "newer": "a newer Python",
    "names": "a name is missing",
    "file": "not the right file",
    "loading": "stops while it is loaded",
    "other": "cannot be run",
}
"""Why somebody has to look at a submission, most urgent first."""
_NOT_SETTLED_BY_TOTAL: Final = frozenset({"asked", "review", "doubt"})
"""Reasons that a decision on the total does not settle; it settles all others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRow:
    """One submission in the queue."""

    entry: RunEntry
    shown_name: str
    overview: IndexEntry
    reasons: tuple[str, ...]
    """Keys of `REASONS`."""
    is_settled: bool
    """Whether a person has decided on the total, which settles most reasons."""
    by: tuple[str, ...]
    """People whose decisions are in force."""
    requests: Requests
    """All requests of the student."""
    waiting: tuple[StudentRequest, ...]
    """Requests that nobody has answered."""

    @property
    def waits(self) -> bool:
        """Whether the submission needs a decision or an answer from a person."""
        return self.wants_total or not _NOT_SETTLED_BY_TOTAL.isdisjoint(self.reasons)

    @property
    def wants_total(self) -> bool:
        """Whether a decision on the total would settle a reason."""
        return not self.is_settled and bool({*self.reasons} - _NOT_SETTLED_BY_TOTAL)

    @property
    def path(self) -> str:
        """The address of the submission's page at the desk."""
        return f"/s/{self.entry.exercise}/{self.entry.stem}"


def queue_row(
    store: Store,
    entry: RunEntry,
    graded: Graded,
    shown_name: str,
    requests: Requests,
    non_answers: Container[str] = (),
) -> QueueRow:
    """Return the row of the `graded` entry.

    `non_answers` has the ids of decisions that answer no request. Raises `RecordError` if there are
    decisions on the entry and its record is damaged.
    """
    overview = read_overview(entry, graded)
    decisions = for_reports(store.decisions.for_submission(*entry.identity))
    if decisions:
        record = as_reported(load_record(store, entry, graded), entry, decisions)
        overview = (
            overview.with_decisions(record) if isinstance(record, DecidedRecord) else overview
        )
    waiting = tuple(unanswered(requests, decisions, non_answers))
    return QueueRow(
        entry=entry,
        shown_name=shown_name,
        overview=overview,
        reasons=(*["asked"] * bool(waiting), *_reasons(overview, graded)),
        is_settled=any(decision.about is Subject.TOTAL for decision in decisions),
        by=tuple(dict.fromkeys(decision.by for decision in decisions)),
        requests=requests,
        waiting=waiting,
    )


def _reasons(overview: IndexEntry, graded: Graded) -> Iterator[str]:
    """Yield the keys of `REASONS` that apply, except `asked`."""
    applies = {
        "review": overview.reviews,
        "doubt": overview.doubted,
        "tampered": overview.tampered,
        "fault": overview.faults or overview.status is Status.FAULT,
        # The verdict is stored as text, so it is compared by value.
        "budget": any(case.verdict == Verdict.NOT_RUN for case in graded.unpassed),
    }
    if overview.status is Status.GRADED:
        yield from (reason for reason, does_apply in applies.items() if does_apply)
    else:
        yield from (reason for reason in ("review", "doubt", "fault") if applies[reason])
        if overview.status is Status.UNGRADABLE:
            yield stopped_kind(overview)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFilter:
    """A filter on the queue, as in the query string of an address."""

    exercise: str = ""
    reason: str = ""
    state: str = WAITING
    search: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> QueueFilter:
        """Return the filter in the parameters of a query string. Unknown values are ignored."""
        state = query.get("state", WAITING)
        return cls(
            exercise=query.get("exercise", ""),
            reason=query.get("reason", "") if query.get("reason") in REASONS else "",
            state=state if state in STATES else WAITING,
            search=query.get("search", "")[:200].strip(),
        )

    @property
    def query(self) -> str:
        """The filter as a query string with its `?`, or "" if it filters nothing."""
        fields = {**asdict(self), "state": "" if self.state == WAITING else self.state}
        encoded = urlencode({name: value for name, value in fields.items() if value})
        return f"?{encoded}" * bool(encoded)

    def matches(self, row: QueueRow) -> bool:
        """Return whether `row` passes the filter. The state does not matter in a search."""
        if self.exercise not in {"", row.entry.exercise}:
            return False
        if self.reason and self.reason not in row.reasons:
            return False
        if self.search:
            names = without_accents(f"{row.shown_name} {row.entry.student}")
            # In every state, because whoever types a name wants that student.
            return without_accents(self.search) in names
        return {WAITING: row.waits, "decided": bool(row.by)}.get(self.state, True)


def sorted_by_urgency(rows: Collection[QueueRow]) -> list[QueueRow]:
    """Return `rows`, the most urgent first, then by exercise and name."""
    ranks = {reason: rank for rank, reason in enumerate(REASONS)}

    def key(row: QueueRow) -> tuple[int, str, str]:
        rank = min((ranks[reason] for reason in row.reasons), default=len(ranks))
        return rank, row.entry.exercise, row.shown_name.casefold()

    return sorted(rows, key=key)


def neighbours(
    ordered: Sequence[QueueRow], row: QueueRow, queue_filter: QueueFilter
) -> tuple[QueueRow | None, QueueRow | None]:
    """Return the nearest rows before and after `row` that pass the filter.

    Return None for a row that does not exist. `row` itself need not pass the filter, because
    somebody might have just decided on it.
    """
    index = next(i for i, other in enumerate(ordered) if other.entry == row.entry)
    before, after = reversed(ordered[:index]), ordered[index + 1 :]
    return next(filter(queue_filter.matches, before), None), next(
        filter(queue_filter.matches, after), None
    )
