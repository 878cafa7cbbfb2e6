"""Runs wrong programs only on the sessions that reach their change.

Most mutants are in a function that few sessions call. Running the others on them would tell nothing
and take most of the time. So the right program is instrumented once, to record which of its
functions are entered, and each session is asked for these at its end.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from grader.errors import SuiteError
from grader.plugins.authoring.auditing.mutant_runner import MutantRunner, ProgramResult
from grader.plugins.authoring.auditing.programs import WrongProgram
from grader.plugins.authoring.solutions import Sources
from grader.sandbox.observation import Observation, Returned
from grader.sandbox.planning import definitions_read
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.values import tree as values
from grader.values.foreign_text import one_line
from grader.verdict import Visibility

_NOTED: Final = "_entered_by_the_session"
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The functions that each session enters, as pairs of module and first line."""

    entered: Mapping[str, frozenset[tuple[str, int]]]
    functions: Mapping[str, Sequence[tuple[int, int, int]]]
    """By module: the first and last line of each function, and the last line of its heading."""

    def reaching(self, module: str, line: int, sessions: Sequence[Session]) -> list[Session]:
        """Return the `sessions` that run a `line` of `module`.

        A line outside of all functions runs whenever the module is imported.
        """
        around = [lines for lines in self.functions[module] if lines[0] <= line <= lines[1]]
        if not around:
            return list(sessions)
        # The heading of a function (decorators, defaults) runs with the code around it.
        first, _, heading = max(around)  # the innermost function begins last
        if line <= heading:
            return list(sessions)
        return [session for session in sessions if (module, first) in self.entered[session.id]]


def coverage(mutant_runner: MutantRunner, suite: Suite, reference: Sources) -> Coverage:
    """Return the functions of the `reference`, or another right solution, that sessions enter.

    A session for which that cannot be found out counts as entering all of them.
    """
    trees = {module: ast.parse(source) for module, source in reference.items()}
    functions = {module: _functions(tree) for module, tree in trees.items()}
    noting = {name: _noting(tree) for name, tree in trees.items()}
    # The record is cleared at once, as another session may follow in the same executor. Sessions
    # of a suite with one module have its names without an import.
    is_apart = suite.binds == "modules"
    notes = (f"__import__({name!r}).{_NOTED}" if is_apart else _NOTED for name in trees)
    asked = ", ".join(f"(sorted({each}), {each}.clear())[0]" for each in notes)
    answers = mutant_runner.answers(noting, suite.sessions, f"[{asked}]")
    everywhere = frozenset((module, span[0]) for module in functions for span in functions[module])
    entered = {session.id: everywhere for session in suite.sessions}
    for name, observation in answers.items():
        noted = _numbers(observation)
        if len(noted) == len(trees):
            entered[name] = frozenset(
                (module, line) for module, lines in zip(trees, noted, strict=True) for line in lines
            )
    return Coverage(entered=entered, functions=functions)


def coverages(
    mutant_runner: MutantRunner,
    suite: Suite,
    parents: Mapping[str, Sources],
    programs: Iterable[WrongProgram],
) -> dict[str, Coverage]:
    """Return the coverage of the `parents` from which mutants among `programs` are made."""
    needed = {each.parent for each in programs if each.mutant is not None}
    return {
        name: coverage(mutant_runner, suite, sources)
        for name, sources in parents.items()
        if name in needed
    }


def _functions(tree: ast.Module) -> list[tuple[int, int, int]]:
    return [
        # The body may begin on the line of the heading.
        (node.lineno, node.end_lineno or node.lineno, max(node.lineno, node.body[0].lineno - 1))
        for node in ast.walk(tree)
        if isinstance(node, _Function)
    ]


def _noting(tree: ast.Module) -> str:
    """Return the source of a module in which each function records that it was entered."""
    for node in ast.walk(tree):
        if isinstance(node, _Function):
            noting = ast.parse(f"{_NOTED}.add({node.lineno})").body
            node.body[_start(node) : _start(node)] = noting
    tree.body[_start(tree) : _start(tree)] = ast.parse(f"{_NOTED} = set()").body
    return ast.unparse(ast.fix_missing_locations(tree))


def _start(node: ast.Module | _Function) -> int:
    """Return the index of the first statement after the docstring and `__future__` imports."""
    start = int(ast.get_docstring(node, clean=False) is not None)
    for statement in node.body[start:]:
        if not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__"):
            break
        start += 1
    return start


