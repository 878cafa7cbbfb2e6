"""Detects whether a program already has the answer when its recursion begins.

A program that computes an answer first, and then passes it down or lets a recursion check it, has
it in a variable, in a container, or in the state that the call should change, before the first
inner call does anything. So at that point all reachable values are copied, and later compared with
the answer. The results of other functions that get only such values are compared, too, because they
did not need the recursion.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType
from typing import Any, Final

from grader.executor.spreading import element_count, is_bulky

_MAX_FRAMES: Final = 8
_MAX_NAMES: Final = 40
"""How many frames, and how many names in each, are read; few, because all values are copied."""
_MAX_BOX_SIZE: Final = 3
_MAX_PARTS: Final = 4
"""A longer tuple is compared only as a whole, not part by part."""
_STATE: Final = "(state)"
"""Stands for the state that the call should change, among names of variables."""
_NON_DATA_TYPES: Final = (BuiltinFunctionType, FunctionType, ModuleType, type)
_BOXES: Final = (list, tuple, set, frozenset, deque)
_deepcopy: Final = copy.deepcopy


class _Unknown:
    """Stands for an unknown value; it is equal to no other value."""

    __slots__ = ()


@dataclass(slots=True)
class _Snapshot:
    """A snapshot of the reachable values, taken when the recursion began."""

    values: dict[str, object]
    """Copies of values, keyed by the names of function and variable."""
    state: object
    outer_frames: dict[int, FrameType]
    """The frames that were active, by id."""


def deep_copy_or_default(value: object, default: object = None) -> object:
    """Return a deep copy of `value`, or `default` if copying it fails."""
    try:
        return _deepcopy(value)
    except Exception:
        return default


class Foreknowledge:
    """Checks, at the first recursive call, whether the outermost call already has its answer."""

    def __init__(self, sites: frozenset[str]) -> None:
        """Watch calls of the sites whose keys are in `sites`."""
        self.sites: Final = sites
        self.known: Final[list[list[list[str]]]] = []
        """For each examined call, and each part of its answer, the names of the variables that
        already contained it."""
        self._read_state: Callable[[], object] = _Unknown
        self._state_before: object = None
        self.snapshot: _Snapshot | None = None
        self._begun_calls = 0
        """How many calls of the sites have begun."""

    def begin_call(self, read_state: Callable[[], object]) -> None:
        """Prepare for an examined call; `read_state` returns the state that it should change."""
        self._read_state, self.snapshot = read_state, None
        self._state_before = self._state()

    def record_begin(self, frame: FrameType, *, is_inner: bool) -> None:
        """Record that a call of a watched function begins in `frame`.

        The first inner call begins the recursion, so the snapshot is taken then.
        """
        self._begun_calls += 1
        if self.snapshot is not None or not is_inner:
            return
        # Read all values before the first is copied, since copying can run code that changes them.
        reachable = {
            name: deep_copy_or_default(value, _Unknown())
            for name, value in list(_reachable_values(frame))
        }
        active, caller = {}, frame.f_back
        while caller is not None:
            active[id(caller)] = caller  # keeps the frame alive, so that its id is not reused
            caller = caller.f_back
        self.snapshot = _Snapshot(reachable, self._state(), active)

    def wrap_callee(self, function: Any, frame: FrameType) -> Any:
        """Return `function`, wrapped to add its result to the snapshot.

        The result is added if all arguments are in the snapshot, and if the function calls none of
        the watched sites. The function is wrapped only if `frame`, which calls it, was active when
        the recursion began.
        """
        snapshot = self.snapshot
        if (
            snapshot is None
            or id(frame) not in snapshot.outer_frames
            or not _depends_only_on_arguments(function)
        ):
            return function

        def recording_function(*arguments: object, **kwargs: object) -> object:
            is_known = not kwargs and _were_reachable(snapshot, (*_receiver(function), *arguments))
            begun_before = self._begun_calls
            result = function(*arguments, **kwargs)
            if is_known and begun_before == self._begun_calls:  # it called no watched site
                snapshot.values[f"{function.__name__}()"] = deep_copy_or_default(result, _Unknown())
            return result

        return recording_function

    def end_call(self, answer: object) -> None:
        """Record in `known` which variables of the snapshot already contained parts of `answer`.

        If `answer` is None, record instead whether the state that the call has changed was already
        the final one. Does nothing if no recursion began.
        """
        if self.snapshot is None:
            return
        if answer is None:
            after = self._state()
            if not _are_equal(self._state_before, after):
                self.known.append([[_STATE] if _are_equal(self.snapshot.state, after) else []])
            return
        parts = answer if type(answer) is tuple and len(answer) <= _MAX_PARTS else (answer,)
        reachable = self.snapshot.values
        names_with_answer = [name for name, value in reachable.items() if _contains(value, answer)]
        self.known.append(
            [
                names_with_answer + [name for name in reachable if _contains(reachable[name], part)]
                for part in parts
            ]
        )

    def _state(self) -> object:
        """Return a copy of the state that the call should change, or `_Unknown` if that fails."""
        try:
            return deep_copy_or_default(self._read_state(), _Unknown())
        except Exception:
            return _Unknown()


def _depends_only_on_arguments(function: Any) -> bool:
    """Return whether `function` seems to depend on nothing but its arguments."""
    return is_bulky(function) or (type(function) is FunctionType and not function.__closure__)


def _receiver(function: Any) -> tuple[object, ...]:
    """Return, as a tuple, the object that `function` is a built-in method of, if any."""
    return (function.__self__,) if type(function) is BuiltinFunctionType else ()


def _were_reachable(snapshot: _Snapshot, arguments: tuple[object, ...]) -> bool:
    """Return whether all `arguments` that are data were reachable when the recursion began.

    Return False if none of them is a collection with elements.
    """
    data = [argument for argument in arguments if not isinstance(argument, _NON_DATA_TYPES)]
    return any(map(element_count, data)) and all(
        any(_are_equal(value, argument) for value in snapshot.values.values()) for argument in data
    )


def _reachable_values(frame: FrameType) -> Iterator[tuple[str, object]]:
    """Yield the variables of `frame`, of its callers in the same module, and of that module."""
    module_names = frame.f_globals
    current: FrameType | None = frame
    for depth in range(_MAX_FRAMES):
        if current is None or current.f_globals is not module_names:
            break
        yield from _data_among(current.f_locals, f"{current.f_code.co_name}/{min(depth, 1)}.")
        current = current.f_back
    yield from _data_among(module_names, "")


def _data_among(names: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, object]]:
    """Yield each of `names` that is bound to data, prefixed with `prefix`, and its value."""
    for name in list(names)[:_MAX_NAMES]:
        if not name.startswith("__") and not isinstance(names[name], _NON_DATA_TYPES):
            yield prefix + name, names[name]


def _contains(value: object, answer: object) -> bool:
    """Return whether `value` equals `answer`, or is a small container that contains it."""
    if _are_equal(value, answer):
        return True
    if type(value) in _BOXES and len(value) <= _MAX_BOX_SIZE:  # type: ignore[arg-type]
        return any(_are_equal(element, answer) for element in value)  # type: ignore[attr-defined]
    if type(value) is dict and len(value) <= _MAX_BOX_SIZE:
        return any(_are_equal(element, answer) for element in value.values())
    return False


def _are_equal(left: object, right: object) -> bool:
    """Return whether `left` and `right` have the same type and are equal, without raising."""
    try:
        # `==` can return an array, or raise anything.
        return type(left) is type(right) and bool(left == right)
    except Exception:
        return False
