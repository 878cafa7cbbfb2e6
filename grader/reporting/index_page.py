"""Makes the overview of a run for staff: first what needs a person, then the results by exercise.

For each exercise it shows the distribution of the scores, a table of students by groups, the wrong
answers that several students gave, and how good the groups and sessions are as questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, TypeAlias

from grader.messages import message
from grader.reporting.class_analysis import analysis, find_clusters
from grader.reporting.class_view import (
    distribution,
    easiest_first,
    hardest_sentence,
    item_lists,
    shares_by_title,
    warning,
)
from grader.reporting.deciding import Choices
from grader.reporting.evidence_page import EVIDENCE_NAME
from grader.reporting.index_entry import IndexEntry, ItemScore, stopped_kind
from grader.reporting.rendering import page_pieces
from grader.reporting.wording import (
    GLYPHS,
    STATUS_TONES,
    Locale,
    Tone,
    VerdictView,
    gap_texts,
    level_text,
)
from grader.store.runs import LeftOutPath
from grader.values.foreign_text import one_line
from grader.verdict import Status

__all__ = ("IndexEntry", "index_page", "index_pieces")

_MAX_REMARKS: Final = 3
"""How many remarks a row shows; the student's page has all of them."""
_MAX_REVIEWS: Final = 3
"""How many rules a reason names; the student's page has all of them."""
_MAX_LISTED: Final = 40
"""How many submissions a list shows; the table has all of them."""
_MAX_LEFT_OUT: Final = 200
_MAX_CLUSTERS: Final = 20
_ANSWER_CHARS: Final = 40
_FEW_CASES: Final = 99
"""If a group has more cases than this, table cells are wider, to fit longer numbers."""
_LONG_TABLE: Final = 25
"""A table with more rows than this scrolls in its own box, so that its header stays visible."""

_Context: TypeAlias = dict[str, object]
"""Variables for the template."""


def index_page(
    entries: Iterable[IndexEntry],
    *,
    language: str,
    interrupted: bool,
    choices: Mapping[str, Choices] | None = None,
    left_out: Sequence[LeftOutPath] = (),
) -> str:
    """Return the overview of a run, which says so if the run was `interrupted`.

    The other parameters are those of `index_pieces`.
    """
    pieces = index_pieces(
        entries,
        language=language,
        interrupted=interrupted,
        choices=choices,
        left_out=left_out,
    )
    return "".join(pieces)


def index_pieces(
    entries: Iterable[IndexEntry],
    *,
    language: str,
    interrupted: bool,
    choices: Mapping[str, Choices] | None = None,
    left_out: Sequence[LeftOutPath] = (),
) -> Iterator[str]:
    """Return the overview in pieces, because it is large for a large run.

    Exercises with `choices` get a form for decisions. The paths that were `left_out` are listed.
    """
    locale = Locale.for_language(language)
    # The id comes last, so that the order is the same in every run even for equal names.
    ordered = sorted(
        entries, key=lambda entry: (entry.exercise, entry.student.casefold(), entry.id)
    )
    sections = list(_sections(ordered, choices or {}, locale))
    stopped = [entry for entry in ordered if entry.is_stopped]
    waiting = [entry for entry in ordered if entry.needs_person and not entry.is_stopped]
    weakest = min(ordered, key=lambda entry: entry.isolation, default=None)
    return page_pieces(
        "index.html",
        locale,
        count=len(ordered),
        isolation=weakest
        and (level_text(weakest.isolation, locale), gap_texts(weakest.layers, locale)),
        interrupted=interrupted,
        to_do=list(_to_do(ordered, sections, locale, len(left_out))),
        waiting=[_row(entry, (), locale) for entry in waiting],
        stopped=_by_reason(stopped, locale),
        stopped_count=len(stopped),
        **_remark_lists(ordered),
        left_out=[one_line(item.path, 300) for item in left_out[:_MAX_LEFT_OUT]],
        left_out_count=len(left_out),
        left_out_more=max(0, len(left_out) - _MAX_LEFT_OUT),
        sections=sections,
    )


