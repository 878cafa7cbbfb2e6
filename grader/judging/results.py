"""The results of cases and of rules, and the points that they are worth.

Cases share the points of their group: equally, unless a hidden suite sets the share that the
non-public cases earn together. Non-public cases of one clause earn what the worst of them earns:
keeping to a clause now and then is not keeping to it. Broken rules take points from a group or from
the whole, and never more than was earned. Arithmetic is exact until a number is shown, so points do
not depend on the order of adding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from collections.abc import Mapping as ByKey  # the tree of values has a Mapping, too
from collections.abc import Sequence as InOrder
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Final, NamedTuple, Protocol, TypeAlias

from grader.judging.pictures import CallsPicture
from grader.judging.record import HiddenTally, TableRow, TranscriptLine
from grader.messages import Message
from grader.sandbox.observation import CodePlace, Frame
from grader.sandbox.session_runs import SessionRun
from grader.suite.session import Session
from grader.values.tree import Array, Atom, Collection, Fields, Mapping, Sequence, Value
from grader.verdict import RuleVerdict, Verdict, Visibility

_WHOLE: Final = Fraction(1)
_HALF: Final = Fraction(1, 2)
_NOTHING: Final = Fraction(0)
MAX_KEPT_NODES: Final = 2_500
"""Nodes of the largest value that is kept for a picture: a submission may fail many cases."""
MAX_KEPT_CHARS: Final = 20_000


@dataclass(frozen=True, slots=True)
class _Values:
    """The expected value (None if several are right), and the actual one."""

    expected: Value | None
    got: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The verdict on a case, and why."""

    verdict: Verdict
    explanation: tuple[Message, ...] = ()
    """The first message is one sentence, the others add detail."""
    expected: str | None = None
    got: str | None = None
    evidence: str | None = None
    """For staff: how an executor died, or what went wrong on our side."""
    values: _Values | None = field(default=None, compare=False)
    """`expected` and `got` as values, where both are values or texts and small enough to keep."""
    calls: CallsPicture | None = field(default=None, compare=False)
    """The calls that were made, where the suite wants them drawn."""
    transcript: tuple[TranscriptLine, ...] = ()
    """The session that shows the failure."""
    frame: Frame | None = None
    """The innermost line of the submission that an unexpected exception came from."""
    cause: str | None = None
    """For SKIPPED: the code of the step that broke down, or the missing name or file."""
    too_deep: bool = False
    """Whether recursion went deeper than Python allows."""
    is_half_right: bool = False
    """Whether the right exception came with another message, which earns half the points."""
    part: Fraction = _NOTHING
    """The share of its points that a failed case earns because it passes with our helpers."""

    @property
    def credit(self) -> Fraction:
        """The share of its points that a case with this result has earned."""
        return _WHOLE if self.passed else max(self.part, _HALF * self.is_half_right)

    @property
    def passed(self) -> bool:
        """Whether everything was as expected."""
        return self.verdict is Verdict.PASSED


PASSED: Final = Result(verdict=Verdict.PASSED)
Results: TypeAlias = ByKey[str, Result]
"""The results of the cases of a session, by the id of the case."""


class TrialResult(NamedTuple):
    """One run of a session on a submission."""

    session: Session
    run: SessionRun
    """The run of the whole session."""
    missing: ByKey[str, Message]
    """Messages for required names that the submission does not define, by name."""


def values_to_keep(expected: Value | None, got: Value) -> _Values | None:
    """Return both values, or None if one of them is too large to keep."""
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
                # Cut before flattening, so that a huge mapping takes no time.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A place in the code that the evidence points to, and the name of what is there, if any."""

    place: CodePlace
    what: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """The verdict on one rule."""

    verdict: RuleVerdict
    evidence: tuple[Message, ...]
    """Why: the first message is one sentence, the others add detail."""
    hits: tuple[Hit, ...] = ()
    table: tuple[TableRow, ...] = ()


def passed(*evidence: Message) -> Ruling:
    """Return the ruling on a rule that the submission keeps to."""
    return Ruling(verdict=RuleVerdict.PASSED, evidence=evidence)


def broken(*evidence: Message, hits: tuple[Hit, ...] = ()) -> Ruling:
    """Return the ruling on a rule that the submission breaks."""
    return Ruling(verdict=RuleVerdict.BROKEN, evidence=evidence, hits=hits)


def review(*evidence: Message, hits: tuple[Hit, ...] = ()) -> Ruling:
    """Return the ruling on a rule that a person has to decide on."""
    return Ruling(verdict=RuleVerdict.REVIEW, evidence=evidence, hits=hits)


def skipped(*evidence: Message) -> Ruling:
    """Return the ruling on a rule for which there is nothing to judge."""
    return Ruling(verdict=RuleVerdict.SKIPPED, evidence=evidence)


SHOWN_DIGITS: Final = 4
"""Digits after the point in records: enough to add up to the score without surprise."""


