"""A person's decisions about a submission, and a record with decisions applied.

A record has the grader's findings and never changes. Decisions are stored next to it: the points of
a case or a group, the verdict on a rule and its cost, a bonus, the total, a comment on the page or
on a line of code. `apply_decisions` applies them to the record for every report. The last decision
on a subject is in force; it can be undone.

A decision changes the score by exactly the difference that it makes to its subject. The costs of
rules are not recomputed, as a decision on a case does not concern any rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum, unique
from fractions import Fraction
from typing import Final, NamedTuple

from grader.judging.record import CaseResult, GroupResult, Record, RuleResult
from grader.judging.results import exact, round_points
from grader.verdict import RuleVerdict


@unique
class Subject(StrEnum):
    """What a decision is about."""

    CASE = "case"
    GROUP = "group"
    """The whole group. A decision on it makes decisions on its cases ineffective."""
    RULE = "rule"
    PAGE = "page"
    """A comment on the whole page, without points."""
    LINE = "line"
    """A comment on a line of the code."""
    BONUS = "bonus"
    """Points added or deducted: one decision per rubric item, and one without an item."""
    TOTAL = "total"
    """The points of the submission, whatever its groups and rules add up to."""
    QUESTION = "question"
    """How a question was answered at the oral defence. Only staff see it; no report shows it."""


COMMENTS: Final = frozenset({Subject.PAGE, Subject.LINE})
"""Subjects of comments."""
_LINE_CHARS_KEPT: Final = 200
"""How many characters of a commented line of code are stored with the comment."""


class Finding(NamedTuple):
    """What the grader found about the subject of a decision."""

    verdict: str | None
    """The verdict on a case or a rule, or the text of a line of code; None for a group, a bonus or
    a total."""
    points: float
    """The points that the subject earned; for a rule, its cost."""
    max_points: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision of one person on one subject."""

    uid: str
    """The identifier, the same in every store that the decision is copied to."""
    at: str
    """When the decision was made: UTC in ISO 8601."""
    by: str
    exercise: str
    student: str
    suite: str
    """The hash of the suite when the decision was made."""
    about: Subject
    subject: str
    """The id of a case, group or rule; the file and number of a line, such as `f.py:12`; the rubric
    item of a bonus, if any; the text of a question; otherwise ""."""
    is_undone: bool = False
    """Whether this decision only undoes the previous one on the subject."""
    points: float | None = None
    """The points of the case, group or total; negative for a bonus that deducts points."""
    verdict: RuleVerdict | None = None
    """The verdict on a rule. For a question, PASSED means answered well, BROKEN badly."""
    penalty: float | None = None
    """The cost of a broken rule."""
    because: str = ""
    """The reason, the text of the comment, or the note on an answer."""
    finding: Finding | None = None
    """The grader's finding on the subject when the decision was made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedDecision:
    """A decision in force, with the grader's current finding on its subject."""

    decision: Decision
    finding: Finding | None
    """None if the subject no longer exists, for instance after a change of the suite."""
    is_overruled: bool = False
    """Whether a decision on the whole group or on the total makes this one ineffective."""

    @property
    def is_gone(self) -> bool:
        """Whether the subject no longer exists, so that the decision has no effect."""
        needs_finding = self.decision.about not in {Subject.PAGE, Subject.QUESTION}
        return self.finding is None and needs_finding

    @property
    def is_in_doubt(self) -> bool:
        """Whether the grader's finding has changed since the decision was made."""
        old_finding, new_finding = self.decision.finding, self.finding
        if old_finding is None or new_finding is None:
            return self.is_gone
        match self.decision.about:
            case Subject.RULE:
                return old_finding.verdict != new_finding.verdict
            case Subject.CASE:  # not the points, which can depend on other cases of the clause
                return (old_finding.verdict, old_finding.max_points) != (
                    new_finding.verdict,
                    new_finding.max_points,
                )
            case _:
                return old_finding != new_finding


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedRecord(Record):
    """A record with decisions applied."""

    original: Record
    """The record as graded."""
    decisions: tuple[AppliedDecision, ...]
    """The decisions in force, in the order in which they were made."""


_Key = tuple[Subject, str]
_TOTAL: Final = (Subject.TOTAL, "")
_BONUS: Final = (Subject.BONUS, "")
_LINE_NUMBER: Final = re.compile("[1-9][0-9]{0,6}")
"""Of limited length, because `int` rejects very long numbers."""


