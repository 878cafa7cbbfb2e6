"""Which functions of the reference each session calls: what it cannot reach, it cannot kill.

Most mutants sit in a function that few sessions call. To run the others on them would tell nothing,
and takes most of the time. So the reference is rewritten once, to note which of its functions are
entered, and each session is asked for these at its end.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from grader import values
from grader.auditing.bench import Bench
from grader.errors import SuiteError
from grader.observation import Observation, Returned
from grader.planning import Item, Role, whole_session
from grader.sessions import SessionRun
from grader.suite import Session, Suite

_NOTED: Final = "_entered_by_the_session"
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The functions that each session enters, as modules and first lines."""

    entered: Mapping[str, frozenset[tuple[str, int]]]
    functions: Mapping[str, Sequence[tuple[int, int, int]]]
    """The first and the last line of each function, and the last line of its heading, by module."""

    def reaching(self, module: str, line: int, sessions: Sequence[Session]) -> list[Session]:
        """Return those of `sessions` that run what stands on a `line` of `module`.

        What stands outside all functions runs whenever the module is imported.
        """
        around = [lines for lines in self.functions[module] if lines[0] <= line <= lines[1]]
        if not around:
            return list(sessions)
        # The heading of a function runs with what is around it.
        first, _, heading = max(around)
        if line <= heading:
            return list(sessions)
        return [session for session in sessions if (module, first) in self.entered[session.id]]


def coverage(bench: Bench, suite: Suite, reference: Mapping[str, str]) -> Coverage:
    """Return which functions of the `reference` the sessions of `suite` enter."""
    trees = {module: ast.parse(source) for module, source in reference.items()}
    functions = {module: _functions(tree) for module, tree in trees.items()}
    runner = bench.reference_runner({name: _noting(tree) for name, tree in trees.items()})
    asked = ", ".join(f"sorted({_module(name, suite)}{_NOTED})" for name in trees)
    entered = {}
    for session in suite.sessions:
        last = Item(
            role=Role.STEP,
            step_index=len(session.steps),
            code=f"[{asked}]",
            is_expression=True,
            binds=(),
        )
        run = runner.run_in_batch((*whole_session(session), last), session.modules)
        if not isinstance(run, SessionRun) or not run.loaded:
            raise SuiteError(f"the reference does not survive the session {session.id}")
        noted = _numbers(run.observations[-1])
        entered[session.id] = frozenset(
            (module, line) for module, lines in zip(trees, noted, strict=True) for line in lines
        )
    return Coverage(entered=entered, functions=functions)


def _module(name: str, suite: Suite) -> str:
    """Return how a session gets at what module `name` holds; its only module is there at once."""
    return f"__import__({name!r})." if suite.modules else ""


def _functions(tree: ast.Module) -> list[tuple[int, int, int]]:
    return [
        (
            node.lineno,
            node.end_lineno or node.lineno,
            max(node.lineno, node.body[0].lineno - 1),
        )
        for node in ast.walk(tree)
        if isinstance(node, _Function)
    ]


def _noting(tree: ast.Module) -> str:
    """Return the source of a module of which each function notes that it was entered."""
    for node in ast.walk(tree):
        if isinstance(node, _Function):
            noting = ast.parse(f"{_NOTED}.add({node.lineno})").body
            node.body[_start(node) : _start(node)] = noting
    tree.body[_start(tree) : _start(tree)] = ast.parse(f"{_NOTED} = set()").body
    return ast.unparse(ast.fix_missing_locations(tree))


def _start(node: ast.Module | _Function) -> int:
    """Return where the first statement can stand: after a docstring, and what must stand first."""
    start = int(ast.get_docstring(node, clean=False) is not None)
    while start < len(node.body) and _is_future(node.body[start]):
        start += 1
    return start


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


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
