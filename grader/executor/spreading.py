"""Measures what does the work of a recursion: each of its calls, or code around them.

*Work* is a turn of a loop, and a call of any other site. *Bulk* are the elements passed to
functions not written in Python, whose loops cannot be counted.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import marshal
import operator
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import BuiltinFunctionType, FrameType, FunctionType
from typing import Any, Final

_MAX_SHARES: Final = 5_000
_SIZED: Final = frozenset(
    {bytearray, bytes, deque, dict, frozenset, list, range, set, str, tuple}
    | {type({}.items()), type({}.keys()), type({}.values())}
)
_LOOPING_TYPES: Final = frozenset(
    {bytearray, bytes, deque, dict, enumerate, filter, frozenset, functools.partial, list, map}
    | {reversed, set, tuple, zip}
    | {each for each in vars(itertools).values() if isinstance(each, type)}
)
_LOOPING_FUNCTIONS: Final = frozenset(
    {builtins.all, builtins.any, builtins.max, builtins.min, builtins.sorted, builtins.sum}
    | {functools.reduce}
)
_LOOPING_METHODS: Final = frozenset(
    (
        *("difference", "difference_update", "extend", "extendleft", "fromkeys", "intersection"),
        *("intersection_update", "isdisjoint", "issubset", "issuperset", "join"),
        *("symmetric_difference", "symmetric_difference_update", "union", "update"),
    )
)
_MAX_KEPT_ALIVE: Final = 10_000
_PLAIN: Final = frozenset({bool, bytes, complex, float, frozenset, int, str, type(None)})
_WITHOUT_REFERENCES: Final = 2
"""The `marshal` version in which equal values have equal bytes: later ones write references."""
_attribute: Final = object.__getattribute__
_encoded: Final[Callable[[Any, int], bytes]] = marshal.dumps
_hint: Final = operator.length_hint
_len: Final = len


@dataclass(slots=True, eq=False)
class _Share:
    """The work of one call of a watched site, or of everything around these calls."""

    calls: int = 0
    """How often it called another site."""
    part: float = 0.0
    """How many different calls of other sites it made; a call that others made too counts in
    part."""
    first: int = 0
    """How many of these it was the first to make."""
    turns: int = 0
    """How many turns its loops took."""
    bulk: int = 0
    """How many elements it passed to functions not written in Python."""


class Spread:
    """Counts the work of each call of a watched site, and of everything around these calls."""

    def __init__(self, watched: frozenset[str]) -> None:
        """Watch the sites with these keys."""
        self._watched: Final = watched
        self._codes: Final[set[int]] = set()
        self._callers: Final[dict[object, dict[_Share, None]]] = {}
        """The shares that made each different call of other sites."""
        self._kept_alive: Final[dict[int, object]] = {}
        """Arguments by id, kept alive so that the id is not reused."""
        self._shares_of: Final[dict[int, _Share]] = {}
        """The share of a call, by the id of its frame."""
        self.shares: Final[list[_Share]] = [_Share()]
        """The share of all code around the calls, then those of the calls; each includes what it
        calls in turn. Beyond a maximum, shares are not reported."""

    def begins(self, key: str, frame: FrameType, arguments: tuple[object, ...]) -> None:
        """Record that the site `key` begins in `frame`, called with `arguments`."""
        if key not in self._watched:
            share = self._share_at(frame.f_back)
            share.calls += 1
            self._callers_of(key, frame, arguments)[share] = None
            return
        share = _Share()
        self._codes.add(id(frame.f_code))
        self._shares_of[id(frame)] = share
        if len(self.shares) <= _MAX_SHARES:
            self.shares.append(share)

    def turns(self, frame: FrameType) -> None:
        """Record a turn of a loop in `frame`."""
        self._share_at(frame).turns += 1

    def hearing(self, function: Any, frame: FrameType) -> Any:
        """Return `function`, wrapped to count the elements passed to it if it may loop in C."""
        if not is_bulky(function):
            return function

        def counted(*arguments: object, **named: object) -> object:
            self._share_at(frame).bulk += sum(map(elements, (*arguments, *named.values())))
            return function(*arguments, **named)

        return counted

    def evidence(self) -> dict[str, object]:
        """Return the shares, as data for JSON; parts of calls in thousandths."""
        for callers in self._callers.values():
            next(iter(callers)).first += 1
            for share in callers:
                share.part += 1 / _len(callers)
        return {
            "asked": [[round(1_000 * share.part), share.first] for share in self.shares],
            "spread": [[share.calls, share.turns] for share in self.shares],
            "bulk": [share.bulk for share in self.shares],
        }

    def _callers_of(
        self, key: str, frame: FrameType, arguments: tuple[object, ...]
    ) -> dict[_Share, None]:
        """Return the shares that have called the site `key` with these `arguments`, in order.

        Return a new dict if the arguments cannot be compared.
        """
        free_names = frame.f_code.co_freevars
        if free_names:  # the enclosed values of a closure count as arguments
            names = frame.f_locals
            arguments = (*arguments, *(names.get(name) for name in free_names))
        call_id: object = object()  # equal to no other object
        if len(self._kept_alive) < _MAX_KEPT_ALIVE:
            with suppress(ValueError):  # `marshal` refuses objects of most classes
                call_id = hash((key, _encoded(self._comparable(arguments), _WITHOUT_REFERENCES)))
        return self._callers.setdefault(call_id, {})

    def _comparable(self, value: object) -> object:
        """Return `value` in a form to encode: its content, and its id if it is mutable.

        So an equal copy counts as different: a function that works on a copy does the work again.
        """
        if type(value) is tuple:
            return tuple(map(self._comparable, value))
        if type(value) in _PLAIN:
            return value
        self._kept_alive[id(value)] = value  # keeps the id from being reused
        if isinstance(value, FunctionType | type):
            return id(value)
        try:
            return id(value), _attribute(value, "__dict__")
        except AttributeError:
            return id(value), value

    def _share_at(self, frame: FrameType | None) -> _Share:
        """Return the share that the work in `frame` belongs to.

        A generator that began before counting has no share of its own.
        """
        while frame is not None:
            # Both are checked, as the id of a watched frame may have been reused.
            if id(frame.f_code) in self._codes and id(frame) in self._shares_of:
                return self._shares_of[id(frame)]
            frame = frame.f_back
        return self.shares[0]


def is_bulky(function: Any) -> bool:
    """Return whether `function` is not written in Python and may loop over its arguments.

    `sum(numbers)`, `list(map(step, items))` and `filled.difference_update(cells)` take as many
    turns as there are elements, without a loop in the source.
    """
    kind = type(function)
    if kind is BuiltinFunctionType:
        if function.__name__ in _LOOPING_METHODS:
            return type(function.__self__) in _SIZED
        return function in _LOOPING_FUNCTIONS
    return kind is type and function in _LOOPING_TYPES


def elements(value: object) -> int:
    """Return how many elements `value` has, or 0 if it is not a built-in collection or iterator."""
    if type(value) in _SIZED:
        return _len(value)  # type: ignore[arg-type]
    if type(value).__module__ == "builtins" and type(value).__name__.endswith("iterator"):
        return _hint(value)
    return 0
