"""Checks a person's decisions, from the command line or a table.

Either all decisions are made or none. Every mistake in a table is reported with its line.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from grader.cli.existing_runs import entries_of_exercise, find_entry
from grader.cli.mark_values import (
    MAX_SHOWN,
    check_text,
    combined_error,
    find_finding,
    parse_points,
    parse_verdict,
    subject_text,
)
from grader.errors import UsageError
from grader.judging.deciding import (
    Decision,
    Finding,
    Subject,
    apply_decisions,
    in_force,
    line_finding,
)
from grader.judging.record import Record
from grader.judging.results import exact, penalties, round_points
from grader.reporting.reading import load_record
from grader.store.runs import RunEntry
from grader.store.store import Store
from grader.values.foreign_text import one_line
from grader.verdict import RuleVerdict, Status

MAX_NAME_CHARS: Final = 80
_ANSWERS: Final = {"": None, "good": RuleVerdict.PASSED, "poor": RuleVerdict.BROKEN}
_QUESTION_CHARS: Final = 300
"""Limit on the text of a question; those on a sheet are shorter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkInput:
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


def restamp(decision: Decision, by: str) -> Decision:
    """Return `decision` with a new id, the current time, and `by` as its author."""
    return replace(with_new_id(decision), at=_now(), by=by)


def with_new_id(decision: Decision) -> Decision:
    """Return `decision` with a new id, so that it can be added again and take effect."""
    return replace(decision, uid=secrets.token_hex(16))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def make_decisions(
    marks: Sequence[tuple[int | None, MarkInput]], store: Store, by: str
) -> list[Decision]:
    """Return the decisions in `marks`, with `by` as their author.

    Each mark comes with its line number, or with None if it is from the command line. Raises a
    single `UsageError` that lists all mistakes, or one for a table without decisions.
    """
    marker = _Marker(store, by)
    decisions: list[Decision] = []
    errors: list[tuple[int | None, UsageError]] = []
    for line, mark in marks:
        try:
            decisions += marker.decisions(mark, line)
        except UsageError as error:
            errors.append((line, error))
    if errors:
        raise combined_error(errors)
    if not decisions:
        raise UsageError(
            "the table contains no decisions", help="add a line per decision below the header"
        )
    return decisions


