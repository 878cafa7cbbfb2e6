"""What to mend first: what costs most, with everything that fails for the same reason.

A file that cannot be loaded comes before all else, and then a name that is not defined. Public
failures come before those that only hidden cases show, because there is something to look at.
Among these, a function comes before those that call it, unless it costs little beside them: if a
case fails that calls fewer functions of the submission, the mistake is in one of these. Among the
rest, what costs most comes first; if costs are close, what takes the fewest lines to show.

Failures have the same reason if an exception came from the same line of the submission, if a step
was not tried because another one failed, and else if they are in the same group. An exception from
a line or step that names a function with wrong answers is put down to that function, and so is a
case that passes with our own helper of that name. Hidden failures count like others, but together
with the public failures in their group, or with those for want of the same name: how they failed
would reveal what they ask. What is shown of them is what their group shows anyway.

If a person has decided on a group as a whole, its failures cost what it still loses: each its
share, and nothing if it has all its points.
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
"""The id of a group, and a failed case of it."""
_WORD: Final = re.compile(r"\w+")
_FAILED: Final = frozenset({Tone.BAD, Tone.IDLE})
_LOADING: Final = "skipped.module"
_MISSING: Final = "skipped.name"
"""Start of the keys of messages about cases that need a name which is not defined."""
_NEARLY: Final = 0.9
"""Losses of at least this part of the largest count as equal to it."""
_SERIOUS: Final = 1 / 7
"""What costs less than this part of its caller does not come before it."""
_CENT: Final = 0.01
"""Less than this does not show in a number of points."""
_MAX_PARTS: Final = 5
_NO_LINES: Final = 1_000
_BOUND: Final = re.compile(r"([^\W\d]\w*) *=(?!=)")


class _Rank(IntEnum):
    """How close to the root cause a reason is."""

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
    """The same case in the shortest session known to show it."""
    lost: float
    """Points lost by it, in all groups."""
    lost_in: tuple[tuple[VisibleGroup, float], ...]
    """The same by group, largest first."""


def first_to_mend(record: Record, groups: tuple[VisibleGroup, ...]) -> FirstToMend | None:
    """Return what to mend first in `record`, of which the student may see `groups`."""
    return next(to_mend(record, groups), None)


def to_mend(record: Record, groups: tuple[VisibleGroup, ...]) -> Iterator[FirstToMend]:
    """Yield what to mend in `record`, most urgent first; only `groups` are shown."""
    counterexamples = {group.id: group.counterexample for group in groups}
    called = _Called(record, counterexamples)
    shares = {group.id: _share_lost(group, record) for group in record.groups}
    failures = [
        (group.id, case)
        for group in record.groups
        if shares[group.id] and group.max_points  # what costs nothing is not to be mended first
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
        worst = min(
            most, key=lambda reason: _lines(telling[reason])
        )  # of equals the first in the suite
        yield _described(worst, telling.pop(worst), lost_in[worst], called, groups, record)


def _worst(
    lost: Mapping[_Reason, float], needs: Mapping[_Reason, frozenset[str]], called: _Called
) -> list[_Reason]:
    """Return the reasons that cost most, of the points `lost`, among those that call no other."""
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
    """Return for each group the one that kept its hidden cases from being tried: mostly itself.

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


def _described(
    reason: _Reason,
    failures: Sequence[_Failure],
    lost_in: Mapping[str, float],
    called: _Called,
    groups: tuple[VisibleGroup, ...],
    record: Record,
) -> FirstToMend:
    """Return what to say of these `failures` of one `reason`, with the points `lost_in` groups."""

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
    example = group.counterexample if public is None else _smallest(public, group)
    shortened = record.shortened
    is_shortened = example is not None and shortened is not None and shortened.id == example.id
    shown = shortened if is_shortened else example
    ranked = sorted(lost_in.items(), key=lambda each: -each[1])
    lost_there = tuple((by_id[id_], points) for id_, points in ranked if id_ in by_id)
    lost, whole = sum(lost_in.values()), record.max_score - record.score
    if abs(lost - whole) < _CENT:  # all of it: add up with the rounded score
        lost = round(record.max_score, 2) - round(record.score, 2)
    return FirstToMend(group=group, case=example, shown=shown, lost=lost, lost_in=lost_there)


def lost_by_part(first: FirstToMend, locale: Locale) -> str | None:
    """Return what `first` costs by part, None if that is just what its own part has lost."""
    own = first.group.max_points - first.group.points
    lost_in = [(group, points) for group, points in first.lost_in if points >= _CENT]
    if len(lost_in) < 2 and abs(first.lost - own) < _CENT:
        return None
    parts = "; ".join(_part(group, points, locale) for group, points in lost_in[:_MAX_PARTS])
    more = len(lost_in) - _MAX_PARTS
    if more > 0:
        parts += f" {locale('more', count=more)}"
    return locale("first_parts", parts=parts)


def _part(group: VisibleGroup, points: float, locale: Locale) -> str:
    """Return the `points` lost in `group` in words, with all it has lost if that is more."""
    text, lost = f"{one_line(group.title)} {locale.number(points)}", group.max_points - group.points
    return text if lost - points < _CENT else f"{text} / {locale.number(lost)}"


