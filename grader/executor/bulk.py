"""Work in bulk: what a program hands to functions that loop, and are not written in Python.

`sum(numbers)`, `list(map(step, items))` and `filled.difference_update(cells)` take as many turns as
there are elements, and no loop in the source tells of them.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import operator
from collections import deque
from types import BuiltinFunctionType
from typing import Any, Final

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


def is_bulky(function: Any) -> bool:
    """Return whether `function` may go over all that it is given, and is not written in Python."""
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
