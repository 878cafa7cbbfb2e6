"""What there is to say about a class on one exercise: scores, items, and wrong answers shared.

Scores are told in figures and in bars, drawn without any style of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev
from typing import Final, assert_never

from grader.reporting.class_analysis import (
    MIN_FIGURES,
    MIN_SURE,
    Analysis,
    Cluster,
    Difficulty,
    Discrimination,
    Item,
)
from grader.reporting.wording import Locale, VerdictView, sign
from grader.values.display import one_line
from grader.verdict import Verdict

BARS: Final = 10
_BAR_WIDTH: Final = 30.0
_GAP: Final = 4.0
_HEIGHT: Final = 80.0
_BASE: Final = 96.0
"""Where the bars stand; above the highest one there is room for its number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bar:
    """One bar, in the units of the drawing."""

    x: float
    y: float
    width: float
    height: float
    count: int
    label: str
    """The scores that it counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """How the scores of an exercise are spread."""

    mean: str
    median: str
    deviation: str | None
    """The standard deviation of a sample, where there is more than one score."""
    bars: tuple[_Bar, ...]

    @property
    def in_words(self) -> str:
        """The drawing for who cannot see it."""
        return "; ".join(f"{bar.label}: {bar.count}" for bar in self.bars)


def distribution(scores: Sequence[float], max_score: float, locale: Locale) -> Distribution:
    """Return how `scores`, of which there is at least one, are spread between 0 and `max_score`."""
    counts = [0] * BARS
    for score in scores:
        counts[_bar_of(score, max_score)] += 1
    highest = max(counts)
    return Distribution(
        mean=locale.number(fmean(scores)),
        median=locale.number(median(scores)),
        deviation=locale.number(stdev(scores)) if len(scores) > 1 else None,
        bars=tuple(
            _bar(number, count, highest, max_score, locale) for number, count in enumerate(counts)
        ),
    )


def _bar_of(score: float, max_score: float) -> int:
    """Return the bar of `score`: each one has its lower end, the last one has both."""
    if max_score <= 0:
        return BARS - 1
    return min(BARS - 1, max(0, int(BARS * score / max_score)))


def _bar(number: int, count: int, highest: int, max_score: float, locale: Locale) -> _Bar:
    height = round(_HEIGHT * count / highest, 1)
    low, high = max_score * number / BARS, max_score * (number + 1) / BARS
    return _Bar(
        x=number * (_BAR_WIDTH + _GAP),
        y=_BASE - height,
        width=_BAR_WIDTH,
        height=height,
        count=count,
        label=f"{locale.number(low)}–{locale.number(high)}",  # noqa: RUF001 - a range
    )


MAX_CLUSTERS: Final = 20
MAX_TITLE_CHARS: Final = 80
_MAX_LISTED: Final = 30
"""Items in one list; the table has them all."""
_MAX_TOGETHER: Final = 6
"""Items named among those that go together."""
_MAX_SHORT_CHARS: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class _Figure:
    """A number as it is shown, a word for it, and what it is sorted by."""

    shown: str
    word: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _ItemView:
    """One row of the table of items."""

    title: str
    whole: _Figure
    difficulty: _Figure
    discrimination: _Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class _ItemList:
    """Items that somebody should look at, and why."""

    title: str
    text: str
    items: tuple[tuple[str, str], ...]
    """Each with what is the matter with it, which may be nothing more to say."""
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsView:
    """The items of one kind: groups, or sessions."""

    title: str
    has_figures: bool
    items: tuple[_ItemView, ...]
    lists: tuple[_ItemList, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterView:
    """One wrong answer, and how many gave it."""

    size: str
    sign: VerdictView
    code: str
    expected: str
    got: str
    is_nothing: bool
    """Whether that is what came, as of a step that should have raised an exception."""
    line: str
    others: str | None
    session: str
    student: str
    href: str
    """The page of a student who gave it."""


def items_view(title: str, found: Analysis, locale: Locale) -> ItemsView:
    """Return `found`, the items of one kind called `title`, ready to be laid out."""
    return ItemsView(
        title=title,
        has_figures=found.has_figures,
        items=tuple(_item(item, locale) for item in found.items),
        lists=tuple(_lists(found, locale)) if found.has_figures else (),
    )


def warning(found: Analysis, locale: Locale) -> str | None:
    """Return what is to be said of figures over so few submissions, if they are few."""
    if not found.has_figures:
        return locale("class_items_few", count=found.count, least=MIN_FIGURES)
    if not found.is_sure:
        return locale("class_items_unsure", count=found.count, least=MIN_SURE)
    return None


def cluster_view(cluster: Cluster, student: str, href: str, locale: Locale) -> ClusterView:
    """Return `cluster`, of which `student` is an example whose page is at `href`."""
    failure = cluster.failure
    return ClusterView(
        size=locale("class_same_size", count=len(cluster.members)),
        sign=sign(failure.verdict, locale),
        code=failure.code,
        expected=failure.expected,
        got=failure.got,
        is_nothing=failure.verdict is Verdict.WRONG and not failure.got,
        line=failure.line,
        others=locale("class_same_others", count=cluster.others) if cluster.others else None,
        session=failure.session,
        student=one_line(student),
        href=href,
    )


def _item(item: Item, locale: Locale) -> _ItemView:
    return _ItemView(
        title=_title(item.title),
        whole=_Figure(
            shown=locale("class_of", number=item.whole, count=item.tried),
            word="",
            value=str(item.whole),
        ),
        difficulty=_difficulty(item, locale),
        discrimination=_discrimination(item, locale),
    )


def _title(title: str) -> str:
    return one_line(title, MAX_TITLE_CHARS)


def _difficulty(item: Item, locale: Locale) -> _Figure:
    if item.share is None:
        return _Figure(shown="", word=locale("class_untried"), value="")
    match item.difficulty:
        case Difficulty.EASY:
            word = locale("class_easy")
        case Difficulty.MEDIUM | None:
            word = locale("class_medium")
        case Difficulty.HARD:
            word = locale("class_hard")
    return _Figure(shown=f"{100 * item.share:.0f} %", word=word, value=str(item.share))


def _discrimination(item: Item, locale: Locale) -> _Figure:
    if item.correlation is None:
        return _Figure(shown="", word=locale("class_unknown"), value="")
    match item.discrimination:
        case Discrimination.GOOD:
            word = locale("class_good")
        case Discrimination.FAIR:
            word = locale("class_fair")
        case Discrimination.POOR:
            word = locale("class_poor")
        case Discrimination.UNKNOWN:
            word = locale("class_unknown")
        case _:
            assert_never(item.discrimination)
    return _Figure(shown=locale.number(item.correlation), word=word, value=str(item.correlation))


def _lists(found: Analysis, locale: Locale) -> Iterator[_ItemList]:
    suspect = [(_title(item.title), "; ".join(_doubts(item, locale))) for item in found.suspect]
    yield from _list(locale("class_suspect"), locale("class_suspect_text"), suspect)
    dead = [
        (
            _title(item.title),
            locale("class_all_right") if item.share else locale("class_none_right"),
        )
        for item in found.dead
    ]
    yield from _list(locale("class_dead"), locale("class_dead_text"), dead)
    double = [(_together(titles), "") for titles in found.duplicates]
    yield from _list(locale("class_double"), locale("class_double_text"), double)


def _together(titles: Sequence[str]) -> str:
    shown = " = ".join(one_line(title, _MAX_SHORT_CHARS) for title in titles[:_MAX_TOGETHER])
    return f"{shown} = … (+{len(titles) - _MAX_TOGETHER})" if titles[_MAX_TOGETHER:] else shown


def _list(title: str, text: str, items: Sequence[tuple[str, str]]) -> Iterator[_ItemList]:
    if items:
        more = max(0, len(items) - _MAX_LISTED)
        yield _ItemList(title=title, text=text, items=tuple(items[:_MAX_LISTED]), more=more)


def _doubts(item: Item, locale: Locale) -> Iterator[str]:
    if item.correlation is not None and item.discrimination is Discrimination.POOR:
        yield locale("class_poor_because", number=locale.number(item.correlation))
    if item.is_upside_down:
        yield locale("class_upside_down")
