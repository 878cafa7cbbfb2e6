"""What the recursion of a function does for its answers: seen by probing, and by cutting it off.

A probe calls the function for several sizes on a program that counts how often each site (see
`grader.judging.probing`) is called while it is already active. Then such sites are *cut*:
called while active, they do nothing. What a cut call gives instead matters. With None, `1 +
count(rest)` raises an exception although nobody may need the count; with True, `all_of(rest)` seems
to do no work as long as the answer is yes. So a site is cut in two ways: it gives None, and it
gives what its innermost call gave (its *leaf*) for another size when nothing was cut. Only
recursion that both ways of cutting are seen to break does something that cannot be done without.
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

_MOST_SITES: Final = 4
"""Sites that are cut one by one; those that are called again most often come first."""
_SMALL: Final = 2
"""Sizes up to this say nothing about who does the work."""
_LARGE_SHARE: Final = 0.8
"""Work for so many elements of the input is work for all of it; and so much of all work is most."""
_MOST_OF_IT: Final = 0.4
"""A single call that does this share of all work does most of it: real recursion spreads it."""
_FEW: Final = 5
"""Fewer calls than one for so many elements of the input are few."""
_ROOT: Final[float] = 0.3
"""Work that grows is done by more calls, if it is only by this power of what it grows by: even of
those that compare each pair of what is left there are as many as the third root of all that."""
_TIMES_MORE: Final = 4
"""Inner calls that do so many times what any other does leave them little to do."""


@unique
class CutResult(Enum):
    """What becomes of the answers when recursion is cut."""

    NONE = "none"
    """They stay right, or would if something were there in place of a value that nobody needs."""
    CALL_MATTERS = "call matters"
    """So it is, but the function has to be called, if not recursively."""
    CONSTANT = "constant"
    """They change, but not if the recursion always gave what its innermost call gives."""
    MATTERS = "matters"
    """They change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """What one size of a probe showed, when nothing was cut."""

    size: int
    observation: ProbeObservation
    calls: CallEvidence

    def of(self, site: Site) -> Site:
        """Return `site` as it was called at this size."""
        never = Site(key=site.key, entered=0, reentered=0, deepest=0)
        return self.calls.named(site.key) or never


class Gathered(NamedTuple):
    """Work that few calls do for all others."""

    places: int
    """How many calls, with what is around them all as one more."""
    work: int


