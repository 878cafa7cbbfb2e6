"""Runs a suite on wrong programs, on right ones, and on ones that only know the answers.

A good suite accepts every right solution and no wrong one. It is run on mutants of the reference,
misconceptions included, on the wrong and right solutions beside it, and on hard-coders made from
the public cases.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from grader.judging.judge import grade
from grader.plugins.authoring.auditing.hard_coders import HardCoderAnswer, hard_coders
from grader.plugins.authoring.auditing.kill_matrix import (
    all_failures,
    askable,
    coverages,
    killed_or_not,
    prove_reference,
)
from grader.plugins.authoring.auditing.mutant_runner import MutantRunner, ProgramResult
from grader.plugins.authoring.auditing.notes import (
    AuditNotes,
    AuditPart,
    AuditWork,
    Results,
    key_of,
)
from grader.plugins.authoring.auditing.programs import WrongProgram, WrongProgramSource
from grader.plugins.authoring.proof import prove_alone
from grader.plugins.authoring.solutions import Sources, submission_of
from grader.sandbox.sandbox import Sandbox
from grader.suite.model import Suite

_HANDMADE: Final = frozenset({WrongProgramSource.SAMPLE, WrongProgramSource.PANEL})
"""Wrong programs written by hand, like those of students."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KillResult:
    """How many of the wrong programs of one kind are killed."""

    kind: WrongProgramSource
    killed: int
    of: int
    """The number of programs, without those listed as equivalent."""
    equivalent: int
    only_died: int
    """The number of killed programs that died or hung, without any wrong answer."""
    untold: int = 0
    """The number of other programs that no scene tried so far tells apart."""

    @property
    def share(self) -> float:
        """The share that is killed, from 0 to 1; 1 if there is nothing to kill."""
        return self.killed / self.of if self.of else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseKills:
    """The contribution of a case."""

    id: str
    kills: int
    """The number of wrong programs that fail it."""
    alone: int
    """The number of these that fail no other case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """The results of an audit so far."""

    tallies: tuple[KillResult, ...]
    survivors: tuple[WrongProgram, ...]
    """Programs that are neither killed, nor listed as equivalent, nor `untold`."""
    expired: tuple[str, ...]
    """Mutants that are listed as equivalent, but whose function has changed since."""
    refuted: tuple[str, ...]
    """Mutants that are listed as equivalent, but are killed."""
    worths: tuple[CaseKills, ...]
    """Empty unless asked for."""
    needed: tuple[str, ...]
    """A small set of cases that kills all that is killed; empty unless asked for."""
    right: Mapping[str, float]
    """The share of the points that each right solution gets."""
    disputed: Mapping[str, tuple[str, ...]]
    """By right solution: the cases that it fails, of all that any student may draw or be shown.
    Solutions without any are left out."""
    hard_coded: Mapping[str, float]
    """The share of the points that each hard-coder gets, by its fallback."""
    guessed: Mapping[str, float]
    """The share of the points that each guessing program gets, by name."""
    lost: Mapping[str, float]
    """The share of the points that each wrong program of the panel loses, by id."""
    untold: tuple[WrongProgram, ...] = ()
    """Slips in right solutions that no scene tried so far tells apart."""

    def searched(self, told: Collection[str]) -> Audit:
        """Return the audit after a search for more scenes, of which some fail the programs `told`.

        Most slips in right solutions that no scene fails are equivalent, so they are counted
        apart. Surviving mutants of the reference are for the author to check and list, and programs
        written to be wrong are wrong.
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
        """The share of all mutants, misconceptions included, that is killed; from 0 to 1."""
        made = [tally for tally in self.tallies if tally.kind not in _HANDMADE]
        count = sum(tally.of for tally in made)
        return sum(tally.killed for tally in made) / count if count else 1.0


PARTS_OF: Final = {
    WrongProgramSource.MUTANT: AuditPart.SLIPS,
    WrongProgramSource.MISCONCEPTION: AuditPart.MISCONCEPTIONS,
    WrongProgramSource.SAMPLE: AuditPart.WRONG,
    WrongProgramSource.RELATED: AuditPart.RELATED,
    WrongProgramSource.PANEL: AuditPart.PANEL,
}
"""The part of an audit that tries the wrong programs of each kind."""
_PROOF: Final = "the reference passes"


