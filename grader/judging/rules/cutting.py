"""What the recursion of a function contributes to its answers: found by probing and by cutting.

A probe calls the function for several sizes on a program that counts how often each site (see
`grader.judging.calls`) is called while it is already active. Then such sites are *cut*:
called while active, they do nothing. What a cut call returns instead matters. With None, `1 +
count(rest)` raises an exception although the count may not be needed; with True, `all_of(rest)`
seems to do no work as long as the answer is yes. So a site is cut in two ways: it returns None, and
it returns what its innermost call (its *leaf*) returned for another size without cuts. Recursion is
necessary only if both ways of cutting break the answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from functools import partial
from heapq import nlargest
from itertools import accumulate
from typing import Final, NamedTuple

from grader.judging.calls import CallEvidence, Site
from grader.judging.probing import (
    PARTS,
    Part,
    Probe,
    ProbeObservation,
    ProbeRunner,
    ProbeSession,
)
from grader.sandbox.observation import Observation, Returned
from grader.values.equality import equal
from grader.values.tree import Atom

_MAX_SITES: Final = 4
"""Sites that are cut one by one, the most often re-entered ones first."""
_SMALL: Final = 2
"""Sizes up to this do not show which calls do the work."""
_LARGE_SHARE: Final = 0.8
"""Work on this share of the elements counts as all of them; this share of all work as most."""
_MAX_OF_IT: Final = 0.4
"""A single call with this share of the work does most of it: real recursion spreads work."""
_FEW: Final = 5
"""Fewer calls than one per this many elements are few."""
_ROOT: Final[float] = 0.3
"""If work grows by a factor, calls must grow by at least this power of it: even where each call
compares all pairs of the rest, there are as many calls as the cube root of the work."""
_TIMES_MORE: Final = 4
"""Inner calls that do this many times the work of any other leave them little to do."""


@unique
class CutResult(Enum):
    """The effect of cutting recursion on the answers."""

    NONE = "none"
    """They stay right, or would if an unneeded value were replaced by anything."""
    CALL_MATTERS = "call matters"
    """As NONE, but the function must be called at least once, not recursively."""
    CONSTANT = "constant"
    """They change, but not if the recursion always returned what its innermost call returns."""
    MATTERS = "matters"
    """They change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """The observation of one size of a probe, without cuts."""

    size: int
    observation: ProbeObservation
    calls: CallEvidence

    def of(self, site: Site) -> Site:
        """Return the calls of `site` at this size."""
        never = Site(key=site.key, entered=0, reentered=0, deepest=0)
        return self.calls.named(site.key) or never


class Gathered(NamedTuple):
    """Work that a few calls do for all others."""

    places: int
    """The number of calls; the code around them all counts as one."""
    work: int