class _Marker:
    """Turns marks into decisions, each of which takes the earlier ones into account."""

    def __init__(self, store: Store, by: str) -> None:
        self._store: Final = store
        self._run: Final = store.run
        self._by: Final = by
        self._at: Final = _now()
        self._records: Final[dict[RunEntry, Record]] = {}
        self._new_decisions: Final[dict[RunEntry, list[Decision]]] = {}
        self._latest: Final[dict[tuple[RunEntry, Subject, str], tuple[Decision, int | None]]] = {}
        """The latest new decision on each subject, with its line."""

    def decisions(self, mark: MarkInput, line: int | None) -> Iterable[Decision]:
        """Return the decisions in `mark`, which is on this `line`, and remember them.

        Raises `UsageError` if `mark` is invalid.
        """
        if not mark.student:
            raise UsageError("the student is missing", help="fill in the column `student`")
        entries = entries_of_exercise(self._run.entries, mark.exercise or None)
        entry = find_entry(entries, mark.student)
        new = list(self._decisions_in(entry, self._record(entry), mark))
        if not new:
            raise UsageError(
                "there is nothing to decide",
                help="add --case ID --points NUMBER --because TEXT, or --comment TEXT",
            )
        self._require_agreement(entry, new, line)
        self._new_decisions.setdefault(entry, []).extend(new)
        return new

    def _require_agreement(
        self, entry: RunEntry, new: Iterable[Decision], line: int | None
    ) -> None:
        """Raise `UsageError` if one of the `new` decisions contradicts an earlier line.

        A decision that undoes another contradicts nothing. The `new` decisions are remembered, to
        compare those in later lines with them.
        """
        for decision in new:
            key = (entry, decision.about, decision.subject)
            earlier, earlier_line = self._latest.setdefault(key, (decision, line))
            # Every decision has a random id, so ids are not compared.
            is_equal = replace(earlier, uid=decision.uid) == decision
            if not (decision.is_undone or earlier.is_undone or is_equal):
                place = "the same form" if earlier_line is None else f"line {earlier_line}"
                raise UsageError(
                    f"{place} has another decision on the {subject_text(decision)}",
                    help="keep only one of the two",
                )
            self._latest[key] = decision, line

    def _record(self, entry: RunEntry) -> Record:
        """Return the record of `entry` from a cache; raises `UsageError` if it was not graded."""
        if entry not in self._records:
            graded = self._store.graded(entry)
            name = one_line(entry.student)
            if graded is None:
                raise UsageError(
                    f"{name} has not been graded yet",
                    help="run the grading command again, and then decide",
                )
            if graded.status is Status.FAULT:
                raise UsageError(
                    f"grading {name} failed, so there is nothing to decide on",
                    help="run the grading command again, and then decide",
                )
            self._records[entry] = load_record(self._store, entry, graded)
        return self._records[entry]

    def _decisions_in(self, entry: RunEntry, record: Record, mark: MarkInput) -> Iterator[Decision]:
        """Yield the decisions in `mark`: the one on its subject, and the comment on the page.

        Raises `UsageError` if `mark` has several subjects, or a value that its subject cannot have.
        """
        subjects = list(_subjects(mark))
        if len(subjects) > 1:
            names = ", ".join(one_line(f"{about} {name}".strip(), 60) for about, name in subjects)
            raise UsageError(
                f"the decision has {len(subjects)} subjects, but can only have one: {names}",
                help="keep one of them, and decide on the others separately",
            )
        blank = self._new_decision(entry, mark, *subjects[0] if subjects else (Subject.PAGE, ""))
        if mark.undo:
            yield self._undo(entry, blank, mark)
            return
        if subjects and blank.about is Subject.LINE:
            yield _complete_line_comment(record, blank, mark)
            return
        if subjects and blank.about is Subject.QUESTION:
            yield _complete_answer(blank, mark)
            return
        if subjects:
            finding = find_finding(record, *subjects[0])
            yield self._complete(entry, replace(blank, finding=finding), finding, mark)
        elif mark.points or mark.verdict or mark.penalty or mark.because:
            raise UsageError(
                "the subject of the decision is missing",
                help="add the id of a case, a group or a rule, or use --total or --bonus",
            )
        if mark.comment:
            comment = check_text(mark.comment, "comment")
            yield replace(self._new_decision(entry, mark, Subject.PAGE, ""), because=comment)

    def _new_decision(
        self, entry: RunEntry, mark: MarkInput, about: Subject, subject: str
    ) -> Decision:
        """Return a decision on `subject` that has no points or verdict yet.

        Raises `UsageError` if the reason is too long.
        """
        return Decision(
            uid=secrets.token_hex(16),  # random, because decisions in copies of a run can be merged
            at=self._at,
            by=self._by,
            exercise=entry.exercise,
            student=entry.student,
            suite=self._records[entry].conditions.suite_sha256,
            about=about,
            subject=subject,
            because=check_text(mark.because, "reason"),
        )

    def _undo(self, entry: RunEntry, blank: Decision, mark: MarkInput) -> Decision:
        """Return `blank` as the decision that undoes the one in force on its subject.

        Raises `UsageError` if there is none, or if `mark` contains anything to decide.
        """
        if given := _given(mark, "points", "verdict", "penalty", "comment"):
            raise UsageError(
                f"undo cannot be combined with {given}", help="leave out one or the other"
            )
        current = {
            (decision.about, decision.subject) for decision in in_force(self._all_decisions(entry))
        }
        if (blank.about, blank.subject) not in current:
            raise UsageError(
                f"there is no {subject_text(blank)} to undo"
                if blank.about is Subject.PAGE
                else f"there is no decision on the {subject_text(blank)} to undo",
                help="see the decisions in force with --list",
            )
        return replace(blank, is_undone=True)

    def _all_decisions(self, entry: RunEntry) -> list[Decision]:
        stored = self._store.decisions.for_submission(*entry.identity)
        return [*stored, *self._new_decisions.get(entry, [])]

    def _complete(
        self, entry: RunEntry, blank: Decision, finding: Finding, mark: MarkInput
    ) -> Decision:
        """Complete `blank` with the points in `mark`, or with the verdict and penalty for a rule.

        Raises `UsageError` for missing, contradictory or excessive values.
        """
        if not mark.because.strip():
            raise UsageError(
                "the reason, which the student reads, is missing", help='add --because "..."'
            )
        if blank.about is not Subject.RULE:
            if given := _given(mark, "verdict", "penalty"):
                raise UsageError(
                    f"{given} cannot be given for the {subject_text(blank)}, only for a rule",
                    help="use --points instead",
                )
            if not mark.points:
                raise UsageError("the number of points is missing", help="add --points NUMBER")
            max_points, is_bonus = finding.max_points, blank.about is Subject.BONUS
            limit = "the maximum score" if is_bonus else f"the maximum for the {blank.about}"
            points = parse_points(
                mark.points, max_points, limit, min_points=-max_points if is_bonus else 0.0
            )
            return replace(blank, points=points)
        if mark.points:
            raise UsageError(
                "points cannot be given for a rule, only a verdict and a penalty",
                help="use --verdict, and --penalty if the rule is broken, instead of --points",
            )
        verdict = parse_verdict(mark.verdict)
        if verdict is RuleVerdict.PASSED:
            if mark.penalty:
                raise UsageError(
                    "there is a penalty for a rule that is kept",
                    help="leave out the penalty, or use --verdict broken",
                )
            return replace(blank, verdict=verdict, penalty=0.0)
        if mark.penalty:
            penalty = parse_points(mark.penalty, finding.max_points, "the maximum score")
        else:
            penalty = self._rule_price(entry, blank.subject)
        return replace(blank, verdict=verdict, penalty=penalty)

    def _rule_price(self, entry: RunEntry, rule_id: str) -> float:
        """Return what the suite deducts for the rule, limited to the remaining points.

        Raises `UsageError` if an older store does not have the price.
        """
        rule = next(rule for rule in self._records[entry].rules if rule.id == rule_id)
        if rule.verdict is RuleVerdict.BROKEN:
            return rule.penalty
        if not rule.costs:
            return 0.0
        # Earlier decisions change the points that are left to deduct, and which rules are broken.
        record = apply_decisions(self._records[entry], self._all_decisions(entry))
        facts = self._run.suites.get(entry.exercise)
        broken = {rule.id for rule in record.rules if rule.verdict is RuleVerdict.BROKEN}
        all_prices = facts.prices if facts else ()
        prices = [price for price in all_prices if price.id in broken | {rule_id}]
        if rule_id not in {price.id for price in prices}:
            raise UsageError(
                f"the run does not contain the cost of the rule {one_line(rule_id, 60)}",
                help="add --penalty NUMBER",
            )
        earned = {group.id: exact(group.points) for group in record.groups}
        return round_points(penalties(prices, earned)[rule_id])


