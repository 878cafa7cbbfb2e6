"""Tries a suite on wrong programs, on right ones, and on one that only knows the answers.

A suite is good when it accepts every right solution and no wrong one. It is tried on mutants of the
reference, misconceptions included, on the wrong and right solutions that lie beside it, and on
hard-coders made from the public cases.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from grader.judging.judge import grade
from grader.plugins.authoring.auditing.hard_coders import hard_coders
from grader.plugins.authoring.auditing.kill_matrix import (
    askable,
    coverages,
    kill_matrix,
    killed_or_not,
    prove_reference,
)
from grader.plugins.authoring.auditing.mutant_runner import MutantRunner, ProgramResult
from grader.plugins.authoring.auditing.programs import WrongProgram, WrongProgramSource
from grader.plugins.authoring.proof import prove_alone
from grader.plugins.authoring.solutions import Sources, submission_of
from grader.sandbox.sandbox import Sandbox
from grader.suite.model import Suite

_HANDMADE: Final = frozenset({WrongProgramSource.SAMPLE, WrongProgramSource.PANEL})
"""The student who is thought to face the suite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KillResult:
    """How many of the wrong programs of one kind are killed."""

    kind: WrongProgramSource
    killed: int
    of: int
    """How many there are, without those that are listed as equivalent."""
    equivalent: int
    only_died: int
    """How many of those killed do not survive, and are not known to give a wrong answer."""
    untold: int = 0
    """How many more there are that nothing tells apart, so far as was looked."""

    @property
    def share(self) -> float:
        """The part that is killed, from 0 to 1; 1 where there is nothing to kill."""
        return self.killed / self.of if self.of else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseKills:
    """What a case contributes."""

    id: str
    kills: int
    """How many wrong programs fail it."""
    alone: int
    """How many of these fail no other case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What is known of how good a suite is."""

    tallies: tuple[KillResult, ...]
    survivors: tuple[WrongProgram, ...]
    """Those that are neither killed, nor listed as equivalent, nor told apart by nothing."""
    expired: tuple[str, ...]
    """Mutants that are listed as equivalent, and of which the function has changed since."""
    refuted: tuple[str, ...]
    """Mutants that are listed as equivalent, and that are killed all the same."""
    worths: tuple[CaseKills, ...]
    """None where it was not asked."""
    needed: tuple[str, ...]
    """Few cases that kill together what all of them kill; where it was asked."""
    right: Mapping[str, float]
    """The part of the points that each right solution gets."""
    disputed: Mapping[str, tuple[str, ...]]
    """Cases that a right solution does not pass, of all that any student may draw or be shown;
    right solutions without any are not there."""
    hard_coded: Mapping[str, float]
    """The part of the points that each hard-coder gets, by its fallback."""
    guessed: Mapping[str, float]
    """The part of the points that each program gets which guesses, by name."""
    lost: Mapping[str, float]
    """The part of the points that each wrong program of the panel loses, by its id."""
    untold: tuple[WrongProgram, ...] = ()
    """Slips in right solutions that nothing tells apart, so far as was looked."""

    def searched(self, told: Collection[str]) -> Audit:
        """Return the audit when many more scenes were tried on all survivors, and some `told`.

        A slip in a right solution that none of them tells may do the same as the right one
        everywhere, as most of them do: it is counted apart. Of the reference each such mutant is
        looked at, and listed; and what was written to be wrong is wrong.
        """
        untold = tuple(
            each
            for each in self.survivors
            if each.kind is WrongProgramSource.RELATED and each.id not in told
        )
        return replace(
            self,
            survivors=tuple(each for each in self.survivors if each not in untold),
            untold=untold,
            tallies=tuple(
                replace(tally, of=tally.of - len(untold), untold=len(untold))
                if tally.kind is WrongProgramSource.RELATED
                else tally
                for tally in self.tallies
            ),
        )

    @property
    def share(self) -> float:
        """The part of all mutants, misconceptions included, that is killed; from 0 to 1."""
        made = [tally for tally in self.tallies if tally.kind not in _HANDMADE]
        count = sum(tally.of for tally in made)
        return sum(tally.killed for tally in made) / count if count else 1.0


