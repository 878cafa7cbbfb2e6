"""Runs sessions on the reference, on right programs and on wrong programs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from grader.plugins.authoring.auditing.kill_matrix import (
    coverages,
    kill_matrix,
    prove_reference,
    sessions_without_missing_helpers,
)
from grader.plugins.authoring.auditing.mutant_runner import MutantRunner, ProgramResult
from grader.plugins.authoring.auditing.programs import WrongProgram
from grader.plugins.authoring.generating.oracle import Oracle
from grader.plugins.authoring.generating.scenes import Generator
from grader.plugins.authoring.solutions import Sources
from grader.suite.model import Suite

Document: TypeAlias = dict[str, Any]
"""A session as plain data, without an id."""
NO_CASE: Final = "no scene of the generator has a case"
NO_CASE_HELP: Final = (
    "in generator.py, end the line of each case with two spaces, #, a space and the id of a clause"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RightSolutionResults:
    """The results of the right solutions other than the reference, keyed by session id."""

    disputed: Mapping[str, Mapping[int, str]]
    """For each session, the indexes of failed steps, each with the name of a solution that fails
    the step."""
    shares: Mapping[str, tuple[float, str]]
    """For each session, the largest share of a limit that a solution uses, and the name of that
    solution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluator:
    """Evaluates sessions, which right programs must pass and wrong programs should fail."""

    generator: Generator
    oracle: Oracle
    reference: Sources
    programs: Sequence[WrongProgram]
    right: Mapping[str, Sources]
    """Other right solutions, keyed by name. Cases in which they differ from the reference are not
    used."""
    suite_of: Callable[[Mapping[str, Document]], Suite]
    """Builds a suite with the given sessions, which are keyed by id."""
    create_runner: Callable[[Suite], MutantRunner]
    """Creates the runner for a suite."""
    progress: Callable[[], object]
    """Called after each wrong program."""

    def try_right_solutions(self, documents: Mapping[str, Document]) -> RightSolutionResults:
        """Run the right solutions on `documents`, sessions keyed by id, and return the results.

        Raises `SuiteError` if the reference does not pass the sessions.
        """
        if not documents:
            return RightSolutionResults(disputed={}, shares={})
        suite = self.suite_of(documents)
        mutant_runner = self.create_runner(suite)
        prove_reference(mutant_runner, self.reference, suite.sessions)
        attempts = [
            (sources, sessions_without_missing_helpers(sources, suite, suite.sessions))
            for sources in self.right.values()
        ]
        # The first run is in batches, which is many times faster. Failures are then confirmed in
        # isolation. Patience is unlimited, because a slow right solution must not count as a
        # dispute.
        batch_results = mutant_runner.failures(attempts, patience=math.inf)
        attempts = [
            (sources, [session for session in sessions if session.id in failures.cases])
            for (sources, sessions), failures in zip(attempts, batch_results, strict=True)
        ]
        confirmed = mutant_runner.failures(attempts, apart=True, patience=math.inf)
        steps = {
            session.id: {case.id: case.step_index for case in session.cases}
            for session in suite.sessions
        }
        disputed: dict[str, dict[int, str]] = {}
        for name, failures in zip(self.right, confirmed, strict=True):
            for session, cases in failures.cases.items():
                for case in cases:
                    disputed.setdefault(session, {}).setdefault(steps[session][case], name)
        shares: dict[str, tuple[float, str]] = {}
        for name, result in zip(self.right, batch_results, strict=True):
            for session, share in result.shares.items():
                shares[session] = max(shares.get(session, (0.0, "")), (share, name))
        return RightSolutionResults(disputed=disputed, shares=shares)

    def fails(self, program: WrongProgram, document: Document) -> bool:
        """Run `program` on only the session `document`, and return whether it fails."""
        return self.matrix({"alone": document}, [program])[program.id].killed

    def matrix(
        self,
        documents: Mapping[str, Document],
        programs: Sequence[WrongProgram],
        *,
        enough: int | None = None,
    ) -> dict[str, ProgramResult]:
        """Run `programs` on the sessions in `documents` and return the results by program id.

        `documents` are keyed by session id. A program that has failed `enough` sessions is not run
        on further ones. If there are no sessions, the result is empty.
        """
        if not documents:
            return {}
        suite = self.suite_of(documents)
        mutant_runner = self.create_runner(suite)
        parents = {"": self.reference, **self.right}
        coverage = coverages(mutant_runner, suite, parents, programs)
        return kill_matrix(
            mutant_runner,
            programs,
            suite,
            coverage,
            roughly=True,
            enough=enough,
            progress=self.progress,
        )
