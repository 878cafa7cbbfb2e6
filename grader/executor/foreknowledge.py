"""Detects whether a program already has the answer when its recursion begins.

A program that computes an answer first, and then passes it down or lets a recursion check it, has
it in a variable, in a container, or in the state that the call should change, before the first
inner call does anything. So all values within reach are copied then, and later compared with the
answer. So are the results of other functions that get only such values: they did not need the
recursion.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType
from typing import Any, Final

from grader.executor.spreading import elements, is_bulky

_MAX_FRAMES: Final = 8
_MAX_NAMES: Final = 40
_MAX_BOX_SIZE: Final = 3
_MAX_PARTS: Final = 4
_STATE: Final = "(state)"
"""The name for the state that the call should change."""
_NO_DATA: Final = (BuiltinFunctionType, FunctionType, ModuleType, type)
_BOXES: Final = (list, tuple, set, frozenset, deque)
_deepcopy: Final = copy.deepcopy


class _Unknown:
    """Stands for an unknown value; it equals no other value."""

    __slots__ = ()


@dataclass(slots=True)
class _Moment:
    """The values within reach when the recursion began."""

    held: dict[str, object]
    """Copies of values, by the names of function and variable."""
    state: object
    around: dict[int, FrameType]
    """The frames that were active, by id."""


def copied(value: object, otherwise: object = None) -> object:
    """Return a deep copy of `value`, or `otherwise` if it cannot be copied."""
    try:
        return _deepcopy(value)
    except Exception:
        return otherwise


class Foreknowledge:
    """Looks for the answer of the outermost call at the first inner call of some sites."""

    def __init__(self, sites: frozenset[str]) -> None:
        """Watch the sites with these keys."""
        self.sites: Final = sites
        self.known: Final[list[list[list[str]]]] = []
        """For each recursive call, and each part of its answer, the names that held it before."""
        self._read_state: Callable[[], object] = _Unknown
        self._state_before: object = None
        self.moment: _Moment | None = None
        self.entered = 0
        """How often the sites were called."""

    def starts(self, read_state: Callable[[], object]) -> None:
        """Record that the call starts; `read_state` returns the state that it changes."""
        self._read_state, self.moment = read_state, None
        self._state_before = self._state()

    def begins(self, frame: FrameType, *, is_inner: bool) -> None:
        """Record a call of a site, in `frame`; the recursion begins with the first inner call."""
        self.entered += 1
        if self.moment is not None or not is_inner:
            return
        # All values are read before the first is copied: copying may run code that changes them.
        reachable = {
            name: copied(value, _Unknown()) for name, value in list(_reachable_values(frame))
        }
        active, caller = {}, frame.f_back
        while caller is not None:
            active[id(caller)] = caller  # keeps the frame, and so its id
            caller = caller.f_back
        self.moment = _Moment(reachable, self._state(), active)

    def hearing(self, function: Any, frame: FrameType) -> Any:
        """Return `function`, wrapped to record its result if `frame` was active before."""
        moment = self.moment
        if moment is None or id(frame) not in moment.around or not _may_answer(function):
            return function

        def recorded(*arguments: object, **named: object) -> object:
            is_known = not named and _were_reachable(moment, (*_receiver(function), *arguments))
            entered = self.entered
            answer = function(*arguments, **named)
            if is_known and entered == self.entered:
                moment.held[f"{function.__name__}()"] = copied(answer, _Unknown())
            return answer

        return recorded

    def end(self, answer: object) -> None:
        """Record which parts of the `answer` of the call were held when the recursion began."""
        if self.moment is None:
            return
        if answer is None:
            after = self._state()
            if not _are_equal(self._state_before, after):
                self.known.append([[_STATE] if _are_equal(self.moment.state, after) else []])
            return
        parts = answer if type(answer) is tuple and len(answer) <= _MAX_PARTS else (answer,)
        reachable = self.moment.held
        names_of_whole = [name for name, value in reachable.items() if _contains(value, answer)]
        self.known.append(
            [
                names_of_whole + [name for name in reachable if _contains(reachable[name], part)]
                for part in parts
            ]
        )

    def _state(self) -> object:
        try:
            return copied(self._read_state(), _Unknown())
        except Exception:
            return _Unknown()


def _may_answer(function: Any) -> bool:
    """Return whether the result of `function` seems to depend only on its arguments."""
    return is_bulky(function) or (type(function) is FunctionType and not function.__closure__)


def _receiver(function: Any) -> tuple[object, ...]:
    """Return the object that `function` is a built-in method of, as a tuple; empty if none."""
    return (function.__self__,) if type(function) is BuiltinFunctionType else ()


def _were_reachable(moment: _Moment, arguments: tuple[object, ...]) -> bool:
    """Return whether all `arguments`, at least one a collection, were held at the `moment`."""
    data = [each for each in arguments if not isinstance(each, _NO_DATA)]
    return any(map(elements, data)) and all(
        any(_are_equal(value, each) for value in moment.held.values()) for each in data
    )


def _reachable_values(frame: FrameType) -> Iterator[tuple[str, object]]:
    """Yield the variables of `frame`, of those that called it, and of its module."""
    module_names = frame.f_globals
    current: FrameType | None = frame
    for depth in range(_MAX_FRAMES):
        if current is None or current.f_globals is not module_names:
            break
        yield from _data_among(current.f_locals, f"{current.f_code.co_name}/{min(depth, 1)}.")
        current = current.f_back
    yield from _data_among(module_names, "")


def _data_among(names: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, object]]:
    for name in list(names)[:_MAX_NAMES]:
        if not name.startswith("__") and not isinstance(names[name], _NO_DATA):
            yield prefix + name, names[name]


def _contains(value: object, answer: object) -> bool:
    """Return whether `value` is the `answer`, or a small container with it."""
    if _are_equal(value, answer):
        return True
    if type(value) in _BOXES and len(value) <= _MAX_BOX_SIZE:  # type: ignore[arg-type]
        return any(_are_equal(each, answer) for each in value)  # type: ignore[attr-defined]
    if type(value) is dict and len(value) <= _MAX_BOX_SIZE:
        return any(_are_equal(each, answer) for each in value.values())
    return False


def _are_equal(one: object, other: object) -> bool:
    try:
        return type(one) is type(other) and bool(one == other)  # `==` may return an array
    except Exception:
        return False