def _rank(failures: Sequence[_Failure], shown: Mapping[str, CaseResult | None]) -> _Rank:
    """Return how close to the root cause these `failures` of one reason are.

    A counterexample may be `shown` of groups with only hidden failures.
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
    """Return the number of lines of the shortest session that shows one of `failures`."""
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
    """Return what to mend first in `record`, None if nothing fails."""
    # Nothing fails for most of a class, so do not work out the rest.
    if all(case.verdict is Verdict.PASSED for group in record.groups for case in group.cases):
        return None
    return first_to_mend(record, visible_groups(record))


def first_case_to_mend(record: Record) -> str | None:
    """Return the id of the case that shows what to mend first in `record`, None without one."""
    first = first_of(record)
    return first.case.id if first is not None and first.case is not None else None


def _is_made_good(case: CaseResult) -> bool:
    """Return whether a person has given `case` all its points."""
    return case.points == case.max_points > 0


def _share_lost(group: GroupResult, record: Record) -> float:
    """Return which part of what the cases of `group` lose is still lost after decisions."""
    decisions = record.decisions if isinstance(record, DecidedRecord) else ()
    about = {(each.decision.about, each.decision.subject) for each in decisions}
    if (Subject.TOTAL, "") in about and record.score == record.max_score:
        return 0.0
    if (Subject.GROUP, group.id) not in about:
        return 1.0
    lost = sum(case.max_points - case.points for case in group.cases)
    return (group.max_points - group.points) / lost if lost else 0.0


def _lost_with_others(group: GroupResult) -> float:
    """Return the points that each failed hidden case of `group` costs in cases that passed.

    A clause is lost as a whole. The loss is spread, so as not to reveal which cases share a clause.
    """
    hidden = [case for case in group.cases if case.visibility is Visibility.HIDDEN]
    failed = sum(tone_of(case.verdict) in _FAILED for case in hidden)
    passed = (case for case in hidden if case.verdict is Verdict.PASSED)
    return sum(case.max_points - case.points for case in passed) / max(1, failed)


class _Called:
    """The functions of a submission that must be right for a case to pass."""

    def __init__(self, record: Record, shown: Mapping[str, CaseResult | None]) -> None:
        """Index the calls in `record`; `shown` has what each group shows of its hidden cases."""
        self._calls: Final = CallGraph(record.sources)
        self._shown: Final = shown

    def through(
        self, reason: _Reason, other: _Reason, needs: Mapping[_Reason, frozenset[str]]
    ) -> bool:
        """Return whether what fails for `reason` calls what fails for `other`."""
        # `other` fails with fewer functions, so its mistake is in one of these.
        if needs[other] and needs[other] < needs[reason]:
            return True
        own, others = self._function(reason), self._function(other)
        if own is None or others is None or own == others:
            return False
        return others in needs[reason] and own not in needs[other]

    def _function(self, reason: _Reason) -> str | None:
        """Return the function that `reason` is about, None if it is about none."""
        name = _WORD.match(reason[-1]) if reason[0] == "group" else None
        return name[0] if name is not None and name[0] in self._calls.functions else None

    def by_least(self, failures: Sequence[_Failure]) -> frozenset[str]:
        """Return the functions called by the one of `failures` shown that calls fewest."""
        shown = [
            (group, case)
            for group, case in failures
            if case.visibility is Visibility.PUBLIC or self._shown.get(group) is not None
        ]
        tried = [each for each in shown if tone_of(each[1].verdict) is Tone.BAD]
        return min(map(self.by, tried or shown or failures), key=len)

    def by(self, failure: _Failure) -> frozenset[str]:
        """Return the functions called where `failure` shows; a hidden one shows in its group."""
        group, case = failure
        if case.visibility is Visibility.PUBLIC:
            return self._calls.of("\n".join((*_making(case), case.code)))
        example = self._shown.get(group)
        lines = () if example is None else example.transcript
        tried = [line.code for line in lines if line.state is not LineStatus.NOT_REACHED]
        return self._calls.of("\n".join(tried) or (group if example is None else example.code))


def _making(case: CaseResult) -> Iterator[str]:
    """Yield the lines of the session of `case` that bind names in its own step."""
    named = {*_WORD.findall(case.code)}
    for line in case.transcript:
        if (bound := _BOUND.match(line.code)) is not None and bound[1] in named:
            yield line.code


def _absent(case: CaseResult) -> _Reason | None:
    """Return the file or name whose absence kept `case` from being tried, None if none did."""
    if not any(each.key == _LOADING or each.key.startswith(_MISSING) for each in case.explanation):
        return None
    if case.cause is not None:
        return ("cause", case.cause)
    return ("said", *(str(each.to_json()) for each in case.explanation[:1]))


class Reasons:
    """Finds the reason why each of some cases failed."""

    def __init__(self, failures: Sequence[_Failure]) -> None:
        """Index `failures`, each with the id of its group."""
        self._wrong: Final = {
            group
            for group, case in failures
            if case.verdict is Verdict.WRONG and case.visibility is Visibility.PUBLIC
        }
        self._of_steps: Final[dict[str, _Reason]] = {}
        self._public: Final[dict[str, _Reason]] = {}
        for group, case in failures:
            if case.cause is None:
                self._of_steps.setdefault(case.code, self.of(group, case))
        # After the loop above: `of` looks up the steps that it has filled in.
        for group, case in failures:
            if case.visibility is Visibility.PUBLIC and case.verdict is not Verdict.NOT_RUN:
                self._public.setdefault(group, self.of(group, case))

    def of(self, group: str, case: CaseResult) -> _Reason:
        """Return a reason that is equal for all cases that fail for the same reason as `case`."""
        if case.visibility is Visibility.HIDDEN:
            absent = _absent(case)
            known = [each for each in self._public.values() if each == absent]
            return self._public.get(group, known[0] if known else ("group", group))
        for said in case.explanation:
            if said.key == "stand_ins.helpers":
                helper = str(dict(said.parameters)["last"])
                return self._public.get(helper, ("group", helper))
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
