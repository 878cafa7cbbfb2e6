"""Shifts the arguments that drive a recursion, to see whether the answer depends on it.

From one call of a recursive function to the next some argument changes: a collection gets shorter,
or a number goes up or down. Suppose that the inner calls of the outermost call get only a part of
the collection, or a number some steps further on. If the recursion does the work, the answer then
changes. If the answer stays the same, the program had it before the recursion, in whatever form.
"""

from __future__ import annotations

from types import CodeType
from typing import Any, Final, TypeAlias

Arguments: TypeAlias = tuple[object, ...]

_MIN_LENGTH: Final = 2
_NEAR_FACTOR: Final = 2
_FAR_FACTOR: Final = 1_000
"""Factors for a growing number, which is moved by this many times its own step: past a few elements
if the ends of collections are kept, otherwise past all of them."""
_SETS: Final = (set, frozenset)
_COLLECTIONS: Final = (bytes, dict, frozenset, list, set, str, tuple)


class Shift:
    """Shifts the arguments that the outermost call of a site passes to its inner calls."""

    def __init__(self, sites: frozenset[str], part: str) -> None:
        """Watch the sites with these keys; of collections, keep this `part`: "front" or "ends"."""
        self.sites: Final = sites
        self._keeps_ends: Final = part == "ends"
        self.count = 0
        """How many of the examined calls contained a call with shifted arguments."""
        self._is_counted = False
        self._outer_measures: tuple[object, ...] = ()
        """The outermost call's arguments, as `_measure` returns them."""
        self._code: CodeType | None = None
        """The code of the first site called."""

    def begin_call(self) -> None:
        """Prepare for another examined call, by forgetting the last one except for its count."""
        self._outer_measures, self._code, self._is_counted = (), None, False

    def record_outermost_call(self, code: CodeType, arguments: Arguments) -> None:
        """Record the `arguments` of an outermost call of the function with this `code`.

        Does nothing if an outermost call has already been recorded since `begin_call`.
        """
        if self._code is None:
            self._code, self._outer_measures = code, tuple(map(_measure, arguments))

    def shift_arguments(self, code: CodeType, arguments: Arguments) -> Arguments | None:
        """Return the `arguments` of the function with this `code`, with some of them shifted.

        Return None if none is shifted. Otherwise, also count the examined call in `count`, once.
        """
        shifted = self._shift_driving_arguments(arguments) if code is self._code else {}
        if not shifted:
            return None
        self.count += not self._is_counted
        self._is_counted = True
        return tuple(shifted.get(position, value) for position, value in enumerate(arguments))

    def _shift_driving_arguments(self, arguments: Arguments) -> dict[int, object]:
        """Return the shifted values of the arguments that drive the recursion, by position.

        All collections that have become shorter drive it, or if there are none, the only number, if
        it has changed. Otherwise, return an empty dict.
        """
        pairs = list(enumerate(zip(arguments, self._outer_measures, strict=True)))
        shortened = {
            position: _shorten(value, keeps_ends=self._keeps_ends)
            for position, (value, outer) in pairs
            if type(outer) is _Length and _MIN_LENGTH <= _length_of(value) < outer
        }
        if shortened:
            return shortened
        numbers: list[tuple[int, Any, Any]] = [
            (position, *pair) for position, pair in pairs if {*map(type, pair)} == {int}
        ]
        if len(numbers) != 1:
            return {}  # two numbers can be a position on a board, where a search can start anywhere
        ((position, value, outer),) = numbers
        if value == outer:
            return {}
        factor = _NEAR_FACTOR if self._keeps_ends else _FAR_FACTOR
        return {position: value // 2 if value < outer else value + factor * (value - outer)}


def _measure(value: object) -> object:
    """Return the current length of `value` if it is a collection, otherwise `value` itself."""
    return _Length(_length_of(value)) if type(value) in _COLLECTIONS else value


class _Length(int):
    """The length of a collection, which must not be mistaken for a number argument."""


def _length_of(value: Any) -> int:
    return len(value) if type(value) in _COLLECTIONS else 0


def _shorten(value: Any, *, keeps_ends: bool) -> object:
    """Return the front of `value`, a built-in collection, or with `keeps_ends` both its ends."""
    ordered = value
    if type(value) in _SETS:
        ordered = sorted(value, key=repr)  # elements might not be comparable
    elif type(value) is dict:
        ordered = list(value.items())
    front_length = len(ordered) // (4 if keeps_ends else 2)
    back_start = len(ordered) - (max(1, front_length) if keeps_ends else 0)
    kept = ordered[:front_length] + ordered[back_start:]
    return type(value)(kept) if type(value) in (*_SETS, dict) else kept
