"""What students do who have understood something else than was meant.

Each operator is one misconception, said in a sentence, and applies wherever a program has the form
that it is about. None knows what an exercise is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from grader.mutating.beliefs import grids, loops, refusals, results, state, values
from grader.mutating.edits import Operator

OPERATORS: Final[Mapping[str, Operator]] = {
    **state.OPERATORS,
    **refusals.OPERATORS,
    **grids.OPERATORS,
    **results.OPERATORS,
    **values.OPERATORS,
    **loops.OPERATORS,
}

__all__ = ["OPERATORS"]
