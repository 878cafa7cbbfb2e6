"""The results of cases and of rules, and the points that they are worth.

Cases share the points of their group: equally, unless a hidden suite sets the share that the non-
public cases earn together. Each non-public case of a clause earns the credit of the worst case of
the clause, because a clause that is met only sometimes is not met. Broken rules deduct points from
a group or from the whole score, but never more than was earned. Arithmetic is exact until a number
is shown, so points do not depend on the order of addition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from collections.abc import Mapping as AbcMapping  # `grader.values.tree` has a Mapping, too
from collections.abc import Sequence as AbcSequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Final, NamedTuple, Protocol, TypeAlias

from grader.judging.pictures import CallsPicture
from grader.judging.record import CaseResult, GroupResult, HiddenTally, TableRow, TranscriptLine
from grader.messages import Message, message
from grader.sandbox.observation import CodePlace, Frame
from grader.sandbox.session_runs import SessionRun
from grader.suite.rules import Rule
from grader.suite.session import Session
from grader.values.foreign_text import one_line
from grader.values.tree import Array, Atom, Collection, Fields, Mapping, Sequence, Value
from grader.verdict import RuleVerdict, Verdict, Visibility

_WHOLE: Final = Fraction(1)
_HALF: Final = Fraction(1, 2)
_NOTHING: Final = Fraction(0)
MAX_KEPT_NODES: Final = 2_500
"""The maximum number of nodes in a value that is kept for a picture. Many cases can fail, so it is
low."""
MAX_KEPT_CHARS: Final = 20_000
"""The same for the characters of each string in such a value."""


@dataclass(frozen=True, slots=True)
class _Values:
    """The expected value (None if several are right), and the actual one."""

    expected: Value | None
    got: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The verdict on a case, and the reasons for it."""

    verdict: Verdict
    explanation: tuple[Message, ...] = ()
    """The first message is one sentence, the others add details."""
    expected: str | None = None
    got: str | None = None
    evidence: str | None = None
    """For staff: how an executor died, or what failed on our side."""
    values: _Values | None = field(default=None, compare=False)
    """`expected` and `got` as values, if both are values or strings and small enough to keep."""
    calls: CallsPicture | None = field(default=None, compare=False)
    """The calls that were made, if the suite has them drawn."""
    transcript: tuple[TranscriptLine, ...] = ()
    """The session that shows the failure."""
    frame: Frame | None = None
    """The innermost line of the submission that an unexpected exception came from."""
    cause: str | None = None
    """For SKIPPED: the code of the step that broke down, or the missing name or file."""
    too_deep: bool = False
    """Whether the case exceeded Python's recursion limit."""
    is_half_right: bool = False
    """Whether the right exception was raised with a wrong message, which earns half the points."""
    part: Fraction = _NOTHING
    """The fraction of the points that a failed case earns because it passes with our helpers."""

    @property
    def credit(self) -> Fraction:
        """The fraction of its points that a case with this result earns."""
        return _WHOLE if self.passed else max(self.part, _HALF * self.is_half_right)

    @property
    def passed(self) -> bool:
        """Whether everything was as expected."""
        return self.verdict is Verdict.PASSED


PASSED: Final = Result(verdict=Verdict.PASSED)
Results: TypeAlias = AbcMapping[str, Result]
"""The results of cases, keyed by case id."""


class TrialResult(NamedTuple):
    """One run of a session on a submission."""

    session: Session
    run: SessionRun
    """The run of the whole session."""
    missing: AbcMapping[str, Message]
    """Messages about required names that the submission does not define, keyed by name."""


def values_to_keep(expected: Value | None, got: Value) -> _Values | None:
    """Return both values for drawing, or None if one of them is too large to keep."""
    if _is_small(got) and (expected is None or _is_small(expected)):
        return _Values(expected, got)
    return None


