"""Runs wrong programs only on the sessions that reach their change.

Most mutants are in a function that few sessions call. Running the other sessions on such a mutant
could not kill it, and would take most of the time. So the right program is instrumented once, to
record which of its functions are entered. This record is read at the end of each session.

The failures of all programs form a matrix, which shows how many programs each case kills, and which
cases suffice to kill all of them.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from grader.errors import SuiteError
from grader.plugins.authoring.auditing.mutant_runner import MutantRunner, ProgramResult
from grader.plugins.authoring.auditing.programs import WrongProgram
from grader.plugins.authoring.solutions import Sources
from grader.sandbox.observation import Observation, Returned
from grader.sandbox.planning import read_definitions
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.values import tree as values
from grader.values.foreign_text import one_line
from grader.verdict import Visibility

_ENTERED_NAME: Final = "_entered_by_the_session"
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Which functions of a program each session enters."""

    entered: Mapping[str, frozenset[tuple[str, int]]]
    """The functions that are entered, as pairs of module and first line, keyed by session id."""
    functions: Mapping[str, Sequence[tuple[int, int, int]]]
    """The first line, last line and last header line of each function, keyed by module."""

    def reaching(self, module: str, line: int, sessions: Sequence[Session]) -> list[Session]:
        """Return the `sessions` that run this `line` of `module`.

        A line outside all functions runs whenever the module is imported.
        """
        enclosing = [lines for lines in self.functions[module] if lines[0] <= line <= lines[1]]
        if not enclosing:
            return list(sessions)
        # The header of a function (decorators, defaults) runs with the enclosing code.
        first, _, header_end = max(enclosing)  # the innermost function begins last
        if line <= header_end:
            return list(sessions)
        return [session for session in sessions if (module, first) in self.entered[session.id]]


def coverage(mutant_runner: MutantRunner, suite: Suite, reference: Sources) -> Coverage:
    """Run the sessions of `suite`, and return which functions each session enters.

    `reference` can also be another right solution. A session for which no record can be read counts
    as entering all functions.
    """
    trees = {module: ast.parse(source) for module, source in reference.items()}
    functions = {module: _function_lines(tree) for module, tree in trees.items()}
    instrumented = {name: _instrument(tree) for name, tree in trees.items()}
    # Reading the record also clears it, because another session can follow in the same executor.
    # Sessions of a suite with one module can use its names without an import.
    needs_import = suite.binds == "modules"
    record_names = (
        f"__import__({name!r}).{_ENTERED_NAME}" if needs_import else _ENTERED_NAME for name in trees
    )
    query = ", ".join(
        f"(sorted({record_name}), {record_name}.clear())[0]" for record_name in record_names
    )
    answers = mutant_runner.answers(instrumented, suite.sessions, f"[{query}]")
    all_functions = frozenset(
        (module, span[0]) for module in functions for span in functions[module]
    )
    entered = {session.id: all_functions for session in suite.sessions}
    for name, observation in answers.items():
        lines_by_module = _number_lists(observation)
        if len(lines_by_module) == len(trees):
            entered[name] = frozenset(
                (module, line)
                for module, lines in zip(trees, lines_by_module, strict=True)
                for line in lines
            )
    return Coverage(entered=entered, functions=functions)


def coverages(
    mutant_runner: MutantRunner,
    suite: Suite,
    parents: Mapping[str, Sources],
    programs: Iterable[WrongProgram],
) -> dict[str, Coverage]:
    """Return the coverage of those `parents` from which mutants among `programs` were made.

    The result is a dict keyed by the name of the parent.
    """
    needed_names = {program.parent for program in programs if program.mutant is not None}
    return {
        name: coverage(mutant_runner, suite, sources)
        for name, sources in parents.items()
        if name in needed_names
    }


