"""Finds programs of a class that share more than their class explains.

A fragment has weight 1 if only one program has it. Its weight decreases with the number of programs
that have it, and is 0 if more than half of the class has it or if it was handed out. The similarity
of two programs is the weight of their shared fragments, divided by the weight of the lighter
program: code that is added to a copy does not make it less similar. A constant is added to the
divisor, so that short programs, which leave little choice, are never very similar.

The usual similarity is estimated from the class itself, from the similarities of each program to
the nearest other one. A pair is an outlier if the logarithm of its similarity lies far above the
median of the logarithms of these similarities, measured in deviations that are robust against
outliers, and if the pair shares too much for a coincidence.
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
"""In a smaller class, the usual similarity cannot be estimated."""
_MAX_SHARE: Final = 0.5
"""Fragments that a larger share of the class has are given no weight."""
_MAX_HOLDERS: Final = 48
"""Pairs are found through fragments that at most this many programs share, or more in a small
class. In a class of thousands, code that a larger group shares probably comes from the exercise."""
_MAX_STEPS: Final = 30_000_000
"""The limit on lookups when pairs are searched."""
_MAX_CANDIDATES: Final = 12
"""The number of other programs that are fully compared with each program."""
_CHANCE_WEIGHT: Final = 30.0
"""The weight that short programs can share by coincidence. It is added to the lighter weight."""
_MIN_SHARED: Final = 40.0
_MIN_SIMILARITY: Final = 0.3
_MIN_Z: Final = 2.5
_TO_DEVIATION: Final = 1.4826
"""The ratio of standard deviation to median absolute deviation in a normal distribution."""
_SPREAD_BOUNDS: Final = (0.25, 0.5)
"""The bounds on the spread of a class."""
_FLOOR: Final = 0.05
"""Lower similarities are treated as this value, because 0 has no logarithm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """The similarity of two programs, which are identified by their indexes in the class."""

    first: int
    second: int
    similarity: float
    """The similarity, from 0 to 1."""
    part: float
    """The weighted share of the lighter program that is also in the other one."""
    shared: float
    """The weight of all shared fragments."""


@dataclass(frozen=True, kw_only=True)
class ClassLikeness:
    """The similarities of the programs of a class."""

    count: int
    """The size of the class. Programs with higher indexes are not in the class."""
    pairs: tuple[Likeness, ...]
    """The pairs of each program with the few programs most similar to it. The most similar pair
    comes first."""
    assumed_nearest: float = 0.0
    """The assumed similarity to the nearest other program, for a program that is in no pair."""

    @cached_property
    def nearest_similarities(self) -> list[float]:
        """The similarity of each program to the nearest other one, at least `assumed_nearest`."""
        nearest = [self.assumed_nearest] * self.count
        for pair in self.pairs:
            if pair.second < self.count:
                for index in (pair.first, pair.second):
                    nearest[index] = max(nearest[index], pair.similarity)
        return nearest

    @cached_property
    def usual(self) -> float:
        """The median of the similarities to the nearest other program."""
        return median(self.nearest_similarities) if self.nearest_similarities else 0.0

    @cached_property
    def _spread(self) -> float:
        """The robust standard deviation of the logarithms of `nearest_similarities`.

        It is limited to `_SPREAD_BOUNDS`.
        """
        deviations = [
            abs(_log(similarity) - _log(self.usual)) for similarity in self.nearest_similarities
        ]
        min_spread, max_spread = _SPREAD_BOUNDS
        return min(max_spread, max(min_spread, _TO_DEVIATION * median(deviations)))

    def z(self, pair: Likeness) -> float:
        """Return the modified z-score of `pair` in the class, as in Iglewicz and Hoaglin (1993)."""
        return (_log(pair.similarity) - _log(self.usual)) / self._spread

    @cached_property
    def outliers(self) -> list[Likeness]:
        """The pairs that share more than the class explains. Empty for a small class."""
        if self.count < MIN_CLASS:
            return []
        return [
            pair
            for pair in self.pairs
            if pair.shared >= _MIN_SHARED
            and pair.similarity >= _MIN_SIMILARITY
            and self.z(pair) >= _MIN_Z
        ]

    @cached_property
    def groups(self) -> list[list[int]]:
        """The groups of programs that outliers connect, with the largest group first."""
        group_of: dict[int, list[int]] = {}
        for pair in self.outliers:
            first, second = (group_of.get(index, [index]) for index in (pair.first, pair.second))
            if first is not second:
                first += second
                group_of.update(dict.fromkeys(first, first))
        groups = {id(group): sorted(group) for group in group_of.values()}  # members share a list
        return sorted(groups.values(), key=lambda group: (-len(group), group))


