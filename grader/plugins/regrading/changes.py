"""Finds the marks that change between two runs, the causes, and whether changes were expected.

A mark can change if the files, the suite, the grader or its Python differ. If none of these
differs, no mark should change. Such a change is flagged, and so is one that only a different grader
explains.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum, unique
from operator import attrgetter
from typing import Any, Final

from grader.judging.deciding import Decision, apply_decisions, findings, for_reports
from grader.judging.lateness import LATENESS
from grader.judging.record import CaseResult, Record, RuleResult
from grader.messages import Message
from grader.reporting.reading import load_record
from grader.store.runs import GradedEntry
from grader.store.store import Store
from grader.values.foreign_text import one_line

DIFF_SCHEMA: Final = "grader/diff/1"
_COLUMNS: Final = (
    *("exercise", "student", "old", "new", "change", "old_max", "new_max"),
    *("causes", "unexpected", "cases_and_rules"),
)
_FORMULA_PREFIXES: Final = ("=", "+", "-", "@", "\t")
"""Prefixes of cells that a spreadsheet would evaluate as formulas."""


@unique
class Cause(StrEnum):
    """A difference between two gradings that can change a mark."""

    FILES = "files"
    SUITE = "suite"
    GRADER = "grader"
    DEADLINE = "deadline"
    """Lateness was judged differently."""
    DECISION = "decision"
    """A person made a decision."""


_EXPECTED_CAUSES: Final = frozenset({Cause.FILES, Cause.SUITE, Cause.DEADLINE})
"""Causes that make a change in marks expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemChange:
    """A case or rule whose result changed. A verdict is None if the item is missing."""

    id: str
    is_rule: bool
    old_verdict: str | None
    new_verdict: str | None
    old_points: float
    """For a rule, its cost as a negative number."""
    new_points: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The change for one student. Values are None for a run that has not graded the student."""

    exercise: str
    student: str
    old_score: float | None
    new_score: float | None
    old_max: float | None
    new_max: float | None
    old_status: str | None
    new_status: str | None
    causes: tuple[Cause, ...]
    items: tuple[ItemChange, ...]
    is_found: bool = True
    """Whether the grader's results differ, apart from decisions."""

    @property
    def is_in_both(self) -> bool:
        """Whether both runs have a mark."""
        return self.old_max is not None and self.new_max is not None

    @property
    def changes_mark(self) -> bool:
        """Whether the student has different marks in both runs."""
        return self.is_in_both and (self.old_score, self.old_max) != (self.new_score, self.new_max)

    @property
    def is_unexpected(self) -> bool:
        """Whether the grader's results changed although files, suite and deadline did not."""
        has_both_scores = None not in {self.old_score, self.new_score}
        return has_both_scores and self.is_found and not _EXPECTED_CAUSES & {*self.causes}


def changes(old: Store, new: Store) -> Iterator[Change]:
    """Yield the changes from the run `old` to the run `new`, in the order of `new`.

    Entries that are only in the old run come last. Raises `RecordError` for a damaged record.
    """
    before, after = _Side(old), _Side(new)
    unmatched_old = {graded.entry.identity: graded for graded in old.graded_entries()}
    for later in new.graded_entries():
        earlier = unmatched_old.pop(later.entry.identity, None)
        change = _change(before, earlier, after, later)
        if change is not None:
            yield change
    for earlier in unmatched_old.values():  # the remaining entries are only in the old run
        change = _change(before, earlier, after, None)
        if change is not None:
            yield change