def _function_lines(tree: ast.Module) -> list[tuple[int, int, int]]:
    """Return the first line, the last line, and the last header line of each function."""
    return [
        # The body can begin on the line of the header.
        (node.lineno, node.end_lineno or node.lineno, max(node.lineno, node.body[0].lineno - 1))
        for node in ast.walk(tree)
        if isinstance(node, _Function)
    ]


def _instrument(tree: ast.Module) -> str:
    """Change `tree` so that each function records that it was entered, and return its source."""
    for node in ast.walk(tree):
        if isinstance(node, _Function):
            statement = ast.parse(f"{_ENTERED_NAME}.add({node.lineno})").body
            node.body[_body_start(node) : _body_start(node)] = statement
    tree.body[_body_start(tree) : _body_start(tree)] = ast.parse(f"{_ENTERED_NAME} = set()").body
    return ast.unparse(ast.fix_missing_locations(tree))


def _body_start(node: ast.Module | _Function) -> int:
    """Return the index of the first statement after the docstring and `__future__` imports."""
    start = int(ast.get_docstring(node, clean=False) is not None)
    for statement in node.body[start:]:
        if not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__"):
            break
        start += 1
    return start


def _number_lists(observation: Observation) -> list[list[int]]:
    """Return the lists of numbers in `observation`, without items of other types.

    Return an empty list if the observation is not a list.
    """
    match observation.outcome:
        case Returned(value=values.Sequence(items=lists)):
            return [
                [int(str(item.value)) for item in numbers.items if isinstance(item, values.Atom)]
                for numbers in lists
                if isinstance(numbers, values.Sequence)
            ]
        case _:
            return []


_PATIENCE: Final = 4
"""The factor by which the CPU limit is multiplied for a retry after a timeout."""


def kill_matrix(
    mutant_runner: MutantRunner,
    programs: Sequence[WrongProgram],
    suite: Suite,
    coverage_by_parent: Mapping[str, Coverage],
    *,
    roughly: bool = False,
    enough: int | None = None,
    progress: Callable[[], object] = lambda: None,
) -> dict[str, ProgramResult]:
    """Return the failures of each of `programs` on the sessions that reach its change.

    The result is a dict keyed by id. With `roughly`, all sessions share executors: a program with
    state can then fail one session because of another. A program that fails `enough` sessions is
    not run on further ones. Calls `progress` after each program.
    """
    results: dict[str, ProgramResult] = {}
    # A misconception or a handmade program might keep state in its module. A mutant of syntax
    # keeps no state, as long as its reference keeps none, so its sessions can share an executor.
    for apart in (False, True):
        selected = [program for program in programs if (program.remembers and not roughly) is apart]
        tries = [
            (program.sources, _reaching_sessions(program, suite, coverage_by_parent))
            for program in selected
        ]
        failures = mutant_runner.failures(
            tries, apart=apart, patience=_PATIENCE, enough=enough, progress=progress
        )
        results.update(zip((program.id for program in selected), failures, strict=True))
    return {program.id: results[program.id] for program in programs}


def first_failures(
    mutant_runner: MutantRunner,
    programs: Sequence[WrongProgram],
    suite: Suite,
    coverage_by_parent: Mapping[str, Coverage],
) -> Generator[ProgramResult, None, None]:
    """Yield the first failure of each of `programs`, if it has one, on the sessions of `suite`.

    Hidden sessions run first, because the generator sorted them by the number of programs that
    fail them.
    """
    hidden_first = sorted(
        suite.sessions, key=lambda session: session.visibility is Visibility.PUBLIC
    )
    ordered = suite.with_changes(sessions=tuple(hidden_first))
    tries = [
        (program.sources, _reaching_sessions(program, ordered, coverage_by_parent))
        for program in programs
    ]
    return mutant_runner.each_failure(tries, apart=True, enough=1)


def all_failures(
    mutant_runner: MutantRunner,
    programs: Sequence[WrongProgram],
    suite: Suite,
    coverage_by_parent: Mapping[str, Coverage],
) -> Generator[ProgramResult, None, None]:
    """Yield the failures of each of `programs`, all of one kind, on all sessions of `suite`."""
    tries = [
        (program.sources, _reaching_sessions(program, suite, coverage_by_parent))
        for program in programs
    ]
    apart = any(program.remembers for program in programs)
    return mutant_runner.each_failure(tries, apart=apart, patience=_PATIENCE)