def in_force(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """Return those of `decisions` that no later one replaces or undoes, oldest first.

    `decisions` must be sorted by time.
    """
    latest: dict[_Key, Decision] = {}
    for decision in decisions:
        key = decision.about, decision.subject
        latest.pop(key, None)  # otherwise the dict would keep the old position
        if not decision.is_undone:
            latest[key] = decision
    return tuple(latest.values())


def for_reports(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """Return the `decisions` in force, without those on questions, which are for staff only."""
    return tuple(
        decision for decision in in_force(decisions) if decision.about is not Subject.QUESTION
    )


class MergedDecisions(NamedTuple):
    """The decisions to add to one copy of a run when another copy is merged into it."""

    added: tuple[Decision, ...]
    """Decisions that only the other copy has, in order."""
    kept: tuple[Decision, ...]
    """Existing decisions that are later than the last of `added` on the same subject. They have to
    be appended again, so that they stay in force."""
    contested: tuple[Decision, ...]
    """The decisions in force on each subject on which the two copies disagreed."""


def merge_decisions(existing: Sequence[Decision], incoming: Sequence[Decision]) -> MergedDecisions:
    """Return what to add to `existing` to merge `incoming`; the later decision on a subject wins.

    Two copies of a run end up with the same decisions in force, whichever is merged into the other.
    """
    known_uids = {decision.uid for decision in existing}
    added = tuple(decision for decision in incoming if decision.uid not in known_uids)
    last_existing, last_incoming, last_added = (
        {_target(decision): decision for decision in decisions}
        for decisions in (existing, incoming, added)
    )
    pairs = {
        target: (last_existing[target], last_incoming[target])
        for target in last_added
        if target in last_existing
    }
    latest = {target: max(pair, key=_sort_key) for target, pair in pairs.items()}
    contested = tuple(
        latest[target]
        for target, (existing_decision, incoming_decision) in pairs.items()
        if _content(existing_decision) != _content(incoming_decision)
    )
    later_decisions = tuple(
        decision
        for target, decision in latest.items()
        if _content(decision) != _content(last_added[target])
    )
    return MergedDecisions(added=added, kept=later_decisions, contested=contested)


def _sort_key(decision: Decision) -> tuple[str, str]:
    """Return a key that sorts the decisions of two copies of a run by time."""
    # ISO 8601 in UTC sorts by time. Within the same second, the content decides, so that the order
    # does not depend on which copy is merged into which.
    return decision.at, ascii(_content(decision))


def _target(decision: Decision) -> tuple[str, str, Subject, str]:
    """Return the subject of `decision`, with its student and exercise."""
    return decision.exercise, decision.student, decision.about, decision.subject


def _content(decision: Decision) -> Decision:
    """Return `decision` for comparison, without its id, time, author, suite and finding."""
    return replace(decision, uid="", at="", by="", suite="", finding=None)


def findings(record: Record) -> dict[_Key, Finding]:
    """Return the findings in `record` on all subjects that have points, keyed by subject and id."""
    by_key: dict[_Key, Finding] = {}
    for group in record.groups:
        by_key[Subject.GROUP, group.id] = Finding(None, group.points, group.max_points)
        for case in group.cases:
            finding = Finding(case.verdict.value, case.points, case.max_points)
            by_key[Subject.CASE, case.id] = finding
    for rule in record.rules:
        finding = Finding(rule.verdict.value, rule.penalty, record.max_score)
        by_key[Subject.RULE, rule.id] = finding
    by_key[_TOTAL] = Finding(None, record.score, record.max_score)
    by_key[_BONUS] = Finding(None, 0.0, record.max_score)
    return by_key


def line_finding(record: Record, subject: str) -> Finding | None:
    """Return the text of line `subject`, such as `f.py:12`, as a finding.

    Return None if `record` has no such line.
    """
    name, _, number = subject.rpartition(":")
    text = next((source.text for source in record.sources if source.name == name), "")
    # `splitlines` would also split at form feeds, which are not newlines in Python.
    lines = text.removesuffix("\n").split("\n") if text else []
    exists = _LINE_NUMBER.fullmatch(number) and int(number) <= len(lines)
    return Finding(lines[int(number) - 1].strip()[:_LINE_CHARS_KEPT], 0.0, 0.0) if exists else None


def apply_decisions(record: Record, decisions: Iterable[Decision]) -> Record:
    """Return `record` after applying those of `decisions` that are in force and meant for reports.

    `decisions` must be sorted by time. Return `record` itself if none applies.
    """
    decisions_in_force = for_reports(decisions)
    if not decisions_in_force:
        return record
    by_key = {(decision.about, decision.subject): decision for decision in decisions_in_force}
    current_findings: dict[_Key, Finding | None] = {**findings(record)}
    for about, subject in by_key:
        if about is Subject.BONUS:
            current_findings[about, subject] = current_findings[_BONUS]
        elif about is Subject.LINE:
            current_findings[about, subject] = line_finding(record, subject)
    groups = tuple(_apply_to_group(group, by_key) for group in record.groups)
    overruled = {
        (Subject.CASE, case.id)
        for group in record.groups
        if (Subject.GROUP, group.id) in by_key
        for case in group.cases
    }
    if _TOTAL in by_key:
        overruled.update(key for key in by_key if key[0] is Subject.BONUS)
    rules = tuple(
        _apply_to_rule(rule, by_key.get((Subject.RULE, rule.id))) for rule in record.rules
    )
    score = _adjust_score(_score(record, groups, rules), record, by_key)
    decided_record = replace(record, groups=groups, rules=rules, score=score)
    return DecidedRecord(
        # `asdict` would make deep copies.
        **{field.name: getattr(decided_record, field.name) for field in fields(Record)},
        original=record,
        decisions=tuple(
            AppliedDecision(
                decision=decision,
                finding=current_findings.get(key),
                is_overruled=key in overruled,
            )
            for key, decision in by_key.items()
        ),
    )


def _adjust_score(score: float, record: Record, decisions: Mapping[_Key, Decision]) -> float:
    """Return `score` after a decision on the total, or else after adding bonuses.

    The result is at most the maximum score of `record`.
    """
    total = decisions.get(_TOTAL)
    if total is not None and total.points is not None:
        return min(total.points, record.max_score)
    bonuses = [
        decision.points or 0.0 for key, decision in decisions.items() if key[0] is Subject.BONUS
    ]
    if not bonuses:
        return score
    points = min(exact(score) + _exact_sum(bonuses), exact(record.max_score))
    return round_points(max(Fraction(0), points))


def _score(record: Record, groups: tuple[GroupResult, ...], rules: tuple[RuleResult, ...]) -> float:
    """Return the score of `record` after its groups and rules are replaced with the given ones."""
    if all(group.points == group.max_points for group in groups) and not any(
        rule.penalty for rule in rules
    ):
        return record.max_score  # rounded points, such as three thirds, do not add up to this
    gained = _exact_sum(group.points for group in groups) - _exact_sum(
        group.points for group in record.groups
    )
    lost = _exact_sum(rule.penalty for rule in rules) - _exact_sum(
        rule.penalty for rule in record.rules
    )
    return round_points(max(Fraction(0), exact(record.score) + gained - lost))


def _exact_sum(points: Iterable[float]) -> Fraction:
    return sum(map(exact, points), start=Fraction(0))


def _apply_to_group(group: GroupResult, decisions: Mapping[_Key, Decision]) -> GroupResult:
    """Return `group` after a decision on it, or else after the decisions on its cases."""
    decision = decisions.get((Subject.GROUP, group.id))
    if decision is not None and decision.points is not None:
        return replace(group, points=min(decision.points, group.max_points))
    cases = tuple(
        _apply_to_case(case, decisions.get((Subject.CASE, case.id))) for case in group.cases
    )
    if cases == group.cases:
        return group
    if all(case.points == case.max_points for case in cases):
        return replace(group, cases=cases, points=group.max_points)
    gained = _exact_sum(case.points for case in cases) - _exact_sum(
        case.points for case in group.cases
    )
    points = max(Fraction(0), min(exact(group.points) + gained, exact(group.max_points)))
    return replace(group, cases=cases, points=round_points(points))


def _apply_to_case(case: CaseResult, decision: Decision | None) -> CaseResult:
    """Return `case` with the points of `decision`, if any, up to the maximum."""
    if decision is None or decision.points is None:
        return case
    return replace(case, points=min(decision.points, case.max_points))


def _apply_to_rule(rule: RuleResult, decision: Decision | None) -> RuleResult:
    """Return `rule` with the verdict and penalty of `decision`, if any."""
    if decision is None or decision.verdict is None:
        return rule
    penalty = decision.penalty or 0.0
    return replace(rule, verdict=decision.verdict, penalty=penalty, costs=rule.costs or penalty > 0)
