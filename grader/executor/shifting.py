"""Shifts the arguments that drive a recursion, to see whether the answer depends on it.

From one call of a recursive function to the next some argument changes: a collection gets shorter,
or a number goes up or down. If the inner calls of the outermost one get only a part of the
collection, or a number further on, a recursion that does the work gives another answer. If the
answer stays the same, it was there before, in whatever form.
"""

from __future__ import annotations

from types import CodeType
from typing import Any, Final, TypeAlias

Arguments: TypeAlias = tuple[object, ...]

_MIN_LENGTH: Final = 2
_NEAR_FACTOR: Final = 2
_FAR_FACTOR: Final = 1_000
"""Factors for a growing number: it moves on by this many times its own step, past a few elements if
the ends are kept, or past all."""
_SETS: Final = (set, frozenset)
_COLLECTIONS: Final = (bytes, dict, frozenset, list, set, str, tuple)


class Shift:
    """Shifts the arguments that the outermost call of a site passes to its inner calls."""

    def __init__(self, sites: frozenset[str], part: str) -> None:
        """Watch the sites with these keys; keep the `front` or the `ends` of collections."""
        self.sites: Final = sites
        self._keeps_ends: Final = part == "ends"
        self.count = 0
        """How many of the examined calls had a shifted call in them."""
        self._is_counted = False
        self._outer_measures: tuple[object, ...] = ()
        """The measures of the outermost call's arguments."""
        self._code: CodeType | None = None
        """The code of the first site called."""

    def begin(self) -> None:
        """Start the examined call."""
        self._outer_measures, self._code, self._is_counted = (), None, False

    def starts(self, code: CodeType, arguments: Arguments) -> None:
        """Record the `arguments` of an outermost call of the function with this `code`."""
        if self._code is None:
            self._code, self._outer_measures = code, tuple(map(_measure, arguments))

    def given(self, code: CodeType, arguments: Arguments) -> Arguments | None:
        """Return the shifted `arguments` of the function with this `code`, or None if unchanged."""
        shifted = self._shifted_arguments(arguments) if code is self._code else {}
        if not shifted:
            return None
        self.count += not self._is_counted
        self._is_counted = True
        return tuple(shifted.get(position, value) for position, value in enumerate(arguments))

    def _shifted_arguments(self, arguments: Arguments) -> dict[int, object]:
        """Return, by position, the shifted arguments that drive the recursion."""
        pairs = list(enumerate(zip(arguments, self._outer_measures, strict=True)))
        shortened = {
            position: _shortened(value, keeps_ends=self._keeps_ends)
            for position, (value, outer) in pairs
            if type(outer) is _Length and _MIN_LENGTH <= _length(value) < outer
        }
        if shortened:
            return shortened
        numbers: list[tuple[int, Any, Any]] = [
            (position, *pair) for position, pair in pairs if {*map(type, pair)} == {int}
        ]
        if len(numbers) != 1:
            return {}  # two numbers are a position on a board, where a search may begin anywhere
        ((position, value, outer),) = numbers
        if value == outer:
            return {}
        factor = _NEAR_FACTOR if self._keeps_ends else _FAR_FACTOR
        return {position: value // 2 if value < outer else value + factor * (value - outer)}


def _measure(value: object) -> object:
    """Return what to keep of an argument: the current length of a collection, else the value."""
    return _Length(_length(value)) if type(value) in _COLLECTIONS else value


class _Length(int):
    """The length of a collection, as distinct from a number."""


def _length(value: Any) -> int:
    return len(value) if type(value) in _COLLECTIONS else 0


def _shortened(value: Any, *, keeps_ends: bool) -> object:
    """Return the front of `value`, a built-in collection, or all but its middle."""
    ordered = value
    if type(value) in _SETS:
        ordered = sorted(value, key=repr)  # elements may not be comparable
    elif type(value) is dict:
        ordered = list(value.items())
    front = len(ordered) // (4 if keeps_ends else 2)
    back = len(ordered) - (max(1, front) if keeps_ends else 0)
    part = ordered[:front] + ordered[back:]
    return type(value)(part) if type(value) in (*_SETS, dict) else part
