"""Finds the marks that change between two runs, with causes, and whether that was expected.

A mark may change if the files, the suite, or the grader or its Python differ. If none of these
differs, nothing should change: such a change is flagged, and so is one that only another grader
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

from grader.judging.deciding import Decision, decided, findings, for_reports
from grader.judging.lateness import LATENESS
from grader.judging.record import CaseResult, Record, RuleResult
from grader.messages import Message
from grader.reporting.reading import record_of
from grader.store.runs import GradedEntry
from grader.store.store import Store
from grader.values.foreign_text import one_line

DIFF_SCHEMA: Final = "grader/diff/1"
_COLUMNS: Final = (
    *("exercise", "student", "old", "new", "change", "old_max", "new_max"),
    *("causes", "unexpected", "cases_and_rules"),
)
_FORMULA: Final = ("=", "+", "-", "@", "\t")
"""Prefixes of cells that a spreadsheet would evaluate."""


@unique
class Cause(StrEnum):
    """A difference between two gradings that may change a mark."""

    FILES = "files"
    SUITE = "suite"
    GRADER = "grader"
    DEADLINE = "deadline"
    """Lateness was judged differently."""
    DECISION = "decision"
    """A person has decided."""


_EXPECTED: Final = frozenset({Cause.FILES, Cause.SUITE, Cause.DEADLINE})
"""Causes that make a change of mark expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemChange:
    """A case or rule whose result changed; None means that it is missing."""

    id: str
    is_rule: bool
    old_verdict: str | None
    new_verdict: str | None
    old_points: float
    """For a rule, its cost as a negative number."""
    new_points: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The change for one student; None means that a run has not graded her."""

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
    """Whether the grader's own result differs, apart from decisions."""

    @property
    def is_in_both(self) -> bool:
        """Whether both runs have a mark."""
        return self.old_max is not None and self.new_max is not None

    @property
    def is_of_mark(self) -> bool:
        """Whether the student is in both runs, with different marks."""
        return self.is_in_both and (self.old_score, self.old_max) != (self.new_score, self.new_max)

    @property
    def is_unexpected(self) -> bool:
        """Whether files, suite and deadline do not explain it."""
        has_both_scores = None not in {self.old_score, self.new_score}
        return has_both_scores and self.is_found and not _EXPECTED & {*self.causes}


def changes(old: Store, new: Store) -> Iterator[Change]:
    """Yield the changes from one run to another, in the order of the new run.

    Entries of the old run only come last. Raises `RecordError` for a damaged record.
    """
    before, after = _Side(old), _Side(new)
    old_only = {line.entry.name: line for line in old.lines()}
    for line in new.lines():
        change = _change(before, old_only.pop(line.entry.name, None), after, line)
        if change is not None:
            yield change
    for line in old_only.values():  # what is left is in the old run only
        change = _change(before, line, after, None)
        if change is not None:
            yield change


def _change(
    old: _Side, earlier: GradedEntry | None, new: _Side, later: GradedEntry | None
) -> Change | None:
    decisions, before = new.decisions(later), old.decisions(earlier)
    if decisions == before and _is_same(old, earlier, new, later):
        return None
    records = [old.record(earlier), new.record(later)]
    old_result = records[0] and decided(records[0], before)
    new_result = records[1] and decided(records[1], decisions)
    line = later or earlier
    assert line is not None, "somebody is in one of the runs"
    change = Change(
        exercise=line.entry.exercise,
        student=line.entry.student,
        old_score=None if old_result is None else old_result.score,
        new_score=None if new_result is None else new_result.score,
        old_max=None if old_result is None else old_result.max_score,
        new_max=None if new_result is None else new_result.max_score,
        old_status=None if old_result is None else old_result.status.value,
        new_status=None if new_result is None else new_result.status.value,
        causes=(
            *_causes(earlier, later),
            *_other_causes(records, decisions != before),
        ),
        items=tuple(_items(old_result, new_result))
        if old_result is not None and new_result is not None
        else (),
    )
    # A comment is a decision as well, but changes none of these.
    if not (change.is_of_mark or change.items or change.old_status != change.new_status):
        return None
    return replace(change, is_found=_grader_differs(*records))


class _Side:
    """One of the two runs."""

    def __init__(self, store: Store) -> None:
        self._store: Final = store
        self._decisions: Final = store.decisions.by_entry()

    def decisions(self, line: GradedEntry | None) -> tuple[Decision, ...]:
        """Return the decisions on an entry that reports show."""
        return () if line is None else for_reports(self._decisions.get(line.entry.name, ()))

    def data(self, line: GradedEntry) -> bytes:
        """Return the packed record of an entry."""
        return self._store.data(line.record_id)

    def record(self, line: GradedEntry | None) -> Record | None:
        """Return the record of an entry, None without one."""
        return None if line is None else record_of(self._store, line.entry, line)


