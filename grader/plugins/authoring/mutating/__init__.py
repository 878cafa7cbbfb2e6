"""Mutants of a reference: programs with one mistake each, which a suite has to tell from it.

*Mutators* of syntax change one operator, constant, name or statement, as a slip of the pen does.
*Misconceptions* are what students do who have understood something else: they share state, hand out
what is theirs, write before they check. Suites that catch every slip may miss most misconceptions,
so both are counted apart.

Nothing is run here. A module of the reference goes in as text, and texts come out.
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
"""What of the name of a mutator is written otherwise in that of its function."""


def _mutators(*modules: ModuleType) -> dict[str, Mutator]:
    """Return the mutators in `modules`, their public functions, each by the name it is told by."""
    return {
        _said(name): function
        for module in modules
        for name, function in vars(module).items()
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
    """Yield the mutants of a module of a reference that differ from it by a slip of the pen."""
    yield from made(parsed(module, source), MUTATORS, misconception=False)


def misconceived(module: str, source: str) -> Iterator[Mutant]:
    """Yield the mutants of a module of a reference that show what somebody has not understood."""
    yield from made(parsed(module, source), MISCONCEPTIONS, misconception=True)
