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
_MAX_SINGLE_SHARE: Final = 0.4
"""A single call with this share of the work does most of it: real recursion distributes work."""
_FEW: Final = 5
"""Fewer calls than one per this many elements are few."""
_ROOT: Final[float] = 0.3
"""If work grows by a factor, calls must grow by at least this power of it: even where each call
compares all pairs of the rest, there are as many calls as the cube root of the work."""
_TIMES_MORE: Final = 4
"""Inner calls that do this many times the work of any other leave little to the others."""


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
class _ProbeRun:
    """The observation of one size of a probe, without cuts."""

    size: int
    observation: ProbeObservation
    calls: CallEvidence

    def of(self, site: Site) -> Site:
        """Return the calls of `site` at this size."""
        never = Site(key=site.key, entered=0, reentered=0, deepest=0)
        return self.calls.named(site.key) or never


class Concentration(NamedTuple):
    """Work that is concentrated in a few calls."""

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
        self.runs: Final = tuple(self._usable_runs())

    def _usable_runs(self) -> Iterator[_ProbeRun]:
        for size in self._probe.sizes:
            observation = self._prober.session(self._probe, size, settings={}).observe()
            calls = CallEvidence.of(observation.evidence)
            if calls is None or not observation.ended:
                self.trouble = observation
                return
            yield _ProbeRun(size=size, observation=observation, calls=calls)

    def candidates(self) -> list[Site]:
        """Return the sites that were called while active, most often called first."""
        by_key: dict[str, Site] = {}
        for run in self.runs:
            # A larger size overwrites the smaller ones.
            by_key.update((site.key, site) for site in run.calls.sites if site.reentered)
        return sorted(by_key.values(), key=lambda site: -site.reentered)

    def is_own(self, site: Site) -> bool:
        """Return whether `site` is the function in question.

        The first site called counts too: a wrapper has another name.
        """
        first = [each.key for each in self.runs[-1].calls.sites[:1]]
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
            runs = self._recurring([site])
            leaf_of, cut = (
                self._other_size(runs, runs[0]),
                partial(self._prober.cut_session, self._probe),
            )
            yield cut(runs[0].size, [site.key])
            yield cut(runs[0].size, [site.key], leaf_of=leaf_of)
        if sites:
            runs, keys = self._recurring(sites), _keys(sites)
            yield self._watched(keys, self.runs[-1].size)
            yield self._prober.knowledge_session(self._probe, runs[0].size, keys)
            for part in PARTS:
                yield self._prober.shifted_session(self._probe, runs[0].size, keys, part)

    def _recurring(self, sites: Sequence[Site]) -> list[_ProbeRun]:
        """Return the runs in which a call of `sites` recurs, the largest size first."""
        runs = reversed(self.runs)
        return [run for run in runs if any(run.of(site).reentered for site in sites)]

    def _effect(self, sites: Sequence[Site]) -> CutResult:
        """Return the effect of cutting all `sites` together."""
        keys, runs = _keys(sites), self._recurring(sites)
        changed = self._first_changed(runs, keys)
        if changed is None:
            return CutResult.NONE
        if self._first_changed(runs, keys, leaf=True) is not None:
            return CutResult.MATTERS
        if changed.ended:
            return CutResult.CONSTANT
        # None broke the caller, but the leaf's value did not: any value in its place would do.
        if any(map(self.is_own, sites)):
            return CutResult.NONE
        without_calls = self._first_changed(runs, keys, leaf=True, whole=True)
        return CutResult.NONE if without_calls is None else CutResult.CALL_MATTERS

    def _first_changed(
        self,
        runs: Sequence[_ProbeRun],
        keys: Sequence[str],
        *,
        leaf: bool = False,
        whole: bool = False,
    ) -> ProbeObservation | None:
        """Return the observation of the first size at which cutting `keys` changes something.

        If nothing was left to cut, because answers were cached, that counts as a change.
        """
        for run in runs:
            leaf_of = self._other_size(runs, run) if leaf else None
            session = self._prober.cut_session(
                self._probe, run.size, keys, leaf_of=leaf_of, whole=whole
            )
            cut_run = session.observe()
            calls = CallEvidence.of(cut_run.evidence)
            if not _is_same_session(run.observation, cut_run) or calls is None or not calls.cuts:
                return cut_run
        return None

    @staticmethod
    def _other_size(runs: Sequence[_ProbeRun], run: _ProbeRun) -> int:
        """Return another size with recursion, or that of `run` if it is the only one.

        With an accumulator, the leaf of the same size would already be the right answer.
        """
        return next((other.size for other in runs if other is not run), run.size)

    def work(self, sites: Sequence[Site], size: int, *, cut: bool = False) -> CallEvidence | None:
        """Return evidence of which calls of `sites` do the work, with recursion `cut` or not."""
        return CallEvidence.of(self._watched(_keys(sites), size, cut=cut).observe().evidence)

    def _watched(self, keys: Sequence[str], size: int, *, cut: bool = False) -> ProbeSession:
        settings = {"watch": keys, "cut": keys if cut else []}
        return self._prober.session(self._probe, size, settings=settings)

    def concentration(self, sites: Sequence[Site], *, loop: bool) -> Concentration | None:
        """Return the work that is concentrated in a few calls of `sites`, or in code around them.

        Work means different calls of other functions, if there are enough of them, or else turns of
        loops, built-in ones included; with `loop` only calls count. The result is None if the work
        is distributed as in recursion, or too little.
        """
        size = self.runs[-1].size
        if size <= _SMALL or (work := self.work(sites, size)) is None:
            return None
        kinds = [_calls] if loop else [_calls, _turns, _bulk]
        kind = next((each for each in kinds if sum(each(work)) >= _LARGE_SHARE * size), None)
        if kind is None:
            return None
        works, outer = kind(work), 1 + len(sites)
        if kind is not _bulk:
            largest, places = max(works), _places_with_most(works)
            if largest >= max(_LARGE_SHARE * size, _MAX_SINGLE_SHARE * sum(works)):
                return Concentration(1, round(largest))
            before = self.work(sites, self.runs[0].size)
            if places * _FEW < size or (before and _grows_slowly(kind(before), works)):
                return Concentration(places, round(sum(nlargest(places, works))))
        if kind is _calls and _repeated(work, outer) and sum(works[:outer]) >= _LARGE_SHARE * size:
            return Concentration(1, round(sum(works[:outer])))
        return _outliers(works, outer, size)

    def _spread(self, sites: Sequence[Site], size: int, *, cut: bool) -> list[tuple[int, int]]:
        work = self.work(sites, size, cut=cut)
        return [] if work is None else list(work.spread)

    def knows_answers_beforehand(self, sites: Sequence[Site]) -> bool:
        """Return whether the answers are known before the recursion in `sites` begins.

        They are if the same name holds the answer at every size. If the answer is always the same,
        the name may hold it by chance, so that proves nothing.
        """
        keys = _keys(sites)
        held: list[set[str]] = []
        answers: list[Observation] = []
        for run in self._recurring(sites):
            observation = self._prober.knowledge_session(self._probe, run.size, keys).observe()
            calls = CallEvidence.of(observation.evidence)
            if calls is None or not observation.ended:
                return False
            for parts in map(_as_sets, calls.known):
                # In the first run `held` is empty.
                held = [old & new for old, new in zip(held, parts, strict=False)] or parts
            if not held or not all(held):
                return False
            answers += (observation.call, *observation.observed)
        return not all(_is_same_step(answers[0], each) for each in answers[1:])

    def ignores_input(self, sites: Sequence[Site]) -> bool:
        """Return whether no answer depends on the input of the recursion in `sites`.

        Then all answers stay right if inner calls get only a part of their input. Answers of yes
        and no may be right by chance, so they must stay right whichever part is left out.
        """
        keys = _keys(sites)
        last = self.runs[-1].observation
        yes_or_no = all(map(_is_truth, (last.call, *last.observed)))
        unchanged = (self._is_right_with(keys, part) for part in PARTS)
        return all(unchanged) if yes_or_no else any(unchanged)

    def _is_right_with(self, keys: Sequence[str], part: Part) -> bool:
        """Return whether all answers stay right when inner calls get a `part` of their input."""
        for run in reversed(self.runs):
            shifted = self._prober.shifted_session(self._probe, run.size, keys, part).observe()
            calls = CallEvidence.of(shifted.evidence)
            if calls is None or not _is_same_session(run.observation, shifted):
                return False
            if run is self.runs[-1] and calls.shifts <= len(self._probe.also):
                return False  # some answer was computed from its full input: no evidence
        return True

    def is_compensated(self, sites: Sequence[Site], size: int) -> bool:
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