def _numbers(observation: Observation) -> list[list[int]]:
    """Return the lists of numbers that were observed."""
    match observation.outcome:
        case Returned(value=values.Sequence(items=lists)):
            return [
                [int(str(item.value)) for item in each.items if isinstance(item, values.Atom)]
                for each in lists
                if isinstance(each, values.Sequence)
            ]
        case _:
            return []


_PATIENCE: Final = 4
"""The factor on the CPU limit for a retry after a timeout."""


def kill_matrix(
    mutant_runner: MutantRunner,
    programs: Sequence[WrongProgram],
    suite: Suite,
    reached: Mapping[str, Coverage],
    *,
    roughly: bool = False,
    enough: int | None = None,
    progress: Callable[[], object] = lambda: None,
) -> dict[str, ProgramResult]:
    """Return the failures of each of `programs`, by id, on the sessions that reach its change.

    With `roughly`, sessions share executors: a program with state may then fail one session for
    what happened in another. A program that fails `enough` sessions is not run further. Calls
    `progress` after each program.
    """
    found: dict[str, ProgramResult] = {}
    # A misconception or a handmade program may keep state in its module; a mutant of syntax does
    # not, as long as its reference keeps none, and may share an executor.
    for apart in (False, True):
        some = [each for each in programs if (each.remembers and not roughly) is apart]
        tries = [(program.sources, _sessions(program, suite, reached)) for program in some]
        failures = mutant_runner.failures(
            tries, apart=apart, patience=_PATIENCE, enough=enough, progress=progress
        )
        found.update(zip((program.id for program in some), failures, strict=True))
    return {program.id: found[program.id] for program in programs}


def killed_or_not(
    mutant_runner: MutantRunner,
    programs: Sequence[WrongProgram],
    suite: Suite,
    reached: Mapping[str, Coverage],
) -> Generator[ProgramResult, None, None]:
    """Yield for each of `programs` the first session of `suite` that it fails, if any.

    Hidden sessions run first: they were generated, and sorted so that those that most programs fail
    come first.
    """
    by_power = sorted(suite.sessions, key=lambda session: session.visibility is Visibility.PUBLIC)
    ordered = suite.changed(sessions=tuple(by_power))
    tries = [(program.sources, _sessions(program, ordered, reached)) for program in programs]
    return mutant_runner.each_failure(tries, apart=True, enough=1)


def all_failures(
    mutant_runner: MutantRunner,
    programs: Sequence[WrongProgram],
    suite: Suite,
    reached: Mapping[str, Coverage],
) -> Generator[ProgramResult, None, None]:
    """Yield the failures of each of `programs`, all of one kind, on all sessions of `suite`."""
    tries = [(program.sources, _sessions(program, suite, reached)) for program in programs]
    apart = any(program.remembers for program in programs)
    return mutant_runner.each_failure(tries, apart=apart, patience=_PATIENCE)


def _sessions(
    program: WrongProgram, suite: Suite, reached: Mapping[str, Coverage]
) -> Sequence[Session]:
    mutant = program.mutant
    if mutant is None or mutant.misconception:
        return suite.sessions
    return reached[program.parent].reaching(mutant.module, mutant.line, suite.sessions)


def askable(sources: Sources, suite: Suite, sessions: Iterable[Session]) -> list[Session]:
    """Return the `sessions` that use no helper which the program lacks."""
    missing = {
        helper
        for helper in suite.helpers
        if not any(_defines(text, helper.rpartition(".")[2]) for text in sources.values())
    }
    return [
        session
        for session in sessions
        if not any(missing & definitions_read(step.code) for step in session.steps)
    ]


def _defines(source: str, name: str) -> bool:
    """Return whether a module with this `source` binds `name`, as a function or otherwise."""
    return re.search(rf"^(?:def {name}\(|{name} *[=:])", source, re.MULTILINE) is not None


def prove_reference(
    mutant_runner: MutantRunner, reference: Sources, sessions: Sequence[Session]
) -> None:
    """Raise `SuiteError` unless the `reference` passes all cases, in batches and apart."""
    for apart in (False, True):
        (failures,) = mutant_runner.failures(
            [(reference, sessions)], apart=apart, patience=math.inf
        )
        if not failures.loads:
            raise SuiteError("the reference cannot be loaded")
        failing = (
            (session, case)
            for session in sessions
            for case in session.cases
            if case.id in failures.cases.get(session.id, ())
        )
        for session, case in failing:
            code = one_line(session.steps[case.step_index].shown)
            raise SuiteError(
                f"the reference does not pass {case.id} of session {session.id}, {code}",
                help="correct the suite or the reference first",
            )
