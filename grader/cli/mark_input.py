"""A person's decisions, from the command line or a table, checked together.

Either all of them are made or none. Every mistake in a table is reported with its line.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Final

from grader.cli.existing_runs import entries_of_exercise, find_entry
from grader.errors import UsageError
from grader.judging.deciding import (
    Decision,
    Finding,
    Subject,
    decided,
    findings,
    in_force,
    line_finding,
)
from grader.judging.record import Record
from grader.judging.results import exact, penalties, shown
from grader.reporting.reading import record_of
from grader.store.runs import RunEntry
from grader.store.store import Store
from grader.values.foreign_text import one_line, plain
from grader.verdict import RuleVerdict, Status

MAX_REASON_CHARS: Final = 2_000
MAX_NAME_CHARS: Final = 80
_MAX_SHOWN: Final = 20
"""The maximum number of reported mistakes in a table."""
_NUMBER: Final = re.compile(r"-?[0-9]{1,6}(?:[.][0-9]{1,6}|,[0-9]{1,2})?", re.ASCII)
"""A comma before three digits may be a thousands separator."""
_ITEM: Final = re.compile(r"[\w.-]{1,60}")
_VERDICTS: Final = {"kept": RuleVerdict.PASSED, "broken": RuleVerdict.BROKEN}
_ANSWERS: Final = {"": None, "good": RuleVerdict.PASSED, "poor": RuleVerdict.BROKEN}
_QUESTION_CHARS: Final = 300
"""Limit on the text of a question: the sentences of a sheet are shorter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedMark:
    """The options for one decision, as typed; empty if omitted."""

    student: str = ""
    exercise: str = ""
    case: str = ""
    group: str = ""
    rule: str = ""
    line: str = ""
    question: str = ""
    item: str = ""
    points: str = ""
    verdict: str = ""
    penalty: str = ""
    because: str = ""
    comment: str = ""
    total: bool = False
    bonus: bool = False
    undo: bool = False


def made_now(decision: Decision, by: str) -> Decision:
    """Return `decision` as made now, by `by`."""
    return replace(with_new_id(decision), at=_now(), by=by)


def with_new_id(decision: Decision) -> Decision:
    """Return `decision` with a new id, to be added after later ones so that it is in force."""
    return replace(decision, uid=secrets.token_hex(16))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def decisions_from(
    marks: Sequence[tuple[int | None, AskedMark]], store: Store, by: str
) -> list[Decision]:
    """Return the decisions of `by` in `marks`, each of which has its line if it is from a table.

    Raises one `UsageError` for all mistakes in them.
    """
    marker = _Marker(store, by)
    decisions: list[Decision] = []
    errors: list[tuple[int | None, UsageError]] = []
    for line, mark in marks:
        try:
            decisions += marker.decisions(mark)
        except UsageError as error:
            errors.append((line, error))
    if errors:
        raise _combined_error(errors)
    if not decisions:
        raise UsageError("there is nothing to decide", help="the table has no lines")
    return decisions


def _combined_error(errors: Sequence[tuple[int | None, UsageError]]) -> UsageError:
    """Return one error for all `errors`, with their lines."""
    if errors[0][0] is None:  # the mark is from the command line, so there is only one error
        return errors[0][1]
    listed = [
        f"  line {line}: {error.message}" + (f" ({error.help})" if error.help else "")
        for line, error in errors[:_MAX_SHOWN]
    ]
    more = [f"  ... and {len(errors) - _MAX_SHOWN} more"] * (len(errors) > _MAX_SHOWN)
    return UsageError(
        "\n".join(("nothing was decided, as some lines are wrong:", *listed, *more)),
        help="correct these and run the same command again",
    )