class AskedCase(NamedTuple):
    """The facts about a case that its points depend on."""

    visibility: Visibility
    clause: str | None = None
    """The clause that settles it. Non-public cases of one clause earn their points together."""


def worths(
    group_points: float, cases: InOrder[AskedCase], hidden_share: float | None = None
) -> list[Fraction]:
    """Return what each of `cases`, all the cases of a group, is worth.

    `hidden_share` is the share of the points for non-public cases. Without it, or if all cases are
    of one kind, they share all the points. Within a share all clauses weigh the same, and so do
    the cases of a clause.
    """
    assert cases, "the loader refuses a group without cases, and a draw keeps one of each pool"
    units = _units(cases)
    sizes = Counter(units)
    are_public = {
        unit: each.visibility is Visibility.PUBLIC for unit, each in zip(units, cases, strict=True)
    }
    public_count, points = sum(are_public.values()), exact(group_points)
    # Only cases of one kind: there is nothing to split.
    share = None if hidden_share is None or public_count in {0, len(sizes)} else exact(hidden_share)

    @cache  # fractions are slow, and most cases are worth the same
    def worth(*, is_public: bool, size: int) -> Fraction:
        if share is None:
            return points / len(sizes) / size
        if is_public:
            return points * (1 - share) / public_count / size
        return points * share / (len(sizes) - public_count) / size

    return [worth(is_public=are_public[unit], size=sizes[unit]) for unit in units]


def earned(
    worths: Iterable[Fraction], cases: InOrder[AskedCase], results: InOrder[Result]
) -> list[Fraction]:
    """Return the points that each of `cases` has earned, given its worth and its result.

    A clause earns what the worst of its cases earns. Full credit is the same object as the worth,
    which callers compare by identity.
    """
    units = _units(cases)
    credit = _credit(units, results)
    return [
        worth * credit[unit] if unit in credit else worth
        for worth, unit in zip(worths, units, strict=True)
    ]


def hidden_tally(cases: InOrder[AskedCase], results: InOrder[Result]) -> HiddenTally | None:
    """Return how many demands of the hidden `cases` are met, or None if no case is hidden."""
    units = _units(cases)
    hidden = {
        unit
        for unit, each in zip(units, cases, strict=True)
        if each.visibility is Visibility.HIDDEN
    }
    if not hidden:
        return None
    credit = _credit(units, results)
    unmet = sum((1 - credit[unit] for unit in hidden if unit in credit), start=Fraction(0))
    return HiddenTally(demands=len(hidden), met=shown(len(hidden) - unmet))


def _credit(units: InOrder[object], results: InOrder[Result]) -> dict[object, Fraction]:
    """Return the share of its worth that each unit earned; units with full credit are left out."""
    credit: dict[object, Fraction] = {}
    for unit, result in zip(units, results, strict=True):
        if not result.passed:
            credit[unit] = min(credit.get(unit, _WHOLE), result.credit)
    return credit


def _units(cases: Iterable[AskedCase]) -> list[object]:
    """Return a key for each case; cases with equal keys, of one hidden clause, earn together."""
    return [
        # Numbers for single cases, texts for clauses: they cannot collide.
        index if case.clause is None or case.visibility is Visibility.PUBLIC else case.clause
        for index, case in enumerate(cases)
    ]


class _Priced(Protocol):
    """The facts about a rule that its cost depends on."""

    @property
    def id(self) -> str:
        """The name of the rule."""

    @property
    def group(self) -> str | None:
        """The group that loses points; None for the whole score."""

    @property
    def points(self) -> float | None:
        """The points it takes."""

    @property
    def cap(self) -> float | None:
        """The most points it leaves, if it sets a cap."""


def penalties(broken: Iterable[_Priced], earned: ByKey[str, Fraction]) -> dict[str, Fraction]:
    """Return the cost of each of the `broken` rules by its id, in their order.

    `earned` maps groups to their points. A rule takes at most what earlier rules have left.
    """
    remaining = dict(earned)
    from_score = Fraction(0)
    costs = {}
    for rule in broken:
        of_score = sum(remaining.values(), start=Fraction(0)) - from_score
        of_group = of_score if rule.group is None else min(of_score, remaining[rule.group])
        if rule.cap is not None:
            cost = max(Fraction(0), of_group - exact(rule.cap))
        else:
            cost = min(of_group, exact(rule.points or 0.0))
        if rule.group is None:
            # Costs of the whole score are kept apart, as no single group pays them.
            from_score += cost
        else:
            remaining[rule.group] -= cost
        costs[rule.id] = cost
    return costs


@cache
def exact(points: float) -> Fraction:
    """Return the decimal number written in the suite, not its nearest binary neighbour."""
    return Fraction(str(points))


def shown(points: Fraction) -> float:
    """Return `points` rounded as in records."""
    return round(float(points), SHOWN_DIGITS)
