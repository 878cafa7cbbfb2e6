"""Finds programs of a class that share more than their class explains.

A fragment has weight 1 if one program alone has it, less the more have it, and 0 if more than half
of the class has it, or if it was handed out. The similarity of two programs is the weight of shared
fragments, divided by that of the lighter program: so code that is added to a copy makes it no less
similar. A constant is added to the divisor, so that short programs, which have little choice, are
never very similar.

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
"""In a smaller class, no usual similarity can be estimated."""
_MAX_SHARE: Final = 0.5
"""Fragments that a larger share of the class has count nothing."""
_MAX_HOLDERS: Final = 48
"""Pairs are found by what no more than so many share, or more where a class is small enough. In one
of thousands, a larger group that has all in common is taken for what the exercise asks for."""
_MAX_STEPS: Final = 30_000_000
"""The limit on lookups to find pairs."""
_MAX_CANDIDATES: Final = 12
"""For each program, the number of others that are fully compared with it."""
_DOUBT: Final = 30.0
"""Added to the weight of the lighter program: what short ones may share by accident."""
_LEAST_SHARED: Final = 40.0
_LEAST_SIMILARITY: Final = 0.3
_LEAST_Z: Final = 2.5
_TO_DEVIATION: Final = 1.4826
"""The factor from the median absolute deviation to the standard deviation, if normal."""
_SPREADS: Final = (0.25, 0.5)
"""Bounds on the spread of a class."""
_FLOOR: Final = 0.05
"""Lower similarities count as this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """Two programs, by their places in the class, and how alike they are."""

    first: int
    second: int
    similarity: float
    """From 0 to 1."""
    part: float
    """The weighted share of the lighter program in the other one, without the constant."""
    shared: float
    """The weight of all shared fragments."""


@dataclass(frozen=True, kw_only=True)
class ClassLikeness:
    """How alike the programs of a class are."""

    count: int
    """The size of the class; programs with higher places are not of it."""
    pairs: tuple[Likeness, ...]
    """For each program, pairs with the few most similar ones; the most similar first."""
    least: float = 0.0
    """The similarity to the nearest one for a program without a pair."""

    @cached_property
    def nearest(self) -> list[float]:
        """For each program, the similarity of the nearest other one."""
        found = [self.least] * self.count
        for pair in self.pairs:
            if pair.second < self.count:
                for place in (pair.first, pair.second):
                    found[place] = max(found[place], pair.similarity)
        return found

    @cached_property
    def usual(self) -> float:
        """The median similarity of the nearest other program."""
        return median(self.nearest) if self.nearest else 0.0

    @cached_property
    def _spread(self) -> float:
        deviations = [abs(_log(each) - _log(self.usual)) for each in self.nearest]
        least, most = _SPREADS
        return min(most, max(least, _TO_DEVIATION * median(deviations)))

    def z(self, pair: Likeness) -> float:
        """Return the modified z-score of `pair` in the class; see Iglewicz and Hoaglin (1993)."""
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
        groups = {id(each): sorted(each) for each in group_of.values()}  # its members share a list
        return sorted(groups.values(), key=lambda each: (-len(each), each))


def _log(similarity: float) -> float:
    return math.log(max(similarity, _FLOOR))


class _Weights:
    """The weights of the fragments of a class."""

    def __init__(self, programs: Sequence[Collection[int]], given: Collection[int]) -> None:
        counts = Counter[int]()
        for fragments in programs:
            counts.update(fragments)
        most = max(2, int(len(programs) * _MAX_SHARE))
        of_one = math.log(max(3, len(programs)))  # of one program it would be 0
        self.of: Final = {
            each: 0.0 if count > most else 1 - math.log(count) / of_one
            for each, count in counts.items()
            if count > 1
        }
        """The weights of fragments that several have; all others have weight 1."""
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
    """Return the similarities of `programs`, each given as the hashes of its fragments.

    Fragments that were `given` to all have no weight. If only the first `own` programs are of the
    class, the others are compared with these, and not with each other. The pairs in `also` are
    always compared.
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
    pairs.sort(key=lambda pair: (-pair.similarity, pair.first, pair.second))  # they come from a set
    return ClassLikeness(count=own, pairs=tuple(pairs))


def _candidates(
    programs: Sequence[array[int]], weights: _Weights, totals: Sequence[float], own: int
) -> Iterator[tuple[int, int]]:
    """Yield the pairs that are worth a full comparison, each once, in order."""
    most = max(_MAX_HOLDERS, _MAX_STEPS // max(1, sum(map(len, programs))))
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
        best = sorted(parts, reverse=True)[:_MAX_CANDIDATES]
        taken.update((min(place, other), max(place, other)) for _, other in best)
    yield from sorted(taken)
