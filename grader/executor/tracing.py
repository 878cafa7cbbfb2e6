"""Records calls: those active at the greatest depth, or a tree of which call made which.

The calls at the greatest depth show where a recursion went too deep. Calls that had ended by then
are left out, and so are calls that begin while the stack unwinds. A lambda that ends with an
exception does not report its end; it is dropped together with the `def` that called it.

Arguments are summarised without running code of the submission: dispatch is by exact type, as in
`grader.executor.encoding`, and no method of a submission is called. A summary is JSON::

    ["none"]  ["bool", true]  ["int", 5]  ["float", "0.5"]
    ["int", "-...000000000007 (5000 bits)"]     beyond 10**12
    ["str", length, first characters]
    ["sized", "list", length, "1, (2, 3)"]      the text is None if it would be too long
    ["object", "Board", number]                 equal numbers mean the same object, except 0:
                                                objects beyond a limit all have the number 0
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
"""Stands for all arguments after the first `MAX_ARGUMENTS`."""
MAX_ATOMS: Final = 6
_MAX_CHARS: Final = 20
_LARGE: Final = 10**12
_MAX_OBJECTS: Final = 10_000
"""The maximum number of objects that get a number of their own. Each of them is kept alive, because
Python could otherwise give its id to another object; that takes memory."""
_NAME_CHARS: Final = 60


class Trace:
    """The innermost calls of the last deep recursion, each with its arguments."""

    def __init__(self) -> None:
        """Start without any calls."""
        self.total = 0
        """The total number of calls."""
        self.depth = 0
        """The maximum number of calls active at the same time."""
        self._active: Final[list[tuple[int, str, list[Summary]]]] = []
        """For each active call the id of its frame, the key of its site, and its arguments.

        The outermost call comes first."""
        self._max_active = 0
        """Like `depth`, but reset whenever no call is active."""
        self._deepest: list[tuple[int, str, list[Summary]]] = []
        """A copy of the innermost active calls, made when the call at depth `_max_active` ended."""
        self._summaries: Final = Summaries()

    def calls(self) -> list[list[object]]:
        """Return the site key and the arguments of the innermost calls at the greatest depth.

        There are at most `MAX_CALLS`, the outermost of them first.
        """
        deepest = self._active if len(self._active) == self._max_active else self._deepest
        return [[key, arguments] for _, key, arguments in deepest[-MAX_CALLS:]]

    def evidence(self, recurring: Collection[str]) -> dict[str, object]:
        """Return the trace as data for JSON.

        `recurring`, which `CallTree.evidence` needs, is ignored.
        """
        del recurring
        return {"calls": self.calls(), "total": self.total, "depth": self.depth}

    def clear(self) -> None:
        """Forget the recorded calls; `total` and `depth` stay."""
        self._active.clear()
        self._max_active = 0

    def record_begin(self, frame: FrameType, key: str, arguments: tuple[object, ...]) -> None:
        """Record that a call to the function of site `key` begins in `frame`.

        `arguments` are those of the call. If no call is active, a new recursion begins, which will
        be the one to show.
        """
        summaries = [self._summaries.summarise(argument) for argument in arguments[:MAX_ARGUMENTS]]
        if len(arguments) > MAX_ARGUMENTS:
            summaries.append(MORE)
        if not self._active:  # the last recursion is shown, even if an earlier one was deeper
            self._max_active = 0
        self._active.append((id(frame), key, summaries))
        self.total += 1
        depth = len(self._active)
        if depth > self._max_active:  # no `max` here: calling it can exceed the recursion limit
            self._max_active = depth
            self.depth = depth if depth > self.depth else self.depth  # noqa: FURB136 - see above

    def record_end(self, frame: FrameType, *, keeps_inner: bool) -> None:
        """Record the end of the call in `frame`.

        Unless `keeps_inner`, all calls that began after it end as well. If two active calls
        have frames with the same id, because that id was reused, the later call is the one that
        ends.
        """
        if len(self._active) == self._max_active:
            # Saved here rather than at each begin, which would copy the list at every level.
            self._deepest = self._active[-MAX_CALLS:]
        frame_id = id(frame)
        for index in range(len(self._active) - 1, -1, -1):
            if self._active[index][0] == frame_id:
                del self._active[index : index + 1 if keeps_inner else None]
                return


class _TooLongError(Exception):
    """A value has too many elements, or elements without a short text."""


class Summaries:
    """Summarises the arguments of the calls in one session."""

    def __init__(self) -> None:
        self._objects: Final[dict[int, tuple[int, object]]] = {}

    def summarise(self, value: object) -> Summary:
        """Return the summary of `value`.

        An object of a type that is not summarised is numbered and kept alive instead.
        """
        summarise_exactly = _BY_ID.get(id(type(value)))
        return (
            self._summarise_object(value) if summarise_exactly is None else summarise_exactly(value)
        )

    def _summarise_object(self, value: object) -> Summary:
        """Return the class of an object and its number.

        A new object is kept alive and gets the next number, or 0 once there are `_MAX_OBJECTS`.
        """
        number, existing = len(self._objects) + 1, self._objects.get(id(value))
        if existing is not None:
            number, _ = existing
        elif number <= _MAX_OBJECTS:
            self._objects[id(value)] = (number, value)
        else:
            number = 0
        return ["object", class_name(type(value))[:_NAME_CHARS], number]


def _abbreviate_int(value: int) -> str:
    """Return the last digits of `value` and its number of bits: converting all digits is slow."""
    sign = "-" if value < 0 else ""
    return f"{sign}...{abs(value) % _LARGE:012} ({value.bit_length()} bits)"


def _summarise_collection(value: Any) -> Summary:
    """Return the class and the length of `value`, and its text if that is short."""
    length, text = _LARGE, None
    with suppress(OverflowError):  # a range can be longer than `len` can return
        length = len(value)
    if length <= MAX_ATOMS:
        with suppress(_TooLongError):
            text = ", ".join(_element_texts(value, [MAX_ATOMS]))
    return ["sized", type(value).__name__, min(length, _LARGE), text]


def _element_texts(value: Any, atoms_left: list[int], levels_left: int = 3) -> list[str]:
    """Return the elements of `value` as texts, sorted if it is a set.

    `atoms_left` holds one number, which all levels share; the atoms are subtracted from it. Raises
    `_TooLongError` if there are too many atoms or levels, or if an element has no short text.
    """
    if len(value) > atoms_left[0] or not levels_left:
        raise _TooLongError
    if type(value) is dict:
        return [
            f"{_as_text(key, atoms_left, levels_left)}: {_as_text(item, atoms_left, levels_left)}"
            for key, item in value.items()
        ]
    # Equal sets can iterate in different orders.
    texts = [_as_text(item, atoms_left, levels_left) for item in value]
    return sorted(texts) if type(value) in (set, frozenset) else texts


def _as_text(value: Any, atoms_left: list[int], levels_left: int) -> str:
    """Return `value` as text, and subtract its atoms from the number in `atoms_left`.

    Raises `_TooLongError` if there are too many atoms or levels, or if `value` has no short text.
    """
    atoms_left[0] -= 1
    if atoms_left[0] < 0:
        raise _TooLongError
    cls = type(value)
    if value is None or cls is bool or cls is float:
        return repr(value)
    if cls is int:
        return str(value) if -_LARGE <= value <= _LARGE else _abbreviate_int(value)
    if cls is str:
        return ascii(value[:_MAX_CHARS])
    if cls is tuple:
        atoms_left[0] += 1  # a tuple itself is not an atom
        inner = ", ".join(_element_texts(value, atoms_left, levels_left - 1))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    raise _TooLongError


_BY_TYPE: Final[dict[type, Callable[[Any], Summary]]] = {
    type(None): lambda _: ["none"],
    bool: lambda value: ["bool", value],
    int: lambda value: ["int", value if -_LARGE <= value <= _LARGE else _abbreviate_int(value)],
    float: lambda value: ["float", repr(value)],
    str: lambda value: ["str", len(value), value[:_MAX_CHARS]],
    **dict.fromkeys((list, tuple, set, frozenset, dict, bytes, range), _summarise_collection),
}
# By `id`, because a look-up by class would call `__hash__` and `__eq__` of its metaclass.
_BY_ID: Final = {id(cls): summarise for cls, summarise in _BY_TYPE.items()}


# The tree of the calls of one step: which call made which, and what each returned.
#
# Arguments and return values are summarised as above. Only the first `_MAX_TREE_CALLS` calls are
# kept. For a later call, only its site is recorded, in the kept call that led to it. Only calls of
# the requested functions, and of all recursive ones, are reported; calls between them, such as
# those of helpers, are left out.


_MAX_TREE_CALLS: Final = 3_000
_NO_CALL: Final = -1


@dataclass(slots=True)
class _Call:
    """A call that is kept."""

    parent: int
    """The index of the call that made this one."""
    key: str
    arguments: list[Summary]
    returned: Summary | None = None
    dropped_sites: set[str] = field(default_factory=set)
    """The sites of the calls that it led to and that are not kept."""


class CallTree:
    """The tree of the calls in one step."""

    def __init__(self, functions: Collection[str]) -> None:
        """Report calls of `functions`, given as dotted names, and of all recursive functions."""
        self._functions: Final = functions
        self._calls: Final[list[_Call]] = []
        self._active: Final[list[tuple[int, int, bool]]] = []
        """For each active call: the id of its frame, the index of the innermost kept call, and
        whether that is this call itself."""
        self._summaries: Final = Summaries()

    def clear(self) -> None:
        """Forget all calls."""
        self._calls.clear()
        self._active.clear()

    def record_begin(self, frame: FrameType, key: str, arguments: tuple[object, ...]) -> None:
        """Record that a call of the site `key` begins in `frame`, with its `arguments`.

        Once `_MAX_TREE_CALLS` are kept, only the site is recorded.
        """
        parent = self._active[-1][1] if self._active else _NO_CALL
        if len(self._calls) < _MAX_TREE_CALLS:
            summaries = [
                self._summaries.summarise(argument) for argument in arguments[:MAX_ARGUMENTS]
            ]
            if len(arguments) > MAX_ARGUMENTS:
                summaries.append(MORE)
            self._calls.append(_Call(parent, key, summaries))
            self._active.append((id(frame), len(self._calls) - 1, True))
            return
        if parent != _NO_CALL:
            self._calls[parent].dropped_sites.add(key)
        self._active.append((id(frame), parent, False))

    def record_value(self, frame: FrameType, value: object) -> None:
        """Record that the call in `frame` is about to return `value`, if that call is kept."""
        frame_id = id(frame)
        for index in range(len(self._active) - 1, -1, -1):
            active_id, call_index, is_kept = self._active[index]
            if active_id == frame_id:
                if is_kept:
                    self._calls[call_index].returned = self._summaries.summarise(value)
                return

    def record_end(self, frame: FrameType, *, keeps_inner: bool) -> None:
        """Record the end of the call in `frame`.

        Unless `keeps_inner`, all calls that began after it end as well. If two active calls
        have frames with the same id, because that id was reused, the later call is the one that
        ends.
        """
        frame_id = id(frame)
        for index in range(len(self._active) - 1, -1, -1):
            if self._active[index][0] == frame_id:
                del self._active[index : index + 1 if keeps_inner else None]
                return

    def evidence(self, recurring: Collection[str]) -> dict[str, object]:
        """Return the reported calls as data for JSON.

        Each call has the index of the reported call that led to it, and a flag that says whether it
        led to other calls that were not kept. Calls of `recurring` sites are reported even if they
        were not requested.
        """
        reported: list[list[object]] = []
        report_indexes: list[int] = []
        """For each kept call, the index of the innermost reported call."""
        for call in self._calls:
            parent = _NO_CALL if call.parent == _NO_CALL else report_indexes[call.parent]
            is_incomplete = any(self._is_reported(key, recurring) for key in call.dropped_sites)
            if self._is_reported(call.key, recurring):
                report_indexes.append(len(reported))
                reported.append([parent, call.key, call.arguments, call.returned, is_incomplete])
                continue
            report_indexes.append(parent)
            if is_incomplete and parent != _NO_CALL:
                reported[parent][-1] = True
        return {"tree": reported}

    def _is_reported(self, key: str, recurring: Collection[str]) -> bool:
        return key in recurring or key.partition(":")[0] in self._functions