def _sections(
    ordered: Iterable[IndexEntry], choices: Mapping[str, Choices], locale: Locale
) -> Iterator[_Context]:
    """Yield the template variables for each exercise; the entries are `ordered` by exercise.

    `choices` has the subjects of decisions, keyed by exercise.
    """
    for number, (exercise, group) in enumerate(groupby(ordered, lambda entry: entry.exercise), 1):
        entries = list(group)
        # A submission on which the grader failed must be graded again before anybody decides on it.
        decidable = [
            (entry.id, entry.student) for entry in entries if entry.status is not Status.FAULT
        ]
        yield {
            **_section(number, entries, locale),
            "exercise": exercise,
            "students": decidable,
            "choices": choices.get(exercise),
        }


def _remark_lists(ordered: Sequence[IndexEntry]) -> dict[str, Any]:
    """Return the template variables for the lists of submissions with remarks of each kind.

    The kinds are remarks for staff, unexpected output, unusual files, and the same files as another
    submission. Each list has its first entries, its count, and how many entries are left out.
    """
    remarked = [entry for entry in ordered if entry.staff_remarks]
    printed = [entry for entry in ordered if entry.printed]
    odd = [entry for entry in ordered if _is_only_odd(entry)]
    same_files = _same_files(ordered)
    return {
        "remarked": [
            (entry, _first_sentences(entry.staff_remarks)) for entry in remarked[:_MAX_LISTED]
        ],
        "remarked_count": len(remarked),
        "remarked_more": max(0, len(remarked) - _MAX_LISTED),
        "printed": [(entry, entry.printed) for entry in printed[:_MAX_LISTED]],
        "printed_count": len(printed),
        "printed_more": max(0, len(printed) - _MAX_LISTED),
        "odd": [(entry, _first_sentences(entry.odd_files)) for entry in odd[:_MAX_LISTED]],
        "odd_count": len(odd),
        "odd_more": max(0, len(odd) - _MAX_LISTED),
        "same_files": same_files[:_MAX_LISTED],
        "same_files_count": sum(map(len, same_files)),
        "same_files_more": max(0, len(same_files) - _MAX_LISTED),
    }


def _is_only_odd(entry: IndexEntry) -> bool:
    # A submission that needs a person is listed with its reasons already.
    return bool(entry.odd_files) and not entry.needs_person


def _same_files(entries: Iterable[IndexEntry]) -> list[list[IndexEntry]]:
    """Return groups of students who handed in the same files for an exercise, largest first."""
    groups: dict[tuple[str, str], list[IndexEntry]] = {}
    for entry in entries:
        if entry.files:
            groups.setdefault((entry.exercise, entry.files), []).append(entry)
    return sorted(
        (group for group in groups.values() if len(group) > 1), key=lambda group: -len(group)
    )


def _by_reason(stopped: Iterable[IndexEntry], locale: Locale) -> list[_Context]:
    """Return the template variables for the `stopped` submissions, which cannot be run.

    They are grouped by exercise and reason, then by location. Within an exercise, the most frequent
    reason comes first, and within a reason, the most frequent location.
    """
    groups: dict[tuple[str, str], dict[str, list[IndexEntry]]] = {}
    for entry in stopped:
        reason = locale.sentence(message(f"stopped.{stopped_kind(entry)}"))
        location = "" if entry.stopped_at is None else locale.sentence(entry.stopped_at)
        by_location = groups.setdefault((entry.exercise, reason), {})
        by_location.setdefault(location, []).append(entry)
    counts = {group: sum(map(len, lists.values())) for group, lists in groups.items()}
    return [
        {
            "exercise": one_line(next(iter(by_location.values()))[0].exercise_title),
            "reason": group[1],
            "count": counts[group],
            "places": sorted(by_location.items(), key=lambda item: -len(item[1])),
        }
        for group, by_location in sorted(
            groups.items(), key=lambda item: (item[0][0], -counts[item[0]])
        )
    ]


