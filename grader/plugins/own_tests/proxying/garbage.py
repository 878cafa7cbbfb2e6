"""What `gc.collect` promises of objects that a submission has been handed, or has handed over.

The table of either side holds what the other side uses; that it is used no more is told with the
next message. Whoever collects wants to know at once.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps


def collect_there(settle: Callable[[], None], when: Callable[[], bool]) -> Callable[[], None]:
    """Have `gc.collect` collect what `settle` lets go of too, `when` that may be asked.

    Returns what puts an end to it.
    """
    collect = gc.collect

    @wraps(collect)
    def collected(generation: int = 2) -> int:
        found = collect(generation)
        if not when():
            return found
        settle()
        return found + collect(generation)

    gc.collect = collected

    def undo() -> None:
        gc.collect = collect

    return undo
