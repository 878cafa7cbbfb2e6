"""What to mend first: the cause of most, together with all that fails for the same reason.

A file that cannot be loaded comes before all else, and then a name that is not defined. What fails
in the open comes before what only hidden cases show, as there is something to look at. Of these a
function comes before those that call it, unless it costs little beside them: what fails with fewer
functions of the submission has its mistake in one of these. Of the rest it is what costs most;
where that is much the same, what takes the fewest lines to show.

Failures have the same reason where an exception came from the same line of the submission, where a
step was not tried because another one failed, and else where they are in the same group. A line
that names a function of which a group fails itself, fails because of that function, and so does a
step that is stopped by what it got, and one that passes with our own helper of that name. Hidden
failures count like others, but with what fails in the open in their group, or for want of a name
that is missed in the open: how they failed would tell what they ask. What is shown of them is what
their group shows anyway.

Where a person has decided on a group as a whole, its failures cost what it still loses: each its
share, and nothing where it has all its points.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, TypeAlias

from grader.judging.deciding import DecidedRecord, Subject
from grader.judging.record import CaseResult, GroupResult, LineStatus, Record, fails_alike
from grader.reporting.call_order import CallGraph
from grader.reporting.visibility import VisibleGroup, visible_groups
from grader.reporting.wording import Locale, Tone, tone_of
from grader.values.foreign_text import one_line
from grader.verdict import Verdict, Visibility

_Reason: TypeAlias = tuple[str, ...]
_Failure: TypeAlias = tuple[str, CaseResult]
"""The id of the group, and a case of it that failed."""
_WORD: Final = re.compile(r"\w+")
_FAILED: Final = frozenset({Tone.BAD, Tone.IDLE})
_LOADING: Final = "skipped.module"
_MISSING: Final = "skipped.name"
"""How what is said of a case begins that needs a name which is not there."""
_NEARLY: Final = 0.9
"""Losses that are this part of the largest are much the same."""
_SERIOUS: Final = 1 / 7
"""What costs less than this part of what calls it does not come before that."""
_CENT: Final = 0.01
"""Less than this is not to be seen in a number of points."""
_MOST_PARTS: Final = 5
_NO_LINES: Final = 1_000
_BOUND: Final = re.compile(r"([^\W\d]\w*) *=(?!=)")


class _Rank(IntEnum):
    """How near to the root of all a reason is."""

    LOADING = 0
    MISSING = 1
    OPEN = 2
    HIDDEN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstToMend:
    """Where the student should begin."""

    group: VisibleGroup
    case: CaseResult | None
    """A public case that shows it, or else the counterexample of the group, if there is one."""
    shown: CaseResult | None
    """The same in the shortest session that is known to show it."""
    lost: float
    """Points that are lost by it, wherever that is."""
    lost_in: tuple[tuple[VisibleGroup, float], ...]
    """The same by group, most first."""


def first_to_mend(record: Record, groups: tuple[VisibleGroup, ...]) -> FirstToMend | None:
    """Return what to mend first of `record`, of which the student may see `groups`."""
    return next(to_mend(record, groups), None)


def to_mend(record: Record, groups: tuple[VisibleGroup, ...]) -> Iterator[FirstToMend]:
    """Yield what to mend of `record`, what comes first first; only `groups` are shown."""
    counterexamples = {group.id: group.counterexample for group in groups}
    called = _Called(record, counterexamples)
    shares = {group.id: _share_lost(group, record) for group in record.groups}
    failures = [
        (group.id, case)
        for group in record.groups
        if shares[group.id] and group.max_points
        for case in group.cases
        if tone_of(case.verdict) in _FAILED
        and case.visibility is not Visibility.STAFF
        and not _is_made_good(case)
    ]
    reasons = Reasons(failures)
    lost_in: dict[_Reason, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    telling: dict[_Reason, list[_Failure]] = defaultdict(list)
    silent = {group.id: _lost_with_others(group) for group in record.groups}
    kept_by = _kept_by(failures, counterexamples)
    for group_id, case in failures:
        is_hidden = case.visibility is Visibility.HIDDEN
        reason = reasons.of(kept_by[group_id] if is_hidden else group_id, case)
        with_others = silent[group_id] if is_hidden else 0.0
        points = shares[group_id] * (case.max_points - case.points + with_others)
        lost_in[reason][group_id] += points
        if case.verdict is not Verdict.NOT_RUN:
            telling[reason].append((group_id, case))
    ranks = {reason: _rank(some, counterexamples) for reason, some in telling.items()}
    lost = {reason: sum(lost_in[reason].values()) for reason in telling}
    needs = {reason: called.by_least(some) for reason, some in telling.items()}
    while telling:
        best = min(ranks[reason] for reason in telling)
        left = {reason: lost[reason] for reason in telling if ranks[reason] == best}
        most = _worst(left, needs, called)
        worst = min(most, key=lambda reason: _lines(telling[reason]))  # of equals, as in the suite
        yield _told(worst, telling.pop(worst), lost_in[worst], called, groups, record)


def _worst(
    lost: Mapping[_Reason, float], needs: Mapping[_Reason, frozenset[str]], called: _Called
) -> list[_Reason]:
    """Return which of the reasons that `lost` points cost most, of those that call no other one."""
    roots = [
        reason
        for reason, points in lost.items()
        if not any(
            called.through(reason, other, needs)
            for other, others in lost.items()
            if others >= _SERIOUS * points
        )
    ]
    most = max(lost[reason] for reason in roots or lost)
    return [reason for reason in roots or lost if lost[reason] >= _NEARLY * most]


def _kept_by(
    failures: Sequence[_Failure], shown: Mapping[str, CaseResult | None]
) -> Mapping[str, str]:
    """Return, by group, the one that its hidden cases were not tried for; it is itself for most.

    What is `shown` of such a group is a step of another function, which raised.
    """
    found = {group: group for group, _ in failures}
    tried = {
        group
        for group, case in failures
        if case.visibility is Visibility.HIDDEN and case.verdict is not Verdict.SKIPPED
    }
    for group in found.keys() - tried:
        example = shown.get(group)
        if example is not None and example.verdict is Verdict.ERROR:
            words = _WORD.findall(example.code)
            found[group] = next((word for word in words if word in found), group)
    return found


def _told(
    reason: _Reason,
    failures: Sequence[_Failure],
    lost_in: Mapping[str, float],
    called: _Called,
    groups: tuple[VisibleGroup, ...],
    record: Record,
) -> FirstToMend:
    """Return what is told of these `failures` of one `reason`, which is `lost_in` these groups."""

    def worth(failure: _Failure) -> tuple[bool, bool, bool, int, float]:
        group_id, case = failure
        is_public = case.visibility is Visibility.PUBLIC
        is_own = group_id in reason
        is_bad = tone_of(case.verdict) is Tone.BAD
        return is_public, is_bad, is_own, -len(called.by(failure)), lost_in[group_id]

    group_id, case = max(failures, key=worth)
    by_id = {each.id: each for each in groups}
    group = by_id[group_id]
    public = next((each for each in group.cases if each.id == case.id), None)
    told = group.counterexample if public is None else _smallest(public, group)
    shortened = record.shortened
    is_shortened = told is not None and shortened is not None and shortened.id == told.id
    shown = shortened if is_shortened else told
    ranked = sorted(lost_in.items(), key=lambda each: -each[1])
    lost_there = tuple((by_id[id_], points) for id_, points in ranked if id_ in by_id)
    lost, whole = sum(lost_in.values()), record.max_score - record.score
    if abs(lost - whole) < _CENT:  # all that is lost is what the score on the page leaves
        lost = round(record.max_score, 2) - round(record.score, 2)
    return FirstToMend(group=group, case=told, shown=shown, lost=lost, lost_in=lost_there)


def lost_by_part(first: FirstToMend, locale: Locale) -> str | None:
    """Return what `first` costs by part; None where that is all that its own part has lost."""
    own = first.group.max_points - first.group.points
    lost_in = [(group, points) for group, points in first.lost_in if points >= _CENT]
    if len(lost_in) < 2 and abs(first.lost - own) < _CENT:
        return None
    told = "; ".join(_part(group, points, locale) for group, points in lost_in[:_MOST_PARTS])
    more = len(lost_in) - _MOST_PARTS
    return locale("first_parts", parts=f"{told} {locale('more', count=more)}" if more > 0 else told)


def _part(group: VisibleGroup, points: float, locale: Locale) -> str:
    """Return that so many `points` are lost in `group`, and of how many if it has lost more."""
    told, lost = f"{one_line(group.title)} {locale.number(points)}", group.max_points - group.points
    return told if lost - points < _CENT else f"{told} / {locale.number(lost)}"


def _rank(failures: Sequence[_Failure], shown: Mapping[str, CaseResult | None]) -> _Rank:
    """Return how near to the root of all these `failures` of one reason are.

    Where groups have only hidden ones, a counterexample may be `shown`.
    """
    keys = [each.key for _, case in failures for each in case.explanation]
    if _LOADING in keys:
        return _Rank.LOADING
    if any(key.startswith(_MISSING) for key in keys):
        return _Rank.MISSING
    is_open = any(
        case.visibility is Visibility.PUBLIC or shown.get(group_id) for group_id, case in failures
    )
    return _Rank.OPEN if is_open else _Rank.HIDDEN


def _lines(failures: Sequence[_Failure]) -> int:
    """Return how many lines it takes to show one of `failures`."""
    shown = (len(case.transcript) for _, case in failures if case.transcript)
    return min(shown, default=_NO_LINES)


def _smallest(case: CaseResult, group: VisibleGroup) -> CaseResult:
    """Return the case of `group` that fails as `case` does and has the shortest session."""
    alike = [
        each
        for each in group.cases
        if each.transcript and fails_alike(each, case) and not _is_made_good(each)
    ]
    return min(alike, key=lambda each: len(each.transcript), default=case)


def first_of(record: Record) -> FirstToMend | None:
    """Return what to mend first of `record`; most of a class has nothing."""
    if all(case.verdict is Verdict.PASSED for group in record.groups for case in group.cases):
        return None
    return first_to_mend(record, visible_groups(record))


def first_case_to_mend(record: Record) -> str | None:
    """Return the id of the case that shows what to mend first of `record`, if one does."""
    first = first_of(record)
    return first.case.id if first is not None and first.case is not None else None


def _is_made_good(case: CaseResult) -> bool:
    """Return whether a person has given `case` all its points."""
    return case.points == case.max_points > 0


def _share_lost(group: GroupResult, record: Record) -> float:
    """Return how much of what the cases of `group` lose is lost after all, as persons decided."""
    decisions = record.decisions if isinstance(record, DecidedRecord) else ()
    about = {(each.decision.about, each.decision.subject) for each in decisions}
    if (Subject.TOTAL, "") in about and record.score == record.max_score:
        return 0.0
    if (Subject.GROUP, group.id) not in about:
        return 1.0
    lost = sum(case.max_points - case.points for case in group.cases)
    return (group.max_points - group.points) / lost if lost else 0.0


def _lost_with_others(group: GroupResult) -> float:
    """Return what each hidden case of `group` that failed takes with it of those that passed.

    A clause is lost as a whole; which of the cases belong together is nobody's business here.
    """
    hidden = [case for case in group.cases if case.visibility is Visibility.HIDDEN]
    failed = sum(tone_of(case.verdict) in _FAILED for case in hidden)
    passed = (case for case in hidden if case.verdict is Verdict.PASSED)
    return sum(case.max_points - case.points for case in passed) / max(1, failed)


class _Called:
    """The functions of a submission that have to be right for a case to pass."""

    def __init__(self, record: Record, shown: Mapping[str, CaseResult | None]) -> None:
        """Know the submission of `record`, and what is `shown` of the hidden cases of a group."""
        self._calls: Final = CallGraph(record.sources)
        self._shown: Final = shown

    def through(
        self, reason: _Reason, other: _Reason, needs: Mapping[_Reason, frozenset[str]]
    ) -> bool:
        """Return whether what fails for `reason` calls what fails for the `other`."""
        if needs[other] and needs[other] < needs[reason]:
            return True
        own, others = self._function(reason), self._function(other)
        if own is None or others is None or own == others:
            return False
        return others in needs[reason] and own not in needs[other]

    def _function(self, reason: _Reason) -> str | None:
        """Return the function that a `reason` is about, if it is about one."""
        name = _WORD.match(reason[-1]) if reason[0] == "group" else None
        return name[0] if name is not None and name[0] in self._calls.functions else None

    def by_least(self, failures: Sequence[_Failure]) -> frozenset[str]:
        """Return those of the one of `failures` with the fewest, of those that show anything."""
        shown = [
            (group, case)
            for group, case in failures
            if case.visibility is Visibility.PUBLIC or self._shown.get(group) is not None
        ]
        tried = [each for each in shown if tone_of(each[1].verdict) is Tone.BAD]
        return min(map(self.by, tried or shown or failures), key=len)

    def by(self, failure: _Failure) -> frozenset[str]:
        """Return those that are called where `failure` shows; of a hidden one its group says it."""
        group, case = failure
        if case.visibility is Visibility.PUBLIC:
            return self._calls.of("\n".join((*_making(case), case.code)))
        example = self._shown.get(group)
        lines = () if example is None else example.transcript
        tried = [line.code for line in lines if line.state is not LineStatus.NOT_REACHED]
        return self._calls.of("\n".join(tried) or (group if example is None else example.code))


def _making(case: CaseResult) -> Iterator[str]:
    """Yield the lines of the session of `case` that make what its own step names."""
    named = {*_WORD.findall(case.code)}
    for line in case.transcript:
        if (bound := _BOUND.match(line.code)) is not None and bound[1] in named:
            yield line.code


def _absent(case: CaseResult) -> _Reason | None:
    """Return for which file or name that is not there `case` was not tried, if that is why."""
    if not any(each.key == _LOADING or each.key.startswith(_MISSING) for each in case.explanation):
        return None
    if case.cause is not None:
        return ("cause", case.cause)
    return ("said", *(str(each.to_json()) for each in case.explanation[:1]))


class Reasons:
    """Why each of some cases failed, as far as that can be told."""

    def __init__(self, failures: Sequence[_Failure]) -> None:
        """Know what there is to know from `failures`, each with the id of its group."""
        self._wrong: Final = {
            group
            for group, case in failures
            if case.verdict is Verdict.WRONG and case.visibility is Visibility.PUBLIC
        }
        self._of_steps: Final[dict[str, _Reason]] = {}
        self._in_the_open: Final[dict[str, _Reason]] = {}
        for group, case in failures:
            if case.cause is None:
                self._of_steps.setdefault(case.code, self.of(group, case))
        for group, case in failures:
            if case.visibility is Visibility.PUBLIC and case.verdict is not Verdict.NOT_RUN:
                self._in_the_open.setdefault(group, self.of(group, case))

    def of(self, group: str, case: CaseResult) -> _Reason:
        """Return what is the same for all that fail for the reason of `case`."""
        if case.visibility is Visibility.HIDDEN:
            absent = _absent(case)
            known = [each for each in self._in_the_open.values() if each == absent]
            return self._in_the_open.get(group, known[0] if known else ("group", group))
        for said in case.explanation:
            if said.key == "stand_ins.helpers":
                helper = str(dict(said.parameters)["last"])
                return self._in_the_open.get(helper, ("group", helper))
        if case.cause is not None:
            return self._of_steps.get(case.cause, ("cause", case.cause))
        if case.verdict is Verdict.SKIPPED:  # such as one whose module cannot be loaded
            return ("said", *(str(each.to_json()) for each in case.explanation[:1]))
        if case.verdict is not Verdict.ERROR or group in self._wrong:
            return ("group", group)
        source = case.source
        text = case.code if source is None else source.text
        other = next((word for word in _WORD.findall(text) if word in self._wrong), None)
        if other is not None:
            return ("group", other)
        return ("group", group) if source is None else ("line", source.file, str(source.line))
