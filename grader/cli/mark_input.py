"""What a person decides, from the command line or a table, checked as a whole.

Nothing is decided unless all of it can be. Every mistake in a table is reported with its line.
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
_MAX_TOLD: Final = 20
"""Mistakes in a table that are reported."""
_NUMBER: Final = re.compile(r"-?[0-9]{1,6}(?:[.][0-9]{1,6}|,[0-9]{1,2})?", re.ASCII)
"""A comma before three digits may be a thousands separator."""
_ITEM: Final = re.compile(r"[\w.-]{1,60}")
_VERDICTS: Final = {"kept": RuleVerdict.PASSED, "broken": RuleVerdict.BROKEN}
_ANSWERS: Final = {"": None, "good": RuleVerdict.PASSED, "poor": RuleVerdict.BROKEN}
_QUESTION_CHARS: Final = 300
"""Of the words of a question: the sentences of a sheet are shorter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedMark:
    """What was typed about one student; empty if left out."""

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


def said_now(decision: Decision, by: str) -> Decision:
    """Return `decision` as `by` makes it now."""
    return replace(said_again(decision), at=_now(), by=by)


def said_again(decision: Decision) -> Decision:
    """Return `decision` with an id of its own, to be added behind later ones so that it stands."""
    return replace(decision, uid=secrets.token_hex(16))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def decisions_from(
    marks: Sequence[tuple[int | None, AskedMark]], store: Store, by: str
) -> list[Decision]:
    """Return what `by` decides with `marks`, each with its line if it has one.

    Raises one `UsageError` for all that is wrong with any of them.
    """
    marker = _Marker(store, by)
    made: list[Decision] = []
    errors: list[tuple[int | None, UsageError]] = []
    for line, mark in marks:
        try:
            made += marker.decisions(mark)
        except UsageError as error:
            errors.append((line, error))
    if errors:
        raise _all_of(errors)
    if not made:
        raise UsageError("there is nothing to decide", help="the table has no lines")
    return made


def _all_of(errors: Sequence[tuple[int | None, UsageError]]) -> UsageError:
    if errors[0][0] is None:  # one mark for one student, or for many: it is wrong in one way
        return errors[0][1]
    listed = [
        f"  line {line}: {error.message}" + (f" ({error.help})" if error.help else "")
        for line, error in errors[:_MAX_TOLD]
    ]
    more = [f"  ... and {len(errors) - _MAX_TOLD} more"] * (len(errors) > _MAX_TOLD)
    return UsageError(
        "\n".join(("nothing was decided, as some lines are wrong:", *listed, *more)),
        help="correct these and run the same command again",
    )


