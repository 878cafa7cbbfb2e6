"""What a person decides about a submission, and a record as it is told with that.

A record says what was found, and nobody changes it. What a person decides stands beside it: what a
case or a group earns, whether a rule is kept, and what it costs, points more or fewer, the total, a
comment for the page or at a line of the code. `decided` puts both together, for every report. The
last word on something stands; it can be taken back.

A decision changes a score by the very difference that it makes where it was made. What rules took
is not weighed again: who decides on a case has decided nothing about a rule.
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
    """As a whole: what is decided on its cases counts for nothing then."""
    RULE = "rule"
    PAGE = "page"
    """The whole of it: a comment, which is no matter of points."""
    LINE = "line"
    """A line of the code: a comment too."""
    BONUS = "bonus"
    """Points more than all else comes to, or fewer: each item of a rubric, and one without."""
    TOTAL = "total"
    """What the submission earns, whatever all else comes to."""
    QUESTION = "question"
    """How a question was answered at the oral defence. Only staff see that: no report has it."""


COMMENTS: Final = frozenset({Subject.PAGE, Subject.LINE})
"""What can be commented on."""
_LINE_CHARS: Final = 200
"""Of a line of code that has a comment: they are kept with it."""


class Finding(NamedTuple):
    """What the grader found where a decision is made."""

    verdict: str | None
    """None for a group, a bonus or a total; of a line of code its text."""
    points: float
    """What it has earned; of a rule what it cost."""
    max_points: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What one person has decided on one thing, once."""

    uid: str
    """By which it is known in every store that it is carried to."""
    at: str
    """When, in UTC, as ISO 8601 has it."""
    by: str
    exercise: str
    student: str
    suite: str
    """The hash of the suite it was made on."""
    about: Subject
    subject: str
    """The id of the case, group or rule; of a line its file and number, as `f.py:12`; of a
    bonus the item of a rubric, if it is one; the words of a question; else ""."""
    is_undone: bool = False
    """Whether it only takes back what was decided before."""
    points: float | None = None
    """What a case, a group or the whole earns; of a bonus below 0 where points are taken."""
    verdict: RuleVerdict | None = None
    """Of a rule; of a question PASSED or BROKEN where it was answered well or badly."""
    penalty: float | None = None
    """What a rule that is broken costs."""
    because: str = ""
    """The reason, the comment, or the note on an answer."""
    finding: Finding | None = None
    """What was found there when it was made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """A decision that stands, beside what the record has there."""

    decision: Decision
    finding: Finding | None
    """What is found now; None if it is gone, as from a suite that was changed."""
    is_overruled: bool = False
    """Whether it is on a case of a group that is decided on as a whole, or a bonus on a total."""

    @property
    def is_gone(self) -> bool:
        """Whether what it is about is not there any more, so that it changes nothing."""
        has_place = self.decision.about not in {Subject.PAGE, Subject.QUESTION}
        return self.finding is None and has_place

    @property
    def is_in_doubt(self) -> bool:
        """Whether something else is found now than when it was made."""
        then, now = self.decision.finding, self.finding
        if then is None or now is None:
            return self.is_gone
        match self.decision.about:
            case Subject.RULE:
                return then.verdict != now.verdict
            case Subject.CASE:  # what it earned may hang on others of its clause
                return (then.verdict, then.max_points) != (now.verdict, now.max_points)
            case _:
                return then != now


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedRecord(Record):
    """A record as it is told: with what a person has decided."""

    found: Record
    """What the grader found, which is kept as it is."""
    decisions: tuple[Applied, ...]
    """Those that stand, in the order in which they were made."""


_Key = tuple[Subject, str]
_TOTAL: Final = (Subject.TOTAL, "")
_BONUS: Final = (Subject.BONUS, "")
_LINE_NUMBER: Final = re.compile("[1-9][0-9]{0,6}")


def standing(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """Return those of `decisions`, given in their order, that no later one has replaced."""
    last: dict[_Key, Decision] = {}
    for each in decisions:
        last.pop((each.about, each.subject), None)  # a key that stays keeps its old place in a dict
        if not each.is_undone:
            last[each.about, each.subject] = each
    return tuple(last.values())


def for_reports(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """Return those of `decisions` that stand and that reports and students may see."""
    return tuple(each for each in standing(decisions) if each.about is not Subject.QUESTION)


class MergedDecisions(NamedTuple):
    """What the decisions in one copy of a run need, so that those in another copy count as well."""

    added: tuple[Decision, ...]
    """Theirs, in their order."""
    kept: tuple[Decision, ...]
    """Later decisions than the last of `added` on the same things: they go behind these again."""
    clashes: tuple[tuple[Decision, Decision], ...]
    """Ours and theirs, where the last of both on the same thing differ."""


def merged(ours: Sequence[Decision], theirs: Sequence[Decision]) -> MergedDecisions:
    """Return what `ours` need to have all that `theirs` say; the later one on a thing stands.

    Both copies come to the same, in whatever order they are merged.
    """
    known = {each.uid for each in ours}
    added = tuple(each for each in theirs if each.uid not in known)
    own, other, new = ({_place(e): e for e in found} for found in (ours, theirs, added))
    pairs = {place: (own[place], other[place]) for place in new if place in own}
    clashes = [pair for pair in pairs.values() if _said(pair[0]) != _said(pair[1])]
    last = {place: max(pair, key=_moment) for place, pair in pairs.items()}
    kept = tuple(each for place, each in last.items() if _said(each) != _said(new[place]))
    return MergedDecisions(added=added, kept=kept, clashes=tuple(clashes))


def _moment(decision: Decision) -> tuple[str, str]:
    """Return what orders decisions of two copies; at the same second, anything but their order."""
    # ISO 8601 in UTC sorts by time.
    return decision.at, ascii(_said(decision))


def _place(decision: Decision) -> tuple[str, str, Subject, str]:
    return decision.exercise, decision.student, decision.about, decision.subject


def _said(decision: Decision) -> Decision:
    return replace(decision, uid="", at="", by="", suite="", finding=None)


def findings(record: Record) -> dict[_Key, Finding]:
    """Return what was found, wherever something can be decided that is about points."""
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
    """Return what stands at a line, given as `f.py:12`, or None if there is no such line."""
    name, _, number = subject.rpartition(":")
    text = next((each.text for each in record.sources if each.name == name), "")
    # `splitlines` would also split at form feeds, which are no line ends in Python.
    lines = text.removesuffix("\n").split("\n") if text else []
    is_there = _LINE_NUMBER.fullmatch(number) and int(number) <= len(lines)
    return Finding(lines[int(number) - 1].strip()[:_LINE_CHARS], 0.0, 0.0) if is_there else None


def decided(record: Record, decisions: Iterable[Decision]) -> Record:
    """Return `record` as it is told with all `decisions` on it, given in their order."""
    stands = for_reports(decisions)
    if not stands:
        return record
    by_key = {(each.about, each.subject): each for each in stands}
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
    score = _given(_score(record, groups, rules), record, by_key)
    told = replace(record, groups=groups, rules=rules, score=score)
    return DecidedRecord(
        # `asdict` would copy deep.
        **{each.name: getattr(told, each.name) for each in fields(Record)},
        found=record,
        decisions=tuple(
            Applied(decision=each, finding=found.get(key), is_overruled=key in overruled)
            for key, each in by_key.items()
        ),
    )


def _given(score: float, record: Record, decisions: Mapping[_Key, Decision]) -> float:
    """Return what becomes of `score` by a total, or by bonuses."""
    total = decisions.get(_TOTAL)
    if total is not None and total.points is not None:
        return min(total.points, record.max_score)
    bonuses = [each.points or 0.0 for key, each in decisions.items() if key[0] is Subject.BONUS]
    if not bonuses:
        return score
    points = min(exact(score) + _total(bonuses), exact(record.max_score))
    return shown(max(Fraction(0), points))


def _score(record: Record, groups: tuple[GroupResult, ...], rules: tuple[RuleResult, ...]) -> float:
    if all(each.points == each.max_points for each in groups) and not any(
        each.penalty for each in rules
    ):
        return record.max_score  # rounded points, such as three thirds, do not add up to it
    won = _total(each.points for each in groups) - _total(each.points for each in record.groups)
    lost = _total(each.penalty for each in rules) - _total(each.penalty for each in record.rules)
    return shown(max(Fraction(0), exact(record.score) + won - lost))


def _total(points: Iterable[float]) -> Fraction:
    return sum(map(exact, points), start=Fraction(0))


def _group(group: GroupResult, decisions: Mapping[_Key, Decision]) -> GroupResult:
    own = decisions.get((Subject.GROUP, group.id))
    if own is not None and own.points is not None:
        return replace(group, points=min(own.points, group.max_points))
    cases = tuple(_case(case, decisions.get((Subject.CASE, case.id))) for case in group.cases)
    if cases == group.cases:
        return group
    if all(each.points == each.max_points for each in cases):
        return replace(group, cases=cases, points=group.max_points)
    won = _total(each.points for each in cases) - _total(each.points for each in group.cases)
    points = max(Fraction(0), min(exact(group.points) + won, exact(group.max_points)))
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