class Auditor:
    """Audits a suite part by part, with results at any time.

    Siblings are shown to students, so the reference and the right solutions run on them as well.
    """

    def __init__(
        self,
        suite: Suite,
        reference: Sources,
        programs: Sequence[WrongProgram],
        right: Mapping[str, Sources],
        guessers: Mapping[str, Sources],
        mutant_runner: MutantRunner,
        *,
        parts: Collection[AuditPart] = frozenset(AuditPart),
        worth: bool = False,
    ) -> None:
        """Run `suite` on the programs of these `parts`.

        With `worth`, which takes longer, compute the contribution of each case.
        """
        self._suite: Final = suite
        self._reference: Final = reference
        self._made: Final = frozenset(program.id for program in programs)
        self._programs: Final = [each for each in programs if PARTS_OF[each.kind] in parts]
        self._right: Final = right
        self._guessers: Final = guessers
        self._parts: Final = parts
        self._runner: Final = mutant_runner
        self._worth: Final = worth
        self._cases_only: Final = suite.changed(rules=(), advice=False, siblings=())

    def works(self) -> Iterator[AuditWork]:
        """Yield the work to do, the most informative first.

        The first one raises `SuiteError` if the reference does not pass.
        """
        parts = [work for work in self._all_works() if work.part in self._parts]
        if parts:
            yield AuditWork(part=None, called="reference proven", units=[_PROOF], do=self._prove)
        yield from parts

    def _all_works(self) -> Iterator[AuditWork]:
        for kind in WrongProgramSource:
            own = [program for program in self._programs if program.kind is kind]
            keys = {self._kill_key(program): program for program in own}
            yield AuditWork(
                part=PARTS_OF[kind],
                called=f"{PARTS_OF[kind].value}: programs tried",
                units=[*keys],
                do=partial(self._kill, keys),
            )
        yield self._points(
            AuditPart.PANEL,
            {each.id: each.sources for each in self._of_kind(WrongProgramSource.PANEL)},
        )
        yield self._points(AuditPart.RIGHT, self._right)
        yield AuditWork(
            part=AuditPart.RIGHT,
            called="right solutions tried on all that is shown",
            units=[key_of("disputes of", sources) for sources in self._right.values()],
            do=self._dispute,
        )
        yield AuditWork(
            part=AuditPart.GUESSERS,
            called="hard-coders graded",
            units=[_hard_coder_key(fallback) for fallback in HardCoderAnswer],
            do=self._hard_code,
        )
        yield self._points(AuditPart.GUESSERS, self._guessers)

    def audit(self, notes: AuditNotes) -> Audit:
        """Return the results in `notes`."""
        listed = {each.mutant for each in self._suite.equivalent}
        matrix = {
            program.id: notes[key]
            for program in self._programs
            if (key := self._kill_key(program)) in notes
        }
        tried = [program for program in self._programs if program.id in matrix]
        killed = {name for name, failures in matrix.items() if failures.killed}
        hard = {each.value: _hard_coder_key(each) for each in HardCoderAnswer}
        panel = {each.id: each.sources for each in self._of_kind(WrongProgramSource.PANEL)}
        right = self._right if AuditPart.RIGHT in self._parts else {}
        guesses = AuditPart.GUESSERS in self._parts
        disputed = {
            name: notes[key]
            for name, sources in right.items()
            if (key := key_of("disputes of", sources)) in notes
        }
        return Audit(
            tallies=tuple(_tally(kind, tried, matrix, listed) for kind in WrongProgramSource),
            survivors=tuple(
                each for each in tried if each.id not in killed and each.id not in listed
            ),
            expired=tuple(sorted(listed - self._made)),  # sets have any order
            refuted=tuple(sorted(listed & killed)),
            worths=tuple(_worths(self._suite, matrix)) if self._worth else (),
            needed=tuple(_needed(self._suite, matrix)) if self._worth else (),
            right=_known(notes, right),
            disputed={name: cases for name, cases in disputed.items() if cases},
            hard_coded={name: notes[key] for name, key in hard.items() if guesses and key in notes},
            guessed=_known(notes, self._guessers if guesses else {}),
            lost={name: 1 - part for name, part in _known(notes, panel).items()},
        )

    def _of_kind(self, kind: WrongProgramSource) -> list[WrongProgram]:
        return [program for program in self._programs if program.kind is kind]

    def _kill_key(self, program: WrongProgram) -> str:
        # Without `worth` a program stops at its first failure, so its result cannot serve both.
        return key_of("all failures of" if self._worth else "a failure of", program.sources)

    def _prove(self, units: Sequence[str]) -> Results:
        everything = (*self._suite.sessions, *self._suite.siblings)
        prove_reference(self._runner, self._reference, everything)
        with self._runner.sandbox() as sandbox:
            reference = submission_of(self._suite, self._reference, "reference")
            prove_alone(self._suite, reference, sandbox)
        for unit in units:
            yield unit, True

    def _kill(self, programs: Mapping[str, WrongProgram], units: Sequence[str]) -> Results:
        some = [programs[unit] for unit in units]
        parents = {"": self._reference, **self._right}
        reached = coverages(self._runner, self._suite, parents, some)
        tried = all_failures if self._worth else killed_or_not
        # when cut off, no further program starts
        with closing(tried(self._runner, some, self._suite, reached)) as results:
            yield from zip(units, results, strict=True)

    def _points(self, part: AuditPart, programs: Mapping[str, Sources]) -> AuditWork:
        """Return the work that finds out which part of the points each of `programs` gets."""
        keys = {key_of("points of", sources): sources for sources in programs.values()}

        def graded(key: str, sandbox: Sandbox) -> float:
            return _part(self._cases_only, keys[key], part.value, sandbox)

        def do(units: Sequence[str]) -> Results:
            with closing(self._runner.side_by_side(graded, units)) as results:
                yield from zip(units, results, strict=True)

        return AuditWork(part=part, called=f"{part.value}: programs graded", units=[*keys], do=do)

    def _dispute(self, units: Sequence[str]) -> Results:
        """Yield the cases that right solutions do not pass."""
        everything = (*self._suite.sessions, *self._suite.siblings)
        by_key = {key_of("disputes of", sources): sources for sources in self._right.values()}
        tries = [(by_key[key], askable(by_key[key], self._suite, everything)) for key in units]
        # Together first, which is many times as fast; what fails there is tried by itself.
        # A right program may be slow.
        together = self._runner.each_failure(tries, apart=False, patience=math.inf)
        with closing(together) as results:
            for key, (sources, sessions), failures in zip(units, tries, results, strict=True):
                doubtful = [each for each in sessions if each.id in failures.cases]
                (alone,) = self._runner.failures(
                    [(sources, doubtful)], apart=True, patience=math.inf
                )
                cases = alone.cases.items()
                yield key, tuple(f"{name}: {case}" for name, own in cases for case in sorted(own))

    def _hard_code(self, units: Sequence[str]) -> Results:
        with self._runner.sandbox() as sandbox:
            made = hard_coders(self._suite, self._reference, sandbox)
        by_key = {_hard_coder_key(fallback): sources for fallback, sources in made.items()}

        def graded(key: str, sandbox: Sandbox) -> float:
            return _part(self._cases_only, by_key[key], "hard-coder", sandbox)

        with closing(self._runner.side_by_side(graded, units)) as results:
            yield from zip(units, results, strict=True)


