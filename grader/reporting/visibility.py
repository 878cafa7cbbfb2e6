"""Selects the parts of a record that a student may see; all reports for students use it.

A public case is shown in full, except for evidence meant for staff. Hidden cases of a group are
only counted, because which of them failed, and how, would reveal their questions. If some fail, and
if the suite allows it, a clause of the spec is also shown, and a counterexample that is not in any
suite. A counterexample ends where it goes wrong, which can be before the step for which it was
found. Staff cases are never shown, nor are groups that contain only staff cases.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from grader.judging.record import CaseResult, FailedClause, GroupResult, LineStatus, Record
from grader.messages import message
from grader.reporting.wording import Locale, Tone, lost_by_rules, tone_of
from grader.values.foreign_text import one_line
from grader.verdict import Verdict, Visibility

_CENT: Final = 0.01
"""The smallest difference that is visible in a number of points."""
_MAX_LOSSES: Final = 5
"""How many parts are named when a score is broken down."""
_KEY_BY_EXCEPTION: Final = {"AssertionError": "error.assertion", "SystemExit": "died.exited"}
_TRACEBACK_HEAD: Final = "Traceback (most recent call last):\n"
_MAX_OUTPUT_LINES: Final = 12
"""How many lines of pytest's output are shown: the last ones, which are the most informative."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleGroup(GroupResult):
    """The part of a group that a student is allowed to see; `cases` has only its public cases."""

    public: int
    """The number of its public cases."""
    public_met: int
    """The number of its public cases that passed."""
    hidden_tone: Tone
    """The most serious tone of the hidden cases, or `GOOD` if there are none."""

    @property
    def demands(self) -> int:
        """The number of its public cases plus the number of its hidden demands."""
        return self.public + (self.hidden.demands if self.hidden else 0)

    @property
    def hidden_met(self) -> int:
        """The number of hidden demands that are fully met, as far as the tally shows."""
        return int(self.hidden.met) if self.hidden else 0

    @property
    def met(self) -> int:
        """The number of its `demands` that are fully met, as far as tallies show."""
        return self.public_met + self.hidden_met

    @property
    def tone(self) -> Tone:
        """The most serious tone of all its cases, public and hidden."""
        return _most_serious([*(tone_of(case.verdict) for case in self.cases), self.hidden_tone])

    def tally(self, locale: Locale) -> str:
        """Return in words how much of the group is right, public and hidden cases separately."""
        public = locale("tally", passed=self.public_met, count=self.public)
        return self._combine_tallies(public, "tally_hidden", locale)

    def short_tally(self, locale: Locale) -> str:
        """Return the same as `tally` in a short form."""
        public = f"{self.public_met}/{self.public}"
        return self._combine_tallies(public, "tally_hidden_short", locale)

    def _combine_tallies(self, public: str, hidden_key: str, locale: Locale) -> str:
        """Return the tally `public`, followed by the tally of hidden cases, if there are any.

        `hidden_key` is the key of the words for the second tally. Without public cases, only the
        second tally is returned.
        """
        if self.hidden is None:
            return public
        met = locale.number(self.hidden.met)
        hidden = locale(hidden_key, met=met, count=self.hidden.demands)
        return f"{public}, {hidden}" if self.public else hidden


def visible_groups(record: Record) -> tuple[VisibleGroup, ...]:
    """Return the groups of `record`, with only what a student is allowed to see."""
    return tuple(filter(None, map(_visible_group, record.groups)))


def staff_groups(record: Record) -> tuple[VisibleGroup, ...]:
    """Return all groups of `record` with all their cases, as staff are allowed to see them."""
    return tuple(_group_with(group, tuple(map(_for_staff, group.cases))) for group in record.groups)


def score_breakdown(record: Record, groups: Sequence[VisibleGroup], locale: Locale) -> str | None:
    """Return in words how the score of `record` is composed, largest losses first.

    Losses outside the visible `groups` are not named. Returns None if there are fewer than two
    losses, because the score itself shows a single loss, or if all the losses do not add up
    to the score.
    """
    losses = [(one_line(group.title), group.max_points - group.points) for group in groups]
    losses.append((locale("rules"), lost_by_rules(record)))
    ranked = sorted((loss for loss in losses if loss[1] >= _CENT), key=lambda loss: -loss[1])
    unlisted = sum(_lost(group) for group in record.groups) - sum(map(_lost, groups))
    total = sum(points for _, points in losses) + unlisted
    # With a bonus, or a decision on the total, losses do not add up to the score.
    if (
        len(ranked) + (unlisted >= _CENT) < 2
        or abs(record.max_score - total - record.score) > _CENT
    ):
        return None
    listed, more = ranked[:_MAX_LOSSES], ranked[_MAX_LOSSES:]
    terms = [f"{locale.number(points)} ({name})" for name, points in listed]
    if unnamed := sum(points for _, points in more) + (unlisted if unlisted >= _CENT else 0):
        terms.append(f"{locale.number(unnamed)} ({locale('mark_rest')})")
    max_score, score = map(locale.number, (record.max_score, record.score))
    return f"{' − '.join((max_score, *terms))} = {score}"  # noqa: RUF001 - a minus


