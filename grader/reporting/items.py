"""Item analysis: how hard each part of an exercise is, and whether it tells students apart.

An item is a testlet: a group, or a session. Single steps are never items, for they hang together:
what one breaks, the next ones miss, and figures over them look better than they are.

The share of its cases that passed is what a submission has on an item; what did not run has none.
Difficulty is the mean share. Discrimination is the correlation of the shares with what the same
submissions have on all *other* items, so that no item is held against itself. The cut-offs are
those that Blackboard shows. With few submissions these figures say little; with very few, nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from math import sqrt
from statistics import fmean
from typing import Final, TypeAlias

MIN_FIGURES: Final = 5
"""With fewer submissions than this, only counts are told."""
MIN_SURE: Final = 20
"""With fewer submissions than this, figures come with a warning."""
_EASY: Final = 0.8
_HARD: Final = 0.3
_GOOD: Final = 0.3
_FAIR: Final = 0.1
_DIGITS: Final = 9
"""Sums of shares are compared up to here; beyond it their differences are of rounding only."""

Shares: TypeAlias = Sequence[float | None]
"""What each submission has on one item, from 0 to 1; None where it did not run."""


@unique
class Difficulty(Enum):
    """How many get it right."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


@unique
class Discrimination(Enum):
    """How well it tells apart who does well elsewhere, and who does not."""

    GOOD = "good"
    FAIR = "fair"
    POOR = "poor"
    UNKNOWN = "unknown"
    """Everybody has the same, so that there is nothing to calculate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One testlet, and how the class did on it."""

    title: str
    tried: int
    """Submissions in which any of it ran."""
    whole: int
    """Submissions that have all of it right."""
    share: float | None
    """The mean share, over those in which it ran."""
    correlation: float | None
    """With the rest: item removed."""
    is_upside_down: bool
    """Whether the best quarter of the class has less of it than the weakest quarter."""

    @property
    def difficulty(self) -> Difficulty | None:
        """The mean share in a word."""
        if self.share is None:
            return None
        if self.share > _EASY:
            return Difficulty.EASY
        return Difficulty.HARD if self.share < _HARD else Difficulty.MEDIUM

    @property
    def discrimination(self) -> Discrimination:
        """The correlation in a word."""
        if self.correlation is None:
            return Discrimination.UNKNOWN
        if self.correlation > _GOOD:
            return Discrimination.GOOD
        return Discrimination.POOR if self.correlation < _FAIR else Discrimination.FAIR

    @property
    def is_suspect(self) -> bool:
        """Whether the test itself may be wrong, or what the exercise says about it."""
        return self.discrimination is Discrimination.POOR or self.is_upside_down

    @property
    def is_dead(self) -> bool:
        """Whether it tells nobody apart: all have it right, or nobody has anything of it."""
        return self.share in {0.0, 1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The items of one kind of one exercise."""

    count: int
    """Number of submissions."""
    items: tuple[Item, ...]
    duplicates: tuple[tuple[str, ...], ...]
    """Titles of items on which every submission has the same as on the others."""

    @property
    def has_figures(self) -> bool:
        """Whether there are enough submissions for more than counts."""
        return self.count >= MIN_FIGURES

    @property
    def is_sure(self) -> bool:
        """Whether there are enough submissions to go by the figures."""
        return self.count >= MIN_SURE

    @property
    def suspect(self) -> tuple[Item, ...]:
        """Items to look at first, the worst of them in front."""
        found = [item for item in self.items if item.is_suspect]
        return tuple(sorted(found, key=lambda item: item.correlation or 0.0))

    @property
    def dead(self) -> tuple[Item, ...]:
        """Items that tell nobody apart."""
        return tuple(item for item in self.items if item.is_dead)


def analysis(columns: Mapping[str, Shares]) -> Analysis:
    """Return the analysis of `columns`, all of the same length: items by their title."""
    totals = [
        sum(share or 0.0 for share in submission)
        for submission in zip(*columns.values(), strict=True)
    ]
    return Analysis(
        count=len(totals),
        items=tuple(_item(title, shares, totals) for title, shares in columns.items()),
        duplicates=tuple(_duplicates(columns)),
    )


def _item(title: str, shares: Shares, totals: Sequence[float]) -> Item:
    # Elsewhere nothing is held against it that a part did not run: nothing was earned by it.
    pairs = [
        (share, round(total - share, _DIGITS))
        for share, total in zip(shares, totals, strict=True)
        if share is not None
    ]
    own = [share for share, _ in pairs]
    rest = [rest for _, rest in pairs]
    return Item(
        title=title,
        tried=len(pairs),
        whole=sum(share >= 1 for share in own),
        share=round(fmean(own), _DIGITS) if own else None,
        correlation=_correlation(own, rest),
        is_upside_down=_is_upside_down(own, rest),
    )


def _correlation(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Return Pearson's correlation, or None where either side is all the same."""
    if len(set(left)) < 2 or len(set(right)) < 2:
        return None
    left_mean, right_mean = fmean(left), fmean(right)
    together = sum((a - left_mean) * (b - right_mean) for a, b in zip(left, right, strict=True))
    spread = sum((a - left_mean) ** 2 for a in left) * sum((b - right_mean) ** 2 for b in right)
    return round(together / sqrt(spread), _DIGITS)


def _is_upside_down(own: Sequence[float], rest: Sequence[float]) -> bool:
    ordered = sorted(rest)
    quarter = max(1, len(ordered) // 4)
    if not ordered or ordered[-quarter] <= ordered[quarter - 1]:
        return False
    # Who has as much as the last one of a quarter belongs to it: no order among equals.
    best = [share for share, other in zip(own, rest, strict=True) if other >= ordered[-quarter]]
    weakest = [s for s, other in zip(own, rest, strict=True) if other <= ordered[quarter - 1]]
    return fmean(best) < fmean(weakest)


def _duplicates(columns: Mapping[str, Shares]) -> list[tuple[str, ...]]:
    """Return the titles of items that are the same for everybody, of those that vary at all."""
    alike: dict[tuple[float | None, ...], list[str]] = {}
    for title, shares in columns.items():
        if len(set(shares)) > 1:
            alike.setdefault(tuple(shares), []).append(title)
    return [tuple(titles) for titles in alike.values() if len(titles) > 1]