def _to_do(
    entries: Sequence[IndexEntry],
    sections: Sequence[Mapping[str, Any]],
    locale: Locale,
    left_out_count: int,
) -> Iterator[tuple[str, str]]:
    """Yield a link and a sentence for each thing that staff should do, most urgent first.

    `left_out_count` is the number of paths that were left out of the run.
    """
    stopped = sum(entry.is_stopped for entry in entries)
    waiting = sum(entry.needs_person for entry in entries) - stopped
    remarked = sum(bool(entry.staff_remarks) for entry in entries)
    flagged = sum(bool(entry.signs) for entry in entries)
    same_files = sum(map(len, _same_files(entries)))
    printed = sum(bool(entry.printed) for entry in entries)
    odd = sum(map(_is_only_odd, entries))
    items = [
        (left_out_count, "#left-out", locale("staff_left_out", count=left_out_count)),
        (waiting, "#waiting", locale("index_waiting", count=waiting)),
        (stopped, "#stopped", locale("index_stopped", count=stopped)),
        (flagged, EVIDENCE_NAME, locale("evidence_index", count=flagged)),
        (remarked, "#remarked", locale("staff_remarked", count=remarked)),
        (same_files, "#same-files", locale("staff_same_files", count=same_files)),
        _largest("same", "same", sections, lambda count: locale("class_same_first", count=count)),
        _largest(
            "suspect", "items", sections, lambda count: locale("class_suspect_first", count=count)
        ),
        (printed, "#printed", locale("staff_printed", count=printed)),
        (odd, "#odd", locale("class_odd", count=odd)),
    ]
    yield from [(link, text) for count, link, text in items if count]


def _largest(
    kind: str, part: str, sections: Sequence[Mapping[str, Any]], in_words: Callable[[int], str]
) -> tuple[int, str, str]:
    """Return the count, link and text for the exercise with the highest count of `kind`.

    `kind` is the key of the count in `sections`. The link leads to the `part` of the section.
    `in_words` puts a count into words. If there are no exercises, the count is 0.
    """
    largest = max(sections, key=lambda section: int(section[kind]), default=None)
    if largest is None:
        return 0, "", ""
    text = in_words(largest[kind])
    # A count alone says little, so the most frequent wrong answer is shown with it.
    if kind == "same" and largest["clusters"]:
        failure = largest["clusters"][0][0].failure
        text = f"{text}: {one_line(failure.code, _ANSWER_CHARS)}"
        text += f" \N{RIGHTWARDS ARROW} {one_line(failure.got, _ANSWER_CHARS)}" * bool(failure.got)
    title = f"{largest['title']}: " * (len(sections) > 1)
    return largest[kind], f"#{largest['anchor']}-{part}", f"{title}{text}"


def _section(number: int, entries: list[IndexEntry], locale: Locale) -> _Context:
    """Return the template variables for one exercise, to which all `entries` belong."""
    scores = [entry.score for entry in entries if entry.status is Status.GRADED]
    max_score = max(entry.max_score for entry in entries)
    counted = [entry for entry in entries if entry.counts_for_class]
    by_group = analysis(shares_by_title([entry.groups for entry in counted]))
    by_session = analysis(shares_by_title([entry.sessions for entry in counted]))
    kinds = [(locale("class_by_group"), by_group), (locale("class_by_session"), by_session)]
    columns = easiest_first(entries)
    found_clusters = find_clusters([entry.failures for entry in entries])
    slow = [entry for entry in entries if entry.timed_out]
    return {
        "anchor": f"exercise-{number}",
        "title": one_line(entries[0].exercise_title),
        "count": len(entries),
        "graded": len(scores),
        "max_score": locale.number(max_score),
        "distribution": distribution(scores, max_score, locale) if scores else None,
        "columns": [one_line(title, 60) for title in columns],
        # A generator, because the rows together are much larger than the entries.
        "rows": (_row(entry, columns, locale) for entry in sorted(entries, key=_rank)),
        "is_long": len(entries) > _LONG_TABLE,
        "is_roomy": any(tally.cases > _FEW_CASES for entry in entries for tally in entry.groups),
        "clusters": [
            (cluster, entries[cluster.example]) for cluster in found_clusters[:_MAX_CLUSTERS]
        ],
        "same": len(found_clusters[0].members) if found_clusters else 0,
        "suspect": len(by_group.suspect) if by_group.has_figures else 0,
        "hardest": hardest_sentence(by_group, locale),
        "more_clusters": max(0, len(found_clusters) - _MAX_CLUSTERS),
        "analysed": len(counted),
        "warning": warning(by_group, locale),
        "kinds": [
            (title, kind_analysis, list(item_lists(kind_analysis, locale)))
            for title, kind_analysis in kinds
            if len(kind_analysis.items) > 1
        ],
        "late": [
            (entry, [locale("class_late_cases", count=entry.timed_out)])
            for entry in slow[:_MAX_LISTED]
        ],
        "more_late": max(0, len(slow) - _MAX_LISTED),
    }


