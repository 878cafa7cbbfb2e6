"""Mutants of a reference: programs with one mistake each, which a suite has to tell from it.

*Mutators* of syntax change one operator, constant, name or statement, as a slip of the pen does.
*Misconceptions* are what students do who have understood something else: they share state, hand out
what is theirs, write before they check. Suites that catch every slip may miss most misconceptions,
so both are counted apart.

Nothing is run here. A module of the reference goes in as text, and texts come out.
"""

from __future__ import annotations

from collections.abc import Iterator

from grader.plugins.authoring.mutating import expressions, statements
from grader.plugins.authoring.mutating import misconceptions as _misconceptions
from grader.plugins.authoring.mutating.mutants import Mutant, made
from grader.plugins.authoring.mutating.parsed_module import parsed

MUTATORS = {**expressions.MUTATORS, **statements.MUTATORS}
MISCONCEPTIONS = _misconceptions.MUTATORS

__all__ = ["MISCONCEPTIONS", "MUTATORS", "Mutant", "misconceived", "mutants"]


def mutants(module: str, source: str) -> Iterator[Mutant]:
    """Yield the mutants of a module of a reference that differ from it by a slip of the pen."""
    yield from made(parsed(module, source), MUTATORS, misconception=False)


def misconceived(module: str, source: str) -> Iterator[Mutant]:
    """Yield the mutants of a module of a reference that show what somebody has not understood."""
    yield from made(parsed(module, source), MISCONCEPTIONS, misconception=True)
