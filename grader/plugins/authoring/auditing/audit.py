"""Runs a suite on wrong programs, on right ones, and on programs that only know the answers.

A good suite accepts every right solution and no wrong one. An audit runs it on mutants of the
reference, misconceptions included, on the wrong and right solutions beside the reference, and on
hard-coders built from the public cases.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from grader.judging.judge import grade
from grader.plugins.authoring.auditing.audit_cache import (
    AuditCache,
    AuditPart,
    AuditWork,
    Results,
    unit_key,
)
from grader.plugins.authoring.auditing.hard_coders import HardCoderFallback, hard_coders
from grader.plugins.authoring.auditing.kill_matrix import (
    CaseKills,
    all_failures,
    choose_needed_cases,
    count_case_kills,
    coverages,
    first_failures,
    prove_reference,
    sessions_without_missing_helpers,
)
from grader.plugins.authoring.auditing.mutant_runner import MutantRunner, ProgramResult
from grader.plugins.authoring.auditing.programs import WrongProgram, WrongProgramSource
from grader.plugins.authoring.proof import prove_alone
from grader.plugins.authoring.solutions import Sources, submission_of
from grader.sandbox.sandbox import Sandbox
from grader.suite.model import Suite

_HANDMADE_KINDS: Final = frozenset({WrongProgramSource.SAMPLE, WrongProgramSource.PANEL})
"""The kinds of wrong programs that were written by hand, as students write theirs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KillResult:
    """How many wrong programs of one kind are killed."""

    kind: WrongProgramSource
    killed: int
    of: int
    """The number of programs, not counting those listed as equivalent."""
    equivalent: int
    only_died: int
    """The number of killed programs that died or hung, but gave no wrong answer."""
    untold: int = 0
    """The number of further programs that no scene so far tells apart from a right one."""

    @property
    def share(self) -> float:
        """The share of the programs that is killed, from 0 to 1. It is 1 if there are none."""
        return self.killed / self.of if self.of else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """The results of an audit so far."""

    tallies: tuple[KillResult, ...]
    survivors: tuple[WrongProgram, ...]
    """Programs that are neither killed, nor listed as equivalent, nor in `untold`."""
    expired: tuple[str, ...]
    """Ids of mutants that are listed as equivalent, but whose function has changed since."""
    refuted: tuple[str, ...]
    """Ids of mutants that are listed as equivalent, but are killed."""
    case_kills: tuple[CaseKills, ...]
    """The kills of each case. Empty unless requested."""
    needed: tuple[str, ...]
    """A small set of cases that together kill every killed program. Empty unless requested."""
    right: Mapping[str, float]
    """The share of the points that each right solution gets, keyed by name."""
    disputed: Mapping[str, tuple[str, ...]]
    """The cases that each right solution fails, sibling sessions included, keyed by the solution's
    name. Solutions that pass all cases are omitted."""
    hard_coded: Mapping[str, float]
    """The share of the points that each hard-coder gets, keyed by fallback."""
    guessed: Mapping[str, float]
    """The share of the points that each guessing program gets, keyed by name."""
    lost: Mapping[str, float]
    """The share of the points that each wrong program of the panel loses, keyed by id."""
    untold: tuple[WrongProgram, ...] = ()
    """Slips in right solutions that no scene so far tells apart from the right solution."""

    def after_search(self, killed_ids: Collection[str]) -> Audit:
        """Return the audit after a search that found a killing scene for each id in `killed_ids`.

        Right solutions with a slip are mostly equivalent if they fail no scene, so these are moved
        from the survivors to `untold`. Surviving mutants of the reference stay, because the author
        must check and list them. Programs that were written to be wrong stay too.
        """
        untold = tuple(
            program
            for program in self.survivors
            if program.kind is WrongProgramSource.RELATED and program.id not in killed_ids
        )
        return replace(
            self,
            survivors=tuple(program for program in self.survivors if program not in untold),
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
        """The share of all mutants, misconceptions included, that is killed, from 0 to 1."""
        generated = [tally for tally in self.tallies if tally.kind not in _HANDMADE_KINDS]
        count = sum(tally.of for tally in generated)
        return sum(tally.killed for tally in generated) / count if count else 1.0


PART_BY_KIND: Final = {
    WrongProgramSource.MUTANT: AuditPart.SLIPS,
    WrongProgramSource.MISCONCEPTION: AuditPart.MISCONCEPTIONS,
    WrongProgramSource.SAMPLE: AuditPart.WRONG,
    WrongProgramSource.RELATED: AuditPart.RELATED,
    WrongProgramSource.PANEL: AuditPart.PANEL,
}
"""The part of an audit that tries the wrong programs, keyed by their kind."""
_PROOF: Final = "the reference passes"


class Auditor:
    """Audits a suite part by part. `audit` returns the results so far at any time.

    Sibling sessions are shown to students, so the reference and the right solutions also run on
    them.
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
        """Prepare to run `suite` on the programs of these `parts`.

        With `worth`, which takes longer, the audit counts the kills of each case.
        """
        self._suite: Final = suite
        self._reference: Final = reference
        self._all_ids: Final = frozenset(program.id for program in programs)
        self._programs: Final = [
            program for program in programs if PART_BY_KIND[program.kind] in parts
        ]
        self._right: Final = right
        self._guessers: Final = guessers
        self._parts: Final = parts
        self._runner: Final = mutant_runner
        self._counts_kills: Final = worth
        self._cases_only: Final = suite.with_changes(rules=(), advice=False, siblings=())

    def work_items(self) -> Iterator[AuditWork]:
        """Yield the work items to do, most informative first.

        The first item proves the reference: doing it raises `SuiteError` if the reference does not
        pass.
        """
        work_items = [work for work in self._all_work_items() if work.part in self._parts]
        if work_items:
            yield AuditWork(part=None, name="reference proven", units=[_PROOF], do=self._prove)
        yield from work_items

    def _all_work_items(self) -> Iterator[AuditWork]:
        """Yield the work items of all parts, whether requested or not, except the proof."""
        for kind in WrongProgramSource:
            programs = [program for program in self._programs if program.kind is kind]
            programs_by_key = {self._kill_key(program): program for program in programs}
            yield AuditWork(
                part=PART_BY_KIND[kind],
                name=f"{PART_BY_KIND[kind].value}: programs tried",
                units=[*programs_by_key],
                do=partial(self._try_programs, programs_by_key),
            )
        yield self._grading_work(
            AuditPart.PANEL,
            {program.id: program.sources for program in self._of_kind(WrongProgramSource.PANEL)},
        )
        yield self._grading_work(AuditPart.RIGHT, self._right)
        yield AuditWork(
            part=AuditPart.RIGHT,
            name="right solutions tried on all that is shown",
            units=[unit_key("disputes of", sources) for sources in self._right.values()],
            do=self._find_disputes,
        )
        yield AuditWork(
            part=AuditPart.GUESSERS,
            name="hard-coders graded",
            units=[_hard_coder_key(fallback) for fallback in HardCoderFallback],
            do=self._grade_hard_coders,
        )
        yield self._grading_work(AuditPart.GUESSERS, self._guessers)

    def audit(self, notes: AuditCache) -> Audit:
        """Return the audit with the results that `notes` contain so far."""
        equivalent_ids = {entry.mutant for entry in self._suite.equivalent}
        matrix = {
            program.id: notes[key]
            for program in self._programs
            if (key := self._kill_key(program)) in notes
        }
        tried_programs = [program for program in self._programs if program.id in matrix]
        killed_ids = {name for name, failures in matrix.items() if failures.killed}
        hard_coder_keys = {
            fallback.value: _hard_coder_key(fallback) for fallback in HardCoderFallback
        }
        panel_sources = {
            program.id: program.sources for program in self._of_kind(WrongProgramSource.PANEL)
        }
        right_solutions = self._right if AuditPart.RIGHT in self._parts else {}
        includes_guessers = AuditPart.GUESSERS in self._parts
        disputed = {
            name: notes[key]
            for name, sources in right_solutions.items()
            if (key := unit_key("disputes of", sources)) in notes
        }
        return Audit(
            tallies=tuple(
                _tally(kind, tried_programs, matrix, equivalent_ids) for kind in WrongProgramSource
            ),
            survivors=tuple(
                program
                for program in tried_programs
                if program.id not in killed_ids and program.id not in equivalent_ids
            ),
            # Sorted, because sets are unordered.
            expired=tuple(sorted(equivalent_ids - self._all_ids)),
            refuted=tuple(sorted(equivalent_ids & killed_ids)),
            case_kills=tuple(count_case_kills(self._suite, matrix)) if self._counts_kills else (),
            needed=tuple(choose_needed_cases(self._suite, matrix)) if self._counts_kills else (),
            right=_known_shares(notes, right_solutions),
            disputed={name: cases for name, cases in disputed.items() if cases},
            hard_coded={
                name: notes[key]
                for name, key in hard_coder_keys.items()
                if includes_guessers and key in notes
            },
            guessed=_known_shares(notes, self._guessers if includes_guessers else {}),
            lost={name: 1 - share for name, share in _known_shares(notes, panel_sources).items()},
        )

    def _of_kind(self, kind: WrongProgramSource) -> list[WrongProgram]:
        return [program for program in self._programs if program.kind is kind]

    def _kill_key(self, program: WrongProgram) -> str:
        # Without `worth` a program stops at its first failure, so the two kinds of results differ.
        return unit_key(
            "all failures of" if self._counts_kills else "a failure of", program.sources
        )

    def _prove(self, units: Sequence[str]) -> Results:
        """Run the reference on all sessions, and yield True for each of `units`.

        Raises `SuiteError` if the reference does not pass.
        """
        all_sessions = (*self._suite.sessions, *self._suite.siblings)
        prove_reference(self._runner, self._reference, all_sessions)
        with self._runner.sandbox() as sandbox:
            reference = submission_of(self._suite, self._reference, "reference")
            prove_alone(self._suite, reference, sandbox)
        for unit in units:
            yield unit, True

    def _try_programs(self, programs: Mapping[str, WrongProgram], units: Sequence[str]) -> Results:
        """Run the wrong programs of these `units`, and yield each unit with its failures."""
        requested = [programs[unit] for unit in units]
        # The empty name stands for the reference, as in `WrongProgram.parent`.
        parents = {"": self._reference, **self._right}
        coverage_by_parent = coverages(self._runner, self._suite, parents, requested)
        run_programs = all_failures if self._counts_kills else first_failures
        # Closing stops the threads, so that no further program starts after an interruption.
        with closing(
            run_programs(self._runner, requested, self._suite, coverage_by_parent)
        ) as results:
            yield from zip(units, results, strict=True)

    def _grading_work(self, part: AuditPart, programs: Mapping[str, Sources]) -> AuditWork:
        """Return the work item that grades `programs`. The results are shares of the points."""
        keys = {unit_key("points of", sources): sources for sources in programs.values()}

        def grade_program(key: str, sandbox: Sandbox) -> float:
            return _share_of_points(self._cases_only, keys[key], part.value, sandbox)

        def grade_units(units: Sequence[str]) -> Results:
            with closing(self._runner.run_in_threads(grade_program, units)) as results:
                yield from zip(units, results, strict=True)

        return AuditWork(
            part=part, name=f"{part.value}: programs graded", units=[*keys], do=grade_units
        )

    def _find_disputes(self, units: Sequence[str]) -> Results:
        """Run the right solutions of these `units`; yield each unit with the cases that fail."""
        all_sessions = (*self._suite.sessions, *self._suite.siblings)
        by_key = {unit_key("disputes of", sources): sources for sources in self._right.values()}
        tries = [
            (by_key[key], sessions_without_missing_helpers(by_key[key], self._suite, all_sessions))
            for key in units
        ]
        # Sessions run together first, which is many times faster. Those that fail run again, each
        # in a separate executor. A right program can be slow, so its retries get the full limit.
        first_results = self._runner.each_failure(tries, apart=False, patience=math.inf)
        with closing(first_results) as results:
            for key, (sources, sessions), failures in zip(units, tries, results, strict=True):
                failed_sessions = [session for session in sessions if session.id in failures.cases]
                (retry,) = self._runner.failures(
                    [(sources, failed_sessions)], apart=True, patience=math.inf
                )
                cases = retry.cases.items()
                yield (
                    key,
                    tuple(f"{name}: {case}" for name, failed in cases for case in sorted(failed)),
                )

    def _grade_hard_coders(self, units: Sequence[str]) -> Results:
        """Build the hard-coders, and yield each of `units` with the share of the points it gets.

        Raises `GraderError` if the reference does not complete a public session.
        """
        with self._runner.sandbox() as sandbox:
            programs = hard_coders(self._suite, self._reference, sandbox)
        by_key = {_hard_coder_key(fallback): sources for fallback, sources in programs.items()}

        def grade_hard_coder(key: str, sandbox: Sandbox) -> float:
            return _share_of_points(self._cases_only, by_key[key], "hard-coder", sandbox)

        with closing(self._runner.run_in_threads(grade_hard_coder, units)) as results:
            yield from zip(units, results, strict=True)


def _hard_coder_key(fallback: HardCoderFallback) -> str:
    return f"points of hard-coder {fallback.value}"


def _known_shares(notes: AuditCache, programs: Mapping[str, Sources]) -> dict[str, float]:
    """Return the shares of the points that `programs` get, as a dict keyed by name.

    Programs without a result in `notes` are omitted.
    """
    keys = {name: unit_key("points of", sources) for name, sources in programs.items()}
    return {name: notes[key] for name, key in keys.items() if key in notes}


def _tally(
    kind: WrongProgramSource,
    programs: Sequence[WrongProgram],
    matrix: Mapping[str, ProgramResult],
    equivalent_ids: Collection[str],
) -> KillResult:
    """Count the results in `matrix` for those of `programs` that are of this `kind`.

    `equivalent_ids` are the ids of mutants that the suite lists as equivalent.
    """
    results = {program.id: matrix[program.id] for program in programs if program.kind is kind}
    # A killed mutant is not equivalent, even if the suite lists it as such.
    counted = [
        result for name, result in results.items() if name not in equivalent_ids or result.killed
    ]
    return KillResult(
        kind=kind,
        killed=sum(result.killed for result in counted),
        of=len(counted),
        equivalent=len(results) - len(counted),
        only_died=sum(result.only_died for result in counted),
    )


def _share_of_points(suite: Suite, sources: Sources, name: str, sandbox: Sandbox) -> float:
    record = grade(suite, submission_of(suite, sources, name), sandbox)
    return record.score / record.max_score if record.max_score else 0.0