class ProbeCut:
    """Runs one probe of one submission, and cuts the recursion in it."""

    def __init__(self, prober: ProbeRunner, probe: Probe, function: str) -> None:
        """Run all sizes of `probe`, up to the first that fails.

        `function` is the dotted name of the function in question.
        """
        self._prober: Final = prober
        self._probe: Final = probe
        self._function: Final = function
        self.trouble: ProbeObservation | None = None
        """The observation of the first size that failed, if any."""
        self.looks: Final = tuple(self._usable_looks())

    def _usable_looks(self) -> Iterator[_Look]:
        for size in self._probe.sizes:
            observation = self._prober.look(self._probe, size, settings={}).observe()
            calls = CallEvidence.of(observation.evidence)
            if calls is None or not observation.ended:
                self.trouble = observation
                return
            yield _Look(size=size, observation=observation, calls=calls)

    def candidates(self) -> list[Site]:
        """Return the sites that were called while active, most often called first."""
        again: dict[str, Site] = {}
        for look in self.looks:
            # The largest size wins.
            again.update((site.key, site) for site in look.calls.sites if site.reentered)
        return sorted(again.values(), key=lambda site: -site.reentered)

    def is_own(self, site: Site) -> bool:
        """Return whether `site` is the function in question.

        The first site called counts too: a wrapper has another name.
        """
        first = [each.key for each in self.looks[-1].calls.sites[:1]]
        return site.function == self._function or site.key in first

    def effects(self) -> dict[str, CutResult]:
        """Return the effect of cutting each candidate, by its key.

        If cutting single ones has no effect, all are cut together.
        """
        candidates = self.candidates()
        self._prober.expect(self._first_cuts(candidates[:_MAX_SITES]))
        effects = {site.key: self._effect([site]) for site in candidates[:_MAX_SITES]}
        # Two sites may each do the work while the other is cut.
        if len(candidates) > 1 and set(effects.values()) == {CutResult.NONE}:
            together = self._effect(candidates)
            effects = {site.key: together for site in candidates}
        return effects

    def _first_cuts(self, sites: Sequence[Site]) -> Iterator[ProbeSession]:
        """Yield the sessions needed if the recursion in `sites` is real, as it mostly is."""
        for site in sites:
            looks = self._recurring([site])
            leaf_of, cut = self._other_size(looks, looks[0]), partial(self._prober.cut, self._probe)
            yield cut(looks[0].size, [site.key])
            yield cut(looks[0].size, [site.key], leaf_of=leaf_of)
        if sites:
            looks, keys = self._recurring(sites), _keys(sites)
            yield self._watched(keys, self.looks[-1].size)
            yield self._prober.known(self._probe, looks[0].size, keys)
            for part in PARTS:
                yield self._prober.shifted(self._probe, looks[0].size, keys, part)

    def _recurring(self, sites: Sequence[Site]) -> list[_Look]:
        """Return the looks in which a call of `sites` recurs, the largest size first."""
        looks = reversed(self.looks)
        return [look for look in looks if any(look.of(site).reentered for site in sites)]

    def _effect(self, sites: Sequence[Site]) -> CutResult:
        keys, looks = _keys(sites), self._recurring(sites)
        without = self._first_change(looks, keys)
        if without is None:
            return CutResult.NONE
        if self._first_change(looks, keys, leaf=True) is not None:
            return CutResult.MATTERS
        if without.ended:
            return CutResult.CONSTANT
        # None broke the caller, but the leaf's value did not: any value in its place would do.
        if any(map(self.is_own, sites)):
            return CutResult.NONE
        whole = self._first_change(looks, keys, leaf=True, whole=True)
        return CutResult.NONE if whole is None else CutResult.CALL_MATTERS

    def _first_change(
        self,
        looks: Sequence[_Look],
        keys: Sequence[str],
        *,
        leaf: bool = False,
        whole: bool = False,
    ) -> ProbeObservation | None:
        """Return the observation of the first size at which cutting `keys` changes something.

        If nothing was left to cut, because answers were cached, that counts as a change.
        """
        for look in looks:
            leaf_of = self._other_size(looks, look) if leaf else None
            cut = self._prober.cut(self._probe, look.size, keys, leaf_of=leaf_of, whole=whole)
            without = cut.observe()
            calls = CallEvidence.of(without.evidence)
            if not _same(look.observation, without) or calls is None or not calls.cuts:
                return without
        return None

    @staticmethod
    def _other_size(looks: Sequence[_Look], look: _Look) -> int:
        """Return another size at which something recurs, or that of `look` if there is none.

        With an accumulator, the leaf of the same size would already be the right answer.
        """
        return next((other.size for other in looks if other is not look), look.size)

    def work(self, sites: Sequence[Site], size: int, *, cut: bool = False) -> CallEvidence | None:
        """Return evidence of which calls of `sites` do the work, with recursion `cut` or not."""
        return CallEvidence.of(self._watched(_keys(sites), size, cut=cut).observe().evidence)

    def _watched(self, keys: Sequence[str], size: int, *, cut: bool = False) -> ProbeSession:
        settings = {"watch": keys, "cut": keys if cut else []}
        return self._prober.look(self._probe, size, settings=settings)

    def gathered(self, sites: Sequence[Site], *, loop: bool) -> Gathered | None:
        """Return the work that a few calls of `sites`, or the code around them, do for all others.

        Work is different calls of other functions, if there are enough, or else turns of loops,
        built-in ones included; with `loop` only calls count. The result is None if the work is
        spread as in recursion, or too little.
        """
        size = self.looks[-1].size
        if size <= _SMALL or (work := self.work(sites, size)) is None:
            return None
        kinds = [_calls] if loop else [_calls, _turns, _bulk]
        kind = next((each for each in kinds if sum(each(work)) >= _LARGE_SHARE * size), None)
        if kind is None:
            return None
        works, outer = kind(work), 1 + len(sites)
        if kind is not _bulk:
            largest, places = max(works), _places(works)
            if largest >= max(_LARGE_SHARE * size, _MAX_OF_IT * sum(works)):
                return Gathered(1, round(largest))
            before = self.work(sites, self.looks[0].size)
            if places * _FEW < size or (before and _grows_slowly(kind(before), works)):
                return Gathered(places, round(sum(nlargest(places, works))))
        if kind is _calls and _repeated(work, outer) and sum(works[:outer]) >= _LARGE_SHARE * size:
            return Gathered(1, round(sum(works[:outer])))
        return _standing_out(works, outer, size)

    def _spread(self, sites: Sequence[Site], size: int, *, cut: bool) -> list[tuple[int, int]]:
        work = self.work(sites, size, cut=cut)
        return [] if work is None else list(work.spread)

    def knows_beforehand(self, sites: Sequence[Site]) -> bool:
        """Return whether the answers are known before the recursion in `sites` begins.

        They are if the same name holds the answer at every size. If the answer is always the same,
        the name may hold it by chance, so that proves nothing.
        """
        keys = _keys(sites)
        held: list[set[str]] = []
        answers: list[Observation] = []
        for look in self._recurring(sites):
            observation = self._prober.known(self._probe, look.size, keys).observe()
            calls = CallEvidence.of(observation.evidence)
            if calls is None or not observation.ended:
                return False
            for parts in map(_sets, calls.known):
                # At first `held` is empty.
                held = [old & new for old, new in zip(held, parts, strict=False)] or parts
            if not held or not all(held):
                return False
            answers += (observation.call, *observation.observed)
        return not all(_alike(answers[0], each) for each in answers[1:])

    def goes_by_nothing(self, sites: Sequence[Site]) -> bool:
        """Return whether no answer depends on the input of the recursion in `sites`.

        Then all answers stay right if inner calls get only a part of their input. Yes and no may
        be right by chance: they must stay right whichever part is left out.
        """
        keys = _keys(sites)
        last = self.looks[-1].observation
        yes_or_no = all(map(_is_truth, (last.call, *last.observed)))
        unchanged = (self._stays(keys, part) for part in PARTS)
        return all(unchanged) if yes_or_no else any(unchanged)

    def _stays(self, keys: Sequence[str], part: Part) -> bool:
        """Return whether all answers stay right when inner calls get a `part` of their input."""
        for look in reversed(self.looks):
            shifted = self._prober.shifted(self._probe, look.size, keys, part).observe()
            calls = CallEvidence.of(shifted.evidence)
            if calls is None or not _same(look.observation, shifted):
                return False
            if look is self.looks[-1] and calls.shifts <= len(self._probe.also):
                return False  # some answer was computed from its full input: no evidence
        return True

    def is_made_up_for(self, sites: Sequence[Site], size: int) -> bool:
        """Return whether other code does the work of the recursion in `sites` when it is cut."""
        before, after = (self._spread(sites, size, cut=cut) for cut in (False, True))
        # Cutting removes calls: compare those that remain with as many from the uncut run.
        return sum(map(sum, after)) > sum(map(sum, before[: len(after)]))