class _Marker:
    """Turns marks into decisions, each based on the result of the earlier ones."""

    def __init__(self, store: Store, by: str) -> None:
        self._store: Final = store
        self._run: Final = store.run
        self._by: Final = by
        self._at: Final = _now()
        self._records: Final[dict[RunEntry, Record]] = {}
        self._new_decisions: Final[dict[RunEntry, list[Decision]]] = {}
        self._latest: Final[dict[tuple[RunEntry, Subject, str], Decision]] = {}
        """The latest of these decisions, by subject."""

    def decisions(self, mark: AskedMark) -> Iterable[Decision]:
        """Return the decisions in `mark`, and remember them; raises `UsageError` for a mistake."""
        if not mark.student:
            raise UsageError("no student is named")
        entries = entries_of_exercise(self._run.entries, mark.exercise or None)
        entry = find_entry(entries, mark.student)
        new = list(self._decisions_in(entry, self._record(entry), mark))
        if not new:
            raise UsageError(
                "there is nothing to decide",
                help="add --case ID --points NUMBER, or --comment TEXT",
            )
        self._require_agreement(entry, new)
        self._new_decisions.setdefault(entry, []).extend(new)
        return new

    def _require_agreement(self, entry: RunEntry, made: Iterable[Decision]) -> None:
        """Raise `UsageError` if an earlier line decides otherwise on the same subject."""
        for each in made:
            key = (entry, each.about, each.subject)
            before = self._latest.setdefault(key, each)
            if not (each.is_undone or before.is_undone or replace(before, uid=each.uid) == each):
                subject = _subject_text(each)
                raise UsageError(f"an earlier line decides something else on the {subject}")
            self._latest[key] = each

    def _record(self, entry: RunEntry) -> Record:
        """Return the record of `entry`, cached; raises `UsageError` if it was not graded."""
        if entry not in self._records:
            found = self._store.graded(entry)
            name = one_line(entry.student)
            if found is None:
                raise UsageError(f"{name} has not been graded yet", help="grade first, then decide")
            if found.status is Status.FAULT:
                raise UsageError(
                    f"we failed to grade {name}, so there is nothing to decide on",
                    help="run the command that grades again",
                )
            self._records[entry] = record_of(self._store, entry, found)
        return self._records[entry]

    def _decisions_in(self, entry: RunEntry, record: Record, mark: AskedMark) -> Iterator[Decision]:
        """Yield the decisions in `mark`: on its subject, and a comment."""
        subjects = list(_subjects(mark))
        if len(subjects) > 1:
            raise UsageError(
                "name only one of: a case, a group, a rule, a line, a question, the total, a bonus"
            )
        blank = self._new_decision(entry, mark, *subjects[0] if subjects else (Subject.PAGE, ""))
        if mark.undo:
            yield self._undoing(entry, blank, mark)
            return
        if subjects and blank.about is Subject.LINE:
            yield _line_comment(record, blank, mark)
            return
        if subjects and blank.about is Subject.QUESTION:
            yield _answer(blank, mark)
            return
        if subjects:
            finding = _finding(record, *subjects[0])
            yield self._decided(entry, replace(blank, finding=finding), finding, mark)
        elif mark.points or mark.verdict or mark.penalty or mark.because:
            raise UsageError(
                "it is not said what to decide on",
                help="name a case, a group or a rule by its id, or use --total or --bonus",
            )
        if mark.comment:
            comment = _text(mark.comment, "comment")
            yield replace(self._new_decision(entry, mark, Subject.PAGE, ""), because=comment)

    def _new_decision(
        self, entry: RunEntry, mark: AskedMark, about: Subject, subject: str
    ) -> Decision:
        """Return a decision on `subject`, without points or verdict yet."""
        return Decision(
            uid=secrets.token_hex(16),  # random, because decisions of copies of a run may be merged
            at=self._at,
            by=self._by,
            exercise=entry.exercise,
            student=entry.student,
            suite=self._records[entry].conditions.suite_sha256,
            about=about,
            subject=subject,
            because=_text(mark.because, "reason"),
        )

    def _undoing(self, entry: RunEntry, blank: Decision, mark: AskedMark) -> Decision:
        if mark.points or mark.verdict or mark.penalty or mark.comment:
            raise UsageError("--undo takes no points, verdict, penalty or comment")
        current = {(each.about, each.subject) for each in in_force(self._all_decisions(entry))}
        if (blank.about, blank.subject) not in current:
            raise UsageError(
                f"there is no decision on the {_subject_text(blank)}",
                help="--list shows the decisions in force",
            )
        return replace(blank, is_undone=True)

    def _all_decisions(self, entry: RunEntry) -> list[Decision]:
        kept = self._store.decisions.of(*entry.name)
        return [*kept, *self._new_decisions.get(entry, [])]

    def _decided(
        self, entry: RunEntry, blank: Decision, finding: Finding, mark: AskedMark
    ) -> Decision:
        """Return the decision in `mark` on points, or on a rule."""
        if not mark.because.strip():
            raise UsageError("a reason is required: students read it", help='add --because "..."')
        if blank.about is not Subject.RULE:
            if mark.verdict or mark.penalty:
                raise UsageError("a case or a group takes points; only a rule takes a verdict")
            if not mark.points:
                raise UsageError("the number of points is missing", help="add --points NUMBER")
            max_points, is_bonus = finding.max_points, blank.about is Subject.BONUS
            worth = "there are" if is_bonus else f"the {blank.about} is worth"
            points = _points(mark.points, max_points, worth, least=-max_points if is_bonus else 0.0)
            return replace(blank, points=points)
        if mark.points:
            raise UsageError(
                "a rule takes a verdict and a penalty, not points", help="use --penalty"
            )
        if mark.verdict.lower() not in _VERDICTS:
            said = f"unknown verdict {one_line(mark.verdict, 40)!r}"
            raise UsageError(
                said if mark.verdict else "the verdict is missing",
                help="use --verdict kept or --verdict broken",
            )
        verdict = _VERDICTS[mark.verdict.lower()]
        if verdict is RuleVerdict.PASSED:
            if mark.penalty:
                raise UsageError("a rule that is kept has no penalty")
            return replace(blank, verdict=verdict, penalty=0.0)
        if mark.penalty:
            penalty = _points(mark.penalty, finding.max_points, "there are")
        else:
            penalty = self._price(entry, blank.subject)
        return replace(blank, verdict=verdict, penalty=penalty)

    def _price(self, entry: RunEntry, rule_id: str) -> float:
        """Return what the suite deducts for the rule, at most the points that are left."""
        rule = next(each for each in self._records[entry].rules if each.id == rule_id)
        if rule.verdict is RuleVerdict.BROKEN:
            return rule.penalty
        if not rule.costs:
            return 0.0
        record = decided(self._records[entry], self._all_decisions(entry))
        facts = self._run.suites.get(entry.exercise)
        broken = {each.id for each in record.rules if each.verdict is RuleVerdict.BROKEN}
        all_prices = facts.prices if facts else ()
        prices = [price for price in all_prices if price.id in broken | {rule_id}]
        if rule_id not in {each.id for each in prices}:
            raise UsageError("the cost of that rule is not in the store", help="add --penalty")
        earned = {group.id: exact(group.points) for group in record.groups}
        return shown(penalties(prices, earned)[rule_id])


