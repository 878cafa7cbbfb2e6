"""Who does the work of a recursion: each of its calls, or something around them.

*Work* is a turn of a loop, and a call of any other site. *Bulk* is what goes to functions that are
not written in Python, and that loop unheard.
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
_MAX_HELD: Final = 10_000
_PLAIN: Final = frozenset({bool, bytes, complex, float, frozenset, int, str, type(None)})
_WITHOUT_REFERENCES: Final = 2
"""The version of the encoding by which equal values have equal bytes."""
_attribute: Final = object.__getattribute__
_encoded: Final[Callable[[Any, int], bytes]] = marshal.dumps
_hint: Final = operator.length_hint
_len: Final = len


@dataclass(slots=True, eq=False)
class _Share:
    """The work of one call of a watched site, or of all that is around them."""

    calls: int = 0
    """How often it called another site."""
    part: float = 0.0
    """Of different calls of other sites, those that it made: its part of each that others made,
    too."""
    first: int = 0
    """How many of these nobody had made before."""
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
        self._asked: Final[dict[object, dict[_Share, None]]] = {}
        """Who made each of the different calls of other sites."""
        self._held: Final[dict[int, object]] = {}
        """What arguments were, by id."""
        self._shares_of: Final[dict[int, _Share]] = {}
        """The share of the call that a frame belongs to, by the id of the frame."""
        self.shares: Final[list[_Share]] = [_Share()]
        """That of all that is around, and then those of the calls; what they call in turn counts
        for them, too. Calls that are too many have a share that is not told."""

    def begins(self, key: str, frame: FrameType, arguments: tuple[object, ...]) -> None:
        """Hear that the site `key` begins in `frame`, called with `arguments`."""
        if key not in self._watched:
            share = self._share(frame.f_back)
            share.calls += 1
            self._askers(key, frame, arguments)[share] = None
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
        """Return the shares; parts of calls in thousandths."""
        for askers in self._asked.values():
            next(iter(askers)).first += 1
            for share in askers:
                share.part += 1 / _len(askers)
        return {
            "asked": [[round(1_000 * share.part), share.first] for share in self.shares],
            "spread": [[share.calls, share.turns] for share in self.shares],
            "bulk": [share.bulk for share in self.shares],
        }

    def _askers(
        self, key: str, frame: FrameType, arguments: tuple[object, ...]
    ) -> dict[_Share, None]:
        """Return who has called the site `key` with just these `arguments` so far, in order.

        Where that cannot be told, nobody has.
        """
        around = frame.f_code.co_freevars
        if around:
            names = frame.f_locals
            arguments = (*arguments, *(names.get(name) for name in around))
        asked: object = object()
        if len(self._held) < _MAX_HELD:
            with suppress(ValueError):
                asked = hash((key, _encoded(self._told_apart(arguments), _WITHOUT_REFERENCES)))
        return self._asked.setdefault(asked, {})

    def _told_apart(self, value: object) -> object:
        """Return what can be encoded of `value`: its content, and which it is if that may change.

        A copy is another one, however equal: who works on copies does the work again.
        """
        if type(value) is tuple:
            return tuple(map(self._told_apart, value))
        if type(value) in _PLAIN:
            return value
        self._held[id(value)] = value  # nothing else has that id as long as it is held
        if isinstance(value, FunctionType | type):
            return id(value)
        try:
            return id(value), _attribute(value, "__dict__")
        except AttributeError:
            return id(value), value

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