def _places_with_most(works: Sequence[float]) -> int:
    """Return the smallest number of calls that do most of the work."""
    sums = accumulate(sorted(works, reverse=True))
    most = _LARGE_SHARE * sum(works)
    return next((count for count, work in enumerate(sums, 1) if work >= most), len(works))


def _grows_slowly(before: Sequence[float], works: Sequence[float]) -> bool:
    """Return whether the work grew since `before`, but the calls sharing it hardly did."""
    if sum(works) <= sum(before) or not any(before):
        return False
    grown: float = (sum(works) / sum(before)) ** _ROOT
    return _places_with_most(works) < grown * _places_with_most(before)


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


def _outliers(works: Sequence[float], outer: int, size: int) -> Concentration | None:
    """Return the work of a few inner calls that do far more than all others, if there are any.

    The first `outer` ones may be preparation, but inner calls should all do about the same.
    """
    inner = [*sorted(works[outer:], reverse=True), 0]
    prepared = min(sum(works[:outer]), inner[0])
    for places in range(1, max(2, size // _FEW)):
        work = prepared + sum(inner[:places])
        if work >= _LARGE_SHARE * size and inner[places - 1] >= _TIMES_MORE * inner[places]:
            return Concentration(places, round(work))
    return None


def _as_sets(parts: Iterable[Iterable[str]]) -> list[set[str]]:
    return [set(part) for part in parts]


def _is_same_session(one: ProbeObservation, other: ProbeObservation) -> bool:
    """Return whether two sessions returned, printed and changed the same."""
    ones, others = (one.call, *one.observed), (other.call, *other.observed)
    return len(ones) == len(others) and all(map(_is_same_step, ones, others))


def _is_truth(observation: Observation) -> bool:
    match observation.outcome:
        case Returned(value=Atom(value=value)):
            return value is None or isinstance(value, bool)
        case _:
            return False


def _is_same_step(one: Observation, other: Observation) -> bool:
    if one.stdout != other.stdout:
        return False
    match one.outcome, other.outcome:
        case Returned(value=first), Returned(value=second):
            return first == second or equal(first, second)
        case _:  # the uncut run returned, so this one differs
            return False