def _is_same(
    old: _Side, earlier: GradedEntry | None, new: _Side, later: GradedEntry | None
) -> bool:
    """Return whether the packed records are equal, which needs no parsing."""
    # Records are packed relative to their suite: the same bytes mean another one on another suite.
    if earlier is None or later is None or earlier.suite != later.suite:
        return False
    return old.data(earlier) == new.data(later)


def _other_causes(records: Sequence[Record | None], is_decided: bool) -> Iterator[Cause]:
    """Yield the causes besides files, suite and grader: the deadline and decisions."""
    results = [_lateness(record) for record in records if record is not None]
    if len(results) == len(records):  # with one record there is nothing to compare
        if len({*results}) > 1:
            yield Cause.DEADLINE
        if is_decided:
            yield Cause.DECISION


def _lateness(record: Record) -> tuple[Message, ...]:
    """Return the messages on lateness."""
    return next((rule.evidence for rule in record.rules if rule.id == LATENESS), ())


def _grader_differs(old_result: Record | None, new_result: Record | None) -> bool:
    """Return whether two records differ in anything that can change a mark."""
    if old_result is None or new_result is None:
        return old_result is not new_result  # they differ unless both are missing
    scores = [(each.status, each.score, each.max_score) for each in (old_result, new_result)]
    return scores[0] != scores[1] or findings(old_result) != findings(new_result)


def _causes(earlier: GradedEntry | None, later: GradedEntry | None) -> Iterator[Cause]:
    if earlier is None or later is None:
        return
    if earlier.submission != later.submission:
        yield Cause.FILES
    if earlier.suite != later.suite:
        yield Cause.SUITE
    if earlier.environment != later.environment:
        yield Cause.GRADER


def _items(old_result: Record, new_result: Record) -> Iterator[ItemChange]:
    """Yield the cases and rules that differ, in the order of the later record."""
    before, after = _results_by_group(old_result), _results_by_group(new_result)
    same = {name for name, results in after.items() if results == before.get(name)}
    old, new = (
        [case for group in each.groups if group.id not in same for case in group.cases]
        for each in (old_result, new_result)
    )
    yield from _differing(_cases(old), _cases(new), is_rule=False)
    yield from _differing(_rules(old_result.rules), _rules(new_result.rules), is_rule=True)


_COMPARED_FIELDS: Final = attrgetter("id", "verdict", "points")
_Results = Mapping[str, tuple[str, float]]
"""By id of a case or rule: its verdict and its points."""


def _cases(cases: Iterable[CaseResult]) -> _Results:
    return {case.id: (case.verdict.value, case.points) for case in cases}


def _results_by_group(record: Record) -> dict[str, list[tuple[Any, ...]]]:
    """Return the compared fields of cases, group by group: most groups do not differ at all."""
    return {group.id: [*map(_COMPARED_FIELDS, group.cases)] for group in record.groups}


def _rules(rules: Iterable[RuleResult]) -> _Results:
    return {rule.id: (rule.verdict.value, -rule.penalty) for rule in rules}


def _differing(
    old_result: _Results, new_result: _Results, *, is_rule: bool
) -> Iterator[ItemChange]:
    for each in [*new_result, *(each for each in old_result if each not in new_result)]:
        old, new = old_result.get(each), new_result.get(each)
        if old != new:
            yield ItemChange(
                id=each,
                is_rule=is_rule,
                old_verdict=None if old is None else old[0],
                new_verdict=None if new is None else new[0],
                old_points=0.0 if old is None else old[1],
                new_points=0.0 if new is None else new[1],
            )


def changes_json(found: Iterable[Change]) -> bytes:
    """Return the changes as one JSON document, ASCII only."""
    document: dict[str, Any] = {
        "schema": DIFF_SCHEMA,
        "changes": [{**asdict(each), "unexpected": each.is_unexpected} for each in found],
    }
    return json.dumps(document, indent=1).encode("ascii") + b"\n"


def changes_csv(found: Iterable[Change]) -> str:
    """Return the changes as a table with a line for each student, for a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")  # the default is \r\n on every system
    writer.writerow(_COLUMNS)
    for each in found:
        items = "; ".join(
            f"{item.id}: {item.old_verdict or 'none'} -> {item.new_verdict or 'none'}"
            for item in each.items
        )
        writer.writerow(
            [
                _cell(each.exercise),
                _cell(each.student),
                *map(_number, (each.old_score, each.new_score)),
                _number(difference(each)),
                *map(_number, (each.old_max, each.new_max)),
                " ".join(each.causes),
                "yes" if each.is_unexpected else "no",
                _cell(items),
            ]
        )
    return text.getvalue()


def difference(change: Change) -> float | None:
    """Return the difference of a mark in points, None if one of the marks is missing."""
    if change.old_score is None or change.new_score is None:
        return None
    return round(change.new_score - change.old_score, 4)  # the digits of points in a record


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _cell(text: str) -> str:
    text = one_line(text, 2_000)
    return f"'{text}" if text.startswith(_FORMULA) else text  # a spreadsheet then reads it as text