def _change(
    old: _Side, earlier: GradedEntry | None, new: _Side, later: GradedEntry | None
) -> Change | None:
    """Return the change from `earlier` to `later`, or None if there is no change to report.

    One of the two is None if a run has not graded the student. Raises `RecordError` for a damaged
    record.
    """
    new_decisions, old_decisions = new.decisions(later), old.decisions(earlier)
    if new_decisions == old_decisions and _has_same_record(old, earlier, new, later):
        return None
    records = [old.record(earlier), new.record(later)]
    old_result = records[0] and apply_decisions(records[0], old_decisions)
    new_result = records[1] and apply_decisions(records[1], new_decisions)
    graded = later or earlier
    assert graded is not None, "the student is in one of the runs"
    change = Change(
        exercise=graded.entry.exercise,
        student=graded.entry.student,
        old_score=None if old_result is None else old_result.score,
        new_score=None if new_result is None else new_result.score,
        old_max=None if old_result is None else old_result.max_score,
        new_max=None if new_result is None else new_result.max_score,
        old_status=None if old_result is None else old_result.status.value,
        new_status=None if new_result is None else new_result.status.value,
        causes=(
            *_input_causes(earlier, later),
            *_deadline_and_decision_causes(records, new_decisions != old_decisions),
        ),
        items=tuple(_changed_items(old_result, new_result))
        if old_result is not None and new_result is not None
        else (),
    )
    # A comment is a decision too, but changes none of these.
    if not (change.changes_mark or change.items or change.old_status != change.new_status):
        return None
    return replace(change, is_found=_findings_differ(*records))


class _Side:
    """One of the two runs, with its decisions."""

    def __init__(self, store: Store) -> None:
        self._store: Final = store
        self._decisions: Final = store.decisions.by_entry()

    def decisions(self, graded: GradedEntry | None) -> tuple[Decision, ...]:
        """Return those decisions on an entry that reports show, or none if `graded` is None."""
        if graded is None:
            return ()
        return for_reports(self._decisions.get(graded.entry.identity, ()))

    def data(self, graded: GradedEntry) -> bytes:
        """Return the packed record of an entry."""
        return self._store.data(graded.record_id)

    def record(self, graded: GradedEntry | None) -> Record | None:
        """Return the record of an entry, or None if `graded` is None."""
        return None if graded is None else load_record(self._store, graded.entry, graded)


def _has_same_record(
    old: _Side, earlier: GradedEntry | None, new: _Side, later: GradedEntry | None
) -> bool:
    """Return whether both runs have equal packed records, without parsing them."""
    # Records are packed relative to their suite, so equal bytes do not mean equal records if the
    # suites differ.
    if earlier is None or later is None or earlier.suite != later.suite:
        return False
    return old.data(earlier) == new.data(later)


def _deadline_and_decision_causes(
    records: Sequence[Record | None], decisions_differ: bool
) -> Iterator[Cause]:
    """Yield the causes `DEADLINE` and `DECISION`, if they apply and both records exist."""
    lateness = [_lateness(record) for record in records if record is not None]
    if len(lateness) == len(records):  # a single record cannot be compared
        if len({*lateness}) > 1:
            yield Cause.DEADLINE
        if decisions_differ:
            yield Cause.DECISION


def _lateness(record: Record) -> tuple[Message, ...]:
    """Return the messages about lateness in `record`, or none if it was not judged."""
    return next((rule.evidence for rule in record.rules if rule.id == LATENESS), ())


def _findings_differ(old_result: Record | None, new_result: Record | None) -> bool:
    """Return whether the grader's results differ in anything that can change a mark."""
    if old_result is None or new_result is None:
        return old_result is not new_result  # they differ unless both are missing
    scores = [
        (record.status, record.score, record.max_score) for record in (old_result, new_result)
    ]
    return scores[0] != scores[1] or findings(old_result) != findings(new_result)


def _input_causes(earlier: GradedEntry | None, later: GradedEntry | None) -> Iterator[Cause]:
    """Yield a cause for each of files, suite and grader that differs, if both entries exist."""
    if earlier is None or later is None:
        return
    if earlier.submission != later.submission:
        yield Cause.FILES
    if earlier.suite != later.suite:
        yield Cause.SUITE
    if earlier.environment != later.environment:
        yield Cause.GRADER


