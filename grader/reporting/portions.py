"""Allots each case its space on a page, so that pages stay small however many cases fail.

Failures are shown in full while they fit, beginning with the first failure of each group. The more
cases a suite has, the less space is available for them, so that most pages have about the same
size. Other cases get one line each as long as there is space for these, and the remaining cases are
only counted: nobody reads the thousandth failure, and everybody wants to see the first.

For hidden cases that failed, a page shows their number. If the suite allows it, the page also shows
a clause that one of them tests, and a small session that shows the mistake but earns no points.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from markupsafe import escape

from grader.judging.record import CaseResult, FailedClause, Record
from grader.reporting.case_view import (
    CaseView,
    SpecLine,
    anchor,
    build_case_view,
    case_view,
    spec_reference,
)
from grader.reporting.formulas import with_plain_formulas
from grader.reporting.mending import FirstToMend
from grader.reporting.rendering import render_macro
from grader.reporting.runnable import runnable_program
from grader.reporting.visibility import VisibleGroup
from grader.reporting.wording import Locale, Tone, tone_of
from grader.values.foreign_text import one_line

MAX_FULL_BYTES: Final = 12_000
"""The maximum size in bytes of the markup of all cases, most of it for cases shown in full."""
MIN_FULL_BYTES: Final = 7_000
"""The least space for cases shown in full, in bytes, however many cases there are."""
MAX_FIRST_BYTES: Final = 12_000
"""The space for cases shown in full, in bytes, if they are the first failures of groups."""
MAX_LINE_BYTES: Final = 10_000
"""The maximum estimated size in bytes of cases on one line, and of reasons for not trying cases."""
MAX_FAILED_LINE_BYTES: Final = 8_000
"""The part of `MAX_LINE_BYTES` that failed cases can use."""
MAX_PLAIN_LINE_BYTES: Final = 5_000
"""The part of `MAX_LINE_BYTES` that cases without an explanation can use."""
_FRAME_BYTES: Final = 400
"""The markup around the text of a failed case, in bytes."""
_PLAIN_BYTES: Final = 10
"""The markup around a case without an explanation, in bytes."""
_LINE_BYTES: Final = 200
"""The estimated size of a case on one line, in bytes."""
_MAX_MISFITS: Final = 20
"""Rendering is slow, so no more cases are tried after this many that do not fit."""

_BRIEF_TONES: Final = frozenset({Tone.GOOD, Tone.IDLE})


@dataclass(frozen=True, slots=True)
class PublicCasesView:
    """The public cases of a record that fit on its page."""

    views: Mapping[str, CaseView]
    """The views, keyed by case id; a case without a view is only counted."""
    full: Mapping[str, str]
    """The markup of the cases shown in full, keyed by anchor."""
    brief: Mapping[str, str]
    """The markup of the cases on one line, keyed by anchor."""


def fit_cases(
    groups: tuple[VisibleGroup, ...],
    record: Record,
    locale: Locale,
    lines: Mapping[tuple[str, int], str],
    first: FirstToMend | None = None,
) -> PublicCasesView:
    """Return the cases that fit on the page of `record`.

    The case to mend `first` precedes all others, and is shown in full whatever its size.
    `lines` has the anchors of lines of code, keyed by location.
    """
    views: dict[str, CaseView] = {}
    full_markup: dict[str, str] = {}
    count = sum(len(group.cases) for group in groups)
    cases = _by_importance(groups)
    space = max(MIN_FULL_BYTES, MAX_FULL_BYTES - _LINE_BYTES * count)
    extra = MAX_FIRST_BYTES - space
    first_ids = {failure.id for failure in map(_first_failure, groups) if failure is not None}
    misfits = 0
    for case in _failures(cases, None if first is None else first.case, first_ids):
        max_bytes = space + (extra if case.id in first_ids else 0) - _FRAME_BYTES
        if full_markup and (max_bytes < 0 or misfits == _MAX_MISFITS):
            continue
        full = _full_case(case, max_bytes, record, locale, lines)
        if full_markup and full.size > max_bytes:
            misfits += 1
            continue
        # If the first case is too large, it uses up half of the remaining space.
        space -= full.size + _FRAME_BYTES if full.size <= max_bytes else space // 2
        views[case.id], full_markup[full.view.anchor] = full.view, full.markup
    remaining = [case for case in cases if case.id not in views]
    brief_cases = list(_fit_brief_cases(remaining, record, locale))
    views.update((line.id, line.view) for line in brief_cases)
    return PublicCasesView(
        views, full_markup, {line.view.anchor: line.markup for line in brief_cases}
    )


def _first_failure(group: VisibleGroup) -> CaseResult | None:
    return next((case for case in group.cases if tone_of(case.verdict) not in _BRIEF_TONES), None)


def _failures(
    cases: Iterable[CaseResult], first: CaseResult | None, first_ids: Collection[str]
) -> list[CaseResult]:
    """Return the failures among `cases`: `first`, then those in `first_ids`, then the others."""
    failures = (case for case in cases if tone_of(case.verdict) not in _BRIEF_TONES)
    return sorted(failures, key=lambda case: (case is not first, case.id not in first_ids))


def _by_importance(groups: tuple[VisibleGroup, ...]) -> list[CaseResult]:
    """Return the cases of all groups: failures before others, each by position in its group."""
    ranked = [
        (tone_of(case.verdict) in _BRIEF_TONES, rank, case)
        for group in groups
        for rank, case in enumerate(group.cases)
    ]
    return [case for *_, case in sorted(ranked, key=lambda item: item[:2])]


@dataclass(frozen=True, slots=True)
class _FullCase:
    """A case shown in full."""

    view: CaseView
    markup: str
    size: int
    """The size of its markup in bytes."""


def _full_case(
    case: CaseResult,
    max_bytes: int,
    record: Record,
    locale: Locale,
    lines: Mapping[tuple[str, int], str],
) -> _FullCase:
    """Return `case` rendered in full, without its pictures if it would exceed `max_bytes`.

    Its size can exceed `max_bytes` even without pictures.
    """
    view = case_view(case, record, locale)
    markup = render_macro("details", locale, view, True, lines)  # noqa: FBT003 - a macro has no keywords
    size = _size(markup)
    if size > max_bytes and case.pictures:
        return _full_case(replace(case, pictures=()), max_bytes, record, locale, lines)
    return _FullCase(view, markup, size)


@dataclass(frozen=True, slots=True)
class _BriefCase:
    """A case shown on one line."""

    id: str
    view: CaseView
    markup: str
    size: int
    """The size of its text in bytes, without the markup around it."""


def _fit_brief_cases(
    cases: Iterable[CaseResult], record: Record, locale: Locale
) -> Iterator[_BriefCase]:
    """Yield `cases` on one line each while they fit, with limits for failed and plain cases.

    The reason why cases were not tried takes space only once, because they share its explanation.
    """
    bytes_left = MAX_LINE_BYTES
    failed_left, plain_left = MAX_FAILED_LINE_BYTES, MAX_PLAIN_LINE_BYTES
    reasons, plain_lines = set(), set()
    for case in cases:
        if failed_left < 0 and tone_of(case.verdict) not in _BRIEF_TONES:
            continue
        if plain_left < 0 and _is_plain(case):
            continue
        brief = _brief_case(case, record, locale)
        view = brief.view
        size = brief.size + (_PLAIN_BYTES if view.is_plain else _FRAME_BYTES)
        if view.is_plain:
            if (line := (case.group, view.code, view.title)) in plain_lines:
                size = 0  # equal lines are merged into one with a count
            plain_lines.add(line)
            plain_left -= size
        bytes_left -= size
        if not view.is_brief:
            failed_left -= size
        is_idle = view.sign.tone is Tone.IDLE
        if is_idle and (reason := (case.group, view.explanation, view.cause)) not in reasons:
            reasons.add(reason)
            bytes_left -= _size(*view.explanation, view.cause or "")
            bytes_left -= sum(
                _size(*step.output, *(code for _, code in step.prompts)) for step in view.transcript
            )
        if bytes_left < 0:
            return
        yield brief


def _brief_case(case: CaseResult, record: Record, locale: Locale) -> _BriefCase:
    """Return `case` on one line, without preparing details that are slow and not shown."""
    if is_of_suite(case):
        return _cached_brief_case(case, spec_reference(case.spec_line, record, locale), locale)
    # The line of a failed case has room for its explanation only.
    if tone_of(case.verdict) not in _BRIEF_TONES:
        case = replace(case, transcript=(), expected=None, got=None)
    return _render_brief_case(case, case_view(case, record, locale), locale)


@lru_cache(maxsize=2_000)  # nothing here is from a student, so all students share it
def _cached_brief_case(case: CaseResult, spec: SpecLine | None, locale: Locale) -> _BriefCase:
    return _render_brief_case(case, build_case_view(case, spec, locale), locale)


def _render_brief_case(case: CaseResult, view: CaseView, locale: Locale) -> _BriefCase:
    markup = render_macro("brief_case", locale, view)
    return _BriefCase(case.id, view, markup, _size(view.code, *view.in_brief))


def _is_plain(case: CaseResult) -> bool:
    """Return whether `case` needs no explanation on its line, like `CaseView.is_plain`."""
    tone = tone_of(case.verdict)
    return tone is Tone.IDLE or (tone is Tone.GOOD and not case.explanation)


def is_of_suite(case: CaseResult) -> bool:
    """Return whether only the verdict of `case` is from the submission, as in most passed cases."""
    return not (case.explanation or case.transcript or case.source or case.pictures) and (
        case.expected is case.got is case.staff_evidence is None
    )


def _size(*texts: str) -> int:
    """Return the size in bytes of `texts` on a page, which escapes all texts but markup."""
    return sum(len(escape(text).encode("utf-8")) for text in texts)


MAX_EXAMPLE_BYTES: Final = 7_000
"""The maximum size in bytes of all counterexamples on a page; those beyond it are left out."""
MAX_QUOTE_CHARS: Final = 200


def hints(
    groups: tuple[VisibleGroup, ...],
    record: Record,
    locale: Locale,
    lines: Mapping[tuple[str, int], str],
    first: FirstToMend | None = None,
) -> Mapping[str, Mapping[str, object]]:
    """Return the template variables for the hints on each of `groups`, keyed by group id.

    The counterexample of the group to mend `first` is always included, the others while they fit.
    `lines` has the anchors of lines of code, keyed by location.
    """
    bytes_left = MAX_EXAMPLE_BYTES
    by_group: dict[str, Mapping[str, object]] = {}
    first_id = None if first is None else first.group.id
    for group in sorted(groups, key=lambda group: group.id != first_id):
        case = group.counterexample
        if case is not None and case.spec_line in {clause.line for clause in group.clauses}:
            case = replace(case, spec_line=None)  # the clause is quoted above it
        full = None if case is None else _full_case(case, bytes_left, record, locale, lines)
        if full is not None and full.size > bytes_left and group.id != first_id:
            full = None
        if full is not None:
            bytes_left -= full.size if full.size <= bytes_left else bytes_left // 2
        by_group[group.id] = {
            "clauses": [_clause(clause, record, locale) for clause in group.clauses],
            "none_shows": group.searched and case is None,
            "anchor": anchor(f"counterexample {group.id}"),
            "example": None if full is None else full.view,
            "is_above": False,
            "details": "" if full is None else full.markup,
            "program": None if case is None else runnable_program(case, record, locale),
        }
    return by_group


def _clause(clause: FailedClause, record: Record, locale: Locale) -> SpecLine:
    """Return the reference to `clause`, quoted if the suite has its text."""
    spec_line = spec_reference(clause.line, record, locale)
    href = None if spec_line is None else spec_line.href
    text = locale("clause", line=clause.line)
    if clause.quote is not None:
        quote = one_line(with_plain_formulas(clause.quote), MAX_QUOTE_CHARS)
        text = locale("clause_quoted", quote=quote)
    return SpecLine(text=text, href=href)
