"""The kill matrix: which programs fail which cases of which sessions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from grader.auditing.bench import Bench, Failures, Sources
from grader.auditing.coverage import Coverage
from grader.auditing.programs import WrongProgram
from grader.errors import SuiteError
from grader.planning import definitions_read
from grader.suite import Session, Suite
from grader.verdict import Visibility

_PATIENCE: Final = 4
"""What seems to take too long may take so many times as long when it is run again."""


def kill_matrix(
    bench: Bench,
    programs: Sequence[WrongProgram],
    suite: Suite,
    reached: Coverage,
    *,
    roughly: bool = False,
    enough: int | None = None,
    told: Callable[[], object] = lambda: None,
) -> dict[str, Failures]:
    """Return what each of `programs` fails on the sessions of `suite` that it can differ in.

    That is by the id of the program. `roughly` means that all sessions are strung together: a
    program that remembers something may then fail one for what happened in another. A program that
    fails `enough` sessions is tried no further. Calls `told` after each program.
    """
    found: dict[str, Failures] = {}
    for apart in (False, True):
        some = [each for each in programs if (each.remembers and not roughly) is apart]
        tries = [(program.sources, _sessions(program, suite, reached)) for program in some]
        failures = bench.failures(tries, apart=apart, patience=_PATIENCE, enough=enough, told=told)
        found.update(zip((program.id for program in some), failures, strict=True))
    return {program.id: found[program.id] for program in programs}


def killed_or_not(
    bench: Bench,
    programs: Sequence[WrongProgram],
    suite: Suite,
    reached: Coverage,
    told: Callable[[], object] = lambda: None,
) -> dict[str, Failures]:
    """Return the first session of `suite` that each of `programs` fails, if any, by its id.

    Hidden sessions are tried first: generated ones stand in the order of what they kill. Calls
    `told` after each program.
    """
    by_power = sorted(suite.sessions, key=lambda session: session.visibility is Visibility.PUBLIC)
    ordered = replace(suite, sessions=tuple(by_power))
    tries = [(program.sources, _sessions(program, ordered, reached)) for program in programs]
    failures = bench.failures(tries, apart=True, enough=1, told=told)
    return dict(zip((program.id for program in programs), failures, strict=True))


def _sessions(program: WrongProgram, suite: Suite, reached: Coverage) -> Sequence[Session]:
    mutant = program.mutant
    if mutant is None or program.remembers:
        return suite.sessions
    return reached.reaching(mutant.module, mutant.line, suite.sessions)


def kills(matrix: Mapping[str, Failures], session: Session) -> frozenset[str]:
    """Return the programs that fail a case of `session`; those that do not load are not counted."""
    return frozenset(name for name, failures in matrix.items() if session.id in failures.cases)


def askable(sources: Sources, suite: Suite, sessions: Iterable[Session]) -> list[Session]:
    """Return those of `sessions` that name no helper which the program does not define."""
    missing = {
        helper
        for helper in suite.helpers
        if not any(f"def {helper.rpartition('.')[2]}(" in text for text in sources.values())
    }
    return [
        session
        for session in sessions
        if not any(missing & definitions_read(step.code) for step in session.steps)
    ]


def prove_reference(bench: Bench, reference: Sources, sessions: Sequence[Session]) -> None:
    """Raise `SuiteError` unless the `reference` passes all cases, strung together and apart."""
    for apart in (False, True):
        (failures,) = bench.failures([(reference, sessions)], apart=apart, patience=math.inf)
        if not failures.loads:
            raise SuiteError("the reference cannot be loaded")
        for session, cases in failures.cases.items():
            raise SuiteError(
                f"the reference does not pass {min(cases)} of session {session}",
                help="correct the suite or the reference: audit what holds",
            )