def _changed_items(old_result: Record, new_result: Record) -> Iterator[ItemChange]:
    """Yield the cases and rules that differ, in the order of the later record."""
    before, after = _results_by_group(old_result), _results_by_group(new_result)
    unchanged_groups = {name for name, results in after.items() if results == before.get(name)}
    old, new = (
        [
            case
            for group in record.groups
            if group.id not in unchanged_groups
            for case in group.cases
        ]
        for record in (old_result, new_result)
    )
    yield from _differing_items(_case_results(old), _case_results(new), is_rule=False)
    yield from _differing_items(
        _rule_results(old_result.rules), _rule_results(new_result.rules), is_rule=True
    )


_COMPARED_FIELDS: Final = attrgetter("id", "verdict", "points")
_ItemResults = Mapping[str, tuple[str, float]]
"""The verdict and the points of each case or rule, keyed by id."""


def _case_results(cases: Iterable[CaseResult]) -> _ItemResults:
    return {case.id: (case.verdict.value, case.points) for case in cases}


def _results_by_group(record: Record) -> dict[str, list[tuple[Any, ...]]]:
    """Return the compared fields of the cases, keyed by group.

    Comparing groups first is faster, because most groups do not differ.
    """
    return {group.id: [*map(_COMPARED_FIELDS, group.cases)] for group in record.groups}


def _rule_results(rules: Iterable[RuleResult]) -> _ItemResults:
    return {rule.id: (rule.verdict.value, -rule.penalty) for rule in rules}


def _differing_items(
    old_result: _ItemResults, new_result: _ItemResults, *, is_rule: bool
) -> Iterator[ItemChange]:
    """Yield the changes of items that differ, with items that are only in the old result last."""
    for item_id in [*new_result, *(item_id for item_id in old_result if item_id not in new_result)]:
        old, new = old_result.get(item_id), new_result.get(item_id)
        if old != new:
            yield ItemChange(
                id=item_id,
                is_rule=is_rule,
                old_verdict=None if old is None else old[0],
                new_verdict=None if new is None else new[0],
                old_points=0.0 if old is None else old[1],
                new_points=0.0 if new is None else new[1],
            )


def changes_json(all_changes: Iterable[Change]) -> bytes:
    """Return the changes as one JSON document in ASCII."""
    document: dict[str, Any] = {
        "schema": DIFF_SCHEMA,
        "changes": [
            {**asdict(change), "unexpected": change.is_unexpected} for change in all_changes
        ],
    }
    return json.dumps(document, indent=1).encode("ascii") + b"\n"


def changes_csv(all_changes: Iterable[Change]) -> str:
    """Return the changes as a CSV table for spreadsheets, with a line for each student."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")  # the default is \r\n on all systems
    writer.writerow(_COLUMNS)
    for change in all_changes:
        items = "; ".join(
            f"{item.id}: {item.old_verdict or 'none'} -> {item.new_verdict or 'none'}"
            for item in change.items
        )
        writer.writerow(
            [
                _cell(change.exercise),
                _cell(change.student),
                *map(_number, (change.old_score, change.new_score)),
                _number(difference(change)),
                *map(_number, (change.old_max, change.new_max)),
                " ".join(change.causes),
                "yes" if change.is_unexpected else "no",
                _cell(items),
            ]
        )
    return text.getvalue()


def difference(change: Change) -> float | None:
    """Return the difference between the marks in points, or None if a mark is missing."""
    if change.old_score is None or change.new_score is None:
        return None
    return round(change.new_score - change.old_score, 4)  # records have four decimals


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _cell(text: str) -> str:
    """Return `text` on one line, as a cell that no spreadsheet evaluates."""
    text = one_line(text, 2_000)
    # A leading apostrophe tells a spreadsheet that the cell contains text.
    return f"'{text}" if text.startswith(_FORMULA_PREFIXES) else text