def _rank(entry: IndexEntry) -> tuple[bool, float]:
    """Return a sort key by which the highest scores come first, and ungraded submissions last."""
    return entry.status is not Status.GRADED, -entry.score


def _row(entry: IndexEntry, columns: tuple[str, ...], locale: Locale) -> _Context:
    """Return the template variables for the row of `entry` in a table with these `columns`."""
    is_graded, is_fault = entry.status is Status.GRADED, entry.status is Status.FAULT
    is_tried = entry.failing > 0 or all(tally.ran for tally in entry.groups)
    return {
        "entry": entry,
        "status": _status_sign(entry.status, locale),
        "score": GLYPHS[Tone.IDLE] if is_fault else locale.number(entry.score),
        "score_value": "" if is_fault else entry.score,
        "penalty": _penalty(entry, locale),
        "decided": locale("index_decided", count=entry.decisions) if entry.decisions else None,
        "cells": list(_cells(entry, columns)),
        # The number of failures is meaningful only if everything was tried.
        "failing": entry.failing if is_graded and is_tried else GLYPHS[Tone.IDLE],
        "reasons": list(_reasons(entry, locale)),
        "remarks": _first_sentences(entry.remarks),
    }


def _penalty(entry: IndexEntry, locale: Locale) -> str | None:
    if entry.status is Status.FAULT or entry.lost <= 0:
        return None
    return locale("index_penalty", points=locale.number(entry.lost))


def _status_sign(status: Status, locale: Locale) -> VerdictView:
    tone = STATUS_TONES[status]
    return VerdictView(tone, GLYPHS[tone], locale(f"status_{status.value}"))


def _cells(entry: IndexEntry, columns: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the sort key and the text of each cell of `entry`, one for each title in `columns`.

    The key is a number from 0 to 1 as text, or empty if the group did not run. It also determines
    the colour of the cell.
    """
    by_title = {tally.title: tally for tally in entry.groups}
    for title in columns:
        tally = by_title.get(title, ItemScore(title, 0, 0))
        is_idle = not tally.ran or entry.status is not Status.GRADED
        if tally.cases == 0 or (tally.passed == 0 and is_idle):
            yield "", GLYPHS[Tone.IDLE]
        elif tally.passed == tally.cases:
            yield "1", GLYPHS[Tone.GOOD]
        elif tally.passed == 0:
            yield "0", GLYPHS[Tone.BAD]
        else:
            # The share must not be rounded to 0 or 1, because these mean none and all.
            share = min(0.99, max(0.01, tally.passed / tally.cases))
            # The leading 0 is omitted to save space, because there are very many cells.
            yield f"{share:.2f}"[1:], f"{tally.passed}/{tally.cases}"


def _reasons(entry: IndexEntry, locale: Locale) -> Iterator[str]:
    """Yield the reasons why a person has to look at `entry`."""
    # If a submission was not graded, its status already says whether the grader failed.
    if entry.status is not Status.GRADED:
        yield locale(f"status_{entry.status.value}")
    elif entry.faults:
        yield locale("index_faults", count=entry.faults)
    if entry.tampered:
        yield locale("index_tampered", count=entry.tampered)
    if entry.reviews:
        rules = ", ".join(one_line(rule, 80) for rule in entry.reviews[:_MAX_REVIEWS])
        more = ", …" if len(entry.reviews) > _MAX_REVIEWS else ""
        yield locale("index_reviews", count=len(entry.reviews), rules=f"{rules}{more}")
    if entry.doubted:
        yield locale("index_doubted", count=entry.doubted)


def _first_sentences(sentences: Sequence[str]) -> list[str]:
    more = [f"… (+{len(sentences) - _MAX_REMARKS})"] if sentences[_MAX_REMARKS:] else []
    return [one_line(sentence, 300) for sentence in sentences[:_MAX_REMARKS]] + more
