"""What of a record a student may see: the one door to every report that students read.

A public case passes in full, save for what is meant for staff. Of the hidden cases of a group a
count passes, and what its suite lets be told of a failure: a clause, and a counterexample that is
in no suite. Which of them failed, and how, would tell what they ask. A staff case does not pass at
all, nor does a group that has no other cases.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from grader.judging.record import CaseResult, GroupResult, Record
from grader.messages import message
from grader.reporting.wording import Tone, tone_of
from grader.values.foreign_text import one_line
from grader.verdict import Verdict, Visibility

_MOST_LINES: Final = 12
"""Of what pytest says of a test, the last of which tell most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleGroup(GroupResult):
    """The part of a group that a student may see; of its cases the public ones."""

    hidden_tone: Tone
    """What the hidden ones together ask of the reader; `GOOD` where there are none."""

    @property
    def demands(self) -> int:
        """Number of its public cases and of the demands of its hidden ones."""
        return len(self.cases) + (self.hidden.demands if self.hidden else 0)

    @property
    def hidden_met(self) -> int:
        """How many demands of its hidden cases are met in full, as far as the count tells."""
        return int(self.hidden.met) if self.hidden else 0

    @property
    def met(self) -> int:
        """How many of its `demands` are met in full, as far as counts tell."""
        return sum(case.verdict is Verdict.PASSED for case in self.cases) + self.hidden_met

    @property
    def tone(self) -> Tone:
        """What the group as a whole asks of the reader: the gravest of what its cases ask."""
        return _gravest([*(tone_of(case.verdict) for case in self.cases), self.hidden_tone])


def visible_groups(record: Record) -> tuple[VisibleGroup, ...]:
    """Return what a student may see of the groups of `record`."""
    return tuple(filter(None, map(_visible, record.groups)))


def opened(record: Record) -> Record:
    """Return `record` with all its cases public, as staff may see it, and no count instead."""
    return replace(
        record,
        groups=tuple(
            replace(each, cases=tuple(map(_opened, each.cases)), hidden=None)
            for each in record.groups
        ),
    )


def _opened(case: CaseResult) -> CaseResult:
    said = (case.staff_evidence or "").strip().splitlines() if case.is_own_test else []
    lines = [message("test.said", text=one_line(line)) for line in said[-_MOST_LINES:]]
    return replace(case, visibility=Visibility.PUBLIC, explanation=(*case.explanation, *lines))


def _visible(group: GroupResult) -> VisibleGroup | None:
    cases = tuple(filter(None, map(_for_student, group.cases)))
    if not cases and group.hidden is None:
        return None
    return VisibleGroup(
        id=group.id,
        title=group.title,
        points=group.points,
        max_points=group.max_points,
        cases=cases,
        hidden=group.hidden,
        hidden_tone=_hidden_tone(group),
        clauses=group.clauses[:1],
        counterexample=_for_student(group.counterexample),
        searched=group.searched,
    )


def _hidden_tone(group: GroupResult) -> Tone:
    """Return what the hidden cases of `group` ask, whichever of them failed, and however."""
    tones = {tone_of(c.verdict) for c in group.cases if c.visibility is Visibility.HIDDEN}
    return _gravest(tones)


def _gravest(tones: Iterable[Tone]) -> Tone:
    found, gravest_first = {*tones}, (Tone.BAD, Tone.OURS, Tone.IDLE)
    return next((tone for tone in gravest_first if tone in found), Tone.GOOD)


def _for_student(case: CaseResult | None) -> CaseResult | None:
    """Return what a student may see of `case`; None if that is nothing."""
    if case is None or case.visibility is not Visibility.PUBLIC:
        return None
    return case if case.staff_evidence is None else replace(case, staff_evidence=None)
