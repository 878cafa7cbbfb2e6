"""What a person has decided, in words: for the page of a student, and for staff.

A student reads of a hidden case that something was decided on it, and of a staff case nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from grader.judging.deciding import Applied, DecidedRecord, Finding, Subject
from grader.judging.record import CaseResult, Record
from grader.reporting.case_view import anchor
from grader.reporting.visibility import VisibleGroup, visible_groups
from grader.reporting.wording import Locale
from grader.values.foreign_text import one_line
from grader.verdict import Status, Visibility

_TITLE_CHARS: Final = 100
_BRIEF_CHARS: Final = 2_000
"""As many as a reason may have."""
_MAX_IN_BRIEF: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class _DecisionView:
    """One decision, as its student reads it."""

    title: str
    href: str | None
    """Where it is about, on the same page."""
    change: str
    because: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _DecisionsView:
    """All decisions that a student reads of."""

    entries: tuple[_DecisionView, ...]
    comment: str | None
    comment_by: str
    found: str | None
    """The result without them, if that is another one."""


def decisions_view(record: Record, locale: Locale) -> _DecisionsView | None:
    """Return what the student reads of decisions on `record`, None if there are none."""
    if not isinstance(record, DecidedRecord):
        return None
    visible = {group.id: group for group in visible_groups(record)}
    entries = tuple(
        view
        for each in record.decisions
        if (view := _view(each, record, visible, locale)) is not None
    )
    comments = [each for each in record.decisions if each.decision.about is Subject.PAGE]
    if not entries and not comments:
        return None
    is_other = record.score != record.found.score
    return _DecisionsView(
        entries=entries,
        comment=comments[0].decision.because if comments else None,
        comment_by=_by(comments[0], locale) if comments else "",
        found=locale.points(record.found.score, record.max_score) if is_other else None,
    )


def _view(
    applied: Applied, record: DecidedRecord, visible: dict[str, VisibleGroup], locale: Locale
) -> _DecisionView | None:
    decision, found = applied.decision, applied.finding
    if found is None or applied.is_overruled:
        return None
    place = _place(applied, record, visible, locale)
    if place is None:
        return None
    # The page of what cannot be run has no parts that it could lead to.
    has_parts = record.status is not Status.UNGRADABLE or decision.about is Subject.RULE
    return _DecisionView(
        title=place[0],
        href=place[1] if has_parts else None,
        change=_change(applied, found, locale),
        because=decision.because,
        by=_by(applied, locale),
    )


def _place(
    applied: Applied, record: DecidedRecord, visible: dict[str, VisibleGroup], locale: Locale
) -> tuple[str, str | None] | None:
    """Return the title and the anchor of what a decision is about, None if that is not seen."""
    decision = applied.decision
    match decision.about:
        case Subject.CASE:
            case = next(each for each in record.cases if each.id == decision.subject)
            is_seen = case.group in visible and case.visibility is not Visibility.STAFF
            return _case_place(case, visible[case.group].title, locale) if is_seen else None
        case Subject.GROUP if decision.subject in visible:
            title = one_line(visible[decision.subject].title, _TITLE_CHARS)
            return title, anchor(f"group {decision.subject}")
        case Subject.RULE:
            rule = next(each for each in record.rules if each.id == decision.subject)
            return locale.tell(rule.demand).rstrip("."), anchor(f"rule {rule.id}")
    return None


def _case_place(case: CaseResult, group: str, locale: Locale) -> tuple[str, str | None]:
    if case.visibility is Visibility.HIDDEN:
        return locale("decided_hidden", group=one_line(group, _TITLE_CHARS)), None
    return one_line(case.code, _TITLE_CHARS), anchor(case.id)


def _change(applied: Applied, found: Finding, locale: Locale) -> str:
    """Return what was found, and what is decided."""
    decision = applied.decision
    if decision.verdict is not None:
        old, new = locale(f"rule_{found.verdict}"), locale(f"rule_{decision.verdict.value}")
        if decision.penalty:
            count = 1 if decision.penalty == 1 else 2
            cost = locale("rule_penalty", points=locale.number(decision.penalty), count=count)
            new = f"{new}, {cost}"
        return f"{old} → {new}"
    points = min(decision.points or 0.0, found.max_points)
    return f"{locale.number(found.points)} → {locale.points(points, found.max_points)}"


def _by(applied: Applied, locale: Locale) -> str:
    decision = applied.decision
    return locale("decided_by", by=one_line(decision.by), date=decision.at[:10])


def decisions_in_brief(record: Record, locale: Locale) -> Iterator[str]:
    """Yield what the student reads of decisions on `record`, a line of its own for each."""
    view = decisions_view(record, locale)
    if view is None:
        return
    for each in view.entries[:_MAX_IN_BRIEF]:
        because, by = one_line(each.because, _BRIEF_CHARS), each.by
        yield locale("decided_brief", title=each.title, change=each.change, because=because, by=by)
    more = len(view.entries) - _MAX_IN_BRIEF
    if more > 0:
        yield locale("decided_more", count=more)
    if view.comment is not None:
        comment = one_line(view.comment, _BRIEF_CHARS)
        yield locale("decided_comment_brief", comment=comment, by=view.comment_by)


def decision_lines(record: Record) -> Iterator[str]:
    """Yield a line for staff about each decision on `record` that stands."""
    for each in record.decisions if isinstance(record, DecidedRecord) else ():
        yield decision_line(each)


def decision_line(applied: Applied) -> str:
    """Return a line for staff about one decision: what, by whom, why, and what is odd about it."""
    decision = applied.decision
    if decision.is_undone:
        what = f"{decision.about.value} {decision.subject}".strip() + ": taken back"
    elif decision.about is Subject.PAGE:
        what = "comment"
    elif decision.verdict is not None:
        verdict = "kept" if not decision.penalty and decision.verdict == "PASSED" else "broken"
        cost = f", -{decision.penalty:g}" if decision.penalty else ""
        what = f"rule {decision.subject}: {verdict}{cost}"
    else:
        what = f"{decision.about.value} {decision.subject}: {decision.points or 0:g} points"
    told = f"{what} (by {decision.by}, {decision.at[:10]}): {decision.because}"
    return one_line(f"{told}{_doubt_of(applied)}", 1_000)


def _doubt_of(applied: Applied) -> str:
    """Return why a decision counts for nothing, or is in doubt; "" if it just stands."""
    if applied.is_gone:
        return f" -- that {applied.decision.about.value} is gone, so it changes nothing"
    if applied.is_overruled:
        return " -- its group is decided on as a whole"
    then, now = applied.decision.finding, applied.finding
    if not applied.is_in_doubt or then is None or now is None:
        return ""
    return f" -- decided when it was {_told(then)}, it is {_told(now)} now"


def _told(finding: Finding) -> str:
    points = f"{finding.points:g} of {finding.max_points:g}"
    return points if finding.verdict is None else f"{finding.verdict} ({points})"
