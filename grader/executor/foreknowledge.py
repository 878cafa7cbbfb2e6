"""Detects whether a program has the answer already when its recursion begins.

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
_MAX_IN_A_BOX: Final = 3
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
    """Looks, at the first inner call of some sites, for the answer of the outermost call."""

    def __init__(self, sites: frozenset[str]) -> None:
        """Watch the sites with these keys."""
        self.sites: Final = sites
        self.known: Final[list[list[list[str]]]] = []
        """For each recursive call, and each part of its answer, the names that held it before."""
        self._look: Callable[[], object] = _Unknown
        self._before: object = None
        self.moment: _Moment | None = None
        self.entered = 0
        """How often the sites were called."""

    def starts(self, look: Callable[[], object]) -> None:
        """Note that the call starts; `look` returns the state that it changes."""
        self._look, self.moment = look, None
        self._before = self._state()

    def begins(self, frame: FrameType, *, is_inner: bool) -> None:
        """Note a call of a site, in `frame`; the first inner call is where recursion begins."""
        self.entered += 1
        if self.moment is not None or not is_inner:
            return
        # All are read before the first is copied: copying may run code that changes them.
        held = {name: copied(value, _Unknown()) for name, value in list(_within_reach(frame))}
        around, at = {}, frame.f_back
        while at is not None:
            around[id(at)] = at  # keeps the frame, and so its id
            at = at.f_back
        self.moment = _Moment(held, self._state(), around)

    def hearing(self, function: Any, frame: FrameType) -> Any:
        """Return `function`, wrapped to record its result if `frame` was active before."""
        moment = self.moment
        if moment is None or id(frame) not in moment.around or not _may_answer(function):
            return function

        def heard(*arguments: object, **named: object) -> object:
            known = not named and _were_known(moment, (*_receiver(function), *arguments))
            entered = self.entered
            answer = function(*arguments, **named)
            if known and entered == self.entered:
                moment.held[f"{function.__name__}()"] = copied(answer, _Unknown())
            return answer

        return heard

    def end(self, answer: object) -> None:
        """Take the answer of the call, and note which parts were held when recursion began."""
        if self.moment is None:
            return
        if answer is None:
            after = self._state()
            if not _same(self._before, after):
                self.known.append([[_STATE] if _same(self.moment.state, after) else []])
            return
        parts = answer if type(answer) is tuple and len(answer) <= _MAX_PARTS else (answer,)
        held = self.moment.held
        whole = [name for name, value in held.items() if _holds(value, answer)]
        self.known.append(
            [whole + [name for name in held if _holds(held[name], part)] for part in parts]
        )

    def _state(self) -> object:
        try:
            return copied(self._look(), _Unknown())
        except Exception:
            return _Unknown()


def _may_answer(function: Any) -> bool:
    """Return whether the result of `function` seems to depend only on its arguments."""
    return is_bulky(function) or (type(function) is FunctionType and not function.__closure__)


def _receiver(function: Any) -> tuple[object, ...]:
    """Return the object that `function` is a built-in method of, as a tuple; empty if none."""
    return (function.__self__,) if type(function) is BuiltinFunctionType else ()


def _were_known(moment: _Moment, arguments: tuple[object, ...]) -> bool:
    """Return whether all `arguments`, at least one a collection, were held at the `moment`."""
    data = [each for each in arguments if not isinstance(each, _NO_DATA)]
    return any(map(elements, data)) and all(
        any(_same(value, each) for value in moment.held.values()) for each in data
    )


def _within_reach(frame: FrameType) -> Iterator[tuple[str, object]]:
    """Yield the variables of `frame`, of those that called it, and of its module."""
    home = frame.f_globals
    at: FrameType | None = frame
    for depth in range(_MAX_FRAMES):
        if at is None or at.f_globals is not home:
            break
        yield from _data(at.f_locals, f"{at.f_code.co_name}/{min(depth, 1)}.")
        at = at.f_back
    yield from _data(home, "")


def _data(names: Mapping[str, Any], within: str) -> Iterator[tuple[str, object]]:
    for name in list(names)[:_MAX_NAMES]:
        if not name.startswith("__") and not isinstance(names[name], _NO_DATA):
            yield within + name, names[name]


def _holds(value: object, answer: object) -> bool:
    """Return whether `value` is the `answer`, or a small container with it."""
    if _same(value, answer):
        return True
    if type(value) in _BOXES and len(value) <= _MAX_IN_A_BOX:  # type: ignore[arg-type]
        return any(_same(each, answer) for each in value)  # type: ignore[attr-defined]
    if type(value) is dict and len(value) <= _MAX_IN_A_BOX:
        return any(_same(each, answer) for each in value.values())
    return False


def _same(one: object, other: object) -> bool:
    try:
        return type(one) is type(other) and bool(one == other)  # `==` may return an array
    except Exception:
        return False
