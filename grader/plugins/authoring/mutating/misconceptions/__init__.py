"""What students do who have understood something else than was meant.

Each mutator is one misconception, said in a sentence, and applies wherever a program has the form
that it is about. None knows what an exercise is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

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

MUTATORS: Final[Mapping[str, Mutator]] = {
    **state.MUTATORS,
    **refusals.MUTATORS,
    **grids.MUTATORS,
    **results.MUTATORS,
    **values.MUTATORS,
    **loops.MUTATORS,
    **callers.MUTATORS,
}

__all__ = ["MUTATORS"]
