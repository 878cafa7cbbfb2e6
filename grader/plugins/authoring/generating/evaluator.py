"""Runs sessions on the reference, on right programs and on wrong ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from grader.plugins.authoring.auditing.kill_matrix import (
    askable,
    coverages,
    kill_matrix,
    prove_reference,
)
from grader.plugins.authoring.auditing.mutant_runner import MutantRunner, ProgramResult
from grader.plugins.authoring.auditing.programs import WrongProgram
from grader.plugins.authoring.generating.oracle import Oracle
from grader.plugins.authoring.generating.scenes import Generator
from grader.plugins.authoring.solutions import Sources
from grader.suite.model import Suite

Document: TypeAlias = dict[str, Any]
"""A session as plain data, without an id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RightSolutions:
    """The results of right solutions other than the reference, by session."""

    disputed: Mapping[str, Mapping[int, str]]
    """The steps that one of them fails, and which one."""
    shares: Mapping[str, tuple[float, str]]
    """The largest share of a limit that one of them needs, and which one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluator:
    """Evaluates sessions: right programs have to pass them, wrong ones should not."""

    generator: Generator
    oracle: Oracle
    reference: Sources
    programs: Sequence[WrongProgram]
    right: Mapping[str, Sources]
    """Other right solutions, by name: where they differ from the reference, nothing is asked."""
    suite_of: Callable[[Mapping[str, Document]], Suite]
    """Makes a suite of sessions, by their ids."""
    runner_of: Callable[[Suite], MutantRunner]
    progress: Callable[[], object]
    """Called after each wrong program."""

    def tried(self, documents: Mapping[str, Document]) -> RightSolutions:
        """Return the results of right solutions on `documents`.

        Raises `SuiteError` if the reference does not pass them.
        """
        if not documents:
            return RightSolutions(disputed={}, shares={})
        suite = self.suite_of(documents)
        mutant_runner = self.runner_of(suite)
        prove_reference(mutant_runner, self.reference, suite.sessions)
        tries = [(each, askable(each, suite, suite.sessions)) for each in self.right.values()]
        # In batches first, which is many times as fast; failures are confirmed alone.
        together = mutant_runner.failures(tries, patience=math.inf)
        tries = [
            (sources, [session for session in sessions if session.id in failures.cases])
            for (sources, sessions), failures in zip(tries, together, strict=True)
        ]
        tried = mutant_runner.failures(tries, apart=True, patience=math.inf)
        steps = {
            session.id: {case.id: case.step_index for case in session.cases}
            for session in suite.sessions
        }
        found: dict[str, dict[int, str]] = {}
        for name, failures in zip(self.right, tried, strict=True):
            for session, cases in failures.cases.items():
                for case in cases:
                    found.setdefault(session, {}).setdefault(steps[session][case], name)
        shares: dict[str, tuple[float, str]] = {}
        for name, result in zip(self.right, together, strict=True):
            for session, share in result.shares.items():
                shares[session] = max(shares.get(session, (0.0, "")), (share, name))
        return RightSolutions(disputed=found, shares=shares)

    def fails(self, program: WrongProgram, document: Document) -> bool:
        """Return whether `program` fails `document` in a fresh executor."""
        return self.matrix({"alone": document}, [program])[program.id].killed

    def matrix(
        self,
        documents: Mapping[str, Document],
        programs: Sequence[WrongProgram],
        *,
        enough: int | None = None,
    ) -> dict[str, ProgramResult]:
        """Return what each of `programs` fails of the sessions in `documents`, by its id.

        One that fails `enough` of them is tried no further. Where there are no sessions, there is
        nothing to be said of any of them.
        """
        if not documents:
            return {}
        suite = self.suite_of(documents)
        mutant_runner = self.runner_of(suite)
        parents = {"": self.reference, **self.right}
        reached = coverages(mutant_runner, suite, parents, programs)
        return kill_matrix(
            mutant_runner,
            programs,
            suite,
            reached,
            roughly=True,
            enough=enough,
            progress=self.progress,
        )