def _keys(sites: Sequence[Site]) -> list[str]:
    return [site.key for site in sites]


def _calls(work: CallEvidence) -> list[float]:
    return [part / 1_000 for part, _ in work.asked]


def _turns(work: CallEvidence) -> list[float]:
    return [turns for _, turns in work.spread]


def _bulk(work: CallEvidence) -> list[float]:
    return list(work.bulk)


def _places(works: Sequence[float]) -> int:
    """Return the least number of places that do most of the work."""
    held = accumulate(sorted(works, reverse=True))
    most = _LARGE_SHARE * sum(works)
    return next((at for at, work in enumerate(held, 1) if work >= most), len(works))


def _grows_slowly(before: Sequence[float], works: Sequence[float]) -> bool:
    """Return whether the work grew since `before`, but the calls sharing it hardly did."""
    if sum(works) <= sum(before) or not any(before):
        return False
    grown: float = (sum(works) / sum(before)) ** _ROOT
    return _places(works) < grown * _places(before)


def _repeated(work: CallEvidence, outer: int) -> bool:
    """Return whether each inner call repeats a little of what the first `outer` ones did.

    So does a recursion that reads from a table, or that walks back a path found by a search.
    """
    first = [first for _, first in work.asked]
    parts = _calls(work)
    largest = max(parts[outer:], default=0)
    return sum(first[:outer]) >= _LARGE_SHARE * sum(first) and (
        max(parts[:outer]) >= _TIMES_MORE * largest
    )


def _standing_out(works: Sequence[float], outer: int, size: int) -> Gathered | None:
    """Return the work of a few inner calls that do far more than all others.

    The first `outer` ones may be preparation. An inner one has no reason to stand out.
    """
    inner = [*sorted(works[outer:], reverse=True), 0]
    prepared = min(sum(works[:outer]), inner[0])
    for places in range(1, max(2, size // _FEW)):
        held = prepared + sum(inner[:places])
        if held >= _LARGE_SHARE * size and inner[places - 1] >= _TIMES_MORE * inner[places]:
            return Gathered(places, round(held))
    return None


def _sets(parts: Iterable[Iterable[str]]) -> list[set[str]]:
    return [set(part) for part in parts]


def _same(one: ProbeObservation, other: ProbeObservation) -> bool:
    """Return whether two sessions returned, printed and changed the same."""
    ones, others = (one.call, *one.observed), (other.call, *other.observed)
    return len(ones) == len(others) and all(map(_alike, ones, others))


def _is_truth(observation: Observation) -> bool:
    match observation.outcome:
        case Returned(value=Atom(value=value)):
            return value is None or isinstance(value, bool)
        case _:
            return False


def _alike(one: Observation, other: Observation) -> bool:
    if one.stdout != other.stdout:
        return False
    match one.outcome, other.outcome:
        case Returned(value=first), Returned(value=second):
            return first == second or equal(first, second)
        case _:  # the uncut run returned, so this one differs
            return False
