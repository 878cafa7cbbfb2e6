"""Decisions of a person about a submission, and the record with these applied.

A record says what the grader found, and never changes. Decisions are kept next to it: the points of
a case or a group, the verdict on a rule and its cost, a bonus, the total, a comment on the page or
at a line of code. `decided` applies them to the record, for every report. The last decision on a
subject is in force; it can be undone.

A decision changes the score by exactly the difference that it makes to its subject. The costs of
rules are not computed again: a decision on a case says nothing about a rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum, unique
from fractions import Fraction
from typing import Final, NamedTuple

from grader.judging.record import CaseResult, GroupResult, Record, RuleResult
from grader.judging.results import exact, shown
from grader.verdict import RuleVerdict


@unique
class Subject(StrEnum):
    """What a decision is about."""

    CASE = "case"
    GROUP = "group"
    """As a whole: decisions on its cases then have no effect."""
    RULE = "rule"
    PAGE = "page"
    """A comment on the whole page, without points."""
    LINE = "line"
    """A comment on a line of the code."""
    BONUS = "bonus"
    """Points added or taken: one for each item of a rubric, and one without an item."""
    TOTAL = "total"
    """The points of the submission, whatever its groups and rules add up to."""
    QUESTION = "question"
    """How a question was answered at the oral defence. Only staff see it: no report has it."""


COMMENTS: Final = frozenset({Subject.PAGE, Subject.LINE})
"""Subjects of comments."""
_LINE_CHARS_KEPT: Final = 200
"""Characters of a commented line of code that are kept with the comment."""


class Finding(NamedTuple):
    """What the grader found on the subject of a decision."""

    verdict: str | None
    """For a line of code its text; None for a group, a bonus or a total."""
    points: float
    """What it has earned; for a rule what it cost."""
    max_points: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision of one person on one subject."""

    uid: str
    """Its identifier, the same in every store that it is copied to."""
    at: str
    """When it was made, in UTC and ISO 8601."""
    by: str
    exercise: str
    student: str
    suite: str
    """The hash of the suite it was made on."""
    about: Subject
    subject: str
    """The id of the case, group or rule; for a line its file and number, as `f.py:12`; for a
    bonus the item of the rubric, if any; the text of a question; else ""."""
    is_undone: bool = False
    """Whether it only undoes the decision before it."""
    points: float | None = None
    """The points of the case, group or total; below 0 for a bonus that takes points."""
    verdict: RuleVerdict | None = None
    """For a rule its verdict; for a question PASSED or BROKEN: answered well or badly."""
    penalty: float | None = None
    """The cost of a broken rule."""
    because: str = ""
    """The reason, the comment, or the note on an answer."""
    finding: Finding | None = None
    """What the grader had found on its subject when it was made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """A decision in force, with what the grader finds on its subject."""

    decision: Decision
    finding: Finding | None
    """What it finds now; None if the subject is gone, as after a change of the suite."""
    is_overruled: bool = False
    """Whether it has no effect: a decision on the whole group, or on the total, replaces it."""

    @property
    def is_gone(self) -> bool:
        """Whether its subject no longer exists, so that it has no effect."""
        has_place = self.decision.about not in {Subject.PAGE, Subject.QUESTION}
        return self.finding is None and has_place

    @property
    def is_in_doubt(self) -> bool:
        """Whether the grader now finds something else than when it was made."""
        then, now = self.decision.finding, self.finding
        if then is None or now is None:
            return self.is_gone
        match self.decision.about:
            case Subject.RULE:
                return then.verdict != now.verdict
            case Subject.CASE:  # its points may depend on other cases of its clause
                return (then.verdict, then.max_points) != (now.verdict, now.max_points)
            case _:
                return then != now


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedRecord(Record):
    """A record with decisions applied."""

    found: Record
    """The record as graded."""
    decisions: tuple[Applied, ...]
    """Those in force, in the order in which they were made."""


_Key = tuple[Subject, str]
_TOTAL: Final = (Subject.TOTAL, "")
_BONUS: Final = (Subject.BONUS, "")
_LINE_NUMBER: Final = re.compile("[1-9][0-9]{0,6}")


def in_force(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """Return the `decisions`, in order, that no later one has replaced or undone."""
    last: dict[_Key, Decision] = {}
    for each in decisions:
        last.pop((each.about, each.subject), None)  # a dict keeps the position of a key
        if not each.is_undone:
            last[each.about, each.subject] = each
    return tuple(last.values())


def for_reports(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """Return the `decisions` in force that reports and students may see."""
    return tuple(each for each in in_force(decisions) if each.about is not Subject.QUESTION)


class MergedDecisions(NamedTuple):
    """The decisions to add to one copy of a run when another copy is merged into it."""

    added: tuple[Decision, ...]
    """Those only in the other copy, in order."""
    kept: tuple[Decision, ...]
    """Existing decisions later than the last of `added` on their subject: repeat them after it."""
    contested: tuple[Decision, ...]
    """The decisions in force on subjects on which the two copies had decided differently."""


def merged(existing: Sequence[Decision], incoming: Sequence[Decision]) -> MergedDecisions:
    """Return what merging `incoming` into `existing` adds; on each subject the later one wins.

    Both copies end up with the same decisions in force, in whatever order they are merged.
    """
    known = {each.uid for each in existing}
    added = tuple(each for each in incoming if each.uid not in known)
    of_existing, of_incoming, of_added = (
        {_target(each): each for each in decisions} for decisions in (existing, incoming, added)
    )
    pairs = {
        place: (of_existing[place], of_incoming[place])
        for place in of_added
        if place in of_existing
    }
    last = {place: max(pair, key=_sort_key) for place, pair in pairs.items()}
    contested = tuple(
        last[place] for place, pair in pairs.items() if _content(pair[0]) != _content(pair[1])
    )
    kept = tuple(
        each for place, each in last.items() if _content(each) != _content(of_added[place])
    )
    return MergedDecisions(added=added, kept=kept, contested=contested)


def _sort_key(decision: Decision) -> tuple[str, str]:
    """Return a key that sorts decisions of two copies by time."""
    # ISO 8601 in UTC sorts by time. Within a second, both copies must agree on some order.
    return decision.at, ascii(_content(decision))


def _target(decision: Decision) -> tuple[str, str, Subject, str]:
    return decision.exercise, decision.student, decision.about, decision.subject


def _content(decision: Decision) -> Decision:
    return replace(decision, uid="", at="", by="", suite="", finding=None)


def findings(record: Record) -> dict[_Key, Finding]:
    """Return what the grader found on each subject that has points."""
    found: dict[_Key, Finding] = {}
    for group in record.groups:
        found[Subject.GROUP, group.id] = Finding(None, group.points, group.max_points)
        for case in group.cases:
            finding = Finding(case.verdict.value, case.points, case.max_points)
            found[Subject.CASE, case.id] = finding
    for rule in record.rules:
        found[Subject.RULE, rule.id] = Finding(rule.verdict.value, rule.penalty, record.max_score)
    found[Subject.TOTAL, ""] = Finding(None, record.score, record.max_score)
    found[Subject.BONUS, ""] = Finding(None, 0.0, record.max_score)
    return found


def line_finding(record: Record, subject: str) -> Finding | None:
    """Return the finding for the line `subject`, such as `f.py:12`; None if it does not exist."""
    name, _, number = subject.rpartition(":")
    text = next((each.text for each in record.sources if each.name == name), "")
    # `splitlines` would also split at form feeds, which are not newlines in Python.
    lines = text.removesuffix("\n").split("\n") if text else []
    exists = _LINE_NUMBER.fullmatch(number) and int(number) <= len(lines)
    return Finding(lines[int(number) - 1].strip()[:_LINE_CHARS_KEPT], 0.0, 0.0) if exists else None


def decided(record: Record, decisions: Iterable[Decision]) -> Record:
    """Return `record` with `decisions`, which are in order, applied."""
    current = for_reports(decisions)
    if not current:
        return record
    by_key = {(each.about, each.subject): each for each in current}
    found: dict[_Key, Finding | None] = {**findings(record)}
    found.update((key, found[_BONUS]) for key in by_key if key[0] is Subject.BONUS)
    found.update((key, line_finding(record, key[1])) for key in by_key if key[0] is Subject.LINE)
    groups = tuple(_group(each, by_key) for each in record.groups)
    overruled = {
        (Subject.CASE, case.id)
        for group in record.groups
        if (Subject.GROUP, group.id) in by_key
        for case in group.cases
    }
    if _TOTAL in by_key:
        overruled.update(key for key in by_key if key[0] is Subject.BONUS)
    rules = tuple(_rule(each, by_key.get((Subject.RULE, each.id))) for each in record.rules)
    score = _adjusted(_score(record, groups, rules), record, by_key)
    changed = replace(record, groups=groups, rules=rules, score=score)
    return DecidedRecord(
        # `asdict` would copy deep.
        **{each.name: getattr(changed, each.name) for each in fields(Record)},
        found=record,
        decisions=tuple(
            Applied(decision=each, finding=found.get(key), is_overruled=key in overruled)
            for key, each in by_key.items()
        ),
    )


def _adjusted(score: float, record: Record, decisions: Mapping[_Key, Decision]) -> float:
    """Return `score` as changed by a decision on the total, or by bonuses."""
    total = decisions.get(_TOTAL)
    if total is not None and total.points is not None:
        return min(total.points, record.max_score)
    bonuses = [each.points or 0.0 for key, each in decisions.items() if key[0] is Subject.BONUS]
    if not bonuses:
        return score
    points = min(exact(score) + _total(bonuses), exact(record.max_score))
    return shown(max(Fraction(0), points))


def _score(record: Record, groups: tuple[GroupResult, ...], rules: tuple[RuleResult, ...]) -> float:
    """Return the score of `record` with its `groups` and `rules` as decided."""
    if all(each.points == each.max_points for each in groups) and not any(
        each.penalty for each in rules
    ):
        return record.max_score  # rounded points, such as three thirds, do not add up to it
    gained = _total(each.points for each in groups) - _total(each.points for each in record.groups)
    lost = _total(each.penalty for each in rules) - _total(each.penalty for each in record.rules)
    return shown(max(Fraction(0), exact(record.score) + gained - lost))


def _total(points: Iterable[float]) -> Fraction:
    return sum(map(exact, points), start=Fraction(0))


def _group(group: GroupResult, decisions: Mapping[_Key, Decision]) -> GroupResult:
    """Return `group` with the decisions on it or on its cases applied."""
    decision = decisions.get((Subject.GROUP, group.id))
    if decision is not None and decision.points is not None:
        return replace(group, points=min(decision.points, group.max_points))
    cases = tuple(_case(case, decisions.get((Subject.CASE, case.id))) for case in group.cases)
    if cases == group.cases:
        return group
    if all(each.points == each.max_points for each in cases):
        return replace(group, cases=cases, points=group.max_points)
    gained = _total(each.points for each in cases) - _total(each.points for each in group.cases)
    points = max(Fraction(0), min(exact(group.points) + gained, exact(group.max_points)))
    return replace(group, cases=cases, points=shown(points))


def _case(case: CaseResult, decision: Decision | None) -> CaseResult:
    if decision is None or decision.points is None:
        return case
    return replace(case, points=min(decision.points, case.max_points))


def _rule(rule: RuleResult, decision: Decision | None) -> RuleResult:
    if decision is None or decision.verdict is None:
        return rule
    penalty = decision.penalty or 0.0
    return replace(rule, verdict=decision.verdict, penalty=penalty, costs=rule.costs or penalty > 0)
