"""Shifts what a recursion goes by, to see whether anything hangs on it.

From one call of a function to the next something changes: there is less left to do, or a number
goes up or down. When the calls that the outermost one makes are given only a part of what is left,
or a number that is further on, the answer of a recursion that does the work is another one. Where
it stays the same, the answer was there before, in whatever form.
"""

from __future__ import annotations

from types import CodeType, FunctionType, MethodType
from typing import Any, Final

_LEAST: Final = 2
_FURTHER: Final = 2
"""So many times as far as it went by itself does a growing number go in addition."""
_SETS: Final = (set, frozenset)
_COLLECTIONS: Final = (bytes, dict, frozenset, list, set, str, tuple)


class Shift:
    """Shifts what the outermost call of one of some sites gives to those that it makes."""

    def __init__(self, sites: frozenset[str], part: str) -> None:
        """Watch the sites with these keys; of what is left, keep the `front` or the `ends`."""
        self.sites: Final = sites
        self._keeps_ends: Final = part == "ends"
        self.count = 0
        """How many calls were given something else."""
        self._outer: dict[str, object] = {}
        self.code: CodeType | None = None
        """That of the first of the sites that is called."""

    def begin(self) -> None:
        """Hear that the call that is looked into begins."""
        self._outer, self.code = {}, None

    def starts(self, code: CodeType, arguments: tuple[object, ...]) -> None:
        """Hear with which arguments the function with this `code` is called."""
        if self.code is None:
            self.code = code
            self._outer = dict(zip(_parameters(code), map(_measure, arguments), strict=False))

    def shifted(self, function: Any) -> Any:
        """Return `function`, or what calls it with other arguments, if it is the one to shift."""
        bare = function.__func__ if type(function) is MethodType else function
        if type(bare) is not FunctionType or bare.__code__ is not self.code:
            return function
        names = _parameters(bare.__code__)[bare is not function :]

        def call(*arguments: object, **named: object) -> object:
            given = {**dict(zip(names, arguments, strict=False)), **named}
            others = self._others(given)
            self.count += bool(others)
            changed = [
                others.get(name, value) for name, value in zip(names, arguments, strict=False)
            ]
            more = {name: others.get(name, value) for name, value in named.items()}
            return function(*changed, *arguments[len(names) :], **more)

        return call

    def _others(self, given: dict[str, object]) -> dict[str, object]:
        """Return what to give in place of those arguments that the recursion goes by."""
        left = {
            name: _less(value, keeps_ends=self._keeps_ends)
            for name, value in given.items()
            if type(value) in _COLLECTIONS and _LEAST <= len(value) < _length(self._outer.get(name))  # type: ignore[arg-type]
        }
        if left:
            return left
        steps = {
            name: (value, before)
            for name, value in given.items()
            if type(value) is int and type(before := self._outer.get(name)) is int
        }
        if len(steps) != 1:
            return {}  # two are a place, and a search may begin at any
        ((name, (value, before)),) = steps.items()
        if value == before:
            return {}
        return {name: value // 2 if value < before else value + _FURTHER * (value - before)}


def _parameters(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount]


def _measure(value: object) -> object:
    """Return what is kept of an argument: how many elements it has now, or itself if a number."""
    if type(value) in _COLLECTIONS:
        return _Length(len(value))  # type: ignore[arg-type]
    return value if type(value) is int else None


class _Length(int):
    """The length of a collection, which is not the number that it is."""


def _length(measure: object) -> int:
    return int(measure) if type(measure) is _Length else 0


def _less(value: Any, *, keeps_ends: bool) -> object:
    """Return the front of `value`, a collection of Python's own, or all but its middle."""
    ordered = value
    if type(value) in _SETS:
        ordered = sorted(value, key=repr)
    elif type(value) is dict:
        ordered = list(value.items())
    front = len(ordered) // (4 if keeps_ends else 2)
    back = len(ordered) - (max(1, front) if keeps_ends else 0)
    kept = ordered[:front] + ordered[back:]
    return type(value)(kept) if type(value) in (*_SETS, dict) else kept
