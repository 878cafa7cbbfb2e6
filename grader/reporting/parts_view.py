"""Prepares the parts of an exercise for the student's page, with what to mend first above them.

All students who have everything right get the same view, so it is cached.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from grader.judging.record import Record
from grader.reporting.asking import ask_address
from grader.reporting.case_view import AIDED_GLYPH, CaseView, anchor, case_view, distinct_skips
from grader.reporting.mending import FirstToMend, lost_by_part
from grader.reporting.portions import PublicCasesView, fit_cases, hints, is_of_suite
from grader.reporting.rendering import render_macro
from grader.reporting.repair_view import repair_sentence
from grader.reporting.runnable import runnable_program
from grader.reporting.visibility import VisibleGroup
from grader.reporting.wording import GLYPHS, Locale, Tone, lost_by_rules, tone_of
from grader.values.foreign_text import one_line

_MAX_FIRST_LINES: Final = 30
"""If the session of what to mend first has more lines, it is shown only after a click."""
_MAX_ROWS: Final = 8
"""How many failing parts have their own row; the others are shown after a click."""
MAX_PROGRAM_CHARS: Final = 5_000
"""The maximum number of characters of all programs to copy on a page."""
_MAX_CACHED: Final = 64
_CACHE: Final[dict[object, _PartsView]] = {}
"""Views for students who have everything right; they contain no text from a student."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _PartsView:
    """The groups of a record, ready for display on a page."""

    first: Mapping[str, object] | None
    """The template variables for what to mend first, or None."""
    rows: list[Mapping[str, object]]
    """The rows of the first few groups that did not pass; if only one passed, it has a row too."""
    more_rows: list[Mapping[str, object]]
    """The rows of the other such groups, which are shown after a click."""
    markup: str
    """The markup of all groups, including passed ones."""
    anchors: frozenset[str]
    """The anchors of the cases shown, to which remarks on the code can link."""


def parts_view(
    groups: tuple[VisibleGroup, ...],
    record: Record,
    locale: Locale,
    lines: Mapping[tuple[str, int], str],
    first: FirstToMend | None,
) -> _PartsView:
    """Return the `groups` of `record` ready for display, with what to mend `first` above them.

    `lines` has the anchors of lines of code, keyed by location. Equal views are made only once, if
    they contain no text from a student.
    """
    if first is not None or not all(map(_is_plain, groups)):
        return _new_view(groups, record, locale, lines, first)
    # If all cases passed, the view depends on nothing but this key.
    key = groups, record.spec, record.spec_url, locale
    if key not in _CACHE:
        if len(_CACHE) >= _MAX_CACHED:
            _CACHE.clear()
        _CACHE[key] = _new_view(groups, record, locale, lines, None)
    return _CACHE[key]


def _is_plain(group: VisibleGroup) -> bool:
    """Return whether all that `group` shows of a submission is that all cases passed."""
    is_passed = group.tone is Tone.GOOD and group.counterexample is None
    return is_passed and all(map(is_of_suite, group.cases))


def _new_view(
    groups: tuple[VisibleGroup, ...],
    record: Record,
    locale: Locale,
    lines: Mapping[tuple[str, int], str],
    first: FirstToMend | None,
) -> _PartsView:
    """Return a new view of `groups`; the parameters are those of `parts_view`."""
    parts = fit_cases(groups, record, locale, lines, first)
    hints_by_group = hints(groups, record, locale, lines, first)
    programs = _programs(record, parts, locale)
    first_view = (
        None if first is None else _first_view(first, record, hints_by_group, programs, locale)
    )
    anchor_above = (
        None if first_view is None or not first_view["is_all"] else str(first_view["more"])
    )
    rows: list[Mapping[str, object]] = [
        {
            **_group(group, parts, programs, hints_by_group, anchor_above, locale),
            "ask": None if group.tone is Tone.GOOD else ask_address(record, group.title),
        }
        for group in groups
    ]
    passed_rows = [row for row in rows if row["is_passed"]]
    if len(passed_rows) == 1:  # its own row is more informative than a count of one
        passed_rows = []
    open_rows = [row for row in rows if not (passed_rows and row["is_passed"])]
    first_rows, more_rows = open_rows[:_MAX_ROWS], open_rows[_MAX_ROWS:]
    return _PartsView(
        first=first_view,
        rows=first_rows,
        more_rows=more_rows,
        markup=render_macro("parts", locale, first_rows, more_rows, passed_rows, first_view is None)
        if rows
        else "",
        anchors=frozenset(view.anchor for view in parts.views.values()),
    )


