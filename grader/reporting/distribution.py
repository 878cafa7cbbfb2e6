"""The scores of an exercise in figures and in bars, drawn without any style of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev
from typing import Final

from grader.reporting.voice import Voice

BARS: Final = 10
_BAR_WIDTH: Final = 30.0
_GAP: Final = 4.0
_HEIGHT: Final = 80.0
_BASE: Final = 96.0
"""Where the bars stand; above the highest one there is room for its number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
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
    bars: tuple[Bar, ...]

    @property
    def in_words(self) -> str:
        """The drawing for who cannot see it."""
        return "; ".join(f"{bar.label}: {bar.count}" for bar in self.bars)


def distribution(scores: Sequence[float], max_score: float, voice: Voice) -> Distribution:
    """Return how `scores`, of which there is at least one, are spread between 0 and `max_score`."""
    counts = [0] * BARS
    for score in scores:
        counts[_bar_of(score, max_score)] += 1
    highest = max(counts)
    return Distribution(
        mean=voice.number(fmean(scores)),
        median=voice.number(median(scores)),
        deviation=voice.number(stdev(scores)) if len(scores) > 1 else None,
        bars=tuple(
            _bar(number, count, highest, max_score, voice) for number, count in enumerate(counts)
        ),
    )


def _bar_of(score: float, max_score: float) -> int:
    """Return the bar of `score`: each one has its lower end, the last one has both."""
    if max_score <= 0:
        return BARS - 1
    return min(BARS - 1, max(0, int(BARS * score / max_score)))


def _bar(number: int, count: int, highest: int, max_score: float, voice: Voice) -> Bar:
    height = round(_HEIGHT * count / highest, 1)
    low, high = max_score * number / BARS, max_score * (number + 1) / BARS
    return Bar(
        x=number * (_BAR_WIDTH + _GAP),
        y=_BASE - height,
        width=_BAR_WIDTH,
        height=height,
        count=count,
        label=f"{voice.number(low)}–{voice.number(high)}",  # noqa: RUF001 - a range
    )
