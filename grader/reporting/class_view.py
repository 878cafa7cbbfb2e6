"""What an overview says of a class on one exercise: scores, items, and shared wrong answers.

Scores are shown as figures and as bars, drawn without styles of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean, median, stdev
from typing import Final, NamedTuple

from grader.reporting.class_analysis import (
    MIN_FIGURES,
    MIN_SURE,
    Analysis,
    Discrimination,
    ItemFigures,
)
from grader.reporting.wording import Locale
from grader.values.foreign_text import one_line

BARS: Final = 10
_BAR_STEP: Final = 34.0
"""Distance from bar to bar; each is 30 wide."""
_HEIGHT: Final = 80.0
_BASE: Final = 96.0
"""Bottom of the bars, leaving space for a number above the highest one."""


class _Bar(NamedTuple):
    """One bar, in the units of the drawing."""

    x: float
    y: float
    height: float
    scores: int
    """Number of scores in it."""
    label: str
    """The range of these scores."""


class _Distribution(NamedTuple):
    """The distribution of the scores of an exercise."""

    mean: float
    median: float
    deviation: float | None
    """The standard deviation of a sample; None for a single score."""
    bars: tuple[_Bar, ...]

    @property
    def in_words(self) -> str:
        """The drawing as text, for readers who cannot see it."""
        return "; ".join(f"{bar.label}: {bar.scores}" for bar in self.bars)


def distribution(scores: Sequence[float], max_score: float, locale: Locale) -> _Distribution:
    """Return how `scores`, at least one, are distributed between 0 and `max_score`."""
    counts = [0] * BARS
    for score in scores:
        counts[_bar_index(score, max_score)] += 1
    ends = [locale.number(max_score * number / BARS) for number in range(BARS + 1)]
    bars = []
    for number, count in enumerate(counts):
        height = round(_HEIGHT * count / max(counts), 1)
        label = f"{ends[number]}–{ends[number + 1]}"  # noqa: RUF001 - a range
        # Minus: y grows downwards in a drawing.
        bars.append(_Bar(number * _BAR_STEP, _BASE - height, height, count, label))
    deviation = stdev(scores) if len(scores) > 1 else None
    return _Distribution(fmean(scores), median(scores), deviation, tuple(bars))


def _bar_index(score: float, max_score: float) -> int:
    """Return the index of the bar for `score`: bars include their lower end, the last one both."""
    # Without points every score is the maximum; rules and bonuses put scores outside the range.
    if max_score <= 0:
        return BARS - 1
    return min(BARS - 1, max(0, int(BARS * score / max_score)))


_MAX_TITLE_CHARS: Final = 80
_MAX_LISTED: Final = 30
"""Items in one list; the table has them all."""
_MAX_ITEMS: Final = 6
"""Items named in one entry."""
_MAX_SHORT_CHARS: Final = 40


class _Listed(NamedTuple):
    """An item to look at, or several that behave alike."""

    items: Sequence[tuple[int, str]]
    """The row of each in the table of items, and its title."""
    more: int
    why: str
    """What is wrong with it; may be empty."""


class _ItemList(NamedTuple):
    """Items to look at, and why."""

    title: str
    text: str
    entries: Sequence[_Listed]
    more: int


def warning(analysis: Analysis, locale: Locale) -> str | None:
    """Return the warning about figures over few submissions, None if there are enough."""
    if not analysis.has_figures:
        return locale("class_items_few", count=analysis.count, least=MIN_FIGURES)
    if not analysis.is_sure:
        return locale("class_items_unsure", count=analysis.count, least=MIN_SURE)
    return None


def item_lists(analysis: Analysis, locale: Locale) -> Iterator[_ItemList]:
    """Yield the lists of items to look at, if there are enough submissions for figures."""
    if not analysis.has_figures:
        return
    rows = {item.title: row for row, item in enumerate(analysis.items)}

    def listed(titles: Sequence[str], why: str = "") -> _Listed:
        length = _MAX_TITLE_CHARS if len(titles) == 1 else _MAX_SHORT_CHARS
        shown = [(rows[each], one_line(each, length)) for each in titles[:_MAX_ITEMS]]
        return _Listed(shown, len(titles) - len(shown), why)

    suspect = [
        listed([item.title], "; ".join(_problems(item, locale))) for item in analysis.suspect
    ]
    yield from _item_list("class_suspect", suspect, locale)
    all_right, none_right = locale("class_all_right"), locale("class_none_right")
    dead = [listed([item.title], all_right if item.share else none_right) for item in analysis.dead]
    yield from _item_list("class_dead", dead, locale)
    yield from _item_list(
        "class_double", [listed(titles) for titles in analysis.duplicates], locale
    )


def _item_list(key: str, items: Sequence[_Listed], locale: Locale) -> Iterator[_ItemList]:
    if items:
        more = max(0, len(items) - _MAX_LISTED)
        yield _ItemList(locale(key), locale(f"{key}_text"), items[:_MAX_LISTED], more)


def _problems(item: ItemFigures, locale: Locale) -> Iterator[str]:
    if item.correlation is not None and item.discrimination is Discrimination.POOR:
        yield locale("class_poor_because", number=locale.number(item.correlation))
    if item.is_upside_down:
        yield locale("class_upside_down")