def _subjects(mark: MarkInput) -> Iterator[tuple[Subject, str]]:
    """Yield the subjects that `mark` names, with their ids; the page is never among them."""
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


def _given(mark: MarkInput, *names: str) -> str:
    """Return which of the fields `names` are given in `mark`, for an error message."""
    words = ("reason" if name == "because" else name for name in names if getattr(mark, name))
    return " and ".join(word if word == "points" else f"a {word}" for word in words)


def _complete_line_comment(record: Record, blank: Decision, mark: MarkInput) -> Decision:
    """Complete `blank` with the comment in `mark` on a line of code.

    Raises `UsageError` if that line does not exist, if the comment is missing, or if `mark` has
    anything else.
    """
    finding = line_finding(record, blank.subject)
    if finding is None:
        files = ", ".join(one_line(source.name, 60) for source in record.sources[:MAX_SHOWN])
        raise UsageError(
            f"there is no line {one_line(blank.subject, 60)} in the submission",
            help="give a file and the number of one of its lines, such as f.py:12; files in the"
            f" submission: {files or 'none'}",
        )
    if given := _given(mark, "points", "verdict", "penalty", "because"):
        raise UsageError(
            f"{given} cannot be given for a line of code, only a comment",
            help="leave out everything but the comment",
        )
    if not mark.comment.strip():
        raise UsageError("the comment is missing", help='add --comment "..."')
    return replace(blank, because=check_text(mark.comment, "comment"), finding=finding)


def _complete_answer(blank: Decision, mark: MarkInput) -> Decision:
    """Complete `blank` with how a question was answered, and with the note in `mark`.

    Raises `UsageError` if both are missing, or if `mark` contains anything else.
    """
    if given := _given(mark, "points", "penalty", "because"):
        raise UsageError(
            f"{given} cannot be given for a question",
            help="use --verdict good or --verdict poor, and --comment for a note",
        )
    if len(blank.subject) > _QUESTION_CHARS:
        raise UsageError(
            f"the question has more than {_QUESTION_CHARS} characters", help="shorten the question"
        )
    if mark.verdict.lower() not in _ANSWERS:
        raise UsageError(
            f"the verdict on an answer is good or poor, not {one_line(mark.verdict, 40)!r}",
            help="use --verdict good or --verdict poor",
        )
    verdict = _ANSWERS[mark.verdict.lower()]
    if verdict is None and not mark.comment.strip():
        raise UsageError(
            "both a verdict on the answer and a comment are missing",
            help="add --verdict good, --verdict poor or --comment TEXT",
        )
    return replace(blank, verdict=verdict, because=check_text(mark.comment, "note"))
