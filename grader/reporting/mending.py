"""Determines what a student should mend first: the reason for failures that costs most points.

A file that cannot be loaded comes before everything else, followed by a name that is not defined.
Reasons that make public cases fail come before reasons that make only hidden cases fail, because
the student can look at public cases. Within each of these ranks, a function comes before its
callers, unless it costs little compared with them: if a case that calls fewer functions fails, the
mistake is in one of those functions. Among the remaining reasons, the one that costs the most
points comes first or, if several cost about the same, the one that takes the fewest lines to show.

Which failures have the same reason is explained in `failure_reasons`. Hidden failures count like
public ones, but nothing is shown of a hidden failure that its group does not show anyway.

If a person has decided on a group as a whole, its failures share the loss that remains; they cost
nothing if the group has all its points.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from grader.judging.deciding import DecidedRecord, Subject
from grader.judging.record import CaseResult, GroupResult, LineStatus, Record
from grader.judging.results import fail_alike
from grader.reporting.call_order import CallGraph
from grader.reporting.failure_reasons import (
    MISSING_MODULE,
    MISSING_NAME,
    Failure,
    Reason,
    Reasons,
    blocking_groups,
)
from grader.reporting.visibility import VisibleGroup, visible_groups
from grader.reporting.wording import Locale, Tone, tone_of
from grader.values.foreign_text import one_line
from grader.verdict import Verdict, Visibility

_WORD: Final = re.compile(r"\w+")
_FAILED: Final = frozenset({Tone.BAD, Tone.IDLE})
_TIE_FRACTION: Final = 0.9
"""Losses of at least this fraction of the largest loss count as equal to it."""
_MIN_FRACTION: Final = 1 / 7
"""A function that costs less than this fraction of its caller does not come before it."""
_CENT: Final = 0.01
"""The smallest loss that is visible in a number of points."""
_MAX_PARTS: Final = 5
_UNKNOWN_LENGTH: Final = 1_000
"""Stands for the length of a session if no session shows the failure, so that it comes last."""
_BINDING: Final = re.compile(r"([^\W\d]\w*) *=(?!=)")
"""Matches the start of an assignment to a name."""


class _Rank(IntEnum):
    """The order of reasons: those closest to the root cause come first."""

    LOADING = 0
    MISSING = 1
    OPEN = 2
    HIDDEN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstToMend:
    """Where the student should begin."""

    group: VisibleGroup
    case: CaseResult | None
    """A public case that shows the mistake, or else the counterexample of the group, if any."""
    shown: CaseResult | None
    """The same case in the shortest session known to show the mistake."""
    points_lost: float
    """The points that the mistake costs in all groups together."""
    lost_by_group: tuple[tuple[VisibleGroup, float], ...]
    """The points that the mistake costs in each group, largest first."""


def first_to_mend(record: Record, groups: tuple[VisibleGroup, ...]) -> FirstToMend | None:
    """Return what to mend first in `record`, or None if no failure costs points.

    `groups` are those that the student is allowed to see.
    """
    return next(things_to_mend(record, groups), None)


def things_to_mend(record: Record, groups: tuple[VisibleGroup, ...]) -> Iterator[FirstToMend]:
    """Yield what to mend in `record`, most urgent first, showing only the visible `groups`."""
    counterexamples = {group.id: group.counterexample for group in groups}
    calls = _Calls(record, counterexamples)
    shares = {group.id: _remaining_loss(group, record) for group in record.groups}
    failures = list(_costly_failures(record, shares))
    reasons = Reasons(failures)
    lost_by_reason: dict[Reason, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    by_reason: dict[Reason, list[Failure]] = defaultdict(list)
    hidden_extra = {group.id: _shared_loss(group) for group in record.groups}
    blocking = blocking_groups(failures, counterexamples)
    for group_id, case in failures:
        is_hidden = case.visibility is Visibility.HIDDEN
        reason = reasons.reason_for(blocking[group_id] if is_hidden else group_id, case)
        extra = hidden_extra[group_id] if is_hidden else 0.0
        points = shares[group_id] * (case.max_points - case.points + extra)
        lost_by_reason[reason][group_id] += points
        # A case that never ran costs points, but it cannot show a mistake.
        if case.verdict is not Verdict.NOT_RUN:
            by_reason[reason].append((group_id, case))
    ranks = {
        reason: _rank(reason_failures, counterexamples)
        for reason, reason_failures in by_reason.items()
    }
    points_lost = {reason: sum(lost_by_reason[reason].values()) for reason in by_reason}
    needs = {
        reason: calls.fewest_called(reason_failures)
        for reason, reason_failures in by_reason.items()
    }
    while by_reason:
        best_rank = min(ranks[reason] for reason in by_reason)
        candidates = {
            reason: points_lost[reason] for reason in by_reason if ranks[reason] == best_rank
        }
        costliest = _costliest(candidates, needs, calls)
        # Of equals, `min` returns the first in the suite.
        next_reason = min(costliest, key=lambda reason: _shortest_session(by_reason[reason]))
        yield _first_to_mend(
            next_reason,
            by_reason.pop(next_reason),
            lost_by_reason[next_reason],
            calls,
            groups,
            record,
        )


def _costly_failures(record: Record, shares: Mapping[str, float]) -> Iterator[Failure]:
    """Yield the failed cases of `record` that cost points and do not belong to staff.

    `shares` has the fraction of each group's loss that remains after decisions.
    """
    for group in record.groups:
        if not (shares[group.id] and group.max_points):
            continue
        for case in group.cases:
            is_failed = tone_of(case.verdict) in _FAILED and not _has_all_points(case)
            if is_failed and case.visibility is not Visibility.STAFF:
                yield group.id, case


def _costliest(
    points_lost: Mapping[Reason, float], needs: Mapping[Reason, frozenset[str]], calls: _Calls
) -> list[Reason]:
    """Return the root reasons that cost the most points: several if their costs are close.

    A root is a reason whose code calls no code behind another reason, unless the other reason costs
    little. If there are no roots, because calls are circular, all reasons are considered. `needs`
    has the functions that must be right for each reason.
    """
    roots = [
        reason
        for reason, points in points_lost.items()
        if not any(
            calls.depends_on(reason, other_reason, needs)
            for other_reason, other_points in points_lost.items()
            if other_points >= _MIN_FRACTION * points
        )
    ]
    highest = max(points_lost[reason] for reason in roots or points_lost)
    return [
        reason for reason in roots or points_lost if points_lost[reason] >= _TIE_FRACTION * highest
    ]


def _first_to_mend(
    reason: Reason,
    failures: Sequence[Failure],
    loss_by_group: Mapping[str, float],
    calls: _Calls,
    groups: tuple[VisibleGroup, ...],
    record: Record,
) -> FirstToMend:
    """Return what to mend for `failures`, which all have the same `reason`.

    `loss_by_group` has the points that the reason costs, keyed by group id. `groups` are those that
    the student is allowed to see.
    """

    def relevance(failure: Failure) -> tuple[bool, bool, bool, int, float]:
        """Return a sort key by which the failure that best shows the mistake is the largest."""
        group_id, case = failure
        is_public = case.visibility is Visibility.PUBLIC
        is_group_of_reason = group_id in reason
        is_bad = tone_of(case.verdict) is Tone.BAD
        function_count = len(calls.functions_in(failure))
        return is_public, is_bad, is_group_of_reason, -function_count, loss_by_group[group_id]

    group_id, case = max(failures, key=relevance)
    by_id = {visible.id: visible for visible in groups}
    group = by_id[group_id]
    public = next((visible for visible in group.cases if visible.id == case.id), None)
    example = group.counterexample if public is None else _shortest_alike(public, group)
    shortened = record.shortened
    is_shortened = example is not None and shortened is not None and shortened.id == example.id
    shown = shortened if is_shortened else example
    ranked = sorted(loss_by_group.items(), key=lambda item: -item[1])
    visible_losses = tuple((by_id[id_], points) for id_, points in ranked if id_ in by_id)
    points_lost, total_lost = sum(loss_by_group.values()), record.max_score - record.score
    # If nothing else costs points, the student can compare the loss with the rounded score.
    if abs(points_lost - total_lost) < _CENT:
        points_lost = round(record.max_score, 2) - round(record.score, 2)
    return FirstToMend(
        group=group,
        case=example,
        shown=shown,
        points_lost=points_lost,
        lost_by_group=visible_losses,
    )


def lost_by_part(first: FirstToMend, locale: Locale) -> str | None:
    """Return a sentence about the points that `first` costs in each part of the exercise.

    Returns None if these points are exactly those lost in the part of `first` itself.
    """
    group_loss = first.group.max_points - first.group.points
    losses = [(group, points) for group, points in first.lost_by_group if points >= _CENT]
    if len(losses) < 2 and abs(first.points_lost - group_loss) < _CENT:
        return None
    parts = "; ".join(_part_text(group, points, locale) for group, points in losses[:_MAX_PARTS])
    more = len(losses) - _MAX_PARTS
    if more > 0:
        parts += f" {locale('more', count=more)}"
    return locale("first_parts", parts=parts)


def _part_text(group: VisibleGroup, points: float, locale: Locale) -> str:
    """Return the title of `group`, the `points` lost in it, and its whole loss if larger."""
    text, loss = f"{one_line(group.title)} {locale.number(points)}", group.max_points - group.points
    if loss - points < _CENT:
        return text
    return locale("first_part_of", part=text, lost=locale.number(loss))


def _rank(failures: Sequence[Failure], counterexamples: Mapping[str, CaseResult | None]) -> _Rank:
    """Return how close to the root cause the reason for these `failures` is.

    `counterexamples` has the counterexample of each group, which a student can look at like a
    public case.
    """
    keys = [message.key for _, case in failures for message in case.explanation]
    if MISSING_MODULE in keys:
        return _Rank.LOADING
    if any(key.startswith(MISSING_NAME) for key in keys):
        return _Rank.MISSING
    is_open = any(
        case.visibility is Visibility.PUBLIC or counterexamples.get(group_id)
        for group_id, case in failures
    )
    return _Rank.OPEN if is_open else _Rank.HIDDEN


def _shortest_session(failures: Sequence[Failure]) -> int:
    """Return the number of lines of the shortest session that shows one of `failures`."""
    lengths = (len(case.transcript) for _, case in failures if case.transcript)
    return min(lengths, default=_UNKNOWN_LENGTH)


def _shortest_alike(case: CaseResult, group: VisibleGroup) -> CaseResult:
    """Return the case of `group` with the shortest session that fails in the same way as `case`.

    Returns `case` itself if no session is known.
    """
    similar_cases = [
        candidate
        for candidate in group.cases
        if candidate.transcript and fail_alike(candidate, case) and not _has_all_points(candidate)
    ]
    return min(similar_cases, key=lambda candidate: len(candidate.transcript), default=case)


def find_first_to_mend(record: Record) -> FirstToMend | None:
    """Return what the student should mend first in `record`, or None if no failure costs points."""
    # A shortcut, because nothing fails for most students.
    if all(case.verdict is Verdict.PASSED for group in record.groups for case in group.cases):
        return None
    return first_to_mend(record, visible_groups(record))


def first_case_to_mend(record: Record) -> str | None:
    """Return the id of the case that shows what to mend first, or None if there is none."""
    first = find_first_to_mend(record)
    return first.case.id if first is not None and first.case is not None else None


def _has_all_points(case: CaseResult) -> bool:
    """Return whether a failed `case` has all its points, because a person gave them."""
    return case.points == case.max_points > 0


def _remaining_loss(group: GroupResult, record: Record) -> float:
    """Return the fraction of the loss of `group` that remains after decisions by people.

    This is 0 if a person gave all points of the exercise, and 1 if nobody decided on the group.
    """
    decisions = record.decisions if isinstance(record, DecidedRecord) else ()
    subjects = {(applied.decision.about, applied.decision.subject) for applied in decisions}
    if (Subject.TOTAL, "") in subjects and record.score == record.max_score:
        return 0.0
    if (Subject.GROUP, group.id) not in subjects:
        return 1.0
    loss = sum(case.max_points - case.points for case in group.cases)
    return (group.max_points - group.points) / loss if loss else 0.0


def _shared_loss(group: GroupResult) -> float:
    """Return how many points of passed hidden cases each failed hidden case of `group` costs.

    A clause earns points only if all its cases pass, so a failed case also costs the points of
    the passed ones. The loss is averaged, so that it does not reveal which cases share a clause.
    """
    hidden = [case for case in group.cases if case.visibility is Visibility.HIDDEN]
    failed_count = sum(tone_of(case.verdict) in _FAILED for case in hidden)
    passed_cases = (case for case in hidden if case.verdict is Verdict.PASSED)
    return sum(case.max_points - case.points for case in passed_cases) / max(1, failed_count)


class _Calls:
    """Finds the functions of a submission that must be right for a case to pass."""

    def __init__(self, record: Record, counterexamples: Mapping[str, CaseResult | None]) -> None:
        """Index the calls in `record`; `counterexamples` has the counterexample of each group."""
        self._calls: Final = CallGraph(record.sources)
        self._counterexamples: Final = counterexamples

    def depends_on(
        self, reason: Reason, other_reason: Reason, needs: Mapping[Reason, frozenset[str]]
    ) -> bool:
        """Return whether the code that fails for `reason` calls the code behind `other_reason`.

        `needs` has the functions that must be right for each reason.
        """
        # The other failure calls only some of the functions that this failure calls, so the mistake
        # is in one of those few.
        if needs[other_reason] and needs[other_reason] < needs[reason]:
            return True
        function, other_function = self._function(reason), self._function(other_reason)
        if function is None or other_function is None or function == other_function:
            return False
        return other_function in needs[reason] and function not in needs[other_reason]

    def _function(self, reason: Reason) -> str | None:
        """Return the function that `reason` blames, or None if it does not blame a function."""
        # The id of a group usually starts with the name of the function that it tests.
        name = _WORD.match(reason[-1]) if reason[0] == "group" else None
        return name[0] if name is not None and name[0] in self._calls.functions else None

    def fewest_called(self, failures: Sequence[Failure]) -> frozenset[str]:
        """Return the functions called in the visible failure that calls the fewest.

        Failures whose case was not tried are considered only if no other failure is visible, and
        hidden failures only if no failure is visible.
        """
        visible_failures = [
            (group, case)
            for group, case in failures
            if case.visibility is Visibility.PUBLIC or self._counterexamples.get(group) is not None
        ]
        tried_failures = [
            failure for failure in visible_failures if tone_of(failure[1].verdict) is Tone.BAD
        ]
        return min(map(self.functions_in, tried_failures or visible_failures or failures), key=len)

    def functions_in(self, failure: Failure) -> frozenset[str]:
        """Return the functions called in `failure`.

        For a hidden failure, these are the functions called in the counterexample of its group or,
        if there is none, in the id of the group.
        """
        group, case = failure
        if case.visibility is Visibility.PUBLIC:
            return self._calls.called_by("\n".join((*_binding_lines(case), case.code)))
        example = self._counterexamples.get(group)
        lines = () if example is None else example.transcript
        tried_code = [line.code for line in lines if line.state is not LineStatus.NOT_REACHED]
        return self._calls.called_by(
            "\n".join(tried_code) or (group if example is None else example.code)
        )


def _binding_lines(case: CaseResult) -> Iterator[str]:
    """Yield the lines in the session of `case` that bind names used in the step of the case."""
    names = {*_WORD.findall(case.code)}
    for line in case.transcript:
        if (binding := _BINDING.match(line.code)) is not None and binding[1] in names:
            yield line.code
