"""Remembers the calls that went on when most of them did: where a recursion went too deep.

What had begun and ended by then is no part of it, and neither is what begins while the stack
unwinds. A lambda that ends in an exception does not say so; it is forgotten with the `def` that it
was called in.
"""

from __future__ import annotations

from types import FrameType
from typing import Final

from grader.executor.summaries import Summaries, Summary

MAX_CALLS: Final = 200
_MAX_ARGUMENTS: Final = 8
_MORE: Final[Summary] = ["more"]


class Trace:
    """The innermost calls of the last deep recursion, each with what it was given."""

    def __init__(self) -> None:
        """Begin without any."""
        self.total = 0
        """How many calls there have been in all."""
        self.depth = 0
        """The most calls that went on at the same time."""
        self._active: Final[list[tuple[int, str, list[Summary]]]] = []
        """The id of the frame of each, the key of its site, and its arguments; outermost first."""
        self._most = 0
        """The same as `depth`, but only since the last time that there was none."""
        self._deepest: list[tuple[int, str, list[Summary]]] = []
        """The innermost that went on then, kept when the first of them ended."""
        self._summaries: Final = Summaries()

    def calls(self) -> list[list[object]]:
        """Return the key and the arguments of each call, outermost first."""
        most = self._active if len(self._active) == self._most else self._deepest
        return [[key, told] for _, key, told in most[-MAX_CALLS:]]

    def clear(self) -> None:
        """Forget what has not ended."""
        self._active.clear()
        self._most = 0

    def begins(self, frame: FrameType, key: str, arguments: tuple[object, ...]) -> None:
        """Hear that the site `key` begins in `frame`."""
        told = [self._summaries.of(argument) for argument in arguments[:_MAX_ARGUMENTS]]
        if len(arguments) > _MAX_ARGUMENTS:
            told.append(_MORE)
        if not self._active:
            self._most = 0
        self._active.append((id(frame), key, told))
        self.total += 1
        active = len(self._active)
        if active > self._most:  # `max` is a call, and there may be no room for one
            self._most = active
            self.depth = active if active > self.depth else self.depth  # noqa: FURB136 - see above

    def ends(self, frame: FrameType, *, alone: bool) -> None:
        """Hear that what began in `frame` ends; if not `alone`, all that began after it has, too.

        Whatever has the id of that frame now has begun last.
        """
        if len(self._active) == self._most:
            self._deepest = self._active[-MAX_CALLS:]
        number = id(frame)
        for index in range(len(self._active) - 1, -1, -1):
            if self._active[index][0] == number:
                del self._active[index : index + 1 if alone else None]
                return
