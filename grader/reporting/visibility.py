"""What of a record a student may see: the one door to every report that students read.

A public case passes in full, save for what is meant for staff. Of a hidden case only the verdict
passes, and what its suite lets be told of such a failure: lines of the spec, a counterexample that
is in no suite. A staff case does not pass at all, nor does a group that has no other cases.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from grader.judging.record import CaseResult, GroupResult, Record
from grader.reporting.wording import Tone, tone_of
from grader.verdict import Verdict, Visibility


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleGroup(GroupResult):
    """The part of a group that a student may see; of its cases the public ones."""

    hidden: tuple[Verdict, ...]
    """The verdicts of the hidden ones."""

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts of all its cases, public ones first."""
        return (*(case.verdict for case in self.cases), *self.hidden)

    @property
    def passed(self) -> int:
        """Number of its cases that passed."""
        return sum(verdict is Verdict.PASSED for verdict in self.verdicts)

    @property
    def tone(self) -> Tone:
        """What the group as a whole asks of the reader: the gravest of what its cases ask."""
        tones = {tone_of(verdict) for verdict in self.verdicts}
        gravest_first = (Tone.BAD, Tone.OURS, Tone.IDLE)
        return next((tone for tone in gravest_first if tone in tones), Tone.GOOD)


def visible_groups(record: Record) -> tuple[VisibleGroup, ...]:
    """Return what a student may see of the groups of `record`."""
    return tuple(filter(None, map(_visible, record.groups)))


def opened(record: Record) -> Record:
    """Return `record` with all its cases public, as staff may see it."""

    def public(case: CaseResult) -> CaseResult:
        return replace(case, visibility=Visibility.PUBLIC)

    return replace(
        record,
        groups=tuple(replace(each, cases=tuple(map(public, each.cases))) for each in record.groups),
    )


def _visible(group: GroupResult) -> VisibleGroup | None:
    cases = tuple(filter(None, map(_for_student, group.cases)))
    hidden = tuple(c.verdict for c in group.cases if c.visibility is Visibility.HIDDEN)
    if not cases and not hidden:
        return None
    return VisibleGroup(
        id=group.id,
        title=group.title,
        points=group.points,
        max_points=group.max_points,
        cases=cases,
        hidden=hidden,
        clauses=group.clauses,
        counterexample=_for_student(group.counterexample),
        searched=group.searched,
    )


def _for_student(case: CaseResult | None) -> CaseResult | None:
    """Return what a student may see of `case`; None if that is nothing."""
    if case is None or case.visibility is not Visibility.PUBLIC:
        return None
    return case if case.staff_evidence is None else replace(case, staff_evidence=None)
