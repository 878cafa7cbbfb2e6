"""The page that a student reads: the result, what to mend first, and then everything else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from grader.judging.record import Record
from grader.reporting.case_view import anchor, case_view, skips
from grader.reporting.code_view import listing
from grader.reporting.decisions_view import decisions_view
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
MAX_PROGRAM_CHARS: Final = 40_000
"""Characters of all sessions together that a page holds a second time, as programs to copy."""


def student_page(record: Record) -> str:
    """Return the page about `record`, one self-contained file in the record's language."""
    locale = Locale.of(record.language)
    groups = visible_groups(record)
    first = first_to_mend(record, groups) if record.status is Status.GRADED else None
    share = score_share(record)
    code = listing(groups, record, locale)
    parts = portions(groups, record, locale, code.lines, first)
    hinted = hints(groups, record, locale, code.lines)
    programs = _programs(record, parts, locale)
    rules, advice = rules_view(record, locale), advice_views(record, locale)
    return page(
        "student.html",
        locale,
        title=one_line(record.title),
        student=one_line(record.student),
        status=record.status,
        status_tone=STATUS_TONES[record.status],
        score=score_text(record, locale),
        percent=None if share is None else round(100 * share, 2),
        sentence=" ".join(sentences(record, groups, locale)),
        remarks=[locale.tell(remark) for remark in record.remarks],
        decisions=decisions_view(record, groups, locale),
        first=None if first is None else _first(first, record, hinted, locale),
        groups=[
            {
                "hints": hinted[group.id],
                "cases": _cases(group, parts, programs, locale),
                **_group(group, record, parts, locale),
            }
            for group in groups
        ],
        listing=code,
        anchors=frozenset(_anchors(parts, rules, advice)),
        rules=rules,
        advice=advice,
        advice_more=advice_left_out(record, locale),
        facts=_facts(record, locale),
    )


def _first(
    first: FirstToMend, record: Record, hinted: Mapping[str, Mapping[str, object]], locale: Locale
) -> Mapping[str, object]:
    """Return what the page says of what to mend first: a case in full, or lines of the exercise."""
    group, told = first.group, hinted[first.group.id]
    is_public = first.case in group.cases
    view = None if first.case is None else case_view(first.case, record, locale)
    if not is_public and told["example"] is None:
        view = None  # there was no room for it
    return {
        "why": locale(
            "first_why", lost=locale.number(first.lost), max=locale.number(record.max_score)
        ),
        "title": one_line(group.title),
        "anchor": anchor(f"group {group.id}"),
        "case": view,
        "more": told["anchor"] if view is None or not is_public else view.anchor,
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


def _any_hidden_failed(groups: tuple[VisibleGroup, ...]) -> bool:
    return any(group.hidden_tone is not Tone.GOOD for group in groups)


def _cases(
    group: VisibleGroup, parts: PublicCasesView, programs: Mapping[str, str], locale: Locale
) -> list[str]:
    """Return the markup of each case of `group` that is on the page."""
    views = (parts.views[case.id] for case in group.cases if case.id in parts.views)
    return [
        piece("full_case", locale, view, parts.told[view.anchor], programs.get(view.anchor))
        if view.anchor in parts.told
        else parts.brief[view.anchor]
        for view in views
    ]


def _group(
    group: VisibleGroup, record: Record, parts: PublicCasesView, locale: Locale
) -> Mapping[str, object]:
    cases = [parts.views[case.id] for case in group.cases if case.id in parts.views]
    count, passed, tone = group.demands, group.met, group.tone
    return {
        "anchor": anchor(f"group {group.id}"),
        "title": one_line(group.title),
        "tone": tone,
        "glyph": GLYPHS[tone],
        "tally": locale("tally", passed=passed, count=count),
        "short_tally": f"{passed}/{count}",
        "points": locale.points(group.points, group.max_points),
        # Of a submission that did not run at all, no group has anything to tell.
        "is_open": record.status is Status.GRADED
        and (tone is not Tone.GOOD or any(case.proviso for case in cases)),
        "skipped": list(skips(cases)),
        "more": len(group.cases) - len(cases),
        "hidden": locale.hidden(group.hidden) if group.hidden else None,
        "hidden_tone": group.hidden_tone.value,
    }
