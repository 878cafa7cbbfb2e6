"""The page that a student reads: the result, what to mend first, and then everything else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from grader.judging.record import Record
from grader.reporting.case_view import AIDED_GLYPH, CaseView, anchor, case_view, skips
from grader.reporting.code_view import listing
from grader.reporting.decisions_view import decisions_view
from grader.reporting.looks import shared_looks
from grader.reporting.mending import FirstToMend, first_to_mend
from grader.reporting.portions import PublicCasesView, hints, portions
from grader.reporting.rendering import page, piece
from grader.reporting.rules_view import (
    AdviceView,
    RulesView,
    advice_left_out,
    advice_views,
    rules_told,
    rules_view,
)
from grader.reporting.runnable import runnable
from grader.reporting.stop_view import stop_views
from grader.reporting.visibility import VisibleGroup, visible_groups
from grader.reporting.wording import (
    GLYPHS,
    STATUS_TONES,
    Fact,
    Locale,
    Tone,
    conditions,
    lost_by_rules,
    score_share,
    score_text,
    tone_of,
)
from grader.values.display import one_line
from grader.verdict import RuleVerdict, Status

_MAX_REMEMBERED: Final = 10_000
_ROUNDING: Final = 0.001
"""Scores are rounded, so that what rules cost cannot be added to them exactly."""
_MAX_FIRST_LINES: Final = 30
"""Lines of the session of what to mend first; a longer one is a click away."""
_MOST_ROWS: Final = 8
"""Parts that have a row of their own where they fail; the others are a click away."""
MAX_PROGRAM_CHARS: Final = 5_000
"""Characters of all sessions together that a page holds a second time, as programs to copy."""


def student_page(record: Record, *, shares: bool = False) -> str:
    """Return the page about `record`, in the record's language.

    It is one self-contained file, or else `shares` style and script with others in its folder.
    """
    locale = Locale.of_record(record)
    is_stopped = record.status is Status.UNGRADABLE
    groups = () if is_stopped else visible_groups(record)
    first = first_to_mend(record, groups) if record.status is Status.GRADED else None
    share = score_share(record)
    code = listing(groups, record, locale, whole=not _is_all_right(record, groups))
    parts = portions(groups, record, locale, code.lines, first)
    hinted = hints(groups, record, locale, code.lines, first)
    programs = _programs(record, parts, locale)
    above = None if first is None else _first(first, record, hinted, programs, locale)
    told_above = None if above is None or not above["is_all"] else str(above["more"])
    rules, advice = rules_view(record, locale), advice_views(record, locale)
    decided = decisions_view(record, locale)
    rows = [_group(group, parts, programs, hinted, told_above, locale) for group in groups]
    passes = [row for row in rows if row["is_passed"]]
    if len(passes) == 1:  # its own row says more than a count of one
        passes = []
    open_rows = [row for row in rows if not (passes and row["is_passed"])]
    return page(
        "student.html",
        locale,
        shared=shared_looks() if shares else None,
        title=one_line(record.title),
        student=one_line(record.student),
        status=record.status,
        status_tone=STATUS_TONES[record.status],
        score=score_text(record, locale),
        percent=None if share is None else round(100 * share, 2),
        sentence=" ".join(sentences(record, groups, locale)),
        stops=list(stop_views(record, locale)) if is_stopped else [],
        remarks=[] if is_stopped else [locale.tell(remark) for remark in record.remarks],
        decisions=decided,
        first=above,
        rows=open_rows[:_MOST_ROWS],
        more_rows=open_rows[_MOST_ROWS:],
        passes=passes,
        listing=code,
        anchors=frozenset(_anchors(parts, rules, advice)),
        rules=rules,
        advice=advice,
        advice_more=advice_left_out(record, locale),
        facts=_facts(record, locale),
    )


def _first(
    first: FirstToMend,
    record: Record,
    hinted: Mapping[str, Mapping[str, object]],
    programs: Mapping[str, str],
    locale: Locale,
) -> Mapping[str, object]:
    """Return what the page says of what to mend first: a case in full, or lines of the exercise."""
    group, told = first.group, hinted[first.group.id]
    is_public = first.case in group.cases
    example = told["example"]  # there may be no room for it
    view = example if isinstance(example, CaseView) else None
    if is_public and first.shown is not None:
        view = case_view(first.shown, record, locale)
    more = told["anchor"] if view is None or not is_public else view.anchor
    has_session = view is not None and view.session_lines <= _MAX_FIRST_LINES
    is_own = first.shown is first.case  # and no shorter session than that of its part
    return {
        "why": locale(
            "first_why", lost=locale.number(first.lost), max=locale.number(record.max_score)
        ),
        "title": one_line(group.title),
        "anchor": anchor(f"group {group.id}"),
        "case": view,
        "has_session": has_session,
        "is_all": has_session and is_own and view is not None and not view.is_brief,
        "more": more,
        "program": _program(first, programs, record, locale) if is_public else told["program"],
        "hints": None if is_public else {**told, "example": None, "none_shows": False},
    }


def _anchors(
    parts: PublicCasesView, rules: RulesView | None, advice: tuple[AdviceView, ...]
) -> Iterator[str]:
    """Yield where remarks on the code can lead to on this page."""
    yield from (view.anchor for view in parts.views.values())
    if rules is not None:
        yield from (rule.anchor for rule in rules.pressing)
    yield from (item.anchor for item in advice)


def _programs(record: Record, parts: PublicCasesView, locale: Locale) -> dict[str, str]:
    """Return what can be run of the sessions shown, by the anchor of the case, first ones first."""
    programs: dict[str, str] = {}
    left = MAX_PROGRAM_CHARS
    for case in record.cases:
        place = anchor(case.id)
        program = runnable(case, record, locale) if place in parts.told else None
        if program is not None and (left := left - len(program)) >= 0:
            programs[place] = program
    return programs


def _program(
    first: FirstToMend, programs: Mapping[str, str], record: Record, locale: Locale
) -> str | None:
    if first.shown is not first.case and first.shown is not None:
        return runnable(first.shown, record, locale)
    return None if first.case is None else programs.get(anchor(first.case.id))


def _facts(record: Record, locale: Locale) -> tuple[Fact, ...]:
    identity = (locale("how_submission"), (one_line(record.id),))
    return (identity, *conditions(record, locale))


def sentences(record: Record, groups: tuple[VisibleGroup, ...], locale: Locale) -> Iterator[str]:
    """Yield what the page says of the result as a whole."""
    if record.status is Status.GRADED:
        yield _about_cases(record, groups, locale)
        yield from rules_told(record, locale)


def _about_cases(record: Record, groups: tuple[VisibleGroup, ...], locale: Locale) -> str:
    count = sum(group.demands for group in groups)
    passed = sum(group.met for group in groups)
    if passed < count:
        sentence = locale("result_some", passed=passed, count=count)
        failed = any(tone_of(case.verdict) is Tone.BAD for g in groups for case in g.cases)
        if failed or not _any_hidden_failed(groups):
            return sentence
        is_shown = any(group.counterexample is not None for group in groups)
        why = locale("result_counterexamples") if is_shown else locale("result_hidden_only")
        return f"{sentence} {why}"
    if not _is_full(record):
        return locale("result_all_visible", count=count)
    in_doubt = {RuleVerdict.BROKEN, RuleVerdict.REVIEW}
    if any(rule.verdict in in_doubt for rule in record.rules):
        return locale("result_all_cases", count=count)
    return locale("result_all", count=count)


def _is_full(record: Record) -> bool:
    """Return whether the cases earned all points, whatever rules cost after that."""
    lost = lost_by_rules(record)
    return record.score + lost >= record.max_score - (_ROUNDING if lost else 0)


def _is_all_right(record: Record, groups: tuple[VisibleGroup, ...]) -> bool:
    """Return whether there is nothing to mend, so that nobody looks for where in the code."""
    is_full = record.status is Status.GRADED and _is_full(record)
    return is_full and all(group.tone is Tone.GOOD for group in groups)


def _any_hidden_failed(groups: tuple[VisibleGroup, ...]) -> bool:
    return any(group.hidden_tone is not Tone.GOOD for group in groups)


def _group(
    group: VisibleGroup,
    parts: PublicCasesView,
    programs: Mapping[str, str],
    hinted: Mapping[str, Mapping[str, object]],
    told_above: str | None,
    locale: Locale,
) -> Mapping[str, object]:
    cases = [parts.views[case.id] for case in group.cases if case.id in parts.views]
    markup = {view.anchor: _case(view, parts, programs, told_above, locale) for view in cases}
    told = hinted[group.id]
    is_above = told["anchor"] == told_above
    passed = [view for view in cases if view.is_passed]
    untried = [view for view in cases if view.sign.tone is Tone.IDLE]
    is_passed = group.tone is Tone.GOOD and len(passed) == len(cases)
    tally = locale("tally", passed=group.met, count=group.demands)
    # Below the heading of what is passed there is nothing to say of hidden cases but their number.
    hidden_above = group.hidden_met if is_passed and cases else 0
    if hidden_above:
        tally = locale("page_tally_hidden", tally=tally, count=hidden_above)
    return {
        "anchor": anchor(f"group {group.id}"),
        "title": one_line(group.title),
        "look": "aided" if group.tone is Tone.GOOD and not is_passed else group.tone.value,
        "tone": group.tone,
        "glyph": GLYPHS[group.tone] if is_passed or group.tone is not Tone.GOOD else AIDED_GLYPH,
        "tally": tally,
        "hidden_above": hidden_above,
        "short_tally": f"{group.met}/{group.demands}",
        "points": locale.points(group.points, group.max_points),
        "is_passed": is_passed,
        "skipped": list(skips(cases)),
        "cases": [markup[each.anchor] for each in cases if each not in (*passed, *untried)],
        "lines": list(_lines(markup, passed, untried, told_above, locale)),
        "left_out": Counter(
            tone_of(case.verdict).value for case in group.cases if case.id not in parts.views
        ),
        "hidden": locale.hidden(group.hidden) if group.hidden and not hidden_above else None,
        "hidden_tone": group.hidden_tone.value,
        "hidden_met": group.hidden_met,
        "hidden_unmet": group.hidden.demands - group.hidden_met if group.hidden else 0,
        "hints": {**told, "example": None, "is_above": True} if is_above else told,
    }


def _lines(
    markup: Mapping[str, str],
    passed: list[CaseView],
    untried: list[CaseView],
    told_above: str | None,
    locale: Locale,
) -> Iterator[Mapping[str, object]]:
    """Yield the lists of cases of which nothing is to be said but that they came to the same."""
    for tone, cases, title in (
        (Tone.GOOD, passed, locale("page_cases_passed", count=len(passed))),
        (Tone.IDLE, untried, f"{locale('page_idle')} {len(untried)}"),
    ):
        if cases:
            yield {"tone": tone, "title": title, "cases": _once(cases, markup, told_above, locale)}


def _once(
    cases: list[CaseView], markup: Mapping[str, str], told_above: str | None, locale: Locale
) -> list[str]:
    """Return the lines of `cases`: those with the same text as one, with how many they are."""
    same: dict[tuple[str, str | None], list[CaseView]] = {}
    for case in cases:
        own = case.anchor if case.anchor == told_above else case.title
        same.setdefault((case.code, None if case.is_passed else own), []).append(case)
    return [
        piece("plain_case", locale, first, others) if others else markup[first.anchor]
        for first, *others in same.values()
    ]


def _case(
    view: CaseView,
    parts: PublicCasesView,
    programs: Mapping[str, str],
    told_above: str | None,
    locale: Locale,
) -> str:
    """Return the markup of a case that is on the page."""
    if view.anchor == told_above:
        return piece("case_above", locale, view)
    if view.anchor not in parts.told:
        return parts.brief[view.anchor]
    return piece("full_case", locale, view, parts.told[view.anchor], programs.get(view.anchor))
