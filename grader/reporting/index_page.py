"""The overview of a run, for staff: what needs a person first, then the class on each exercise.

Of each exercise there is how the scores are spread, a table of students by groups, the wrong
answers that several of them gave, and how good the groups and sessions are as questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final
from urllib.parse import quote

from grader.reporting.class_analysis import Shares, analysis, clusters
from grader.reporting.class_view import (
    MAX_CLUSTERS,
    ClusterView,
    Distribution,
    ItemsView,
    cluster_view,
    distribution,
    items_view,
    warning,
)
from grader.reporting.index_entry import IndexEntry, ItemScore
from grader.reporting.rendering import page
from grader.reporting.wording import GLYPHS, Locale, Tone, VerdictView, gaps_told, level_told
from grader.values.display import one_line
from grader.verdict import Status

__all__ = ("IndexEntry", "index_page")

_MAX_REMARKS: Final = 3
"""Remarks shown in a row; the page of the student has them all."""
_MAX_REVIEWS: Final = 3
"""Rules that are named among the reasons; the page of the student has them all."""
_MAX_LISTED: Final = 40
"""Submissions in a list; the table has them all."""
_LONG_TABLE: Final = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    """How one submission did on one group."""

    value: str
    """From 0 to 1, what the cell is sorted by and coloured after; empty where nothing ran."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """One submission, ready to be laid out."""

    student: str
    id: str | None
    href: str
    sheet: str | None
    exercise: str
    status: VerdictView
    score: str
    score_value: str
    """What it is sorted by."""
    penalty: str | None
    cells: tuple[_Cell, ...]
    failing: str
    reasons: tuple[str, ...]
    """Why a person has to look at it."""
    evidence: tuple[str, ...]
    """The facts behind that, for staff."""
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mention:
    """One submission in a list, and what is said of it there."""

    student: str
    href: str
    exercise: str
    told: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Section:
    """One exercise, ready to be laid out."""

    anchor: str
    title: str
    exercise: str
    count: int
    graded: int
    max_score: str
    distribution: Distribution | None
    columns: tuple[str, ...]
    rows: tuple[_Row, ...]
    clusters: tuple[ClusterView, ...]
    more_clusters: int
    analysed: int
    """Number of submissions that the items are about."""
    warning: str | None
    """What is to be said of figures over so few."""
    items: tuple[ItemsView, ...]
    late: tuple[_Mention, ...]
    """Who ran out of time."""
    more_late: int

    @property
    def is_long(self) -> bool:
        """Whether its table gets a box of its own to scroll in, with the heads kept in sight."""
        return len(self.rows) > _LONG_TABLE


def index_page(entries: Iterable[IndexEntry], *, language: str, interrupted: bool) -> str:
    """Return the overview of a run; `interrupted` tells that it was stopped before its end."""
    locale = Locale.of(language)
    ordered = sorted(entries, key=lambda e: (e.exercise, e.student.casefold(), e.id))
    exercises = dict.fromkeys(entry.exercise for entry in ordered)
    sections = [
        _section(number, [entry for entry in ordered if entry.exercise == exercise], locale)
        for number, exercise in enumerate(exercises, start=1)
    ]
    odd = [entry for entry in ordered if entry.odd_files and not entry.needs_person]
    remarked = [entry for entry in ordered if entry.staff_remarks]
    weakest = min(ordered, key=lambda entry: entry.isolation, default=None)
    return page(
        "index.html",
        locale,
        count=len(ordered),
        isolation=None if weakest is None else _isolation(weakest, locale),
        interrupted=interrupted,
        waiting=[_row(entry, (), locale) for entry in ordered if entry.needs_person],
        remarked=[_mention(entry, entry.staff_remarks) for entry in remarked[:_MAX_LISTED]],
        remarked_count=len(remarked),
        remarked_more=max(0, len(remarked) - _MAX_LISTED),
        odd=[_mention(entry, entry.odd_files) for entry in odd[:_MAX_LISTED]],
        odd_count=len(odd),
        odd_more=max(0, len(odd) - _MAX_LISTED),
        sections=sections,
    )


def _isolation(entry: IndexEntry, locale: Locale) -> tuple[str, tuple[str, ...]]:
    """Return the level at which `entry` was graded, and what that does not enforce."""
    return level_told(entry.isolation, locale), gaps_told(entry.layers, locale)


def _section(number: int, entries: list[IndexEntry], locale: Locale) -> _Section:
    scores = [entry.score for entry in entries if entry.status is Status.GRADED]
    max_score = max(entry.max_score for entry in entries)
    analysed = [entry for entry in entries if entry.tells_of_class]
    by_group = analysis(_columns([entry.groups for entry in analysed]))
    by_session = analysis(_columns([entry.sessions for entry in analysed]))
    kinds = [(locale("class_by_group"), by_group), (locale("class_by_session"), by_session)]
    columns = _easiest_first(entries)
    shared = clusters([entry.failures for entry in entries])
    late = [entry for entry in entries if entry.timed_out]
    return _Section(
        anchor=f"exercise-{number}",
        title=one_line(entries[0].exercise_title),
        exercise=one_line(entries[0].exercise),
        count=len(entries),
        graded=len(scores),
        max_score=locale.number(max_score),
        distribution=distribution(scores, max_score, locale) if scores else None,
        columns=tuple(one_line(title, 60) for title in columns),
        rows=tuple(_row(entry, columns, locale) for entry in sorted(entries, key=_rank)),
        clusters=tuple(
            cluster_view(cluster, shown.student, _safe_href(shown.href), locale)
            for cluster in shared[:MAX_CLUSTERS]
            for shown in (entries[cluster.example],)
        ),
        more_clusters=max(0, len(shared) - MAX_CLUSTERS),
        analysed=len(analysed),
        warning=warning(by_group, locale),
        items=tuple(items_view(title, one, locale) for title, one in kinds if len(one.items) > 1),
        late=tuple(
            _mention(entry, (locale("class_late_cases", count=entry.timed_out),))
            for entry in late[:_MAX_LISTED]
        ),
        more_late=max(0, len(late) - _MAX_LISTED),
    )


def _rank(entry: IndexEntry) -> tuple[bool, float]:
    """Return what puts the best first, and last what has no score that means anything."""
    return entry.status is not Status.GRADED, -entry.score


def _columns(tallies: Sequence[tuple[ItemScore, ...]]) -> dict[str, Shares]:
    """Return for each title what every submission has on it."""
    titles = dict.fromkeys(tally.title for of_one in tallies for tally in of_one)
    shares = [{tally.title: tally.share for tally in of_one} for of_one in tallies]
    return {title: [of_one.get(title) for of_one in shares] for title in titles}


def _easiest_first(entries: Sequence[IndexEntry]) -> tuple[str, ...]:
    """Return the titles of the groups, easiest first: so a class makes stairs of its table."""
    graded = [entry.groups for entry in entries if entry.status is Status.GRADED]
    means = {
        title: fmean(share or 0.0 for share in shares) for title, shares in _columns(graded).items()
    }
    titles = dict.fromkeys(tally.title for entry in entries for tally in entry.groups)
    return tuple(sorted(titles, key=lambda title: -means.get(title, 0.0)))


def _mention(entry: IndexEntry, told: Sequence[str]) -> _Mention:
    return _Mention(
        student=one_line(entry.student),
        href=_safe_href(entry.href),
        exercise=one_line(entry.exercise_title),
        told=tuple(_first(told)),
    )


def _row(entry: IndexEntry, columns: tuple[str, ...], locale: Locale) -> _Row:
    return _Row(
        student=one_line(entry.student),
        id=one_line(entry.id) if entry.id != entry.student else None,
        href=_safe_href(entry.href),
        sheet=None if entry.sheet is None else _safe_href(entry.sheet),
        exercise=one_line(entry.exercise_title),
        status=_status_sign(entry.status, locale),
        score=GLYPHS[Tone.IDLE] if entry.status is Status.FAULT else locale.number(entry.score),
        score_value="" if entry.status is Status.FAULT else str(entry.score),
        penalty=_penalty(entry, locale),
        cells=tuple(_cells(entry, columns)),
        failing=str(entry.failing) if entry.status is Status.GRADED else GLYPHS[Tone.IDLE],
        reasons=tuple(_reasons(entry, locale)),
        evidence=entry.evidence,
        remarks=tuple(_first(entry.remarks)),
    )


def _penalty(entry: IndexEntry, locale: Locale) -> str | None:
    if entry.status is Status.FAULT or entry.lost <= 0:
        return None
    return locale("index_penalty", points=locale.number(entry.lost))


def _safe_href(href: str) -> str:
    """Return `href` as a relative address, whatever it was: no scheme, no host, no markup."""
    return quote(href.lstrip("/\\"), safe="/", errors="replace")


def _status_sign(status: Status, locale: Locale) -> VerdictView:
    match status:
        case Status.GRADED:
            tone = Tone.GOOD
        case Status.UNGRADABLE:
            tone = Tone.BAD
        case Status.FAULT:
            tone = Tone.OURS
    return VerdictView(tone, GLYPHS[tone], locale(f"status_{status.value}"))


def _cells(entry: IndexEntry, columns: tuple[str, ...]) -> Iterator[_Cell]:
    by_title = {tally.title: tally for tally in entry.groups}
    for title in columns:
        tally = by_title.get(title, ItemScore(title, 0, 0))
        is_idle = not tally.ran or entry.status is not Status.GRADED
        if tally.cases == 0 or (tally.passed == 0 and is_idle):
            yield _Cell(value="", text=GLYPHS[Tone.IDLE])
        elif tally.passed == tally.cases:
            yield _Cell(value="1", text=GLYPHS[Tone.GOOD])
        elif tally.passed == 0:
            yield _Cell(value="0", text=GLYPHS[Tone.BAD])
        else:
            # Neither 0 nor 1 after rounding: those mean none and all.
            share = min(0.99, max(0.01, tally.passed / tally.cases))
            yield _Cell(value=f"{share:.2f}"[1:], text=f"{tally.passed}/{tally.cases}")


def _reasons(entry: IndexEntry, locale: Locale) -> Iterator[str]:
    if entry.status is not Status.GRADED:
        yield locale(f"status_{entry.status.value}")
    elif entry.faults:
        yield locale("index_faults", count=entry.faults)
    if entry.tampered:
        yield locale("index_tampered", count=entry.tampered)
    if entry.reviews:
        named = ", ".join(one_line(rule, 80) for rule in entry.reviews[:_MAX_REVIEWS])
        more = ", …" if len(entry.reviews) > _MAX_REVIEWS else ""
        yield locale("index_reviews", count=len(entry.reviews), rules=f"{named}{more}")


def _first(told: Sequence[str]) -> Iterator[str]:
    yield from (one_line(remark, 300) for remark in told[:_MAX_REMARKS])
    if len(told) > _MAX_REMARKS:
        yield f"… (+{len(told) - _MAX_REMARKS})"
