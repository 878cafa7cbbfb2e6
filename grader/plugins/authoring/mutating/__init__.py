"""Makes mutants of a reference: programs with one mistake each, which a suite should fail.

*Mutators* of syntax change one operator, constant, name or statement, like a typing slip.
*Misconceptions* are mistakes of students who misunderstand something: they share state, return
internal objects, write before they check. Suites that catch every slip may miss most
misconceptions, so they are counted separately.

Nothing is run here: a module of the reference goes in as text, and texts come out.
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import isfunction
from types import ModuleType
from typing import Final

from grader.plugins.authoring.mutating import expressions, statements
from grader.plugins.authoring.mutating.edits import Mutator
from grader.plugins.authoring.mutating.misconceptions import (
    callers,
    grids,
    loops,
    refusals,
    results,
    state,
    values,
)
from grader.plugins.authoring.mutating.mutants import Mutant, made
from grader.plugins.authoring.mutating.parsed_module import parsed

_SPELT: Final = {
    "class_level": "class-level",
    "hard_coded": "hard-coded",
    "false_": "False_",
}
"""Parts of names of functions that differ in the name of the mutator."""


def _mutators(*modules: ModuleType) -> dict[str, Mutator]:
    """Return the mutators in `modules`, which are their public functions, by shown name."""
    return {
        _said(name): function
        for module in modules
        for name, function in vars(module).items()
        # Not those that it imports.
        if isfunction(function) and function.__module__ == module.__name__ and name[0] != "_"
    }


def _said(name: str) -> str:
    for written, said in _SPELT.items():
        name = name.replace(written, said)
    return name.replace("_", " ")


MUTATORS: Final = _mutators(expressions, statements)
MISCONCEPTIONS: Final = _mutators(state, refusals, grids, results, values, loops, callers)

__all__ = ["MISCONCEPTIONS", "MUTATORS", "Mutant", "misconceived", "mutants"]


def mutants(module: str, source: str) -> Iterator[Mutant]:
    """Yield the mutants of a module of a reference that have a slip."""
    yield from made(parsed(module, source), MUTATORS, misconception=False)


def misconceived(module: str, source: str) -> Iterator[Mutant]:
    """Yield the mutants of a module of a reference that have a misconception."""
    yield from made(parsed(module, source), MISCONCEPTIONS, misconception=True)