class _Marker:
    """Turns marks into decisions, each based on the result of those before it."""

    def __init__(self, store: Store, by: str) -> None:
        self._store: Final = store
        self._run: Final = store.run
        self._by: Final = by
        self._at: Final = _now()
        self._records: Final[dict[RunEntry, Record]] = {}
        self._made: Final[dict[RunEntry, list[Decision]]] = {}
        self._latest: Final[dict[tuple[RunEntry, Subject, str], Decision]] = {}
        """The latest of these, by what they are about."""

    def decisions(self, mark: AskedMark) -> Iterable[Decision]:
        """Return what `mark` decides; raises `UsageError` saying what is wrong with it."""
        if not mark.student:
            raise UsageError("no student is named")
        entries = entries_of_exercise(self._run.entries, mark.exercise or None)
        entry = find_entry(entries, mark.student)
        made = list(self._of(entry, self._record(entry), mark))
        if not made:
            raise UsageError(
                "there is nothing to decide",
                help="add --case ID --points NUMBER, or --comment TEXT",
            )
        self._require_agreement(entry, made)
        self._made.setdefault(entry, []).extend(made)
        return made

    def _require_agreement(self, entry: RunEntry, made: Iterable[Decision]) -> None:
        """Raise `UsageError` if an earlier line of the table says something else on the same."""
        for each in made:
            place = (entry, each.about, each.subject)
            before = self._latest.setdefault(place, each)
            if not (each.is_undone or before.is_undone or replace(before, uid=each.uid) == each):
                what = _called(each)
                raise UsageError(f"an earlier line decides something else on the {what}")
            self._latest[place] = each

    def _record(self, entry: RunEntry) -> Record:
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

    def _of(self, entry: RunEntry, record: Record, mark: AskedMark) -> Iterator[Decision]:
        named = list(_subjects(mark))
        if len(named) > 1:
            raise UsageError(
                "name only one of: a case, a group, a rule, a line, a question, the total, a bonus"
            )
        blank = self._blank(entry, mark, *named[0] if named else (Subject.PAGE, ""))
        if mark.undo:
            yield self._undone(entry, blank, mark)
            return
        if named and blank.about is Subject.LINE:
            yield _on_line(record, blank, mark)
            return
        if named and blank.about is Subject.QUESTION:
            yield _answer(blank, mark)
            return
        if named:
            finding = _finding(record, *named[0])
            yield self._decided(entry, replace(blank, finding=finding), finding, mark)
        elif mark.points or mark.verdict or mark.penalty or mark.because:
            raise UsageError(
                "it is not said what to decide on",
                help="name a case, a group or a rule by its id, or use --total or --bonus",
            )
        if mark.comment:
            comment = _text(mark.comment, "comment")
            yield replace(self._blank(entry, mark, Subject.PAGE, ""), because=comment)

    def _blank(self, entry: RunEntry, mark: AskedMark, about: Subject, subject: str) -> Decision:
        return Decision(
            uid=secrets.token_hex(16),  # random, as decisions of copies of a run may meet
            at=self._at,
            by=self._by,
            exercise=entry.exercise,
            student=entry.student,
            suite=self._records[entry].conditions.suite_sha256,
            about=about,
            subject=subject,
            because=_text(mark.because, "reason"),
        )

    def _undone(self, entry: RunEntry, blank: Decision, mark: AskedMark) -> Decision:
        if mark.points or mark.verdict or mark.penalty or mark.comment:
            raise UsageError("--undo cannot be combined with a decision")
        stands = {(each.about, each.subject) for each in in_force(self._all(entry))}
        if (blank.about, blank.subject) not in stands:
            raise UsageError(
                f"there is no decision on the {_called(blank)}",
                help="--list shows the decisions in force",
            )
        return replace(blank, is_undone=True)

    def _all(self, entry: RunEntry) -> list[Decision]:
        kept = self._store.decisions.of(*entry.name)
        return [*kept, *self._made.get(entry, [])]

    def _decided(
        self, entry: RunEntry, blank: Decision, finding: Finding, mark: AskedMark
    ) -> Decision:
        if not mark.because.strip():
            raise UsageError("a reason is required: students read it", help='add --because "..."')
        if blank.about is not Subject.RULE:
            if mark.verdict or mark.penalty:
                raise UsageError("a case or a group takes points; only a rule takes a verdict")
            if not mark.points:
                raise UsageError("the number of points is missing", help="add --points NUMBER")
            most, is_bonus = finding.max_points, blank.about is Subject.BONUS
            worth = "there are" if is_bonus else f"the {blank.about} is worth"
            points = _points(mark.points, most, worth, least=-most if is_bonus else 0.0)
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
        """Return what the suite takes for the rule, limited by what is left to take."""
        found = next(each for each in self._records[entry].rules if each.id == rule_id)
        if found.verdict is RuleVerdict.BROKEN:
            return found.penalty
        if not found.costs:
            return 0.0
        record = decided(self._records[entry], self._all(entry))
        facts = self._run.suites.get(entry.exercise)
        broken = {each.id for each in record.rules if each.verdict is RuleVerdict.BROKEN}
        known = facts.prices if facts else ()
        prices = [price for price in known if price.id in broken | {rule_id}]
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


def _called(decision: Decision) -> str:
    """Return the subject of a decision as errors name it."""
    if decision.about is Subject.PAGE:
        return "comment"
    return one_line(f"{decision.about} {decision.subject}".strip())


def _on_line(record: Record, blank: Decision, mark: AskedMark) -> Decision:
    """Return the comment that `mark` puts at a line of the code."""
    finding = line_finding(record, blank.subject)
    if finding is None:
        files = ", ".join(one_line(each.name, 60) for each in record.sources[:_MAX_TOLD])
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
    """Return how `mark` says that a question was answered, with a note or without."""
    if mark.points or mark.penalty or mark.because:
        raise UsageError(
            "points, a penalty or a reason are not for a question",
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
    found = findings(record)
    if about is Subject.BONUS and (not subject or _ITEM.fullmatch(subject)):
        return found[about, ""]
    if (about, subject) in found:
        return found[about, subject]
    if about is Subject.BONUS:
        raise UsageError("the name of an item has letters, digits, - and _, at most 60 of them")
    known = [name for kind, name in found if kind is about]
    near = get_close_matches(subject, known, 3, cutoff=0.5)
    listed = ", ".join(one_line(each, 60) for each in near or known[:_MAX_TOLD])
    more = "" if near or len(known) <= _MAX_TOLD else f" and {len(known) - _MAX_TOLD} more"
    it_has = f"did you mean: {listed}" if near else f"it has: {listed}{more}"
    raise UsageError(
        f"there is no {about} {one_line(subject, 60)}",
        help=it_has if known else f"that submission has no {about}s",
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
