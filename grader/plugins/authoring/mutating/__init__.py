"""Makes mutants of a reference: programs with one mistake each, which a suite should fail.

*Mutators* of syntax change one operator, constant, name or statement, like a typing slip.
*Misconceptions* are mistakes of students who misunderstand something: they share state, return
internal objects, or write before they check. Suites that detect every slip can miss most
misconceptions, so misconceptions are counted separately.

Nothing is run here: the input is a reference module as text, and the output is text too.
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
from grader.plugins.authoring.mutating.mutants import Mutant, make_mutants
from grader.plugins.authoring.mutating.parsed_module import parse_module

_SPELLINGS: Final = {
    "class_level": "class-level",
    "hard_coded": "hard-coded",
    "false_": "False_",
}
"""Parts of function names that are spelt differently in the name of the mutator."""


def _mutators(*modules: ModuleType) -> dict[str, Mutator]:
    """Return the mutators in `modules`, which are their public functions, keyed by display name."""
    return {
        _display_name(name): function
        for module in modules
        for name, function in vars(module).items()
        # Skip the functions that the module imports.
        if isfunction(function) and function.__module__ == module.__name__ and name[0] != "_"
    }


def _display_name(name: str) -> str:
    """Return the display name of the mutator whose function is called `name`."""
    for identifier, spelling in _SPELLINGS.items():
        name = name.replace(identifier, spelling)
    return name.replace("_", " ")


MUTATORS: Final = _mutators(expressions, statements)
MISCONCEPTIONS: Final = _mutators(state, refusals, grids, results, values, loops, callers)

__all__ = ["MISCONCEPTIONS", "MUTATORS", "Mutant", "misconception_mutants", "mutants"]


def mutants(module: str, source: str) -> Iterator[Mutant]:
    """Yield the mutants with a slip of the reference `module` that has this `source`."""
    yield from make_mutants(parse_module(module, source), MUTATORS, misconception=False)


def misconception_mutants(module: str, source: str) -> Iterator[Mutant]:
    """Yield the mutants with a misconception of the reference `module` that has this `source`."""
    yield from make_mutants(parse_module(module, source), MISCONCEPTIONS, misconception=True)