def _lost(group: GroupResult) -> float:
    return group.max_points - group.points


def _for_staff(case: CaseResult) -> CaseResult:
    """Return `case` as public, with the end of pytest's output if it is an instructor's test."""
    output = (case.staff_evidence or "").strip().splitlines() if case.is_instructor_test else []
    # Reports show only public cases in full, so for staff every case is made public.
    lines = [message("test.said", text=one_line(line)) for line in output[-_MAX_OUTPUT_LINES:]]
    return replace(case, visibility=Visibility.PUBLIC, explanation=(*case.explanation, *lines))


def _visible_group(group: GroupResult) -> VisibleGroup | None:
    cases = tuple(filter(None, map(_for_student, group.cases)))
    return None if not cases and group.hidden is None else _group_with(group, cases)


def _group_with(group: GroupResult, cases: tuple[CaseResult, ...]) -> VisibleGroup:
    """Return the visible part of `group` with `cases` as its cases."""
    public = [case for case in group.cases if case.visibility is Visibility.PUBLIC]
    tone = _hidden_tone(group)
    uncut = _for_student(group.counterexample)
    example = _cut_at_exception(uncut)
    # If the example was cut, it shows an earlier step fail, so it does not show the clause.
    shows_clauses = tone is not Tone.IDLE and example is uncut
    return VisibleGroup(
        id=group.id,
        title=group.title,
        points=group.points,
        max_points=group.max_points,
        cases=cases,
        hidden=group.hidden,
        public=len(public),
        public_met=sum(case.verdict is Verdict.PASSED for case in public),
        hidden_tone=tone,
        clauses=_clauses(group, example)
        if shows_clauses
        else (),  # cases that were not tried violate no clause
        counterexample=example,
        searched=group.searched,
    )


def _hidden_tone(group: GroupResult) -> Tone:
    """Return the most serious tone of the hidden cases, which does not reveal which one failed."""
    hidden = (case for case in group.cases if case.visibility is Visibility.HIDDEN)
    return _most_serious(tone_of(case.verdict) for case in hidden)


def _most_serious(tones: Iterable[Tone]) -> Tone:
    present, by_seriousness = {*tones}, (Tone.BAD, Tone.OUR_FAULT, Tone.IDLE)
    return next((tone for tone in by_seriousness if tone in present), Tone.GOOD)


def _for_student(case: CaseResult | None) -> CaseResult | None:
    """Return `case` without staff evidence, or None if it is not public."""
    if case is None or case.visibility is not Visibility.PUBLIC:
        return None
    return case if case.staff_evidence is None else replace(case, staff_evidence=None)


def _clauses(group: GroupResult, example: CaseResult | None) -> tuple[FailedClause, ...]:
    """Return the clause to show for `group`: the first, unless the `example` tests another one."""
    line = None if example is None else example.spec_line
    return tuple(clause for clause in group.clauses[:1] if line in {None, clause.line})


def _cut_at_exception(example: CaseResult | None) -> CaseResult | None:
    """Return `example`, cut at an earlier step if an exception there ended the session.

    The explanation, and everything else about the failure, are then about that step.
    """
    steps = () if example is None else example.transcript
    index = next(
        (step_index for step_index, step in enumerate(steps) if step.state is LineStatus.CAUSE),
        None,
    )
    # A step without a traceback did not end the session, so later steps have results of their own.
    if example is None or index is None or _TRACEBACK_HEAD not in steps[index].output:
        return example
    got = steps[index].output.rpartition(_TRACEBACK_HEAD)[2]
    name, _, text = got.partition(": ")
    key = _KEY_BY_EXCEPTION.get(name, "error.exception")
    return replace(
        example,
        code=steps[index].code,
        verdict=Verdict.ERROR,
        explanation=(message(key, type=one_line(name), message=one_line(text)),),
        expected=None,
        got=got,
        transcript=(*steps[:index], replace(steps[index], state=LineStatus.FAILED)),
        cause=None,
        spec_line=None,
    )