class ProbeCut:
    """Looks at one probe of one submission, and cuts what recursion there is."""

    def __init__(self, prober: ProbeRunner, probe: Probe, function: str) -> None:
        """Look at all sizes of `probe`, up to the first that does not come to an end.

        `function` is the dotted name of the function in question.
        """
        self._prober: Final = prober
        self._probe: Final = probe
        self._function: Final = function
        self.trouble: ProbeObservation | None = None
        """What the first size showed that did not come to an end, if one did not."""
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
            again.update((site.key, site) for site in look.calls.sites if site.reentered)
        return sorted(again.values(), key=lambda site: -site.reentered)

    def is_own(self, site: Site) -> bool:
        """Return whether `site` is the function in question.

        Whatever is called first is taken for it too: a wrapper has a name of its own.
        """
        first = [each.key for each in self.looks[-1].calls.sites[:1]]
        return site.function == self._function or site.key in first

    def effects(self) -> dict[str, CutResult]:
        """Return what cutting each candidate does, by its key.

        When none of them does anything by itself, they may do so together.
        """
        candidates = self.candidates()
        self._prober.expect(self._first_cuts(candidates[:_MOST_SITES]))
        effects = {site.key: self._effect([site]) for site in candidates[:_MOST_SITES]}
        if len(candidates) > 1 and set(effects.values()) == {CutResult.NONE}:
            together = self._effect(candidates)
            effects = {site.key: together for site in candidates}
        return effects

    def _first_cuts(self, sites: Sequence[Site]) -> Iterator[ProbeSession]:
        """Yield what is asked of recursion in `sites` that is real, as most is."""
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
        """Return the sizes at which a call of `sites` recurs, the largest first."""
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
        """Return what the first size shows at which cutting `keys` changes something.

        Where there was nothing left to cut, because answers were remembered, it is not known not to
        change anything.
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
        """Return a size other than that of `look`, if there is one, at which something recurs.

        Where the answer is handed down to the innermost call, that of the same size would be right.
        """
        return next((other.size for other in looks if other is not look), look.size)

    def work(self, sites: Sequence[Site], size: int, *, cut: bool = False) -> CallEvidence | None:
        """Return what tells who does the work when calls of `sites` are told apart.

        With `cut`, who does it then.
        """
        return CallEvidence.of(self._watched(_keys(sites), size, cut=cut).observe().evidence)

    def _watched(self, keys: Sequence[str], size: int, *, cut: bool = False) -> ProbeSession:
        settings = {"watch": keys, "cut": keys if cut else []}
        return self._prober.look(self._probe, size, settings=settings)

    def gathered(self, sites: Sequence[Site], *, loop: bool) -> Gathered | None:
        """Return the work that few calls of `sites` do for all others, or what is around them.

        Work is different calls of other functions, if there are enough of them, or else turns of
        loops, those that are not in Python as well; with `loop` only calls. It is None where it is
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
            if largest >= max(_LARGE_SHARE * size, _MOST_OF_IT * sum(works)):
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
        """Return whether the answers are there when the recursion in `sites` begins.

        They are if all that is answered, at whatever size, was held by the same name. Where that is
        always the same answer, it need not have been the answer that was held.
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
                held = [old & new for old, new in zip(held, parts, strict=False)] or parts
            if not held or not all(held):
                return False
            answers += (observation.call, *observation.observed)
        return not all(_alike(answers[0], each) for each in answers[1:])

    def goes_by_nothing(self, sites: Sequence[Site]) -> bool:
        """Return whether no answer hangs on what the recursion in `sites` goes by.

        Then inner calls can be given less to do, and all answers stay right. Yes and no are right
        by chance as well: they have to stay so whichever part is left out.
        """
        keys = _keys(sites)
        last = self.looks[-1].observation
        yes_or_no = all(map(_is_truth, (last.call, *last.observed)))
        unchanged = (self._stays(keys, part) for part in PARTS)
        return all(unchanged) if yes_or_no else any(unchanged)

    def _stays(self, keys: Sequence[str], part: Part) -> bool:
        """Return whether all answers stay right when inner calls get a `part` of what is left."""
        for look in reversed(self.looks):
            shifted = self._prober.shifted(self._probe, look.size, keys, part).observe()
            calls = CallEvidence.of(shifted.evidence)
            if calls is None or not _same(look.observation, shifted):
                return False
            if look is self.looks[-1] and calls.shifts <= len(self._probe.also):
                return False  # that of some answer nothing was left out says nothing
        return True

    def is_made_up_for(self, sites: Sequence[Site], size: int) -> bool:
        """Return whether something else does the work of the recursion in `sites` when it is cut.

        Then the recursion did work that something else would have done.
        """
        before, after = (self._spread(sites, size, cut=cut) for cut in (False, True))
        # What is left of the calls that are told apart are those that nothing was cut of.
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
    """Return how many places, at least, do most of the work."""
    held = accumulate(sorted(works, reverse=True))
    most = _LARGE_SHARE * sum(works)
    return next((at for at, work in enumerate(held, 1) if work >= most), len(works))


def _grows_slowly(before: Sequence[float], works: Sequence[float]) -> bool:
    """Return whether hardly more calls share the work, where there is more of it than `before`."""
    if sum(works) <= sum(before) or not any(before):
        return False
    grown: float = (sum(works) / sum(before)) ** _ROOT
    return _places(works) < grown * _places(before)


def _repeated(work: CallEvidence, outer: int) -> bool:
    """Return whether inner calls go over what the first `outer` ones did, each over little of it.

    So does a recursion that reads from a table, or walks back a way that a search has found.
    """
    first = [first for _, first in work.asked]
    parts = _calls(work)
    largest = max(parts[outer:], default=0)
    return sum(first[:outer]) >= _LARGE_SHARE * sum(first) and (
        max(parts[:outer]) >= _TIMES_MORE * largest
    )


def _standing_out(works: Sequence[float], outer: int, size: int) -> Gathered | None:
    """Return the work of few inner calls that do far more than all others.

    The first `outer` ones may prepare something. An inner one has no reason to stand out.
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
    """Return whether two sessions gave the same, in what they returned, printed and changed."""
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
        case _:  # what is compared with came to an end
            return False
