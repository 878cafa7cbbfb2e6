"""Shifts what a recursion goes by, to see whether anything hangs on it.

From one call of a function to the next something changes: there is less left to do, or a number
goes up or down. When the calls that the outermost one makes are given only a part of what is left,
or a number that is further on, the answer of a recursion that does the work is another one. Where
it stays the same, the answer was there before, in whatever form.
"""

from __future__ import annotations

from types import CodeType
from typing import Any, Final, TypeAlias

Arguments: TypeAlias = tuple[object, ...]

_LEAST: Final = 2
_FURTHER: Final = 2
_BEYOND: Final = 1_000
"""So many times as far as it went by itself does a growing number go in addition: past a few, where
the ends are kept, or past all."""
_SETS: Final = (set, frozenset)
_COLLECTIONS: Final = (bytes, dict, frozenset, list, set, str, tuple)


class Shift:
    """Shifts what the outermost call of one of some sites gives to those that it makes."""

    def __init__(self, sites: frozenset[str], part: str) -> None:
        """Watch the sites with these keys; of what is left, keep the `front` or the `ends`."""
        self.sites: Final = sites
        self._keeps_ends: Final = part == "ends"
        self.count = 0
        """How many of the calls that are looked into had a call in them that was shifted."""
        self._is_counted = False
        self._outer: tuple[object, ...] = ()
        """The measures of what the outermost call was given."""
        self._code: CodeType | None = None
        """That of the first of the sites that is called."""

    def begin(self) -> None:
        """Hear that the call that is looked into begins."""
        self._outer, self._code, self._is_counted = (), None, False

    def starts(self, code: CodeType, arguments: Arguments) -> None:
        """Hear with which arguments the function with this `code` is called, while none is."""
        if self._code is None:
            self._code, self._outer = code, tuple(map(_measure, arguments))

    def given(self, code: CodeType, arguments: Arguments) -> Arguments | None:
        """Return what the function with this `code` gets in place of `arguments`, None if that."""
        others = self._others(arguments) if code is self._code else {}
        if not others:
            return None
        self.count += not self._is_counted
        self._is_counted = True
        return tuple(others.get(at, value) for at, value in enumerate(arguments))

    def _others(self, arguments: Arguments) -> dict[int, object]:
        """Return those arguments that the recursion goes by, by their places, shifted."""
        pairs = list(enumerate(zip(arguments, self._outer, strict=True)))
        less = {
            at: _less(value, keeps_ends=self._keeps_ends)
            for at, (value, before) in pairs
            if type(before) is _Length and _LEAST <= _length(value) < before
        }
        if less:
            return less
        numbers: list[tuple[int, Any, Any]] = [
            (at, *pair) for at, pair in pairs if {*map(type, pair)} == {int}
        ]
        if len(numbers) != 1:
            return {}  # two are a place, and a search may begin at any
        ((at, value, before),) = numbers
        if value == before:
            return {}
        further = _FURTHER if self._keeps_ends else _BEYOND
        return {at: value // 2 if value < before else value + further * (value - before)}


def _measure(value: object) -> object:
    """Return what is kept of an argument: how many elements a collection has now."""
    return _Length(_length(value)) if type(value) in _COLLECTIONS else value


class _Length(int):
    """The length of a collection, which is not the number that it is."""


def _length(value: Any) -> int:
    return len(value) if type(value) in _COLLECTIONS else 0


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
