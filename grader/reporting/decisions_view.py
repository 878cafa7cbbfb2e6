"""Puts decisions made by people into words, for the student's page and for staff.

A student is shown that a decision on a hidden case exists, but nothing about staff cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from grader.judging.deciding import COMMENTS, AppliedDecision, DecidedRecord, Finding, Subject
from grader.judging.record import CaseResult, Record
from grader.reporting.case_view import anchor
from grader.reporting.code_view import Location, parse_line_subject
from grader.reporting.visibility import VisibleGroup, visible_groups
from grader.reporting.wording import Locale
from grader.values.foreign_text import one_line
from grader.verdict import RuleVerdict, Status, Visibility

_TITLE_CHARS: Final = 100
_BRIEF_CHARS: Final = 2_000
"""The maximum length of a reason or comment in a brief summary."""
_MAX_IN_BRIEF: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class _DecisionView:
    """One decision, as the student's page shows it."""

    title: str
    href: str | None
    """The link to its subject on the same page, or None."""
    change: str
    because: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _DecisionsView:
    """All decisions that a student's page shows."""

    entries: tuple[_DecisionView, ...]
    lines: tuple[_DecisionView, ...]
    """The comments on lines of code."""
    comment: str | None
    comment_by: str
    found: str | None
    """The result without the decisions, if it differs."""


def decisions_view(
    record: Record, locale: Locale, anchors: Mapping[Location, str] | None = None
) -> _DecisionsView | None:
    """Return the decisions on `record` to show to its student, or None if there are none.

    `anchors` has the anchors of lines of code on the same page, keyed by location.
    """
    if not isinstance(record, DecidedRecord):
        return None
    visible = {group.id: group for group in visible_groups(record)}
    entries = tuple(
        view
        for applied in record.decisions
        if (view := _decision_view(applied, record, visible, locale)) is not None
    )
    lines = tuple(_line_comments(record, locale, anchors or {}))
    comments = [applied for applied in record.decisions if applied.decision.about is Subject.PAGE]
    if not (entries or lines or comments):
        return None
    has_changed = record.score != record.original.score
    return _DecisionsView(
        entries=entries,
        lines=lines,
        comment=comments[0].decision.because if comments else None,
        comment_by=_author_and_date(comments[0], locale) if comments else "",
        found=locale.points(record.original.score, record.max_score) if has_changed else None,
    )


def _decision_view(
    applied: AppliedDecision,
    record: DecidedRecord,
    visible: dict[str, VisibleGroup],
    locale: Locale,
) -> _DecisionView | None:
    """Return the view of one decision, or None if the student is not allowed to see it.

    Also returns None if the decision is overruled, if its subject no longer exists, or if it is a
    comment, because comments are shown elsewhere.
    """
    decision, finding = applied.decision, applied.finding
    if finding is None or applied.is_overruled or decision.about in COMMENTS:
        return None
    title_and_anchor = _subject_title(applied, record, visible, locale)
    if title_and_anchor is None:
        return None
    title, href = title_and_anchor
    # The page of an ungradable submission has no parts to link to.
    has_parts = record.status is not Status.UNGRADABLE or decision.about is Subject.RULE
    return _DecisionView(
        title=title,
        href=href if has_parts else None,
        change=_change(applied, finding, locale),
        because=decision.because,
        by=_author_and_date(applied, locale),
    )


def _line_comments(
    record: DecidedRecord, locale: Locale, anchors: Mapping[Location, str]
) -> Iterator[_DecisionView]:
    """Yield the comments on lines of code that still exist, in the order of the code."""
    comments = (applied for applied in record.decisions if applied.decision.about is Subject.LINE)
    existing = [
        (parse_line_subject(comment.decision.subject), comment)
        for comment in comments
        if not comment.is_gone
    ]
    for (file, line), comment in sorted(existing, key=lambda pair: pair[0]):
        yield _DecisionView(
            title=locale("decided_line", file=one_line(file, _TITLE_CHARS), line=line),
            href=anchors.get((file, line)),
            change="",
            because=comment.decision.because,
            by=_author_and_date(comment, locale),
        )


def _subject_title(
    applied: AppliedDecision,
    record: DecidedRecord,
    visible: dict[str, VisibleGroup],
    locale: Locale,
) -> tuple[str, str | None] | None:
    """Return the title and the anchor of the decision's subject.

    Returns None if the student is not allowed to see the subject. The anchor alone is None if the
    page shows nothing that could be linked to.
    """
    decision = applied.decision
    match decision.about:
        case Subject.CASE:
            case = next(case for case in record.cases if case.id == decision.subject)
            is_visible = case.group in visible and case.visibility is not Visibility.STAFF
            return _case_title(case, visible[case.group].title, locale) if is_visible else None
        case Subject.GROUP if decision.subject in visible:
            title = one_line(visible[decision.subject].title, _TITLE_CHARS)
            return title, anchor(f"group {decision.subject}")
        case Subject.RULE:
            rule = next(rule for rule in record.rules if rule.id == decision.subject)
            return locale.sentence(rule.demand).rstrip("."), anchor(f"rule {rule.id}")
        case Subject.TOTAL:
            return locale("decided_total"), None
        case Subject.BONUS:
            return locale("decided_bonus"), None
    return None


