"""Determines what recursion contributes to a function's answers, by probing and by cutting it.

A probe calls the function for several sizes on a program that counts how often each site (see
`grader.judging.calls`) is called while it is already active. Then the sites that were re-entered
are *cut*: a call does nothing if another call of the site is active. What the cut call returns
matters. If it returns None, `1 + count(rest)` raises an exception although the count might not be
needed. If it returns True, `all_of(rest)` seems to do no work as long as the answer is yes. So each
site is cut in two ways: it returns None, or the value that its innermost call (its *leaf*) returned
for another size without cuts. Recursion is necessary only if both ways of cutting change the
answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, unique
from functools import partial
from typing import Final

from grader.judging.calls import CallEvidence, Site
from grader.judging.probing import (
    PARTS,
    Part,
    Probe,
    ProbeObservation,
    ProbeRunner,
    ProbeSession,
)
from grader.judging.rules.concentration import Concentration, find_concentration
from grader.sandbox.observation import Observation, Returned
from grader.values.equality import equal
from grader.values.tree import Atom

_MAX_SITES: Final = 4
"""How many sites are cut separately, starting with the most often re-entered ones."""
_SMALL: Final = 2
"""Sizes up to this one are too small to show which calls do the work."""


@unique
class CutResult(Enum):
    """How cutting the recursion affects the answers."""

    NONE = "none"
    """The answers stay right, at least if cut calls return a value that their callers accept."""
    CALL_MATTERS = "call matters"
    """As NONE, but the function has to be called once, though not recursively."""
    CONSTANT = "constant"
    """The answers change, but not if each cut call returns the value of the innermost call."""
    MATTERS = "matters"
    """The answers change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _ProbeRun:
    """The run of one size of a probe, without cuts."""

    size: int
    observation: ProbeObservation
    calls: CallEvidence

    def calls_to(self, site: Site) -> Site:
        """Return the counts of calls to `site` at this size; they are 0 if it was never called."""
        never = Site(key=site.key, entered=0, reentered=0, deepest=0)
        return self.calls.find_site(site.key) or never


