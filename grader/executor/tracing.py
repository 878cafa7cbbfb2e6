"""Remembers calls: those that went on when most of them did, or which call made which.

The first tells where a recursion went too deep. What had begun and ended by then is no part of it,
and neither is what begins while the stack unwinds. A lambda that ends in an exception does not say
so; it is forgotten with the `def` that it was called in.

What a call was given is summed up in a few words, without asking the submission: dispatch is by
exact type, as in `grader.executor.encoding`, and no method of a submission is called. A summary is
JSON::

    ["none"]  ["bool", true]  ["int", 5]  ["float", "0.5"]
    ["int", "-...000000000007 (5000 bits)"]     beyond 10**12
    ["str", length, first characters]
    ["sized", "list", length, "1, (2, 3)"]      the text is None where it would not be short
    ["object", "Board", number]                 the same object has the same number
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Final

from grader.executor.encoding import class_name

Summary = list[object]

MAX_CALLS: Final = 200
MOST_ARGUMENTS: Final = 8
MORE: Final[Summary] = ["more"]
MAX_ATOMS: Final = 6
_MAX_CHARS: Final = 20
_LARGE: Final = 10**12
_MAX_OBJECTS: Final = 10_000
"""So many are told apart: they are kept alive for it, and memory is limited."""
_NAME_CHARS: Final = 60


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

    def evidence(self, recurring: Collection[str]) -> dict[str, object]:
        """Return all of it, as JSON; it does not matter which sites are `recurring`."""
        del recurring
        return {"calls": self.calls(), "total": self.total, "depth": self.depth}

    def clear(self) -> None:
        """Forget what has not ended."""
        self._active.clear()
        self._most = 0

    def begins(self, frame: FrameType, key: str, arguments: tuple[object, ...]) -> None:
        """Hear that the site `key` begins in `frame`."""
        told = [self._summaries.of(argument) for argument in arguments[:MOST_ARGUMENTS]]
        if len(arguments) > MOST_ARGUMENTS:
            told.append(MORE)
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


class _NotShort(Exception):
    """A value has too many elements, or others than plain ones."""


class Summaries:
    """Sums up the arguments of one session."""

    def __init__(self) -> None:
        self._objects: Final[dict[int, tuple[int, object]]] = {}

    def of(self, value: object) -> Summary:
        """Return the summary of `value`."""
        summed_up = _BY_ID.get(id(type(value)))
        return self._object(value) if summed_up is None else summed_up(value)

    def _object(self, value: object) -> Summary:
        number, known = len(self._objects) + 1, self._objects.get(id(value))
        if known is not None:
            number, _ = known
        elif number <= _MAX_OBJECTS:
            self._objects[id(value)] = (number, value)
        else:
            number = 0
        return ["object", class_name(type(value))[:_NAME_CHARS], number]


def _large(value: int) -> str:
    """Return its last digits and its length: to write it out can take long."""
    sign = "-" if value < 0 else ""
    return f"{sign}...{abs(value) % _LARGE:012} ({value.bit_length()} bits)"


def _sized(value: Any) -> Summary:
    length, text = _LARGE, None
    with suppress(OverflowError):  # a range can be longer than `len` can say
        length = len(value)
    if length <= MAX_ATOMS:
        with suppress(_NotShort):
            text = ", ".join(_texts(value, [MAX_ATOMS]))
    return ["sized", type(value).__name__, min(length, _LARGE), text]


def _texts(value: Any, atoms_left: list[int], levels_left: int = 3) -> list[str]:
    """Return how the elements of `value` are written, sorted where they have no order."""
    if len(value) > atoms_left[0] or not levels_left:
        raise _NotShort
    if type(value) is dict:
        return [
            f"{_text(key, atoms_left, levels_left)}: {_text(item, atoms_left, levels_left)}"
            for key, item in value.items()
        ]
    texts = [_text(item, atoms_left, levels_left) for item in value]
    return sorted(texts) if type(value) in (set, frozenset) else texts


def _text(value: Any, atoms_left: list[int], levels_left: int) -> str:
    atoms_left[0] -= 1
    if atoms_left[0] < 0:
        raise _NotShort
    cls = type(value)
    if value is None or cls is bool or cls is float:
        return repr(value)
    if cls is int:
        return str(value) if -_LARGE <= value <= _LARGE else _large(value)
    if cls is str:
        return ascii(value[:_MAX_CHARS])
    if cls is tuple:
        atoms_left[0] += 1  # it is none itself
        inner = ", ".join(_texts(value, atoms_left, levels_left - 1))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    raise _NotShort


_BY_TYPE: Final[dict[type, Callable[[Any], Summary]]] = {
    type(None): lambda _: ["none"],
    bool: lambda value: ["bool", value],
    int: lambda value: ["int", value if -_LARGE <= value <= _LARGE else _large(value)],
    float: lambda value: ["float", repr(value)],
    str: lambda value: ["str", len(value), value[:_MAX_CHARS]],
    **dict.fromkeys((list, tuple, set, frozenset, dict, bytes, range), _sized),
}
_BY_ID: Final = {id(cls): summed_up for cls, summed_up in _BY_TYPE.items()}


# Which call made which, and what each gave: the tree of the calls of one step.
#
# What a call was given and gave is summed up as above. The first calls are
# kept; of later ones only which of the kept ones they were made in, and by which site. Told are the
# calls of the functions that are asked for, and of all that recur: what is left between two of them
# is passed over, so that a helper does not stand in the way.


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
