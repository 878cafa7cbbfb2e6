"""Mutants of a reference: programs with one mistake each, which a suite has to tell from it.

*Slips* change one operator, constant, name or statement. *Misconceptions* are what students do who
have understood something else: they share state, hand out what is theirs, write before they check.
Suites that catch every slip may miss most misconceptions, so both are counted apart.

Nothing is run here. A module of the reference goes in as text, and texts come out.
"""

from __future__ import annotations

from collections.abc import Iterator

from grader.mutating import beliefs, slips_in_expressions, slips_in_statements
from grader.mutating.mutants import Mutant, made
from grader.mutating.original import original

SLIPS = {**slips_in_expressions.OPERATORS, **slips_in_statements.OPERATORS}
MISCONCEPTIONS = beliefs.OPERATORS

__all__ = ["MISCONCEPTIONS", "SLIPS", "Mutant", "misconceptions", "mutants"]


def mutants(module: str, source: str) -> Iterator[Mutant]:
    """Yield the mutants of a module of a reference that differ from it by a slip of the pen."""
    yield from made(original(module, source), SLIPS, misconception=False)


def misconceptions(module: str, source: str) -> Iterator[Mutant]:
    """Yield the mutants of a module of a reference that show what somebody has not understood."""
    yield from made(original(module, source), MISCONCEPTIONS, misconception=True)