def _reaching_sessions(
    program: WrongProgram, suite: Suite, coverage_by_parent: Mapping[str, Coverage]
) -> Sequence[Session]:
    """Return the sessions of `suite` that can fail because of the change in `program`."""
    mutant = program.mutant
    if mutant is None or mutant.misconception:
        return suite.sessions
    return coverage_by_parent[program.parent].reaching(
        mutant.module_name, mutant.line, suite.sessions
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseKills:
    """How many wrong programs a case kills."""

    id: str
    kills: int
    """The number of wrong programs that fail it."""
    alone: int
    """The number of wrong programs that fail it and no other case."""


def count_case_kills(suite: Suite, matrix: Mapping[str, ProgramResult]) -> list[CaseKills]:
    """Return the kills of each case of `suite`, in order, according to `matrix`."""
    kills: Counter[str] = Counter()
    only_failures: Counter[str] = Counter()
    for failures in matrix.values():
        failed = [case for cases in failures.cases.values() for case in cases]
        kills.update(failed)
        if len(failed) == 1:
            only_failures.update(failed)
    ids = [case.id for session in suite.sessions for case in session.cases]
    return [CaseKills(id=case, kills=kills[case], alone=only_failures[case]) for case in ids]


def choose_needed_cases(suite: Suite, matrix: Mapping[str, ProgramResult]) -> list[str]:
    """Choose cases that kill every killed program, and return their ids, most useful first.

    The choice is greedy: each step adds the case that kills the most remaining programs.
    """
    remaining = [
        frozenset(case for cases in failures.cases.values() for case in cases)
        for failures in matrix.values()
        if failures.cases
    ]
    ids = [case.id for session in suite.sessions for case in session.cases]
    needed = []
    while remaining:
        counts = Counter(case for cases in remaining for case in cases)
        # `max` returns the first of equally good cases, so the choice is reproducible.
        best = max(ids, key=lambda case: counts[case])
        needed.append(best)
        remaining = [cases for cases in remaining if best not in cases]
    return needed


def sessions_without_missing_helpers(
    sources: Sources, suite: Suite, sessions: Iterable[Session]
) -> list[Session]:
    """Return the `sessions` for which `sources` defines all helpers of `suite` that they use."""
    missing = {
        helper
        for helper in suite.helpers
        if not any(_defines(text, helper.rpartition(".")[2]) for text in sources.values())
    }
    return [
        session
        for session in sessions
        if not any(missing & read_definitions(step.code) for step in session.steps)
    ]


def _defines(source: str, name: str) -> bool:
    """Return whether a module with this `source` defines `name` as a function or a variable."""
    return re.search(rf"^(?:def {name}\(|{name} *[=:])", source, re.MULTILINE) is not None


def prove_reference(
    mutant_runner: MutantRunner, reference: Sources, sessions: Sequence[Session]
) -> None:
    """Raise `SuiteError` unless the `reference` passes all cases of `sessions`.

    The sessions run in shared executors and in separate ones, because an audit uses both.
    """
    for apart in (False, True):
        (failures,) = mutant_runner.failures(
            [(reference, sessions)], apart=apart, patience=math.inf
        )
        if not failures.loads:
            raise SuiteError(
                mutant_runner.loading_failure(reference, sessions),
                help="import its modules in Python to see the error, and correct them first",
            )
        failing = (
            (session, case)
            for session in sessions
            for case in session.cases
            if case.id in failures.cases.get(session.id, ())
        )
        for session, case in failing:
            code = one_line(session.steps[case.step_index].display_text)
            raise SuiteError(
                f"the reference does not pass {case.id} of session {session.id}, {code}",
                help="correct the suite or the reference first",
            )
