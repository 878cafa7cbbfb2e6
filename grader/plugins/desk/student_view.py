"""The staff's part of a student's page at a desk, shown beside the page that the student reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from markupsafe import Markup

from grader.judging.deciding import (
    COMMENTS,
    AppliedDecision,
    DecidedRecord,
    Decision,
    Subject,
    in_force,
)
from grader.judging.record import CaseResult, GroupResult, Record, RuleResult
from grader.messages import Message
from grader.plugins.desk.queue import QueueRow
from grader.plugins.regrading.attempts_page import count_fixed_and_broken
from grader.reporting.case_view import anchor
from grader.reporting.decisions_view import decision_line
from grader.reporting.index_entry import IndexEntry
from grader.reporting.rendering import render_translation, shared_file_paths
from grader.reporting.student_page import page_context
from grader.reporting.visibility import staff_groups
from grader.reporting.wording import Tone, tone_of
from grader.values.foreign_text import one_line
from grader.verdict import RuleVerdict, Status

_NO_CODE_LIMIT: Final = 2_000_000
"""More bytes of code than a record can hold."""
_TITLE_CHARS: Final = 60
_MAX_CASES: Final = 400
"""The largest number of failing cases to list in one group."""


class FormValues(dict[str, str]):
    """Values of form fields, with "" for each field that was not filled in."""

    def __missing__(self, name: str) -> str:
        """Return "" for a field that was not filled in."""
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartView:
    """A case or a group that can be decided on."""

    name: str
    """The name of the form field: the kind and the id."""
    title: str
    href: str
    points: float
    max_points: float
    is_case: bool
    mistake: str | None = None
    """The address of the shared mistake, or None if nobody else makes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleToDecide:
    """A rule that can be decided on."""

    name: str
    title: str
    href: str
    verdict: str
    penalty: float
    is_waiting: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailLine:
    """One decision in the list of who decided what."""

    text: str
    at: str
    by: str
    about: str
    subject: str
    is_in_force: bool


def attempt_summaries(attempts: Sequence[Record]) -> Iterator[str]:
    """Yield a text for each attempt: its points, and how many cases it fixed and broke."""
    for old, new in zip([None, *attempts], attempts, strict=False):
        parts = [f"{new.score:g} of {new.max_score:g}"]
        if old is not None:
            fixed, broken = count_fixed_and_broken(old, new)
            parts += [f"{fixed} fixed"] * bool(fixed) + [f"{broken} broken"] * bool(broken)
        yield ", ".join(parts)


def student_context(
    row: QueueRow, record: Record, decisions: tuple[Decision, ...], mistakes: Mapping[str, str]
) -> dict[str, Any]:
    """Return the template context for one student.

    `mistakes` has the addresses of shared mistakes, keyed by the id of the failing case.
    """
    # The contact is left out: it is for students who want a person to look at something.
    locale, page_data = page_context(replace(record, contact=""), staff_groups, _NO_CODE_LIMIT)
    listing: Any = page_data["listing"]
    markup = render_translation(
        "student.html",
        locale,
        shared=shared_file_paths(),
        # Without code, because the template shows it separately.
        **{**page_data, "listing": listing._replace(files=[])},
    )
    facts = IndexEntry.from_record(record, "")
    return {
        "t": locale,
        "row": row,
        **{
            name: page_data[name]
            for name in ("score", "sentence", "stops", "first", "anchors", "title")
        },
        "notes": [*facts.staff_remarks, *facts.printed, *facts.evidence],
        "parts": list(_parts(record, mistakes)),
        "rules": list(_rules(record, locale.sentence)),
        "given": _given_fields(record),
        "files": list(zip(listing.files, record.sources, strict=True)),
        "trail": list(_trail(record, decisions)),
        # Without the header, because the staff's part shows the same facts.
        "page": Markup(str(markup.body).partition("</header>")[2]),  # noqa: S704 - already escaped
    }


def _parts(record: Record, mistakes: Mapping[str, str]) -> Iterator[PartView]:
    """Yield the groups that lost points or have failing cases, each followed by its failing cases.

    Yields nothing if the submission was not graded.
    """
    if record.status is not Status.GRADED:
        return  # the page does not show its groups
    for group in record.groups:
        failing = [case for case in group.cases if _lost_points(case)]
        if failing or group.points < group.max_points:
            yield _group_part(group)
            yield from (_case_part(case, mistakes) for case in failing[:_MAX_CASES])


def _lost_points(case: CaseResult) -> bool:
    return tone_of(case.verdict) is not Tone.GOOD and case.max_points > 0


def _group_part(group: GroupResult) -> PartView:
    return PartView(
        name=f"group {group.id}",
        title=one_line(group.title, _TITLE_CHARS),
        href=anchor(f"group {group.id}"),
        points=group.points,
        max_points=group.max_points,
        is_case=False,
    )


def _case_part(case: CaseResult, mistakes: Mapping[str, str]) -> PartView:
    return PartView(
        name=f"case {case.id}",
        title=one_line(case.code, _TITLE_CHARS),
        href=anchor(case.id),
        points=case.points,
        max_points=case.max_points,
        is_case=True,
        mistake=mistakes.get(case.id),
    )


def _rules(record: Record, render: Callable[[Message], str]) -> Iterator[RuleToDecide]:
    """Yield the rules that were checked, those that wait for a person first."""

    def needs_no_person(rule: RuleResult) -> bool:
        return rule.verdict is not RuleVerdict.REVIEW  # False is sorted first

    for rule in sorted(record.rules, key=needs_no_person):
        if rule.verdict is not RuleVerdict.SKIPPED:
            yield RuleToDecide(
                name=f"rule {rule.id}",
                title=one_line(render(rule.demand), 2 * _TITLE_CHARS),
                href=anchor(f"rule {rule.id}"),
                verdict=rule.verdict.value,
                penalty=rule.penalty,
                is_waiting=rule.verdict is RuleVerdict.REVIEW,
            )


def _applied_decisions(record: Record) -> tuple[AppliedDecision, ...]:
    return record.decisions if isinstance(record, DecidedRecord) else ()


def _given_fields(record: Record) -> FormValues:
    """Return the total, bonuses and comments in force, keyed by form field."""
    fields = FormValues()
    for applied in _applied_decisions(record):
        decision = applied.decision
        if decision.about in COMMENTS:
            fields[f"{decision.about.value} {decision.subject}".strip()] = decision.because
        elif decision.about in {Subject.TOTAL, Subject.BONUS}:
            field_name = f"{decision.about.value} {decision.subject}".strip()
            fields[field_name] = f"{decision.points or 0:g}"
    return fields


def _trail(record: Record, decisions: tuple[Decision, ...]) -> Iterator[TrailLine]:
    """Yield all `decisions`, latest first, with their effect and whether they are in force."""
    applied_by_uid = {applied.decision.uid: applied for applied in _applied_decisions(record)}
    for note in in_force(decisions):
        if note.about is Subject.QUESTION:  # not in the record, because it is only for staff
            applied_by_uid[note.uid] = AppliedDecision(decision=note, finding=None)
    for decision in reversed(decisions):
        applied = applied_by_uid.get(decision.uid)
        line = decision_line(
            applied or AppliedDecision(decision=decision, finding=decision.finding)
        )
        yield TrailLine(
            text=line,
            at=decision.at,
            by=one_line(decision.by),
            about=decision.about.value,
            subject=decision.subject,
            is_in_force=applied is not None,
        )