class ProbeCut:
    """Runs one probe on one submission, and cuts the recursion in it."""

    def __init__(self, prober: ProbeRunner, probe: Probe, function: str) -> None:
        """Run `probe` for all its sizes, up to the first one that fails.

        `function` is the dotted name of the function that the rule is about.
        """
        self._prober: Final = prober
        self._probe: Final = probe
        self._function: Final = function
        self.failed_observation: ProbeObservation | None = None
        """The observation of the first size that failed, if any."""
        self.runs: Final = tuple(self._usable_runs())

    def _usable_runs(self) -> Iterator[_ProbeRun]:
        """Run the probe for each size and yield the runs.

        Stop at the first failure, and store it as `failed_observation`.
        """
        for size in self._probe.sizes:
            observation = self._prober.session(self._probe, size, settings={}).observe()
            calls = CallEvidence.of(observation.evidence)
            if calls is None or not observation.all_returned:
                self.failed_observation = observation
                return
            yield _ProbeRun(size=size, observation=observation, calls=calls)

    def candidates(self) -> list[Site]:
        """Return the sites that were re-entered, starting with the most often re-entered one."""
        by_key: dict[str, Site] = {}
        for run in self.runs:
            # The counts at a larger size replace those at smaller sizes.
            by_key.update((site.key, site) for site in run.calls.sites if site.reentered)
        return sorted(by_key.values(), key=lambda site: -site.reentered)

    def is_function_itself(self, site: Site) -> bool:
        """Return whether `site` is the function that the rule is about.

        The first site that is called counts as well, because it can be a wrapper with another name.
        """
        first_keys = _keys(self.runs[-1].calls.sites[:1])
        return site.function == self._function or site.key in first_keys

    def effects(self) -> dict[str, CutResult]:
        """Return the effect of cutting each candidate, keyed by the key of its site.

        If cutting single candidates has no effect, all are cut together.
        """
        candidates = self.candidates()
        # Announced before any runs, so that the sessions can share executors.
        self._prober.expect(self._first_cuts(candidates[:_MAX_SITES]))
        effects = {site.key: self._effect([site]) for site in candidates[:_MAX_SITES]}
        # Two sites can replace each other: each does the work while the other is cut.
        if len(candidates) > 1 and set(effects.values()) == {CutResult.NONE}:
            joint_effect = self._effect(candidates)
            effects = {site.key: joint_effect for site in candidates}
        return effects

    def _first_cuts(self, sites: Sequence[Site]) -> Iterator[ProbeSession]:
        """Yield the sessions that are needed if recursion in `sites` is real, as it usually is."""
        for site in sites:
            runs = self._recursive_runs([site])
            leaf_size = self._other_size(runs, runs[0])
            cut = partial(self._prober.cut_session, self._probe)
            yield cut(runs[0].size, [site.key])
            yield cut(runs[0].size, [site.key], leaf_size=leaf_size)
        if sites:
            runs, keys = self._recursive_runs(sites), _keys(sites)
            yield self._watching_session(keys, self.runs[-1].size)
            yield self._prober.knowledge_session(self._probe, runs[0].size, keys)
            for part in PARTS:
                yield self._prober.shifted_session(self._probe, runs[0].size, keys, part)

    def _recursive_runs(self, sites: Sequence[Site]) -> list[_ProbeRun]:
        """Return the runs in which any of `sites` is re-entered, largest size first."""
        # Changes show best at the largest size, so one session usually suffices.
        runs = reversed(self.runs)
        return [run for run in runs if any(run.calls_to(site).reentered for site in sites)]

    def _effect(self, sites: Sequence[Site]) -> CutResult:
        """Return the effect of cutting all `sites` together."""
        keys, runs = _keys(sites), self._recursive_runs(sites)
        changed_run = self._first_change(runs, keys)
        if changed_run is None:
            return CutResult.NONE
        if self._first_change(runs, keys, returns_leaf=True) is not None:
            return CutResult.MATTERS
        if changed_run.all_returned:
            return CutResult.CONSTANT
        # `None` breaks the caller, but the leaf's value does not: the value itself does not matter.
        if any(map(self.is_function_itself, sites)):
            return CutResult.NONE
        without_calls = self._first_change(runs, keys, returns_leaf=True, all_calls=True)
        return CutResult.NONE if without_calls is None else CutResult.CALL_MATTERS

    def _first_change(
        self,
        runs: Sequence[_ProbeRun],
        keys: Sequence[str],
        *,
        returns_leaf: bool = False,
        all_calls: bool = False,
    ) -> ProbeObservation | None:
        """Return the observation at the first size for which cutting `keys` changes the answers.

        If `returns_leaf`, cut calls return the value of an innermost call instead of None. If
        `all_calls`, not only recursive calls are cut. If no call was cut, because answers were
        cached, that counts as a change. Return None if no size shows a change.
        """
        for run in runs:
            leaf_size = self._other_size(runs, run) if returns_leaf else None
            session = self._prober.cut_session(
                self._probe, run.size, keys, leaf_size=leaf_size, all_calls=all_calls
            )
            cut_run = session.observe()
            calls = CallEvidence.of(cut_run.evidence)
            if not _is_same_session(run.observation, cut_run) or calls is None or not calls.cuts:
                return cut_run
        return None

    @staticmethod
    def _other_size(runs: Sequence[_ProbeRun], run: _ProbeRun) -> int:
        """Return the size of a run other than `run`, or its own size if it is the only one.

        With an accumulator, the leaf at the same size would return the right answer already.
        """
        return next((r.size for r in runs if r is not run), run.size)

    def work(self, sites: Sequence[Site], size: int, *, cut: bool = False) -> CallEvidence | None:
        """Return evidence of which calls of `sites` do the work, with or without a `cut`.

        Return None if the report is malformed.
        """
        return CallEvidence.of(
            self._watching_session(_keys(sites), size, cut=cut).observe().evidence
        )

    def _watching_session(
        self, keys: Sequence[str], size: int, *, cut: bool = False
    ) -> ProbeSession:
        """Return the session that records the work of each call of the sites `keys`."""
        settings = {"watch": keys, "cut": keys if cut else []}
        return self._prober.session(self._probe, size, settings=settings)

    def concentration(self, sites: Sequence[Site], *, loop: bool) -> Concentration | None:
        """Return the work that is concentrated in few calls of `sites`, or in code around them.

        If `loop`, only calls count as work. Return None if the work is distributed as in recursion,
        if there is too little of it, or if the report is malformed.
        """
        size = self.runs[-1].size
        if size <= _SMALL or (work := self.work(sites, size)) is None:
            return None
        return find_concentration(
            work,
            size,
            outer_count=1 + len(sites),
            loop=loop,
            smallest_work=partial(self.work, sites, self.runs[0].size),
        )

    def _spread_of_work(
        self, sites: Sequence[Site], size: int, *, cut: bool
    ) -> list[tuple[int, int]]:
        """Return the work of each call of `sites`, or [] if the report is malformed."""
        work = self.work(sites, size, cut=cut)
        return [] if work is None else list(work.spread)

    def has_answers_beforehand(self, sites: Sequence[Site]) -> bool:
        """Return whether the answers exist before the recursion in `sites` begins.

        They do if the same name is bound to the answer at every size. If the answer is the same at
        every size, the name could be bound to it by coincidence, so this returns False.
        """
        keys = _keys(sites)
        names_by_part: list[set[str]] = []
        answers: list[Observation] = []
        for run in self._recursive_runs(sites):
            observation = self._prober.knowledge_session(self._probe, run.size, keys).observe()
            calls = CallEvidence.of(observation.evidence)
            if calls is None or not observation.all_returned:
                return False
            for parts in map(_as_sets, calls.known):
                # `names_by_part` is empty in the first run.
                names_by_part = [
                    old & new for old, new in zip(names_by_part, parts, strict=False)
                ] or parts
            if not names_by_part or not all(names_by_part):
                return False
            answers += (observation.call, *observation.observed)
        return not all(_is_same_step(answers[0], answer) for answer in answers[1:])

    def ignores_input(self, sites: Sequence[Site]) -> bool:
        """Return whether no answer depends on the input of the recursion in `sites`.

        In that case all answers stay right if inner calls get only a part of their input. Answers
        that are bools can be right by coincidence, so they must stay right with each part.
        """
        keys = _keys(sites)
        last = self.runs[-1].observation
        are_bools = all(map(_is_bool_or_none, (last.call, *last.observed)))
        unchanged = (self._is_right_with(keys, part) for part in PARTS)
        return all(unchanged) if are_bools else any(unchanged)

    def _is_right_with(self, keys: Sequence[str], part: Part) -> bool:
        """Return whether all answers stay right if inner calls get only a `part` of their input."""
        for run in reversed(self.runs):
            shifted = self._prober.shifted_session(self._probe, run.size, keys, part).observe()
            calls = CallEvidence.of(shifted.evidence)
            if calls is None or not _is_same_session(run.observation, shifted):
                return False
            if run is self.runs[-1] and calls.shifts <= len(self._probe.also):
                return False  # some answer was computed from the full input, so it proves nothing
        return True

    def is_compensated(self, sites: Sequence[Site], size: int) -> bool:
        """Return whether other code does the work of the recursion in `sites` once it is cut."""
        before, after = (self._spread_of_work(sites, size, cut=cut) for cut in (False, True))
        # Cutting removes calls: compare the remaining calls with as many calls of the uncut run.
        return sum(map(sum, after)) > sum(map(sum, before[: len(after)]))


def _keys(sites: Sequence[Site]) -> list[str]:
    return [site.key for site in sites]


def _as_sets(parts: Iterable[Iterable[str]]) -> list[set[str]]:
    return [set(part) for part in parts]


def _is_same_session(first: ProbeObservation, second: ProbeObservation) -> bool:
    """Return whether all steps of two sessions returned the same values and printed the same."""
    first_steps, second_steps = (first.call, *first.observed), (second.call, *second.observed)
    return len(first_steps) == len(second_steps) and all(
        map(_is_same_step, first_steps, second_steps)
    )


def _is_bool_or_none(observation: Observation) -> bool:
    """Return whether the step returned True, False or None."""
    match observation.outcome:
        case Returned(value=Atom(value=value)):
            return value is None or isinstance(value, bool)
        case _:
            return False


def _is_same_step(step: Observation, other_step: Observation) -> bool:
    """Return whether two steps returned equal values and printed the same."""
    if step.stdout != other_step.stdout:
        return False
    match step.outcome, other_step.outcome:
        case Returned(value=first), Returned(value=second):
            return first == second or equal(first, second)
        case _:  # the uncut run returned, so the cut run differs
            return False
