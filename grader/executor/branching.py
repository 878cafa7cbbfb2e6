"""Remembers which call made which, and what each gave: the tree of the calls of one step.

What a call was given and gave is summed up as in `grader.executor.tracing`. The first calls are
kept; of later ones only which of the kept ones they were made in, and by which site. Told are the
calls of the functions that are asked for, and of all that recur: what is left between two of them
is passed over, so that a helper does not stand in the way.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from types import FrameType
from typing import Final

from grader.executor.tracing import MORE, MOST_ARGUMENTS, Summaries, Summary

_MAX_CALLS: Final = 3_000
_NOWHERE: Final = -1


@dataclass(slots=True)
class _Call:
    """One call that is kept."""

    parent: int
    """The index of the one that it was made in."""
    key: str
    arguments: list[Summary]
    gave: Summary | None = None
    others: set[str] = field(default_factory=set)
    """The sites of calls made in it that are not kept."""


class CallTree:
    """The calls of one step."""

    def __init__(self, functions: Collection[str]) -> None:
        """Tell of `functions`, by their dotted names, and of all that recur."""
        self._functions: Final = functions
        self._calls: Final[list[_Call]] = []
        self._active: Final[list[tuple[int, int, bool]]] = []
        """The id of the frame of each, and the innermost kept call; whether that is it itself."""
        self._summaries: Final = Summaries()

    def clear(self) -> None:
        """Forget all."""
        self._calls.clear()
        self._active.clear()

    def begins(self, frame: FrameType, key: str, arguments: tuple[object, ...]) -> None:
        """Hear that the site `key` begins in `frame`."""
        parent = self._active[-1][1] if self._active else _NOWHERE
        if len(self._calls) < _MAX_CALLS:
            told = [self._summaries.of(argument) for argument in arguments[:MOST_ARGUMENTS]]
            if len(arguments) > MOST_ARGUMENTS:
                told.append(MORE)
            self._calls.append(_Call(parent, key, told))
            self._active.append((id(frame), len(self._calls) - 1, True))
            return
        if parent != _NOWHERE:
            self._calls[parent].others.add(key)
        self._active.append((id(frame), parent, False))

    def gives(self, frame: FrameType, value: object) -> None:
        """Hear that what began in `frame` is about to give `value`."""
        number = id(frame)
        for index in range(len(self._active) - 1, -1, -1):
            at, call, is_own = self._active[index]
            if at == number:
                if is_own:
                    self._calls[call].gave = self._summaries.of(value)
                return

    def ends(self, frame: FrameType, *, alone: bool) -> None:
        """Hear that what began in `frame` ends; if not `alone`, all that began after it has, too.

        Whatever has the id of that frame now has begun last.
        """
        number = id(frame)
        for index in range(len(self._active) - 1, -1, -1):
            if self._active[index][0] == number:
                del self._active[index : index + 1 if alone else None]
                return

    def evidence(self, recurring: Collection[str]) -> dict[str, object]:
        """Return the calls that are told, each with the index of the one that it was made in.

        Sites that are `recurring` are among them.
        """
        told: list[list[object]] = []
        numbers: list[int] = []
        """For each kept call, the number of the innermost told one."""
        for call in self._calls:
            above = _NOWHERE if call.parent == _NOWHERE else numbers[call.parent]
            cut = any(self._is_told(key, recurring) for key in call.others)
            if self._is_told(call.key, recurring):
                numbers.append(len(told))
                told.append([above, call.key, call.arguments, call.gave, cut])
                continue
            numbers.append(above)
            if cut and above != _NOWHERE:
                told[above][-1] = True
        return {"tree": told}

    def _is_told(self, key: str, recurring: Collection[str]) -> bool:
        return key in recurring or key.partition(":")[0] in self._functions
