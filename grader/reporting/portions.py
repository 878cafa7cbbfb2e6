"""Decides how much of a page each case gets, so that it opens however much went wrong.

Failures are shown in full while there is room, beginning with the first ones of each group. The
more cases a suite has, the less room there is, so that most pages stay about the same size. After
that a case gets a line, and after that it is only counted: nobody reads the thousandth failure, and
everybody wants the first.

For hidden cases that failed, a page has their number and, if the suite allows it, a clause that
one of them is about, and a small session that shows such a mistake and counts for nothing.
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
"""Markup of all cases, most of it for those shown in full."""
MIN_TOLD_BYTES: Final = 7_000
"""What cases shown in full get at least, however many cases there are."""
MAX_FIRST_BYTES: Final = 12_000
"""What they get at most; only the first failures of groups may exceed the room."""
MAX_LINE_BYTES: Final = 10_000
"""Estimated markup of all cases with a line, and of why they were not tried."""
MAX_FAILED_LINE_BYTES: Final = 8_000
"""What failed cases may take of it."""
MAX_PLAIN_LINE_BYTES: Final = 5_000
"""What cases with nothing to say about them may take of it."""
_FRAME_BYTES: Final = 400
"""Markup around the text of a failed case."""
_PLAIN_BYTES: Final = 10
"""Markup around a case with nothing to say about it."""
_LINE_BYTES: Final = 200
"""Estimated size of a case with a line."""
_MAX_MISFITS: Final = 20
"""Give up after this many cases that do not fit: laying one out is slow."""

_BRIEF: Final = frozenset({Tone.GOOD, Tone.IDLE})


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
    """Return the cases that a page about `record` has room for; `lines` are anchors of code lines.

    What is to be mended `first` comes before all others, and is shown in full whatever its size.
    """
    views: dict[str, CaseView] = {}
    in_full: dict[str, str] = {}
    count = sum(len(group.cases) for group in groups)
    cases = _by_importance(groups)
    room = max(MIN_TOLD_BYTES, MAX_TOLD_BYTES - _LINE_BYTES * count)
    more = MAX_FIRST_BYTES - room
    firsts = {first.id for first in map(_first_failure, groups) if first is not None}
    misfits = 0
    for case in _failures(cases, None if first is None else first.case, firsts):
        left = room + (more if case.id in firsts else 0) - _FRAME_BYTES
        if in_full and (left < 0 or misfits == _MAX_MISFITS):
            continue
        full = _in_full(case, left, record, locale, lines)
        if in_full and full.size > left:
            misfits += 1
            continue
        # A first case that is too large takes half of the room, whatever its size.
        room -= full.size + _FRAME_BYTES if full.size <= left else room // 2
        views[case.id], in_full[full.view.anchor] = full.view, full.markup
    rest = [case for case in cases if case.id not in views]
    lines_of_rest = list(_lines(rest, record, locale))
    views.update((line.id, line.view) for line in lines_of_rest)
    return PublicCasesView(
        views, in_full, {line.view.anchor: line.markup for line in lines_of_rest}
    )


def _first_failure(group: VisibleGroup) -> CaseResult | None:
    return next((case for case in group.cases if tone_of(case.verdict) not in _BRIEF), None)


def _failures(
    cases: Iterable[CaseResult], first: CaseResult | None, firsts: Collection[str]
) -> list[CaseResult]:
    """Return the failures among `cases`: `first`, then those in `firsts`, then the others."""
    failures = (case for case in cases if tone_of(case.verdict) not in _BRIEF)
    return sorted(failures, key=lambda case: (case is not first, case.id not in firsts))


def _by_importance(groups: tuple[VisibleGroup, ...]) -> list[CaseResult]:
    """Return all cases: failures before others, then the first ones of each group."""
    ranked = [
        (tone_of(case.verdict) in _BRIEF, rank, case)
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


def _in_full(
    case: CaseResult,
    room: int,
    record: Record,
    locale: Locale,
    lines: Mapping[tuple[str, int], str],
) -> _FullCase:
    """Return `case` in full, without its pictures if they do not fit in `room`."""
    view = case_view(case, record, locale)
    markup = piece("details", locale, view, True, lines)  # noqa: FBT003 - a macro has no keywords
    size = _size(markup)
    if size > room and case.pictures:
        return _in_full(replace(case, pictures=()), room, record, locale, lines)
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
    room, failed_room, plain_room = MAX_LINE_BYTES, MAX_FAILED_LINE_BYTES, MAX_PLAIN_LINE_BYTES
    reasons, plain = set(), set()
    for case in cases:
        if failed_room < 0 and tone_of(case.verdict) not in _BRIEF:
            continue
        if plain_room < 0 and _is_plain(case):
            continue
        brief = _brief_case(case, record, locale)
        view = brief.view
        size = brief.size + (_PLAIN_BYTES if view.is_plain else _FRAME_BYTES)
        if view.is_plain:
            if (line := (case.group, view.code, view.title)) in plain:  # shown once, with a count
                size = 0
            plain.add(line)
            plain_room -= size
        room -= size
        if not view.is_brief:
            failed_room -= size
        is_idle = view.sign.tone is Tone.IDLE
        if is_idle and (reason := (case.group, view.explanation, view.cause)) not in reasons:
            reasons.add(reason)
            room -= _size(*view.explanation, view.cause or "")
            room -= sum(
                _size(*step.output, *(c for _, c in step.prompts)) for step in view.transcript
            )
        if room < 0:
            return
        yield brief


def _brief_case(case: CaseResult, record: Record, locale: Locale) -> _BriefCase:
    """Return the line of `case`, without what is slow to make and not shown on a line."""
    if is_of_suite(case):
        return _line_of_suite(case, spec_place(case.spec_line, record, locale), locale)
    if tone_of(case.verdict) not in _BRIEF:
        case = replace(case, transcript=(), expected=None, got=None)
    return _laid_out(case, case_view(case, record, locale), locale)


@lru_cache(maxsize=2_000)  # holds nothing of a student, and serves a whole class
def _line_of_suite(case: CaseResult, spec: SpecLine | None, locale: Locale) -> _BriefCase:
    return _laid_out(case, view_of(case, spec, locale), locale)


def _laid_out(case: CaseResult, view: CaseView, locale: Locale) -> _BriefCase:
    markup = piece("brief_case", locale, view)
    return _BriefCase(case.id, view, markup, _size(view.code, *view.in_brief))


def _is_plain(case: CaseResult) -> bool:
    """Return whether nothing is to be said of `case` except which it is: `CaseView.is_plain`."""
    tone = tone_of(case.verdict)
    return tone is Tone.IDLE or (tone is Tone.GOOD and not case.explanation)


def is_of_suite(case: CaseResult) -> bool:
    """Return whether `case` has only its verdict from the submission, as most that pass."""
    return not (case.explanation or case.transcript or case.source or case.pictures) and (
        case.expected is case.got is case.staff_evidence is None
    )


def _size(*texts: str) -> int:
    """Return the size of `texts` on a page, in bytes; markup is already escaped."""
    return sum(len(escape(text).encode("utf-8")) for text in texts)


MAX_EXAMPLE_BYTES: Final = 7_000
"""Markup of all counterexamples of a page; those that do not fit are left out."""
MAX_QUOTE_CHARS: Final = 200


def hints(
    groups: tuple[VisibleGroup, ...],
    record: Record,
    locale: Locale,
    lines: Mapping[tuple[str, int], str],
    first: FirstToMend | None = None,
) -> Mapping[str, Mapping[str, object]]:
    """Return the hints for each of `groups`, by its id; `lines` are anchors of code lines.

    The example for what is to be mended `first` is shown whatever its size.
    """
    room = MAX_EXAMPLE_BYTES
    found: dict[str, Mapping[str, object]] = {}
    first_id = None if first is None else first.group.id
    for group in sorted(groups, key=lambda each: each.id != first_id):
        case = group.counterexample
        if case is not None and case.spec_line in {each.line for each in group.clauses}:
            case = replace(case, spec_line=None)  # the clause is quoted above it
        full = None if case is None else _in_full(case, room, record, locale, lines)
        if full is not None and full.size > room and group.id != first_id:
            full = None
        if full is not None:
            room -= full.size if full.size <= room else room // 2
        found[group.id] = {
            "clauses": [_clause(each, record, locale) for each in group.clauses],
            "none_shows": group.searched and case is None,
            "anchor": anchor(f"counterexample {group.id}"),
            "example": None if full is None else full.view,
            "is_above": False,
            "details": "" if full is None else full.markup,
            "program": None if case is None else runnable(case, record, locale),
        }
    return found


def _clause(clause: FailedClause, record: Record, locale: Locale) -> SpecLine:
    place = spec_place(clause.line, record, locale)
    href = None if place is None else place.href
    text = locale("clause", line=clause.line)
    if clause.quote is not None:
        quote = one_line(with_plain_formulas(clause.quote), MAX_QUOTE_CHARS)
        text = locale("clause_quoted", quote=quote)
    return SpecLine(text=text, href=href)
