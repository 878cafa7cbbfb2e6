"""Lots: plans that share an executor, each with a fresh import, as a fork costs more than most.

Who is going to ask for many plans says so ahead. The first that is asked for then runs with those
which follow, in one executor that puts the interpreter back before each of them. What came of them
is kept until it is asked for.

What a plan comes to is what it would come to alone. So a result counts only if neither that
session nor one before it in the lot died, or failed by a limit; and only if its steps still have
their full price when it is asked for. The first of a lot has an executor to itself, and counts
however it ends. All others run by themselves, or begin another lot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import dropwhile
from operator import ne
from typing import Any, Final, NamedTuple, TypeAlias

from grader.sandbox.planning import Item
from grader.sandbox.session_runs import SessionRun

_FEWEST_PLANS: Final = 3
"""A lot costs as much as two executors before its first session."""
_MOST_PLANS: Final = 40
_MOST_ITEMS: Final = 250
"""What one lot holds at most: what is in it is lost when it dies."""
_FEW: Final = 4
_MOST_STALE: Final = 2
"""After so many lots that came to few results, as sessions left something, there are no others."""
Plan: TypeAlias = tuple[Item, ...]
Modules: TypeAlias = tuple[str, ...]
Settings: TypeAlias = Mapping[str, Any] | None


class LotPlan(NamedTuple):
    """A plan, the modules that are imported before it, and the settings of its instruments."""

    plan: Plan
    modules: Modules
    settings: Settings = None


_Key: TypeAlias = tuple[int, Modules]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lot:
    """What came of the first plans of a lot, as far as it counts."""

    runs: Sequence[SessionRun]
    is_stale: bool = False
    """Whether it ended as the session before had left something behind, or nobody knows which one
    has broken the protocol."""


class Lots:
    """The plans that are expected of one runner, and what came of those that ran already.

    A plan is known by its identity: who expects it asks for the very same.
    """

    def __init__(
        self, run: Callable[[Sequence[LotPlan]], Lot], is_usual: Callable[[Plan], bool]
    ) -> None:
        """Have lots come to what `run` returns; no plan is in one that is not `is_usual`."""
        self._run: Final = run
        self._is_usual: Final = is_usual
        self._expected: Final[dict[_Key, LotPlan]] = {}
        self._kept: Final[dict[_Key, SessionRun]] = {}
        self._stale = 0

    def expect(self, plans: Iterable[Plan], modules: Modules, settings: Settings = None) -> None:
        """Take note that `plans` will be asked for, in about this order."""
        for plan in plans:
            if (key := (id(plan), modules)) not in self._kept:
                self._expected[key] = LotPlan(plan, modules, settings)

    def kept(self, plan: Plan, modules: Modules) -> SessionRun | None:
        """Return what came of `plan`, where that is known and has not been asked for yet."""
        return self._kept.get((id(plan), modules))

    def take(self, plan: Plan, modules: Modules) -> SessionRun | None:
        """Return what came of `plan`, once; None where it has to run by itself."""
        key = id(plan), modules
        if key in self._expected and self._stale < _MOST_STALE and self._is_usual(plan):
            self._run_from(key)
        self._expected.pop(key, None)
        run = self._kept.pop(key, None)
        return run if run is not None and self._is_usual(plan) else None

    def _run_from(self, first: _Key) -> None:
        """Run a lot of what is expected, from the `first` on, if that is enough for one."""
        keys = [*self._following(first)]
        if len(keys) < _FEWEST_PLANS:
            return
        lot = self._run([self._expected[key] for key in keys])
        self._kept.update(zip(keys, lot.runs, strict=False))
        for key in keys[: len(lot.runs) + (not lot.is_stale)]:
            del self._expected[key]
        self._stale += lot.is_stale and len(lot.runs) < _FEW

    def _following(self, first: _Key) -> Iterator[_Key]:
        """Yield the `first`, and what is expected after it and fits into a lot with it."""
        plans, items = 0, 0
        for key in dropwhile(partial(ne, first), self._expected):
            plan = self._expected[key].plan
            if self._is_usual(plan):
                plans, items = plans + 1, items + len(plan)
                if plans > _MOST_PLANS or (plans > 1 and items > _MOST_ITEMS):
                    return
                yield key