def _hard_coder_key(fallback: HardCoderAnswer) -> str:
    return f"points of who answers {fallback.value}"


def _known(notes: AuditNotes, programs: Mapping[str, Sources]) -> dict[str, float]:
    """Return the part of the points that `programs` get, as far as it is known, by their names."""
    keys = {name: key_of("points of", sources) for name, sources in programs.items()}
    return {name: notes[key] for name, key in keys.items() if key in notes}


def _tally(
    kind: WrongProgramSource,
    programs: Sequence[WrongProgram],
    matrix: Mapping[str, ProgramResult],
    listed: Collection[str],
) -> KillResult:
    own = {program.id: matrix[program.id] for program in programs if program.kind is kind}
    # What is killed is not equivalent, whatever the suite lists.
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
    """Return a greedy choice of cases that kills all that is killed, most useful first."""
    left = [
        frozenset(case for cases in failures.cases.values() for case in cases)
        for failures in matrix.values()
        if failures.cases
    ]
    ids = [case.id for session in suite.sessions for case in session.cases]
    needed = []
    while left:
        counts = Counter(case for cases in left for case in cases)
        # Of equals the first, so that the choice is the same each time.
        best = max(ids, key=lambda case: counts[case])
        needed.append(best)
        left = [cases for cases in left if best not in cases]
    return needed


def _part(suite: Suite, sources: Sources, name: str, sandbox: Sandbox) -> float:
    record = grade(suite, submission_of(suite, sources, name), sandbox)
    return record.score / record.max_score if record.max_score else 0.0
