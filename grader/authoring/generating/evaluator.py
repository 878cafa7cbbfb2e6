"""Evaluates candidate sessions on the reference, on right programs and on wrong ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from grader.authoring.auditing.kill_matrix import askable, coverage, kill_matrix, prove_reference
from grader.authoring.auditing.mutant_runner import MutantRunner, ProgramResult
from grader.authoring.auditing.programs import WrongProgram
from grader.authoring.generating.oracle import Oracle
from grader.authoring.generating.scripts import Generator
from grader.authoring.solutions import Sources
from grader.errors import SuiteError
from grader.suite.model import Session, Suite

Document: TypeAlias = dict[str, Any]
"""A session as plain data, without an id."""

ENOUGH_KILLS: Final = 12
"""A program that so many candidates kill is no reason to try more of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluator:
    """Runs candidate sessions: right programs have to pass them, wrong ones should not."""

    generator: Generator
    oracle: Oracle
    reference: Sources
    programs: Sequence[WrongProgram]
    correct: Sequence[Sources]
    """Other right solutions: where they differ from the reference, nothing may be asked."""
    suite_of: Callable[[Mapping[str, Document]], Suite]
    """Makes a suite of sessions, by their ids."""
    runner_of: Callable[[Suite], MutantRunner]
    progress: Callable[[], object]
    """Is called after each program that was tried."""

    def matrix(
        self, documents: Mapping[str, Document], *, roughly: bool = False
    ) -> tuple[Suite, dict[str, ProgramResult]]:
        """Return the suite of `documents`, and what each wrong program fails of it."""
        suite = self.suite_of(documents)
        mutant_runner = self.runner_of(suite)
        prove_reference(mutant_runner, self.reference, suite.sessions)
        self._prove_correct(mutant_runner, suite)
        reached = coverage(mutant_runner, suite, self.reference)
        return suite, kill_matrix(
            mutant_runner,
            self.programs,
            suite,
            reached,
            roughly=roughly,
            enough=ENOUGH_KILLS if roughly else None,
            progress=self.progress,
        )

    def agreed(self, mutant_runner: MutantRunner, suite: Suite, session: Session) -> bool:
        """Return whether all right solutions pass `session`, which asks what `suite` does."""
        tries = [(sources, askable(sources, suite, [session])) for sources in self.correct]
        tried = mutant_runner.failures(tries, apart=True, patience=math.inf)
        return not any(failures.killed for failures in tried)

    def _prove_correct(self, mutant_runner: MutantRunner, suite: Suite) -> None:
        tries = [(sources, askable(sources, suite, suite.sessions)) for sources in self.correct]
        for failures in mutant_runner.failures(tries, apart=True, patience=math.inf):
            for session, cases in failures.cases.items():
                raise SuiteError(
                    f"a right solution does not pass {min(cases)} of the session {session}",
                    help="ask only what the spec settles, or take the solution out of `correct`",
                )
