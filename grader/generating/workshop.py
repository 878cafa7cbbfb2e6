"""All that it takes to make sessions of an exercise, and to try them on wrong programs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from grader.auditing.bench import Bench, Failures, Sources
from grader.auditing.coverage import coverage
from grader.auditing.kills import askable, kill_matrix, prove_reference
from grader.auditing.programs import WrongProgram
from grader.errors import SuiteError
from grader.generating.oracle import Oracle
from grader.generating.scripts import Generator
from grader.suite import Session, Suite

Document: TypeAlias = dict[str, Any]
"""A session as plain data, without an id."""

ENOUGH_KILLS: Final = 12
"""A program that so many candidates kill is no reason to try more of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """All that it takes to make sessions and to try them."""

    generator: Generator
    oracle: Oracle
    reference: Sources
    programs: Sequence[WrongProgram]
    correct: Sequence[Sources]
    """Other right solutions: where they differ from the reference, nothing may be asked."""
    suite_of: Callable[[Mapping[str, Document]], Suite]
    """Makes a suite of sessions, by their ids."""
    bench_of: Callable[[Suite], Bench]
    told: Callable[[], object]
    """Is called after each program that was tried."""

    def matrix(
        self, documents: Mapping[str, Document], *, roughly: bool = False
    ) -> tuple[Suite, dict[str, Failures]]:
        """Return the suite of `documents`, and what each wrong program fails of it."""
        suite = self.suite_of(documents)
        bench = self.bench_of(suite)
        prove_reference(bench, self.reference, suite.sessions)
        self._prove_correct(bench, suite)
        reached = coverage(bench, suite, self.reference)
        return suite, kill_matrix(
            bench,
            self.programs,
            suite,
            reached,
            roughly=roughly,
            enough=ENOUGH_KILLS if roughly else None,
            told=self.told,
        )

    def agreed(self, bench: Bench, suite: Suite, session: Session) -> bool:
        """Return whether all right solutions pass `session`, which asks what `suite` does."""
        tries = [(sources, askable(sources, suite, [session])) for sources in self.correct]
        tried = bench.failures(tries, apart=True, patience=math.inf)
        return not any(failures.killed for failures in tried)

    def _prove_correct(self, bench: Bench, suite: Suite) -> None:
        tries = [(sources, askable(sources, suite, suite.sessions)) for sources in self.correct]
        for failures in bench.failures(tries, apart=True, patience=math.inf):
            for session, cases in failures.cases.items():
                raise SuiteError(
                    f"a right solution does not pass {min(cases)} of the session {session}",
                    help="ask only what the spec settles, or take the solution out of `correct`",
                )
