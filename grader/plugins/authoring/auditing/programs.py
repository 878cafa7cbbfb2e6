"""The wrong programs with which a suite is audited: mutants, misconceptions and wrong solutions.

They are generated from the reference or another right solution, or read from the folders `faulty`
and `panel` beside it.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from pathlib import Path
from typing import Final, TypeAlias

from grader.plugins.authoring.mutating import Mutant, misconception_mutants, mutants
from grader.plugins.authoring.mutating.edits import stored_names
from grader.plugins.authoring.mutating.parsed_module import is_main_program
from grader.plugins.authoring.solutions import Sources, read_solutions


@unique
class WrongProgramSource(StrEnum):
    """Where a wrong program comes from."""

    MUTANT = "mutant"
    """One small change of syntax."""
    MISCONCEPTION = "misconception"
    """A likely misconception of a student."""
    SAMPLE = "sample"
    """A wrong solution beside the reference."""
    RELATED = "related"
    """One small change, or misconception, in a right solution that is not the reference."""
    PANEL = "panel"
    """A wrong program independent of the reference: a right solution with one mistake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongProgram:
    """A program that should not pass."""

    id: str
    kind: WrongProgramSource
    sources: Sources
    mutant: Mutant | None = None
    """The change that was made. None for a program written by hand."""
    parent: str = ""
    """The name of the right solution that was changed. Empty for the reference."""

    @property
    def remembers(self) -> bool:
        """Whether the program might keep state from one session to the next."""
        return self.kind not in {WrongProgramSource.MUTANT, WrongProgramSource.RELATED}


def wrong_programs(
    reference: Sources, defines: Collection[str], folder: Path
) -> list[WrongProgram]:
    """Return all wrong programs that can be made from `reference`, and those in `folder`.

    `reference` maps the name of each module that is handed in to its source. Parts that the names
    in `defines` do not use stay unchanged. Raises `InvalidSuite` for malformed edits in `folder`.
    """
    generated = [
        WrongProgram(
            id=mutant.id,
            kind=WrongProgramSource.MISCONCEPTION
            if mutant.misconception
            else WrongProgramSource.MUTANT,
            sources={**reference, mutant.module_name: mutant.source},
            mutant=mutant,
        )
        for mutant in _mutants(reference, defines)
    ]
    handmade = [
        WrongProgram(id=f"{prefix}{solution.name}", kind=kind, sources=solution.sources)
        for subfolder, prefix, kind in (
            ("faulty", "", WrongProgramSource.SAMPLE),
            ("panel", "panel/", WrongProgramSource.PANEL),
        )
        for solution in read_solutions(folder / subfolder, reference)
    ]
    return [*generated, *handmade]


Lines: TypeAlias = tuple[int, int]
MAIN_PROGRAM: Final = "__main__"
"""Among the names that a suite uses, this one means that a module is run as a program."""


def related_programs(
    right: Mapping[str, Sources], defines: Collection[str], one_in: int = 1
) -> list[WrongProgram]:
    """Return wrong programs made from each of the `right` solutions, which are keyed by name.

    With `one_in` above 1, return only one in that many of them. Solutions have different
    structures: a change that is a mistake in one can be harmless in another, and impossible in a
    third.
    """
    return [
        WrongProgram(
            id=f"{name}:{mutant.id}",
            kind=WrongProgramSource.RELATED,
            sources={**sources, mutant.module_name: mutant.source},
            mutant=mutant,
            parent=name,
        )
        for name, sources in right.items()
        # Mutants come grouped by mutator, so one in every `one_in` of them is a fair sample.
        for mutant in [*_mutants(sources, defines)][::one_in]
    ]


def _mutants(sources: Sources, defines: Collection[str]) -> Iterator[Mutant]:
    """Yield the mutants of `sources`, without changes in parts that `defines` does not use."""
    unused = unused_parts(sources, defines)
    for module, source in sources.items():
        for mutate in (mutants, misconception_mutants):
            for mutant in mutate(module, source):
                if not any(first <= mutant.line <= last for first, last in unused[module]):
                    yield mutant


def unused_parts(reference: Mapping[str, str], defines: Collection[str]) -> dict[str, list[Lines]]:
    """Return the first and last line of each part that `defines` does not use, keyed by module.

    A part is a top-level statement of the `reference` that binds names. Any mention of a name
    counts as a use, without resolving scopes, so an unused part can count as used. Statements that
    bind no name count as used, but the main program only if `MAIN_PROGRAM` is in `defines`.
    """
    parts = {module: ast.parse(source).body for module, source in reference.items()}
    used = {name.rpartition(".")[2] for name in defines}
    is_run = MAIN_PROGRAM in used
    statements_by_name: dict[str, list[ast.stmt]] = {}
    waiting = []
    for statement in (statement for body in parts.values() for statement in body):
        names = set(_bound_names(statement))
        for name in names:
            statements_by_name.setdefault(name, []).append(statement)
        if names & used or (not names and (is_run or not is_main_program(statement))):
            waiting.append(statement)
    # A used part uses the names that it mentions, and so the parts that bind these names.
    while waiting:
        for name in set(_mentioned_names(waiting.pop())) - used:
            used.add(name)
            waiting += statements_by_name.get(name, [])
    return {
        module: [
            (statement.lineno, statement.end_lineno or statement.lineno)
            for statement in statements
            if (is_main_program(statement) and not is_run)
            or not used.issuperset(_bound_names(statement))
        ]
        for module, statements in parts.items()
    }


def _bound_names(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a definition or an assignment binds."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign() | ast.AnnAssign():
            yield from stored_names(statement)


def _mentioned_names(statement: ast.stmt) -> Iterator[str]:
    """Yield the names and attributes that `statement` mentions."""
    for node in ast.walk(statement):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                yield name
