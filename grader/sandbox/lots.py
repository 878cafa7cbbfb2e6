"""Lots: plans that share an executor, each with a fresh import, as a fork costs more than a plan.

A caller that will run many plans announces them. When it runs the first one, the following plans
are run as well, in one executor that resets the interpreter before each of them. Their results are
kept until the caller requests them.

A plan must give the same result as it would if it ran alone. So a result counts only if neither its
session nor an earlier one in the lot died or exceeded a limit, and only if its steps still have
their full price when the caller requests it. The first plan of a lot has a fresh executor, so its
result counts however it ends. Plans whose results do not count run alone, or start another lot.
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

_MIN_PLANS: Final = 3
"""Smaller lots do not pay: starting a lot costs as much as starting two executors."""
_MAX_PLANS: Final = 40
_MAX_ITEMS: Final = 250
"""The size of a lot is limited because its results are lost if it dies."""
_MIN_USEFUL_RUNS: Final = 4
_MAX_STALE: Final = 2
"""Once this many lots gave few results because sessions left state, no more lots are run."""
Plan: TypeAlias = tuple[Item, ...]
Modules: TypeAlias = tuple[str, ...]
Settings: TypeAlias = Mapping[str, Any] | None


class LotPlan(NamedTuple):
    """A plan, the modules to import before it, and the settings of its instruments."""

    plan: Plan
    modules: Modules
    settings: Settings = None


_Key: TypeAlias = tuple[int, Modules]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lot:
    """The results of a lot that count, which are those of its first plans."""

    runs: Sequence[SessionRun]
    is_stale: bool = False
    """Whether the lot ended because a session left state behind or broke the protocol."""


class Lots:
    """The plans that one runner expects to run, and the results of plans that have already run.

    Plans are identified by `id`: callers run the same object that they announced. An id cannot be
    reused meanwhile, because an announced plan and a kept result both refer to the plan.
    """

    def __init__(
        self, run: Callable[[Sequence[LotPlan]], Lot], has_full_price: Callable[[Plan], bool]
    ) -> None:
        """Run lots by calling `run`, with only those plans for which `has_full_price` is true."""
        self._run: Final = run
        self._has_full_price: Final = has_full_price
        self._expected: Final[dict[_Key, LotPlan]] = {}
        self._results: Final[dict[_Key, SessionRun]] = {}
        self._stale_lots = 0

    def expect(self, plans: Iterable[Plan], modules: Modules, settings: Settings = None) -> None:
        """Announce that `plans` will be run, in about this order."""
        for plan in plans:
            if (key := (id(plan), modules)) not in self._results:
                self._expected[key] = LotPlan(plan, modules, settings)

    def peek(self, plan: Plan, modules: Modules) -> SessionRun | None:
        """Return the result of `plan` without removing it, or None if no result is kept."""
        return self._results.get((id(plan), modules))

    def take(self, plan: Plan, modules: Modules) -> SessionRun | None:
        """Remove and return the result of `plan`.

        If the plan is expected, first run a lot that begins with it, if possible. Return None if
        the plan has to run alone.
        """
        key = id(plan), modules
        if key in self._expected and self._stale_lots < _MAX_STALE and self._has_full_price(plan):
            self._run_lot(key)
        self._expected.pop(key, None)
        run = self._results.pop(key, None)
        return run if run is not None and self._has_full_price(plan) else None

    def _run_lot(self, first: _Key) -> None:
        """Run a lot of the expected plans from `first` on and keep its results.

        Do nothing if there are too few plans for a lot.
        """
        keys = [*self._next_keys(first)]
        if len(keys) < _MIN_PLANS:
            return
        lot = self._run([self._expected[key] for key in keys])
        self._results.update(zip(keys, lot.runs, strict=False))  # a lot can end early
        # The plan at which the lot ended runs alone, unless an earlier session caused the end.
        for key in keys[: len(lot.runs) + (not lot.is_stale)]:
            del self._expected[key]
        self._stale_lots += lot.is_stale and len(lot.runs) < _MIN_USEFUL_RUNS

    def _next_keys(self, first: _Key) -> Iterator[_Key]:
        """Yield `first` and the later expected plans at full price that fit into one lot."""
        plans, items = 0, 0
        for key in dropwhile(partial(ne, first), self._expected):
            plan = self._expected[key].plan
            if self._has_full_price(plan):
                plans, items = plans + 1, items + len(plan)
                if plans > _MAX_PLANS or (plans > 1 and items > _MAX_ITEMS):
                    return
                yield key
