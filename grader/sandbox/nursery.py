"""Where executors come from; here, and nowhere else, it is decided which kind this system gets."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from grader.isolation import Isolation
from grader.sandbox.executor import Executor
from grader.sandbox.fresh import FreshProcesses
from grader.sandbox.zygote import Zygote


class Nursery(AbstractContextManager["Nursery"], Protocol):
    """Gives executors, to one thread at a time; a context manager that ends what is left of them.

    On Linux it is a zygote, which forks them behind its walls. Elsewhere each one is a fresh
    process, with no wall around it.
    """

    @property
    def isolation(self) -> Isolation:
        """What its executors are held by; raises `ZygoteError` when it cannot give any."""

    def fork(self, limits: Mapping[str, int]) -> Executor:
        """Return a fresh executor for one session within `limits`; raises `ZygoteError`."""

    def close(self) -> None:
        """End it, and whatever it still has for executors."""


def new_nursery(packages: Sequence[str] = (), seed: int = 0) -> Nursery:
    """Return the kind of nursery that this system can have; raises `ZygoteError`.

    Its executors can be given `packages` besides what is usual; raises `HostError` for one that is
    not installed. What would differ from run to run is pinned to `seed` in them; marks are given
    with 0. Call it in the main thread, which has to outlive a zygote.
    """
    is_linux = sys.platform == "linux"
    return Zygote(packages=packages, seed=seed) if is_linux else FreshProcesses(packages, seed)