def audit(
    suite: Suite,
    reference: Sources,
    programs: Sequence[WrongProgram],
    right: Mapping[str, Sources],
    guessers: Mapping[str, Sources],
    mutant_runner: MutantRunner,
    sandbox: Sandbox,
    *,
    worth: bool = False,
    progress: Callable[[], object] = lambda: None,
) -> Audit:
    """Return the audit of `suite`.

    What is shown to students has to be right as well: the reference and the right solutions are
    tried on the siblings too.

    With `worth`, which takes longer, it says what each case contributes. `sandbox` is used while
    `mutant_runner` is not. Raises `SuiteError` when the `reference` does not pass.
    """
    prove_reference(mutant_runner, reference, (*suite.sessions, *suite.siblings))
    prove_alone(suite, submission_of(suite, reference, "reference"), sandbox)
    reached = coverages(mutant_runner, suite, {"": reference, **right}, programs)
    if worth:
        matrix = kill_matrix(mutant_runner, programs, suite, reached, progress=progress)
    else:
        matrix = killed_or_not(mutant_runner, programs, suite, reached, progress)
    listed = {each.mutant for each in suite.equivalent}
    killed = {name for name, failures in matrix.items() if failures.killed}
    cases_only = suite.changed(rules=(), advice=False, siblings=())

    def part(sources: Sources, name: str) -> float:
        return _part(cases_only, sources, name, sandbox)

    return Audit(
        tallies=tuple(_tally(kind, programs, matrix, listed) for kind in WrongProgramSource),
        survivors=tuple(
            program for program in programs if program.id not in killed and program.id not in listed
        ),
        expired=tuple(sorted(listed - matrix.keys())),
        refuted=tuple(sorted(listed & killed)),
        worths=tuple(_worths(suite, matrix)) if worth else (),
        needed=tuple(_needed(suite, matrix)) if worth else (),
        right={name: part(sources, name) for name, sources in right.items()},
        disputed=dict(_disputed(suite, right, mutant_runner)),
        hard_coded={
            fallback.value: part(sources, fallback.value)
            for fallback, sources in hard_coders(suite, reference, sandbox).items()
        },
        guessed={name: part(sources, name) for name, sources in guessers.items()},
        lost={
            program.id: 1 - part(program.sources, "panel")
            for program in programs
            if program.kind is WrongProgramSource.PANEL
        },
    )


def _tally(
    kind: WrongProgramSource,
    programs: Sequence[WrongProgram],
    matrix: Mapping[str, ProgramResult],
    listed: Collection[str],
) -> KillResult:
    own = {program.id: matrix[program.id] for program in programs if program.kind is kind}
    counted = [each for name, each in own.items() if name not in listed or each.killed]
    return KillResult(
        kind=kind,
        killed=sum(each.killed for each in counted),
        of=len(counted),
        equivalent=len(own) - len(counted),
        only_died=sum(each.only_died for each in counted),
    )


def _worths(suite: Suite, matrix: Mapping[str, ProgramResult]) -> list[CaseKills]:
    kills: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    for failures in matrix.values():
        failed = [case for cases in failures.cases.values() for case in cases]
        kills.update(failed)
        if len(failed) == 1:
            alone.update(failed)
    ids = [case.id for session in suite.sessions for case in session.cases]
    return [CaseKills(id=case, kills=kills[case], alone=alone[case]) for case in ids]


def _needed(suite: Suite, matrix: Mapping[str, ProgramResult]) -> list[str]:
    """Return cases, most useful first, that kill together what all cases kill; greedily few."""
    left = [
        frozenset(case for cases in failures.cases.values() for case in cases)
        for failures in matrix.values()
        if failures.cases
    ]
    ids = [case.id for session in suite.sessions for case in session.cases]
    needed = []
    while left:
        counts = Counter(case for cases in left for case in cases)
        best = max(ids, key=lambda case: counts[case])
        needed.append(best)
        left = [cases for cases in left if best not in cases]
    return needed


def _disputed(
    suite: Suite, right: Mapping[str, Sources], mutant_runner: MutantRunner
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield right solutions that do not pass all cases, and which ones these are."""
    everything = (*suite.sessions, *suite.siblings)
    tries = [(sources, askable(sources, suite, everything)) for sources in right.values()]
    tried = mutant_runner.failures(tries, apart=True, patience=math.inf)
    for name, failures in zip(right, tried, strict=True):
        if failures.cases:
            cases = failures.cases.items()
            yield (
                name,
                tuple(f"{session}: {case}" for session, own in cases for case in sorted(own)),
            )


def _part(suite: Suite, sources: Sources, name: str, sandbox: Sandbox) -> float:
    record = grade(suite, submission_of(suite, sources, name), sandbox)
    return record.score / record.max_score if record.max_score else 0.0