def _first_view(
    first: FirstToMend,
    record: Record,
    hints_by_group: Mapping[str, Mapping[str, object]],
    programs: Mapping[str, str],
    locale: Locale,
) -> Mapping[str, object]:
    """Return the template variables for what to mend first.

    It is shown as a public case in full or, if no public case shows the mistake, as the hints for
    its group.
    """
    group, group_hints = first.group, hints_by_group[first.group.id]
    is_public = first.case in group.cases
    example = group_hints["example"]  # None if it does not fit
    view = example if isinstance(example, CaseView) else None
    if is_public and first.shown is not None:
        view = case_view(first.shown, record, locale)
    more = group_hints["anchor"] if view is None or not is_public else view.anchor
    has_session = view is not None and view.session_lines <= _MAX_FIRST_LINES
    is_same_session = first.shown is first.case  # not a shorter one than the part shows
    return {
        "why": " ".join(_cost_sentences(first, record, locale)),
        "repair": repair_sentence(group.id, record, locale),
        "title": one_line(group.title),
        "anchor": anchor(f"group {group.id}"),
        "case": view,
        "has_session": has_session,
        "is_all": has_session and is_same_session and view is not None and not view.is_brief,
        "more": more,
        "program": _program_of_first(first, programs, record, locale)
        if is_public
        else group_hints["program"],
        "hints": None if is_public else {**group_hints, "example": None, "none_shows": False},
    }


def _cost_sentences(first: FirstToMend, record: Record, locale: Locale) -> Iterator[str]:
    """Yield sentences about what `first` costs, and in which parts if it affects several.

    If broken rules cost more than `first`, they are also mentioned. A broken rule is never what to
    mend first, because it is unknown whether it is related to the failure that is shown.
    """
    yield locale.with_loss("first_why", first.points_lost, record.max_score)
    if (by_part := lost_by_part(first, locale)) is not None:
        yield by_part
    if (points := lost_by_rules(record)) > first.points_lost:
        yield locale.with_points("first_rules", points)


def _programs(record: Record, parts: PublicCasesView, locale: Locale) -> dict[str, str]:
    """Return programs for the sessions of cases shown in full, keyed by the anchor of the case.

    Once the programs together exceed the limit for a page, the others are omitted.
    """
    programs: dict[str, str] = {}
    chars_left = MAX_PROGRAM_CHARS
    for case in record.cases:
        case_anchor = anchor(case.id)
        program = runnable_program(case, record, locale) if case_anchor in parts.full else None
        if program is not None and (chars_left := chars_left - len(program)) >= 0:
            programs[case_anchor] = program
    return programs


def _program_of_first(
    first: FirstToMend, programs: Mapping[str, str], record: Record, locale: Locale
) -> str | None:
    """Return the program for what to mend `first`, or None if there is none."""
    if first.shown is not first.case and first.shown is not None:
        return runnable_program(first.shown, record, locale)
    return None if first.case is None else programs.get(anchor(first.case.id))