def _case_title(case: CaseResult, group_title: str, locale: Locale) -> tuple[str, str | None]:
    if case.visibility is Visibility.HIDDEN:
        return locale("decided_hidden", group=one_line(group_title, _TITLE_CHARS)), None
    return one_line(case.code, _TITLE_CHARS), anchor(case.id)


def _change(applied: AppliedDecision, finding: Finding, locale: Locale) -> str:
    """Return the change from `finding` to the decision, such as `old → new`.

    For a bonus, only its points are returned, with their sign.
    """
    decision = applied.decision
    if decision.verdict is not None:
        old, new = locale(f"rule_{finding.verdict}"), locale(f"rule_{decision.verdict.value}")
        if decision.penalty:
            new = f"{new}, {locale.with_points('rule_penalty', decision.penalty)}"
        return f"{old} → {new}"
    if decision.about is Subject.BONUS:
        points = decision.points or 0.0
        sign = "+" if points >= 0 else "\N{MINUS SIGN}"
        return f"{sign}{locale.number(abs(points))}"
    points = min(decision.points or 0.0, finding.max_points)
    return f"{locale.number(finding.points)} → {locale.points(points, finding.max_points)}"


def _author_and_date(applied: AppliedDecision, locale: Locale) -> str:
    decision = applied.decision
    return locale("decided_by", by=one_line(decision.by), date=decision.at[:10])


def decisions_in_brief(record: Record, locale: Locale) -> Iterator[str]:
    """Yield a sentence for each decision on `record` that the student is allowed to see.

    If there are too many decisions, one more sentence counts those that are left out. The comment
    on the whole submission comes last.
    """
    view = decisions_view(record, locale)
    if view is None:
        return
    decisions = (*view.entries, *view.lines)
    for decision in decisions[:_MAX_IN_BRIEF]:
        reason, author = one_line(decision.because, _BRIEF_CHARS), decision.by
        texts = {"title": decision.title, "because": reason, "by": author}
        if decision.change:
            yield locale("decided_brief", change=decision.change, **texts)
        else:
            yield locale("decided_line_brief", **texts)
    more = len(decisions) - _MAX_IN_BRIEF
    if more > 0:
        yield locale("decided_more", count=more)
    if view.comment is not None:
        comment = one_line(view.comment, _BRIEF_CHARS)
        yield locale("decided_comment_brief", comment=comment, by=view.comment_by)


def decision_lines(record: Record) -> Iterator[str]:
    """Yield a line for staff about each decision in force on `record`."""
    for applied in record.decisions if isinstance(record, DecidedRecord) else ():
        yield decision_line(applied)


def decision_line(applied: AppliedDecision) -> str:
    """Return a line for staff about one decision: what, by whom, why, and any doubt about it."""
    decision = applied.decision
    if decision.is_undone:
        what = f"{decision.about.value} {decision.subject}".strip() + ": withdrawn"
    elif decision.about in COMMENTS:
        what = f"comment {decision.subject}".strip()
    elif decision.about is Subject.QUESTION:
        mark = {RuleVerdict.PASSED: ": good", RuleVerdict.BROKEN: ": poor", None: ""}
        what = f"question {decision.subject!r}{mark[decision.verdict]}"
    elif decision.verdict is not None:
        verdict = "kept" if not decision.penalty and decision.verdict == "PASSED" else "broken"
        cost = f", -{decision.penalty:g}" if decision.penalty else ""
        what = f"rule {decision.subject}: {verdict}{cost}"
    else:
        subject = f"{decision.about.value} {decision.subject}".strip()
        points = decision.points or 0.0
        what = f"{subject}: {points:g} {'point' if points == 1 else 'points'}"
    text = f"{what} (by {decision.by}, {decision.at[:10]}): {decision.because}"
    return one_line(f"{text}{_doubt_text(applied)}", 1_000)


def _doubt_text(applied: AppliedDecision) -> str:
    """Return why a decision does not count, or why it is in doubt.

    Returns "" if it counts without doubt, or if it only withdraws an earlier decision.
    """
    if applied.decision.is_undone:
        return ""
    if applied.is_gone:
        return f" -- its {applied.decision.about.value} no longer exists, so it has no effect"
    if applied.is_overruled:
        # The total includes the bonus, so only a decision on the total can overrule a bonus.
        overruling = "total" if applied.decision.about is Subject.BONUS else "whole group"
        return f" -- overruled by a decision on the {overruling}"
    old, new = applied.decision.finding, applied.finding
    if not applied.is_in_doubt or old is None or new is None:
        return ""
    old_text, new_text = _finding_text(old), _finding_text(new)
    return (
        f" -- decided when the {applied.decision.about.value} was {old_text}; now it is {new_text}"
    )


def _finding_text(finding: Finding) -> str:
    """Return `finding` in a few words for staff: a line of code, or verdict and points."""
    if finding.verdict is not None and not finding.max_points:  # a line of code
        return f"`{finding.verdict}`"
    points = f"{finding.points:g} of {finding.max_points:g}"
    return points if finding.verdict is None else f"{finding.verdict} ({points})"