def _is_small(value: Value) -> bool:
    """Return whether `value` is small enough to keep, visiting at most `MAX_KEPT_NODES` nodes."""
    pending = [value]
    for _ in range(MAX_KEPT_NODES):
        if not pending:
            return True
        match pending.pop():
            case Sequence(items=items) | Collection(items=items) | Array(items=items):
                parts = items
            case Mapping(items=pairs):
                # Truncate before flattening, so that a huge mapping takes no time.
                parts = tuple(part for pair in pairs[:MAX_KEPT_NODES] for part in pair)
            case Fields(items=fields):
                parts = tuple(part for _, part in fields)
            case Atom(str() as text) if len(text) > MAX_KEPT_CHARS:
                return False
            case _:
                parts = ()
        if len(parts) > MAX_KEPT_NODES:
            return False
        pending += parts
    return not pending


def fail_alike(first: CaseResult, second: CaseResult) -> bool:
    """Return whether both cases fail with the same verdict and the same first message.

    If the verdict is ERROR, both must also have raised at the same line.
    """
    return (
        first.verdict is second.verdict
        and [reason.key for reason in first.explanation[:1]]
        == [reason.key for reason in second.explanation[:1]]
        and (first.verdict is not Verdict.ERROR or first.source == second.source)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A position in the code that the evidence points to, with an optional name for the code."""

    place: CodePlace
    what: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """The verdict on one rule."""

    verdict: RuleVerdict
    evidence: tuple[Message, ...]
    """The reasons: the first message is one sentence, the others add details."""
    hits: tuple[Hit, ...] = ()
    table: tuple[TableRow, ...] = ()


def passed_ruling(*evidence: Message) -> Ruling:
    """Return the PASSED ruling on a rule that the submission follows."""
    return Ruling(verdict=RuleVerdict.PASSED, evidence=evidence)


def broken_ruling(*evidence: Message, hits: tuple[Hit, ...] = ()) -> Ruling:
    """Return the BROKEN ruling on a rule that the submission breaks."""
    return Ruling(verdict=RuleVerdict.BROKEN, evidence=evidence, hits=hits)


def review_ruling(*evidence: Message, hits: tuple[Hit, ...] = ()) -> Ruling:
    """Return the REVIEW ruling on a rule that a person has to decide."""
    return Ruling(verdict=RuleVerdict.REVIEW, evidence=evidence, hits=hits)


def skipped_ruling(*evidence: Message) -> Ruling:
    """Return the SKIPPED ruling on a rule that cannot be judged."""
    return Ruling(verdict=RuleVerdict.SKIPPED, evidence=evidence)


def adjust_to_points(rule: Rule, ruling: Ruling, groups: AbcMapping[str, GroupResult]) -> Ruling:
    """Return `ruling`, changed if it contradicts the points of the rule's function.

    A function that earned no points cannot pass a rule. If a function passes all its cases but its
    rule was skipped, a person decides, because the function might detect probes. `groups` are the
    results of all groups, keyed by id.
    """
    function, group = rule.about, groups.get(rule.group or "")
    if function is None or group is None:
        return ruling
    if ruling.verdict is RuleVerdict.PASSED and not group.points:
        return skipped_ruling(message("rule.not_working", function=one_line(function, 80)))
    if ruling.verdict is RuleVerdict.SKIPPED and 0 < group.max_points == group.points:
        return review_ruling(*ruling.evidence, message("rule.elsewhere"))
    return ruling


SHOWN_DIGITS: Final = 4
"""Digits after the decimal point in records, enough for points to add up to the score."""


class ScoredCase(NamedTuple):
    """The properties of a case that its points depend on."""

    visibility: Visibility
    clause: str | None = None
    """The clause that settles the case. Non-public cases of one clause earn points together."""


def case_worths(
    group_points: float, cases: AbcSequence[ScoredCase], hidden_share: float | None = None
) -> list[Fraction]:
    """Return the maximum points of each of `cases`, which must be all cases of a group.

    `hidden_share` is the fraction of the points for non-public cases. Without it, or if all cases
    are public or none is, the points are not split into two shares. Within a share, all clauses
    weigh the same, and so do the cases of a clause.
    """
    assert cases, "the loader rejects a group without cases, and a draw keeps one of each pool"
    units = _units(cases)
    sizes = Counter(units)
    are_public = {
        unit: case.visibility is Visibility.PUBLIC for unit, case in zip(units, cases, strict=True)
    }
    public_count, points = sum(are_public.values()), exact(group_points)
    # If all units are public or none is, there is nothing to split.
    share = None if hidden_share is None or public_count in {0, len(sizes)} else exact(hidden_share)

    @cache  # arithmetic with fractions is slow, and most cases are worth the same
    def worth(*, is_public: bool, size: int) -> Fraction:
        """Return the maximum points of a case in a unit of `size` cases."""
        if share is None:
            return points / len(sizes) / size
        if is_public:
            return points * (1 - share) / public_count / size
        return points * share / (len(sizes) - public_count) / size

    return [worth(is_public=are_public[unit], size=sizes[unit]) for unit in units]


def points_earned(
    worths: Iterable[Fraction], cases: AbcSequence[ScoredCase], results: AbcSequence[Result]
) -> list[Fraction]:
    """Return the points that each of `cases` earned, given its worth and its result.

    All cases of a clause earn the credit of the worst one. For full credit, the returned object is
    the worth itself, so that callers can compare by identity.
    """
    units = _units(cases)
    credit = _partial_credit_by_unit(units, results)
    return [
        worth * credit[unit] if unit in credit else worth
        for worth, unit in zip(worths, units, strict=True)
    ]


def hidden_tally(
    cases: AbcSequence[ScoredCase], results: AbcSequence[Result]
) -> HiddenTally | None:
    """Return how many demands of the hidden cases among `cases` are met.

    Return None if none is hidden.
    """
    units = _units(cases)
    hidden = {
        unit
        for unit, case in zip(units, cases, strict=True)
        if case.visibility is Visibility.HIDDEN
    }
    if not hidden:
        return None
    credit = _partial_credit_by_unit(units, results)
    unmet = sum((1 - credit[unit] for unit in hidden if unit in credit), start=Fraction(0))
    return HiddenTally(demands=len(hidden), met=round_points(len(hidden) - unmet))


def _partial_credit_by_unit(
    units: AbcSequence[object], results: AbcSequence[Result]
) -> dict[object, Fraction]:
    """Return the fraction of its worth that each unit earned, unless it earned full credit."""
    credit: dict[object, Fraction] = {}
    for unit, result in zip(units, results, strict=True):
        if not result.passed:
            credit[unit] = min(credit.get(unit, _WHOLE), result.credit)
    return credit


def _units(cases: Iterable[ScoredCase]) -> list[object]:
    """Return the unit of each case, a key. Non-public cases of the same clause share a unit."""
    return [
        # Single cases have numbers and clauses have strings, so the keys cannot collide.
        index if case.clause is None or case.visibility is Visibility.PUBLIC else case.clause
        for index, case in enumerate(cases)
    ]


class _RuleWithCost(Protocol):
    """The properties of a rule that its cost depends on."""

    @property
    def id(self) -> str:
        """The id of the rule."""

    @property
    def group(self) -> str | None:
        """The group that loses points; None for the whole score."""

    @property
    def points(self) -> float | None:
        """The points that breaking the rule costs."""

    @property
    def cap(self) -> float | None:
        """The maximum points that are left after breaking the rule, if it sets a cap."""


def penalties(
    broken: Iterable[_RuleWithCost], earned: AbcMapping[str, Fraction]
) -> dict[str, Fraction]:
    """Return the cost of each of the `broken` rules, keyed by id, in the same order.

    `earned` maps group ids to points. A rule costs at most the points that earlier rules left.
    """
    remaining = dict(earned)
    score_deduction = Fraction(0)
    costs = {}
    for rule in broken:
        score_left = sum(remaining.values(), start=Fraction(0)) - score_deduction
        group_left = score_left if rule.group is None else min(score_left, remaining[rule.group])
        if rule.cap is not None:
            cost = max(Fraction(0), group_left - exact(rule.cap))
        else:
            cost = min(group_left, exact(rule.points or 0.0))
        if rule.group is None:
            # Costs to the whole score are kept separate, because they belong to no single group.
            score_deduction += cost
        else:
            remaining[rule.group] -= cost
        costs[rule.id] = cost
    return costs


@cache
def exact(points: float) -> Fraction:
    """Return `points` as the exact decimal number written in the suite, not as the binary float."""
    return Fraction(str(points))


def round_points(points: Fraction) -> float:
    """Return `points` as a float, rounded as in records."""
    return round(float(points), SHOWN_DIGITS)