def _group(
    group: VisibleGroup,
    parts: PublicCasesView,
    programs: Mapping[str, str],
    hints_by_group: Mapping[str, Mapping[str, object]],
    anchor_above: str | None,
    locale: Locale,
) -> Mapping[str, object]:
    """Return the template variables for `group`.

    The case or example whose anchor is `anchor_above` is shown above, so it is not repeated.
    """
    cases = [parts.views[case.id] for case in group.cases if case.id in parts.views]
    markup = {view.anchor: _case(view, parts, programs, anchor_above, locale) for view in cases}
    group_hints = hints_by_group[group.id]
    is_above = group_hints["anchor"] == anchor_above
    passed_views = [view for view in cases if view.is_passed]
    untried_views = [view for view in cases if view.sign.tone is Tone.IDLE]
    tone = group.tone
    is_passed = tone is Tone.GOOD and len(passed_views) == len(cases)
    # Below the heading of passed parts, the number of hidden cases is enough.
    hidden_above = group.hidden_met if is_passed and cases else 0
    return {
        "anchor": anchor(f"group {group.id}"),
        "title": one_line(group.title),
        "look": "aided" if tone is Tone.GOOD and not is_passed else tone.value,
        "tone": tone,
        "glyph": GLYPHS[tone] if is_passed or tone is not Tone.GOOD else AIDED_GLYPH,
        "tally": group.tally(locale),
        "hidden_above": hidden_above,
        "short_tally": group.short_tally(locale),
        "points": locale.points(group.points, group.max_points),
        "is_passed": is_passed,
        "skipped": list(distinct_skips(cases)),
        "cases": [
            markup[view.anchor] for view in cases if view not in (*passed_views, *untried_views)
        ],
        "lines": list(_brief_lists(markup, passed_views, untried_views, anchor_above, locale)),
        "left_out": Counter(
            tone_of(case.verdict).value for case in group.cases if case.id not in parts.views
        ),
        "hidden": locale.hidden(group.hidden) if group.hidden and not hidden_above else None,
        "hidden_tone": group.hidden_tone.value,
        "hidden_met": group.hidden_met,
        "hidden_unmet": group.hidden.demands - group.hidden_met if group.hidden else 0,
        "hints": {**group_hints, "example": None, "is_above": True} if is_above else group_hints,
    }


def _brief_lists(
    markup: Mapping[str, str],
    passed: list[CaseView],
    untried: list[CaseView],
    anchor_above: str | None,
    locale: Locale,
) -> Iterator[Mapping[str, object]]:
    """Yield the list of cases that passed, and the list of cases that were not tried.

    Empty lists are skipped. `markup` has the markup of each case, keyed by anchor. The case whose
    anchor is `anchor_above` is not merged with others.
    """
    for tone, cases, title in (
        (Tone.GOOD, passed, locale("page_cases_passed", count=len(passed))),
        (Tone.IDLE, untried, f"{locale('page_idle')} {len(untried)}"),
    ):
        if cases:
            yield {
                "tone": tone,
                "title": title,
                "cases": _merge_lines(cases, markup, anchor_above, locale),
            }


def _merge_lines(
    cases: list[CaseView], markup: Mapping[str, str], anchor_above: str | None, locale: Locale
) -> list[str]:
    """Return lines of markup for `cases`; equal cases are merged into one line with a count.

    The failed case at `anchor_above`, which is shown above in full, is not merged with others.
    """
    by_text: dict[tuple[str, str | None], list[CaseView]] = {}
    for case in cases:
        label = case.anchor if case.anchor == anchor_above else case.title
        by_text.setdefault((case.code, None if case.is_passed else label), []).append(case)
    return [
        render_macro("plain_case", locale, first, repeats) if repeats else markup[first.anchor]
        for first, *repeats in by_text.values()
    ]


def _case(
    view: CaseView,
    parts: PublicCasesView,
    programs: Mapping[str, str],
    anchor_above: str | None,
    locale: Locale,
) -> str:
    """Return the markup of `view`: in full, on one line, or as a link to `anchor_above`."""
    if view.anchor == anchor_above:
        return render_macro("case_above", locale, view)
    if view.anchor not in parts.full:
        return parts.brief[view.anchor]
    return render_macro(
        "full_case", locale, view, parts.full[view.anchor], programs.get(view.anchor)
    )
