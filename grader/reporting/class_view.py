"""Prepares a class's results on one exercise for the overview: scores, and items to look at.

Scores are shown as figures and as a bar chart.
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
    Shares,
)
from grader.reporting.index_entry import IndexEntry, ItemScore
from grader.reporting.wording import Locale
from grader.values.foreign_text import one_line
from grader.verdict import Status

BARS: Final = 10
_BAR_STEP: Final = 34.0
"""The distance from bar to bar; each bar is 30 wide."""
_HEIGHT: Final = 80.0
_BASE: Final = 96.0
"""The y of the bottom of the bars, which leaves space for a number above the highest bar."""


class _Bar(NamedTuple):
    """One bar of the chart, in the units of the drawing."""

    x: float
    y: float
    height: float
    scores: int
    """The number of scores in its range."""
    label: str
    """The range of scores."""


class _Distribution(NamedTuple):
    """The distribution of the scores of an exercise."""

    mean: float
    median: float
    deviation: float | None
    """The sample standard deviation, or None for a single score."""
    bars: tuple[_Bar, ...]

    @property
    def in_words(self) -> str:
        """The chart as text, for readers who cannot see it."""
        return "; ".join(f"{bar.label}: {bar.scores}" for bar in self.bars)


def distribution(scores: Sequence[float], max_score: float, locale: Locale) -> _Distribution:
    """Return the distribution of one or more `scores`, usually between 0 and `max_score`."""
    counts = [0] * BARS
    for score in scores:
        counts[_bar_index(score, max_score)] += 1
    ends = [locale.number(max_score * index / BARS) for index in range(BARS + 1)]
    bars = []
    for index, count in enumerate(counts):
        height = round(_HEIGHT * count / max(counts), 1)
        label = f"{ends[index]}–{ends[index + 1]}"  # noqa: RUF001 - a range
        # Minus, because y grows downwards in SVG.
        bars.append(_Bar(index * _BAR_STEP, _BASE - height, height, count, label))
    deviation = stdev(scores) if len(scores) > 1 else None
    return _Distribution(fmean(scores), median(scores), deviation, tuple(bars))


def _bar_index(score: float, max_score: float) -> int:
    """Return the index of the bar for `score`.

    A bar includes its lower end, and the last bar also includes its upper end. If the exercise has
    no points, every score counts as the maximum.
    """
    if max_score <= 0:
        return BARS - 1
    # Rules and bonuses can put scores out of range.
    return min(BARS - 1, max(0, int(BARS * score / max_score)))


_MAX_TITLE_CHARS: Final = 80
_MAX_LISTED: Final = 30
"""How many items one list shows; the table has all of them."""
_MAX_ITEMS: Final = 6
"""How many items one list entry names."""
_MAX_SHORT_CHARS: Final = 40


class _ListEntry(NamedTuple):
    """An item to look at, or several items that behave alike."""

    items: Sequence[tuple[int, str]]
    """The index of each item's row in the table of items, and its title."""
    more: int
    """The number of further items that it does not name."""
    why: str
    """What is wrong with it, or "" if the list explains it."""


class _ItemList(NamedTuple):
    """A list of items to look at, and why."""

    title: str
    text: str
    entries: Sequence[_ListEntry]
    more: int
    """The number of further entries that are not shown."""


def warning(analysis: Analysis, locale: Locale) -> str | None:
    """Return a warning about figures from few submissions, or None if there are enough."""
    if not analysis.has_figures:
        return locale("class_items_few", count=analysis.count, least=MIN_FIGURES)
    if not analysis.is_sure:
        return locale("class_items_unsure", count=analysis.count, least=MIN_SURE)
    return None


def item_lists(analysis: Analysis, locale: Locale) -> Iterator[_ItemList]:
    """Yield the lists of items to look at: suspect, dead, and with equal results.

    Yields nothing if there are too few submissions, and skips empty lists.
    """
    if not analysis.has_figures:
        return
    rows = {item.title: row for row, item in enumerate(analysis.items)}

    def list_entry(titles: Sequence[str], why: str = "") -> _ListEntry:
        max_chars = _MAX_TITLE_CHARS if len(titles) == 1 else _MAX_SHORT_CHARS
        items = [(rows[title], one_line(title, max_chars)) for title in titles[:_MAX_ITEMS]]
        return _ListEntry(items, len(titles) - len(items), why)

    suspect = [
        list_entry([item.title], "; ".join(_problems(item, locale))) for item in analysis.suspect
    ]
    yield from _item_list("class_suspect", suspect, locale)
    all_right, none_right = locale("class_all_right"), locale("class_none_right")
    dead = [
        list_entry([item.title], all_right if item.share else none_right) for item in analysis.dead
    ]
    yield from _item_list("class_dead", dead, locale)
    yield from _item_list(
        "class_double", [list_entry(titles) for titles in analysis.duplicates], locale
    )


def _item_list(key: str, entries: Sequence[_ListEntry], locale: Locale) -> Iterator[_ItemList]:
    """Yield the list of `entries`, unless it is empty; `key` is the wording key of its title."""
    if entries:
        more = max(0, len(entries) - _MAX_LISTED)
        yield _ItemList(locale(key), locale(f"{key}_text"), entries[:_MAX_LISTED], more)


def _problems(item: ItemFigures, locale: Locale) -> Iterator[str]:
    """Yield the reasons why `item` is suspect."""
    if item.correlation is not None and item.discrimination is Discrimination.POOR:
        yield locale("class_poor_because", number=locale.number(item.correlation))
    if item.is_upside_down:
        yield locale("class_upside_down")


def hardest_sentence(analysed: Analysis, locale: Locale) -> str | None:
    """Return a sentence about the group with the lowest share.

    Returns None if everybody got all groups right, or if there are too few submissions or groups.
    """
    tried_items = [item for item in analysed.items if item.share is not None]
    hardest = min(tried_items, key=lambda item: item.share or 0.0, default=None)
    if hardest is None or not analysed.has_figures or len(tried_items) < 2 or hardest.share == 1:
        return None
    share = locale.number(round(100 * (hardest.share or 0.0)))
    return locale("class_hardest", title=one_line(hardest.title, 80), share=share)


def shares_by_title(tallies: Sequence[tuple[ItemScore, ...]]) -> dict[str, Shares]:
    """Return the shares of all submissions on each item, keyed by the item's title.

    `tallies` has the results of each submission. A submission without the item has the share None.
    """
    titles = dict.fromkeys(
        tally.title for submission_tallies in tallies for tally in submission_tallies
    )
    shares_by_submission = [
        {tally.title: tally.share for tally in submission_tallies} for submission_tallies in tallies
    ]
    return {title: [shares.get(title) for shares in shares_by_submission] for title in titles}


def easiest_first(entries: Sequence[IndexEntry]) -> tuple[str, ...]:
    """Return the titles of all groups, easiest first, so that the table cells form a staircase.

    Difficulty is judged by graded submissions; a group that none of them has comes last.
    """
    graded = [entry.groups for entry in entries if entry.status is Status.GRADED]
    means = {
        title: fmean(share or 0.0 for share in shares)
        for title, shares in shares_by_title(graded).items()
    }
    titles = dict.fromkeys(tally.title for entry in entries for tally in entry.groups)
    return tuple(sorted(titles, key=lambda title: -means.get(title, 0.0)))
