"""Measures where the work of a recursion is done: in each of its calls, or in code around them.

A unit of *work* is an iteration of a loop, or a call of any other site. *Bulk* is the number of
elements passed to functions that are not written in Python, whose loops cannot be counted.
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
    | {cls for cls in vars(itertools).values() if isinstance(cls, type)}
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
"""Limits memory: beyond it, calls are not compared, so each counts as different."""
_PLAIN: Final = frozenset({bool, bytes, complex, float, frozenset, int, str, type(None)})
_WITHOUT_REFERENCES: Final = 2
"""The last version of `marshal` in which equal values have equal bytes. Later versions write
references to objects that occur twice."""
_get_attribute: Final = object.__getattribute__
_marshal: Final[Callable[[Any, int], bytes]] = marshal.dumps
_hint: Final = operator.length_hint
_len: Final = len


@dataclass(slots=True, eq=False)
class _Share:
    """The work done in one call of a watched site, or in all code around these calls."""

    calls: int = 0
    """How many calls of other sites it made."""
    part: float = 0.0
    """How many different calls of other sites it made. A call that n shares have made counts as
    1/n for each of them."""
    first: int = 0
    """How many of these different calls it was the first to make."""
    iterations: int = 0
    """How many iterations its loops ran."""
    bulk: int = 0
    """How many elements it passed to functions not written in Python."""


class Spread:
    """Counts the work done in each call of a watched site, and in all code around these calls."""

    def __init__(self, watched: frozenset[str]) -> None:
        """Watch the sites with these keys."""
        self._watched: Final = watched
        self._codes: Final[set[int]] = set()
        self._callers: Final[dict[object, dict[_Share, None]]] = {}
        """For each different call of a site that is not watched, the shares that made it. The keys
        of each inner dict are used as an ordered set."""
        self._kept_alive: Final[dict[int, object]] = {}
        """Arguments by id, kept alive so that the id is not reused."""
        self._shares_of: Final[dict[int, _Share]] = {}
        """The share of a call, by the id of its frame."""
        self.shares: Final[list[_Share]] = [_Share()]
        """First the share of all code around the watched calls, then that of each watched call.

        A share includes the work of the functions that it calls. Beyond a maximum, shares are not
        reported."""

    def record_begin(self, key: str, frame: FrameType, arguments: tuple[object, ...]) -> None:
        """Record that a call of the site `key` begins in `frame`, with these `arguments`.

        A call of a watched site gets a share of its own; any other call is work of its caller.
        """
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

    def record_iteration(self, frame: FrameType) -> None:
        """Record an iteration of a loop in `frame`."""
        self._share_at(frame).iterations += 1

    def wrap_callee(self, function: Any, frame: FrameType) -> Any:
        """Return `function`, wrapped to count the elements passed to it if it might loop in C.

        They are counted in the share of `frame`, whose code calls the function.
        """
        if not is_bulky(function):
            return function

        def counting(*arguments: object, **kwargs: object) -> object:
            self._share_at(frame).bulk += sum(map(element_count, (*arguments, *kwargs.values())))
            return function(*arguments, **kwargs)

        return counting

    def evidence(self) -> dict[str, object]:
        """Return the shares as data for JSON, with each `part` in thousandths of a call.

        Call this only once, because it adds to `part` and `first` of the shares.
        """
        for callers in self._callers.values():
            next(iter(callers)).first += 1
            for share in callers:
                share.part += 1 / _len(callers)
        return {
            "asked": [[round(1_000 * share.part), share.first] for share in self.shares],
            "spread": [[share.calls, share.iterations] for share in self.shares],
            "bulk": [share.bulk for share in self.shares],
        }

    def _callers_of(
        self, key: str, frame: FrameType, arguments: tuple[object, ...]
    ) -> dict[_Share, None]:
        """Return the shares that called the site `key` with these `arguments`, in order.

        The caller can add a share to the returned dict, which is stored here. It is new and empty
        if there was no such call before, or if the arguments cannot be compared.
        """
        free_names = frame.f_code.co_freevars
        if free_names:  # the enclosed values of a closure count as arguments
            names = frame.f_locals
            arguments = (*arguments, *(names.get(name) for name in free_names))
        call_id: object = object()  # unless replaced below, it matches no other call
        if len(self._kept_alive) < _MAX_KEPT_ALIVE:
            with suppress(ValueError):  # `marshal` refuses objects of most classes
                call_id = hash(
                    (key, _marshal(self._comparable_form(arguments), _WITHOUT_REFERENCES))
                )
        return self._callers.setdefault(call_id, {})

    def _comparable_form(self, value: object) -> object:
        """Return `value` in a form for `marshal`: its content, and its id if it is mutable.

        Because of the id, an equal copy counts as different: a function that works on a copy does
        the work again. Mutable values are kept alive, so that their ids are not reused.
        """
        if type(value) is tuple:
            return tuple(map(self._comparable_form, value))
        if type(value) in _PLAIN:
            return value
        self._kept_alive[id(value)] = value
        if isinstance(value, FunctionType | type):
            return id(value)
        try:
            return id(value), _get_attribute(value, "__dict__")
        except AttributeError:
            return id(value), value

    def _share_at(self, frame: FrameType | None) -> _Share:
        """Return the share of the innermost watched call in which `frame` runs.

        Without such a call, return the share of the code around these calls. A generator that began
        before the examined call has no share of its own.
        """
        while frame is not None:
            # Both are checked, as the id of a watched frame might have been reused.
            if id(frame.f_code) in self._codes and id(frame) in self._shares_of:
                return self._shares_of[id(frame)]
            frame = frame.f_back
        return self.shares[0]


def is_bulky(function: Any) -> bool:
    """Return whether `function` is not written in Python and might loop over its arguments.

    `sum(numbers)`, `list(map(step, items))` and `filled.difference_update(cells)` iterate once for
    each element, without a loop in the source.
    """
    kind = type(function)
    if kind is BuiltinFunctionType:
        if function.__name__ in _LOOPING_METHODS:
            return type(function.__self__) in _SIZED
        return function in _LOOPING_FUNCTIONS
    return kind is type and function in _LOOPING_TYPES


def element_count(value: object) -> int:
    """Return the number of elements of a built-in collection or iterator; 0 for other values."""
    if type(value) in _SIZED:
        return _len(value)  # type: ignore[arg-type]
    if type(value).__module__ == "builtins" and type(value).__name__.endswith("iterator"):
        return _hint(value)
    return 0
