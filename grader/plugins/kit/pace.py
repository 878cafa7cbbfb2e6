"""How much more time this computer needs than those for which the limits of suites are meant.

A kit runs on old computers too: whoever needs more time there than where marks are given is not
too slow.
"""

from __future__ import annotations

import time
from typing import Final

from grader.suite.limits import Limits

_USUAL_S: Final = 0.0011
"""What `_work` takes on a server of 2024, under Python 3.11."""
_TRIES: Final = 12
_SLOWEST: Final = 8
_MARGIN: Final = 2
"""No program is as much slower here as another one."""


def unhurried(limits: Limits) -> Limits:
    """Return `limits` with as much time as it takes here."""
    fastest_s = min(_timed() for _ in range(_TRIES))
    slowness = _MARGIN * min(max(1.0, fastest_s / _USUAL_S), _SLOWEST)
    clocks = [name for name in type(limits).model_fields if name.endswith(("cpu_s", "wall_s"))]
    given = {name: slowness * getattr(limits, name) for name in clocks}
    # Who fills the memory without end is out of time first, or not, as where marks are given.
    return limits.changed(memory_bytes=_MARGIN * limits.memory_bytes, **given)


def _timed() -> float:
    start_s = time.perf_counter()
    _work()
    return time.perf_counter() - start_s


def _work() -> int:
    """Do what programs of students do: tuples, dictionaries, lists, small sums."""
    grid = {(number % 17, number // 17): number for number in range(1500)}
    total = 0
    for (row, column), value in grid.items():
        near = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        total += sum(grid[each] for each in near if each in grid) + value
    return total