def _log(similarity: float) -> float:
    return math.log(max(similarity, _FLOOR))


class _Weights:
    """The weights of the fragments of a class."""

    def __init__(self, programs: Sequence[Collection[int]], given: Collection[int]) -> None:
        """Compute the weights from all `programs`. Fragments in `given` have no weight."""
        counts = Counter[int]()
        for fragments in programs:
            counts.update(fragments)
        # In a class of two or three, code that only two programs share must still count.
        max_count = max(2, int(len(programs) * _MAX_SHARE))
        max_log = math.log(max(3, len(programs)))  # the logarithm of 1 would be 0
        self.by_fragment: Final = {
            fragment: 0.0 if count > max_count else 1 - math.log(count) / max_log
            for fragment, count in counts.items()
            if count > 1
        }
        """The weights of fragments that several programs have. All others have weight 1."""
        self.by_fragment.update(dict.fromkeys(given, 0.0))
        self.holders: Final = counts
        """The number of programs that have each fragment."""

    def total(self, fragments: Collection[int]) -> float:
        """Return the weight of all `fragments` together."""
        weight_of = self.by_fragment.get
        return sum(weight_of(fragment, 1.0) for fragment in fragments)


def compare_programs(
    programs: Sequence[array[int]],
    given: Collection[int] = (),
    *,
    class_size: int | None = None,
    extra_pairs: Iterable[tuple[int, int]] = (),
) -> ClassLikeness:
    """Return the similarities of `programs`, each of which consists of the hashes of its fragments.

    Fragments in `given` have no weight, because all students were given them. If `class_size`
    is given, only the first `class_size` programs are in the class. The remaining programs are
    compared with them, but not with each other. The pairs in `extra_pairs` are always compared.
    """
    weights = _Weights(programs, given)
    class_size = len(programs) if class_size is None else class_size
    totals = [weights.total(fragments) for fragments in programs]
    sets = [frozenset(fragments) for fragments in programs]
    pairs = []
    for first, second in {*_candidates(programs, weights, totals, class_size), *extra_pairs}:
        shared = weights.total(sets[first] & sets[second])
        lighter = min(totals[first], totals[second])
        pairs.append(
            Likeness(
                first=first,
                second=second,
                similarity=shared / (lighter + _CHANCE_WEIGHT),
                part=shared / lighter if lighter else 0.0,
                shared=shared,
            )
        )
    pairs.sort(key=lambda pair: (-pair.similarity, pair.first, pair.second))  # sets are unordered
    return ClassLikeness(count=class_size, pairs=tuple(pairs))


def _candidates(
    programs: Sequence[array[int]], weights: _Weights, totals: Sequence[float], class_size: int
) -> Iterator[tuple[int, int]]:
    """Yield the sorted pairs of indexes that are worth a full comparison, without duplicates."""
    max_holders = max(_MAX_HOLDERS, _MAX_STEPS // max(1, sum(map(len, programs))))
    postings = defaultdict[int, list[int]](list)
    for index, fragments in enumerate(programs):
        for fragment in fragments:
            if 1 < weights.holders[fragment] <= max_holders:
                postings[fragment].append(index)
    pairs = set[tuple[int, int]]()
    for index, fragments in enumerate(programs[:class_size]):
        shared = defaultdict[int, float](float)
        for fragment in fragments:
            if (weight := weights.by_fragment.get(fragment, 0.0)) and (
                holders := postings.get(fragment)
            ):
                for other in holders:
                    shared[other] += weight
        shared.pop(index, None)
        # Fragments with many holders are not in `shared`, so this only ranks the candidates.
        similarities = [
            (weight / (min(totals[index], totals[other]) + _CHANCE_WEIGHT), other)
            for other, weight in shared.items()
        ]
        best = sorted(similarities, reverse=True)[:_MAX_CANDIDATES]
        pairs.update((min(index, other), max(index, other)) for _, other in best)
    yield from sorted(pairs)
