"""Decides how much of a page each case gets, so that the page stays small however much went wrong.

Failures are shown in full while they fit, beginning with the first ones of each group. The more
cases a suite has, the less space is for them, so that most pages have about the same size. Other
cases get a line while these fit, and the rest are only counted: nobody reads the thousandth
failure, and everybody wants the first.

For hidden cases that failed, a page has their number and, if the suite allows it, a clause that
one of them is about, and a small session that shows such a mistake but earns no points.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from markupsafe import escape

from grader.judging.record import CaseResult, FailedClause, Record
from grader.reporting.case_view import CaseView, SpecLine, anchor, case_view, spec_place, view_of
from grader.reporting.formulas import with_plain_formulas
from grader.reporting.mending import FirstToMend
from grader.reporting.rendering import piece
from grader.reporting.runnable import runnable
from grader.reporting.visibility import VisibleGroup
from grader.reporting.wording import Locale, Tone, tone_of
from grader.values.foreign_text import one_line

MAX_TOLD_BYTES: Final = 12_000
"""Bytes of markup for all cases, most of it for those shown in full."""
MIN_TOLD_BYTES: Final = 7_000
"""Bytes that cases shown in full get at least, however many cases there are."""
MAX_FIRST_BYTES: Final = 12_000
"""Bytes that they get at most, if they are the first failures of groups."""
MAX_LINE_BYTES: Final = 10_000
"""Estimated bytes of all cases with a line, and of the reasons why some were not tried."""
MAX_FAILED_LINE_BYTES: Final = 8_000
"""The part of these bytes that failed cases may take."""
MAX_PLAIN_LINE_BYTES: Final = 5_000
"""The part of these bytes for cases with nothing to say about them."""
_FRAME_BYTES: Final = 400
"""Bytes of markup around the text of a failed case."""
_PLAIN_BYTES: Final = 10
"""Bytes of markup around a case with nothing to say about it."""
_LINE_BYTES: Final = 200
"""Estimated size of a case with a line."""
_MAX_MISFITS: Final = 20
"""Stop after this many cases that do not fit: rendering one is slow."""

_BRIEF_TONES: Final = frozenset({Tone.GOOD, Tone.IDLE})


@dataclass(frozen=True, slots=True)
class PublicCasesView:
    """The public cases of a record as a page shows them."""

    views: Mapping[str, CaseView]
    """By the id of the case; a case without a view is only counted."""
    full: Mapping[str, str]
    """The markup of a case in full, by its anchor."""
    brief: Mapping[str, str]
    """The markup of a case on one line, by its anchor."""


def portions(
    groups: tuple[VisibleGroup, ...],
    record: Record,
    locale: Locale,
    lines: Mapping[tuple[str, int], str],
    first: FirstToMend | None = None,
) -> PublicCasesView:
    """Return the cases that fit on a page about `record`; `lines` are anchors of lines of code.

    The case to mend `first` comes before all others, and is shown in full whatever its size.
    """
    views: dict[str, CaseView] = {}
    full_markup: dict[str, str] = {}
    count = sum(len(group.cases) for group in groups)
    cases = _by_importance(groups)
    space = max(MIN_TOLD_BYTES, MAX_TOLD_BYTES - _LINE_BYTES * count)
    extra = MAX_FIRST_BYTES - space
    firsts = {first.id for first in map(_first_failure, groups) if first is not None}
    misfits = 0
    for case in _failures(cases, None if first is None else first.case, firsts):
        max_bytes = space + (extra if case.id in firsts else 0) - _FRAME_BYTES
        if full_markup and (max_bytes < 0 or misfits == _MAX_MISFITS):
            continue
        full = _full_case(case, max_bytes, record, locale, lines)
        if full_markup and full.size > max_bytes:
            misfits += 1
            continue
        # A first case that is too large takes half of what is left, whatever its size.
        space -= full.size + _FRAME_BYTES if full.size <= max_bytes else space // 2
        views[case.id], full_markup[full.view.anchor] = full.view, full.markup
    others = [case for case in cases if case.id not in views]
    brief_cases = list(_lines(others, record, locale))
    views.update((line.id, line.view) for line in brief_cases)
    return PublicCasesView(
        views, full_markup, {line.view.anchor: line.markup for line in brief_cases}
    )


def _first_failure(group: VisibleGroup) -> CaseResult | None:
    return next((case for case in group.cases if tone_of(case.verdict) not in _BRIEF_TONES), None)


def _failures(
    cases: Iterable[CaseResult], first: CaseResult | None, firsts: Collection[str]
) -> list[CaseResult]:
    """Return the failures among `cases`: `first`, then those in `firsts`, then the others."""
    failures = (case for case in cases if tone_of(case.verdict) not in _BRIEF_TONES)
    return sorted(failures, key=lambda case: (case is not first, case.id not in firsts))


def _by_importance(groups: tuple[VisibleGroup, ...]) -> list[CaseResult]:
    """Return all cases: failures first, and among these the first ones of each group."""
    ranked = [
        (tone_of(case.verdict) in _BRIEF_TONES, rank, case)
        for group in groups
        for rank, case in enumerate(group.cases)
    ]
    return [case for *_, case in sorted(ranked, key=lambda each: each[:2])]


@dataclass(frozen=True, slots=True)
class _FullCase:
    """A case shown in full."""

    view: CaseView
    markup: str
    size: int
    """Its markup, in bytes."""


def _full_case(
    case: CaseResult,
    max_bytes: int,
    record: Record,
    locale: Locale,
    lines: Mapping[tuple[str, int], str],
) -> _FullCase:
    """Return `case` in full, without its pictures if they do not fit in `max_bytes`."""
    view = case_view(case, record, locale)
    markup = piece("details", locale, view, True, lines)  # noqa: FBT003 - a macro has no keywords
    size = _size(markup)
    if size > max_bytes and case.pictures:
        return _full_case(replace(case, pictures=()), max_bytes, record, locale, lines)
    return _FullCase(view, markup, size)


@dataclass(frozen=True, slots=True)
class _BriefCase:
    """A case with only a line."""

    id: str
    view: CaseView
    markup: str
    size: int
    """The markup of its own text, in bytes."""


def _lines(cases: Iterable[CaseResult], record: Record, locale: Locale) -> Iterator[_BriefCase]:
    """Yield the line of each case while it fits; failed and plain cases have separate limits."""
    left, failed_left, plain_left = MAX_LINE_BYTES, MAX_FAILED_LINE_BYTES, MAX_PLAIN_LINE_BYTES
    reasons, plain = set(), set()
    for case in cases:
        if failed_left < 0 and tone_of(case.verdict) not in _BRIEF_TONES:
            continue
        if plain_left < 0 and _is_plain(case):
            continue
        brief = _brief_case(case, record, locale)
        view = brief.view
        size = brief.size + (_PLAIN_BYTES if view.is_plain else _FRAME_BYTES)
        if view.is_plain:
            if (line := (case.group, view.code, view.title)) in plain:  # shown once, with a count
                size = 0
            plain.add(line)
            plain_left -= size
        left -= size
        if not view.is_brief:
            failed_left -= size
        is_idle = view.sign.tone is Tone.IDLE
        if is_idle and (reason := (case.group, view.explanation, view.cause)) not in reasons:
            reasons.add(reason)
            left -= _size(*view.explanation, view.cause or "")
            left -= sum(
                _size(*step.output, *(c for _, c in step.prompts)) for step in view.transcript
            )
        if left < 0:
            return
        yield brief


def _brief_case(case: CaseResult, record: Record, locale: Locale) -> _BriefCase:
    """Return the line of `case`, without making what is slow and not shown on a line."""
    if is_of_suite(case):
        return _line_of_suite(case, spec_place(case.spec_line, record, locale), locale)
    if tone_of(case.verdict) not in _BRIEF_TONES:
        case = replace(case, transcript=(), expected=None, got=None)
    return _rendered(case, case_view(case, record, locale), locale)


@lru_cache(maxsize=2_000)  # nothing here comes from a student, so a whole class shares it
def _line_of_suite(case: CaseResult, spec: SpecLine | None, locale: Locale) -> _BriefCase:
    return _rendered(case, view_of(case, spec, locale), locale)


def _rendered(case: CaseResult, view: CaseView, locale: Locale) -> _BriefCase:
    markup = piece("brief_case", locale, view)
    return _BriefCase(case.id, view, markup, _size(view.code, *view.in_brief))


def _is_plain(case: CaseResult) -> bool:
    """Return whether there is nothing to say about `case` except which it is, as its view does."""
    tone = tone_of(case.verdict)
    return tone is Tone.IDLE or (tone is Tone.GOOD and not case.explanation)


def is_of_suite(case: CaseResult) -> bool:
    """Return whether only the verdict of `case` is from the submission, as for most that pass."""
    return not (case.explanation or case.transcript or case.source or case.pictures) and (
        case.expected is case.got is case.staff_evidence is None
    )


def _size(*texts: str) -> int:
    """Return the size of `texts` on a page, in bytes; markup is already escaped."""
    return sum(len(escape(text).encode("utf-8")) for text in texts)


MAX_EXAMPLE_BYTES: Final = 7_000
"""Bytes of markup of all counterexamples of a page; those that do not fit are left out."""
MAX_QUOTE_CHARS: Final = 200


def hints(
    groups: tuple[VisibleGroup, ...],
    record: Record,
    locale: Locale,
    lines: Mapping[tuple[str, int], str],
    first: FirstToMend | None = None,
) -> Mapping[str, Mapping[str, object]]:
    """Return the hints for each of `groups`, by its id; `lines` are anchors of code lines.

    The counterexample of the group to mend `first` is shown whatever its size.
    """
    left = MAX_EXAMPLE_BYTES
    by_group: dict[str, Mapping[str, object]] = {}
    first_id = None if first is None else first.group.id
    for group in sorted(groups, key=lambda each: each.id != first_id):
        case = group.counterexample
        if case is not None and case.spec_line in {each.line for each in group.clauses}:
            case = replace(case, spec_line=None)  # the clause is quoted above it
        full = None if case is None else _full_case(case, left, record, locale, lines)
        if full is not None and full.size > left and group.id != first_id:
            full = None
        if full is not None:
            left -= full.size if full.size <= left else left // 2
        by_group[group.id] = {
            "clauses": [_clause(each, record, locale) for each in group.clauses],
            "none_shows": group.searched and case is None,
            "anchor": anchor(f"counterexample {group.id}"),
            "example": None if full is None else full.view,
            "is_above": False,
            "details": "" if full is None else full.markup,
            "program": None if case is None else runnable(case, record, locale),
        }
    return by_group


def _clause(clause: FailedClause, record: Record, locale: Locale) -> SpecLine:
    place = spec_place(clause.line, record, locale)
    href = None if place is None else place.href
    text = locale("clause", line=clause.line)
    if clause.quote is not None:
        quote = one_line(with_plain_formulas(clause.quote), MAX_QUOTE_CHARS)
        text = locale("clause_quoted", quote=quote)
    return SpecLine(text=text, href=href)
