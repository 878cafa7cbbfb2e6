"""Who does the work of a recursion: each of its calls, or something around them.

*Work* is a turn of a loop, and a call of any other site. *Bulk* is what goes to functions that are
not written in Python, and that loop unheard.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import operator
from collections import deque
from dataclasses import dataclass
from types import BuiltinFunctionType, FrameType
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
_hint: Final = operator.length_hint
_len: Final = len


@dataclass(slots=True, eq=False)
class _Share:
    """The work of one call of a watched site, or of all that is around them."""

    calls: int = 0
    """How often it called another site."""
    turns: int = 0
    """How many turns its loops took."""
    bulk: int = 0
    """How many elements it handed to functions that are not written in Python."""


class Spread:
    """Counts who does the work: each call of a watched site, or whatever is around all of them."""

    def __init__(self, watched: frozenset[str]) -> None:
        """Watch the sites with these keys."""
        self._watched: Final = watched
        self._codes: Final[set[int]] = set()
        self._shares_of: Final[dict[int, _Share]] = {}
        """The share of the call that a frame belongs to, by the id of the frame."""
        self.shares: Final[list[_Share]] = [_Share()]
        """That of all that is around, and then those of the calls; what they call in turn counts
        for them, too. Calls that are too many have a share that is not told."""

    def begins(self, key: str, frame: FrameType) -> None:
        """Hear that the site `key` begins in `frame`."""
        if key not in self._watched:
            self._share(frame.f_back).calls += 1
            return
        share = _Share()
        self._codes.add(id(frame.f_code))
        self._shares_of[id(frame)] = share
        if len(self.shares) <= _MAX_SHARES:
            self.shares.append(share)

    def turns(self, frame: FrameType) -> None:
        """Hear that a loop in `frame` takes a turn."""
        self._share(frame).turns += 1

    def hearing(self, function: Any, frame: FrameType) -> Any:
        """Return `function`, or what hears what `frame` hands to it, if that may loop unheard."""
        if not is_bulky(function):
            return function

        def heard(*arguments: object, **named: object) -> object:
            self._share(frame).bulk += sum(map(elements, (*arguments, *named.values())))
            return function(*arguments, **named)

        return heard

    def evidence(self) -> dict[str, object]:
        """Return the shares."""
        return {
            "spread": [[share.calls, share.turns] for share in self.shares],
            "bulk": [share.bulk for share in self.shares],
        }

    def _share(self, frame: FrameType | None) -> _Share:
        """Return the share that the work in `frame` belongs to.

        A generator that began before anything was counted has none of its own.
        """
        while frame is not None:
            if id(frame.f_code) in self._codes and id(frame) in self._shares_of:
                return self._shares_of[id(frame)]
            frame = frame.f_back
        return self.shares[0]


def is_bulky(function: Any) -> bool:
    """Return whether `function` may go over all that it is given, and is not written in Python.

    `sum(numbers)`, `list(map(step, items))` and `filled.difference_update(cells)` take as many
    turns as there are elements, and no loop in the source tells of them.
    """
    kind = type(function)
    if kind is BuiltinFunctionType:
        if function.__name__ in _LOOPING_METHODS:
            return type(function.__self__) in _SIZED
        return function in _LOOPING_FUNCTIONS
    return kind is type and function in _LOOPING_TYPES


def elements(value: object) -> int:
    """Return how many elements `value` has, 0 for what is no collection of Python's own."""
    if type(value) in _SIZED:
        return _len(value)  # type: ignore[arg-type]
    if type(value).__module__ == "builtins" and type(value).__name__.endswith("iterator"):
        return _hint(value)
    return 0