def _subjects(mark: AskedMark) -> Iterator[tuple[Subject, str]]:
    """Yield the subjects that `mark` names, other than the page."""
    by_id = {
        Subject.CASE: mark.case,
        Subject.GROUP: mark.group,
        Subject.RULE: mark.rule,
        Subject.LINE: mark.line,
        Subject.QUESTION: one_line(mark.question, 2 * _QUESTION_CHARS),
    }
    yield from ((about, subject) for about, subject in by_id.items() if subject)
    if mark.total:
        yield Subject.TOTAL, ""
    if mark.bonus or mark.item:
        yield Subject.BONUS, mark.item


def _subject_text(decision: Decision) -> str:
    """Return the subject of a decision, as errors name it."""
    if decision.about is Subject.PAGE:
        return "comment"
    return one_line(f"{decision.about} {decision.subject}".strip())


def _line_comment(record: Record, blank: Decision, mark: AskedMark) -> Decision:
    """Return the comment that `mark` puts on a line of code."""
    finding = line_finding(record, blank.subject)
    if finding is None:
        files = ", ".join(one_line(each.name, 60) for each in record.sources[:_MAX_SHOWN])
        raise UsageError(
            f"there is no line {one_line(blank.subject, 60)}",
            help=f"name a file and a line, such as f.py:12; the files are: {files}",
        )
    if mark.points or mark.verdict or mark.penalty or mark.because:
        raise UsageError("a line takes a comment, not points")
    if not mark.comment.strip():
        raise UsageError("the comment is missing", help='add --comment "..."')
    return replace(blank, because=_text(mark.comment, "comment"), finding=finding)


def _answer(blank: Decision, mark: AskedMark) -> Decision:
    """Return the decision in `mark` on how a question was answered, perhaps with a note."""
    if mark.points or mark.penalty or mark.because:
        raise UsageError(
            "a question takes no points, penalty or reason",
            help="use --verdict good or --verdict poor, and --comment for a note",
        )
    if len(blank.subject) > _QUESTION_CHARS:
        raise UsageError(f"the question has more than {_QUESTION_CHARS} characters")
    if mark.verdict.lower() not in _ANSWERS:
        raise UsageError("an answer is good or poor", help="use --verdict")
    verdict = _ANSWERS[mark.verdict.lower()]
    if verdict is None and not mark.comment.strip():
        raise UsageError("how was it answered?", help="add --verdict good, or --comment TEXT")
    return replace(blank, verdict=verdict, because=_text(mark.comment, "note"))


def _finding(record: Record, about: Subject, subject: str) -> Finding:
    """Return the finding on `subject`; raises `UsageError` if there is no such subject."""
    found = findings(record)
    if about is Subject.BONUS and (not subject or _ITEM.fullmatch(subject)):
        return found[about, ""]
    if (about, subject) in found:
        return found[about, subject]
    if about is Subject.BONUS:
        raise UsageError("the name of an item has letters, digits, - and _, at most 60 of them")
    known = [name for kind, name in found if kind is about]
    similar = get_close_matches(subject, known, 3, cutoff=0.5)
    listed = ", ".join(one_line(each, 60) for each in similar or known[:_MAX_SHOWN])
    more = "" if similar or len(known) <= _MAX_SHOWN else f" and {len(known) - _MAX_SHOWN} more"
    suggestion = f"did you mean: {listed}" if similar else f"it has: {listed}{more}"
    raise UsageError(
        f"there is no {about} {one_line(subject, 60)}",
        help=suggestion if known else f"that submission has no {about}s",
    )


def _points(text: str, most: float, what: str, least: float = 0.0) -> float:
    if not _NUMBER.fullmatch(text) or (text.startswith("-") and least >= 0):
        raise UsageError(
            f"{one_line(text, 40)!r} is not a number of points", help="write it as 2 or 2.5"
        )
    points = float(text.replace(",", "."))
    if points < least:
        raise UsageError(f"no more than {-least:g} can be taken away")
    if points > most:
        raise UsageError(f"{points:g} is more than {what}: {most:g}")
    return points


def _text(text: str, what: str) -> str:
    if len(text) > MAX_REASON_CHARS:
        raise UsageError(f"the {what} has more than {MAX_REASON_CHARS} characters")
    return plain(text)
