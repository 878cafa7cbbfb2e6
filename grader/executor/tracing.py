"""Records calls: those active at the greatest depth, or which call made which.

The former show where a recursion went too deep. Calls that had ended by then are not part of it,
nor are those that begin while the stack unwinds. The end of a lambda by an exception is not
noticed; it is dropped with the `def` that called it.

Arguments are summed up briefly, without running code of the submission: dispatch is by exact type,
as in `grader.executor.encoding`, and no method of a submission is called. A summary is JSON::

    ["none"]  ["bool", true]  ["int", 5]  ["float", "0.5"]
    ["int", "-...000000000007 (5000 bits)"]     beyond 10**12
    ["str", length, first characters]
    ["sized", "list", length, "1, (2, 3)"]      the text is None if it would be long
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
MAX_ARGUMENTS: Final = 8
MORE: Final[Summary] = ["more"]
MAX_ATOMS: Final = 6
_MAX_CHARS: Final = 20
_LARGE: Final = 10**12
_MAX_OBJECTS: Final = 10_000
"""How many objects get a number: they are kept alive for it, and memory is limited."""
_NAME_CHARS: Final = 60


class Trace:
    """The innermost calls of the last deep recursion, each with its arguments."""

    def __init__(self) -> None:
        """Begin without any."""
        self.total = 0
        """How many calls there were in all."""
        self.depth = 0
        """The most calls that were active at the same time."""
        self._active: Final[list[tuple[int, str, list[Summary]]]] = []
        """For each active call its frame's id, its site's key and arguments; outermost first."""
        self._most = 0
        """The same as `depth`, but only since no call was active."""
        self._deepest: list[tuple[int, str, list[Summary]]] = []
        """The innermost active calls at depth `_most`, saved when the first of them ended."""
        self._summaries: Final = Summaries()

    def calls(self) -> list[list[object]]:
        """Return the key and the arguments of each call, outermost first."""
        most = self._active if len(self._active) == self._most else self._deepest
        return [[key, told] for _, key, told in most[-MAX_CALLS:]]

    def evidence(self, recurring: Collection[str]) -> dict[str, object]:
        """Return the trace, as data for JSON; `recurring` makes no difference."""
        del recurring
        return {"calls": self.calls(), "total": self.total, "depth": self.depth}

    def clear(self) -> None:
        """Forget the active calls."""
        self._active.clear()
        self._most = 0

    def begins(self, frame: FrameType, key: str, arguments: tuple[object, ...]) -> None:
        """Record that the site `key` begins in `frame`."""
        told = [self._summaries.of(argument) for argument in arguments[:MAX_ARGUMENTS]]
        if len(arguments) > MAX_ARGUMENTS:
            told.append(MORE)
        if not self._active:
            self._most = 0
        self._active.append((id(frame), key, told))
        self.total += 1
        active = len(self._active)
        if active > self._most:  # not `max`: a call may exceed the recursion limit
            self._most = active
            self.depth = active if active > self.depth else self.depth  # noqa: FURB136 - see above

    def ends(self, frame: FrameType, *, alone: bool) -> None:
        """Record the end of the call in `frame`, and unless `alone` of all that began after it.

        If the id of the frame was reused, the last call with it counts.
        """
        if len(self._active) == self._most:
            self._deepest = self._active[-MAX_CALLS:]
        number = id(frame)
        for index in range(len(self._active) - 1, -1, -1):
            if self._active[index][0] == number:
                del self._active[index : index + 1 if alone else None]
                return


class _NotShort(Exception):
    """A value has too many elements, or elements that are not plain."""


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
    """Return its last digits and its length: converting all of it can take long."""
    sign = "-" if value < 0 else ""
    return f"{sign}...{abs(value) % _LARGE:012} ({value.bit_length()} bits)"


def _sized(value: Any) -> Summary:
    length, text = _LARGE, None
    with suppress(OverflowError):  # a range can be longer than `len` can return
        length = len(value)
    if length <= MAX_ATOMS:
        with suppress(_NotShort):
            text = ", ".join(_texts(value, [MAX_ATOMS]))
    return ["sized", type(value).__name__, min(length, _LARGE), text]


def _texts(value: Any, atoms_left: list[int], levels_left: int = 3) -> list[str]:
    """Return the elements of `value` as text, sorted if they have no order."""
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
        atoms_left[0] += 1  # a tuple itself is not an atom
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


# The tree of the calls of one step: which call made which, and what each returned.
#
# Arguments and return values are summed up as above. The first calls are kept; of later ones only
# their site, and the kept call they were made in. Only calls of the requested functions, and of
# all that recur, are reported; calls between two of them, as of helpers, are left out.


_MAX_CALLS: Final = 3_000
_NOWHERE: Final = -1


@dataclass(slots=True)
class _Call:
    """One call that is kept."""

    parent: int
    """The index of the call that it was made in."""
    key: str
    arguments: list[Summary]
    gave: Summary | None = None
    others: set[str] = field(default_factory=set)
    """The sites of calls made in it that are not kept."""


class CallTree:
    """The calls of one step."""

    def __init__(self, functions: Collection[str]) -> None:
        """Report calls of `functions`, by their dotted names, and of all that recur."""
        self._functions: Final = functions
        self._calls: Final[list[_Call]] = []
        self._active: Final[list[tuple[int, int, bool]]] = []
        """For each active call its frame's id, the innermost kept call, and whether it is that."""
        self._summaries: Final = Summaries()

    def clear(self) -> None:
        """Forget all calls."""
        self._calls.clear()
        self._active.clear()

    def begins(self, frame: FrameType, key: str, arguments: tuple[object, ...]) -> None:
        """Record that the site `key` begins in `frame`."""
        parent = self._active[-1][1] if self._active else _NOWHERE
        if len(self._calls) < _MAX_CALLS:
            told = [self._summaries.of(argument) for argument in arguments[:MAX_ARGUMENTS]]
            if len(arguments) > MAX_ARGUMENTS:
                told.append(MORE)
            self._calls.append(_Call(parent, key, told))
            self._active.append((id(frame), len(self._calls) - 1, True))
            return
        if parent != _NOWHERE:
            self._calls[parent].others.add(key)
        self._active.append((id(frame), parent, False))

    def gives(self, frame: FrameType, value: object) -> None:
        """Record that the call in `frame` is about to return `value`."""
        number = id(frame)
        for index in range(len(self._active) - 1, -1, -1):
            at, call, is_own = self._active[index]
            if at == number:
                if is_own:
                    self._calls[call].gave = self._summaries.of(value)
                return

    def ends(self, frame: FrameType, *, alone: bool) -> None:
        """Record the end of the call in `frame`, and unless `alone` of all that began after it.

        If the id of the frame was reused, the last call with it counts.
        """
        number = id(frame)
        for index in range(len(self._active) - 1, -1, -1):
            if self._active[index][0] == number:
                del self._active[index : index + 1 if alone else None]
                return

    def evidence(self, recurring: Collection[str]) -> dict[str, object]:
        """Return the reported calls, each with the index of the one that it was made in.

        Calls of `recurring` sites are among them.
        """
        told: list[list[object]] = []
        numbers: list[int] = []
        """For each kept call, the index of the innermost reported one."""
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
