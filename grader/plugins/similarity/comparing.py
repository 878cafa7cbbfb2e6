"""Which programs of a class share more than their class explains.

A fragment weighs what it says: 1 where one program alone has it, less the more have it, nothing
where more than half of the class has it, or where it was handed out. How alike two programs are is
the weight of what they share, as a part of all that the lighter one weighs: so code that was added
to a copy makes it no less alike. That part is of a little more than it weighs, so that short
programs, which have no choice, are never very much alike.

What is unusual is told from the class itself. Of each program counts how alike the nearest one is;
a pair is an outlier where the logarithm of its similarity lies far from the median of these, in
deviations that outliers do not change, and where it shares enough to be no accident.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Final

MIN_CLASS: Final = 10
"""In a smaller class nothing can be told from the usual."""
_MOST_SHARE: Final = 0.5
"""What a larger part of the class has is nobody's own."""
_MOST_HOLDERS: Final = 48
"""Pairs are found by what no more than so many share, or more where a class is small enough. In one
of thousands, a larger group that has all in common is taken for what the exercise asks for."""
_MOST_STEPS: Final = 30_000_000
"""As much as may be looked up to find pairs."""
_MOST_CANDIDATES: Final = 12
"""For each program, so many others are compared with it in full."""
_DOUBT: Final = 30.0
"""As much as two short programs may share by accident."""
_LEAST_SHARED: Final = 40.0
_LEAST_SIMILARITY: Final = 0.3
_LEAST_Z: Final = 2.5
_TO_DEVIATION: Final = 1.4826
"""Times a median deviation, it is the standard deviation of a normal distribution."""
_SPREADS: Final = (0.25, 0.5)
"""A class is never taken for more uniform than this, nor for more varied."""
_FLOOR: Final = 0.05
"""Less is nothing in common."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """Two programs, by their places in the class, and how alike they are."""

    first: int
    second: int
    similarity: float
    """From 0 to 1."""
    part: float
    """How much of the lighter program is in the other one, however little that says."""
    shared: float
    """What all that they share weighs."""


@dataclass(frozen=True, kw_only=True)
class ClassLikeness:
    """How alike the programs of a class are."""

    count: int
    """How many are of the class; programs with higher places are of others."""
    pairs: tuple[Likeness, ...]
    """Of each program those with the few that are most like it; the most alike first."""
    least: float = 0.0
    """How alike the nearest other one is to a program of which there is no pair."""

    @cached_property
    def nearest(self) -> list[float]:
        """How alike the nearest other one is to each program."""
        found = [self.least] * self.count
        for pair in self.pairs:
            if pair.second < self.count:
                for place in (pair.first, pair.second):
                    found[place] = max(found[place], pair.similarity)
        return found

    @cached_property
    def usual(self) -> float:
        """How alike the nearest other one is to most programs."""
        return median(self.nearest) if self.nearest else 0.0

    @cached_property
    def _spread(self) -> float:
        deviations = [abs(_log(each) - _log(self.usual)) for each in self.nearest]
        least, most = _SPREADS
        return min(most, max(least, _TO_DEVIATION * median(deviations)))

    def z(self, pair: Likeness) -> float:
        """Return how far from the usual of the class `pair` is; see Iglewicz and Hoaglin (1993)."""
        return (_log(pair.similarity) - _log(self.usual)) / self._spread

    @cached_property
    def outliers(self) -> list[Likeness]:
        """The pairs that share more than the class explains."""
        if self.count < MIN_CLASS:
            return []
        return [
            pair
            for pair in self.pairs
            if pair.shared >= _LEAST_SHARED
            and pair.similarity >= _LEAST_SIMILARITY
            and self.z(pair) >= _LEAST_Z
        ]

    @cached_property
    def groups(self) -> list[list[int]]:
        """The programs that outliers connect, the largest group first."""
        group_of: dict[int, list[int]] = {}
        for pair in self.outliers:
            first, second = (group_of.get(place, [place]) for place in (pair.first, pair.second))
            if first is not second:
                first += second
                group_of.update(dict.fromkeys(first, first))
        groups = {id(each): sorted(each) for each in group_of.values()}
        return sorted(groups.values(), key=lambda each: (-len(each), each))


def _log(similarity: float) -> float:
    return math.log(max(similarity, _FLOOR))


class _Weights:
    """What each fragment of a class weighs."""

    def __init__(self, programs: Sequence[Collection[int]], given: Collection[int]) -> None:
        counts = Counter[int]()
        for fragments in programs:
            counts.update(fragments)
        most = max(2, int(len(programs) * _MOST_SHARE))
        of_one = math.log(max(3, len(programs)))
        self.of: Final = {
            each: 0.0 if count > most else 1 - math.log(count) / of_one
            for each, count in counts.items()
            if count > 1
        }
        """That of those that several have: all others weigh 1."""
        self.of.update(dict.fromkeys(given, 0.0))
        self.holders: Final = counts

    def total(self, fragments: Collection[int]) -> float:
        """Return the weight of all `fragments` together."""
        weight = self.of.get
        return sum(weight(each, 1.0) for each in fragments)


def compared(
    programs: Sequence[array[int]],
    given: Collection[int] = (),
    *,
    own: int | None = None,
    also: Iterable[tuple[int, int]] = (),
) -> ClassLikeness:
    """Return how alike `programs` are, of which each is the hashes of its fragments.

    What was `given` to all weighs nothing. Where only so many of the first are the class's `own`,
    the others are compared with these, and not with each other. The pairs in `also` are compared
    in any case.
    """
    weights, own = _Weights(programs, given), len(programs) if own is None else own
    totals = [weights.total(fragments) for fragments in programs]
    sets = [frozenset(fragments) for fragments in programs]
    pairs = []
    for first, second in {*_candidates(programs, weights, totals, own), *also}:
        shared = weights.total(sets[first] & sets[second])
        lighter = min(totals[first], totals[second])
        pairs.append(
            Likeness(
                first=first,
                second=second,
                similarity=shared / (lighter + _DOUBT),
                part=shared / lighter if lighter else 0.0,
                shared=shared,
            )
        )
    pairs.sort(key=lambda pair: (-pair.similarity, pair.first, pair.second))
    return ClassLikeness(count=own, pairs=tuple(pairs))


def _candidates(
    programs: Sequence[array[int]], weights: _Weights, totals: Sequence[float], own: int
) -> Iterator[tuple[int, int]]:
    """Yield the pairs that are worth being compared in full, each once, in order."""
    most = max(_MOST_HOLDERS, _MOST_STEPS // max(1, sum(map(len, programs))))
    postings = defaultdict[int, list[int]](list)
    for place, fragments in enumerate(programs):
        for each in fragments:
            if 1 < weights.holders[each] <= most:
                postings[each].append(place)
    taken = set[tuple[int, int]]()
    for place, fragments in enumerate(programs[:own]):
        shared = defaultdict[int, float](float)
        for each in fragments:
            if (weight := weights.of.get(each, 0.0)) and (holders := postings.get(each)):
                for other in holders:
                    shared[other] += weight
        shared.pop(place, None)
        parts = [
            (weight / (min(totals[place], totals[other]) + _DOUBT), other)
            for other, weight in shared.items()
        ]
        best = sorted(parts, reverse=True)[:_MOST_CANDIDATES]
        taken.update((min(place, other), max(place, other)) for _, other in best)
    yield from sorted(taken)
