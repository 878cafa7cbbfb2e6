"""Finds code that uses data whose representation only some functions may know.

The functions that *make* the data return a stand-in for it. Those that may *know* the
representation get the data itself when they are passed a stand-in. All other code can use a
stand-in, as it forwards every operation, but each use is recorded: the function, the line, and
the kind of operation.

A touch is attributed to the innermost code of the submission, as a built-in function acts on
behalf of its caller. The suite's own steps are not recorded, nor are operations that work for any
data: `==`, `hash`, `repr`, `deepcopy`. A touch of what a maker returned is *sure*. A touch of data
that another knowing function returned is not, as that may be its answer: a person has to judge.
"""

from __future__ import annotations

import builtins
import copy
import operator
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, Final, TypeAlias, cast

from grader.executor.encoding import is_atomic

MAX_TOUCHES: Final = 300
_MAX_SEALED: Final = 100_000
_MAX_CODES: Final = 10_000
_NAME_CHARS: Final = 200

_frame: Final = sys._getframe  # noqa: SLF001 - it finds the code that uses the data
_copy: Final = copy.copy
_deepcopy: Final = copy.deepcopy
_EMPTY: Final[tuple[Any, ...]] = ((), frozenset())
"""Python shares these objects, so that their identity does not show whose data it is."""
_getattr: Final = getattr
_setattr: Final = setattr
_delattr: Final = delattr

_TRUTH: Final = "truth"
Touch: TypeAlias = tuple[str, int, str, bool]
"""Function, line, how it used the data, and whether that is sure."""


class Sealed:
    """A stand-in: it records each operation, and forwards it to the data."""

    __slots__ = ("data", "seal", "sure")

    def __getattribute__(self, name: str) -> Any:
        """Return the attribute of the data and record the touch; a deep copy is a stand-in, too."""
        if name == "__deepcopy__":
            return partial(_deeply_copied, self)
        _record_touch(self, "operator" if name == "__class__" else "attribute")
        return _getattr(_data(self), name)

    def __setattr__(self, name: str, value: object) -> None:
        _record_touch(self, "attribute")
        _setattr(_data(self), name, data_of(value))

    def __delattr__(self, name: str) -> None:
        _record_touch(self, "attribute")
        _delattr(_data(self), name)

    def __copy__(self) -> Any:
        _record_touch(self, "operator")
        return _seal(self).sealed(_copy(_data(self)), sure=_sure(self))

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Call the data and record the touch."""
        _record_touch(self, "call")
        return _data(self)(*args, **named)


Sealed.__name__ = Sealed.__qualname__ = "sealed data"
"""The class name in replies."""
_data: Final[Callable[[Any], Any]] = vars(Sealed)["data"].__get__
_seal: Final[Callable[[Any], Seal]] = vars(Sealed)["seal"].__get__
_sure: Final[Callable[[Any], bool]] = vars(Sealed)["sure"].__get__
_slots: Final = [vars(Sealed)[name].__set__ for name in ("data", "seal", "sure")]


def data_of(value: Any) -> Any:
    """Return the data that `value` stands in for if it is a stand-in, else `value` itself."""
    return _data(value) if type(value) is Sealed else value


def _record_touch(stand_in: Sealed, how: str) -> None:
    # `if board:` may test whether there is a board, not look into it: never sure.
    _seal(stand_in).note(how, sure=_sure(stand_in) and how != _TRUTH)


def _deeply_copied(stand_in: Sealed, memo: dict[int, Any]) -> Any:
    data = _deepcopy(_data(stand_in), memo)
    return _seal(stand_in).sealed(data, sure=_sure(stand_in))


def _forwarding(how: str, do: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that records a touch, then applies `do` to the data."""

    def method(self: Sealed, *args: Any) -> Any:
        _record_touch(self, how)
        return do(_data(self), *map(data_of, args))

    return method


def _forwarding_silently(do: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Sealed, *args: Any) -> Any:
        return do(_data(self), *map(data_of, args))

    return method


def _reflected(do: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def method(self: Sealed, other: Any) -> Any:
        _record_touch(self, "operator")
        return do(data_of(other), _data(self))

    return method


def _in_place(do: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def method(self: Sealed, other: Any) -> Any:
        _record_touch(self, "operator")
        data = _data(self)
        result = do(data, data_of(other))
        return self if result is data else result

    return method


_UNRECORDED: Final = "eq ne hash repr str format"
_BINARY: Final = """
    add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor
"""
_BY_TOUCH: Final = {
    "index": "getitem setitem delitem",
    "in": "contains",
    "iterate": "iter next reversed",
    "len": "len",
    _TRUTH: "bool",
    "operator": "index int float round neg pos abs invert lt le gt ge",
}
"""Special methods by how they use the data."""


def _function(name: str) -> Callable[..., Any]:
    """Return the function for the special method `name`, from `builtins` or `operator`."""
    function = _getattr(builtins, name, None) or _getattr(operator, f"__{name}__")
    return cast(Callable[..., Any], function)


def _methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the name, without underscores, and the function of each special method."""
    for name in _UNRECORDED.split():
        yield name, _forwarding_silently(_function(name))
    for how, names in _BY_TOUCH.items():
        yield from ((name, _forwarding(how, _function(name))) for name in names.split())
    for name in _BINARY.split():
        combine = _function(name)
        yield name, _forwarding("operator", combine)
        yield f"r{name}", _reflected(combine)
        in_place = _getattr(operator, f"i{name}", None)
        if in_place is not None:
            yield f"i{name}", _in_place(in_place)


for _name, _method in _methods():
    setattr(Sealed, f"__{_name}__", _method)


class Seal:
    """Seals the data of one session."""

    def __init__(self, settings: dict[str, Any]) -> None:
        """Seal the results of functions in `made_by`, for all but those in `known_to`."""
        self._made_by: Final = frozenset(settings["made_by"])
        self._known_to: Final = frozenset(settings["known_to"]) | self._made_by
        self._modules: Final[dict[int, tuple[str, ModuleType]]] = {}
        """Modules of the submission by the id of their namespace."""
        self._allowed_codes: Final[dict[int, CodeType]] = {}
        """The code that may use the data, and all code nested in it, by id."""
        self._stand_ins: Final[dict[tuple[int, bool], Sealed]] = {}
        self._touches: Final[dict[Touch, int]] = {}
        self._missing: Final[list[str]] = []

    def arm(self, modules: Mapping[str, ModuleType]) -> None:
        """Wrap the knowing functions in all `modules` of the submission."""
        for name, module in modules.items():
            self._modules.setdefault(id(module.__dict__), (name, module))
        replaced = {}
        for dotted in sorted(
            self._known_to
        ):  # the order of a set of strings depends on the hash seed
            module_name, _, name = dotted.partition(".")
            namespace = modules[module_name].__dict__ if module_name in modules else {}
            function = namespace.get(name)
            if callable(function) and not isinstance(function, type):
                replaced[id(function)] = function, self._wrapped(dotted, function)
            elif dotted in self._made_by:
                self._missing.append(dotted)
        for _, module in self._modules.values():
            for name, value in list(module.__dict__.items()):
                if id(value) in replaced:
                    module.__dict__[name] = replaced[id(value)][1]

    def evidence(self) -> dict[str, object]:
        """Return all touches, as data for JSON: function, line, how, whether sure, how often."""
        touches = [[*touch, count] for touch, count in self._touches.items()]
        made = sum(data_of(stand_in) is not None for stand_in in self._stand_ins.values())
        return {"touches": touches, "missing": self._missing, "made": made}

    def _wrapped(self, dotted: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a wrapper for a `function` that may know the representation."""
        makes = dotted in self._made_by
        self._allowed_codes.update((id(code), code) for code in _codes(function))

        def known(*args: Any, **named: Any) -> Any:
            result = function(
                *map(_unsealed, args), **{name: _unsealed(each) for name, each in named.items()}
            )
            if id(_frame(1).f_code) in self._allowed_codes:  # the caller works on the data itself
                return data_of(result)
            if makes and result is not None:
                return self.sealed(result, sure=True)
            is_ours = (id(result), True) in self._stand_ins and not _is_shared_object(result)
            return self.sealed(result, sure=False) if is_ours else result

        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            _setattr(known, name, _getattr(function, name, None))
        return known

    def sealed(self, data: Any, *, sure: bool) -> Any:
        """Return the stand-in for `data`, always the same one."""
        if type(data) is Sealed:
            return data
        key = id(data), sure
        if key not in self._stand_ins:
            if len(self._stand_ins) >= _MAX_SEALED:
                return data
            stand_in = Sealed()
            for fill, value in zip(_slots, (data, self, sure), strict=True):
                fill(stand_in, value)
            self._stand_ins[key] = stand_in  # keeps the data, and so its id
        return self._stand_ins[key]

    def note(self, how: str, *, sure: bool) -> None:
        """Record a touch of the data by the innermost code of the submission."""
        frame: FrameType | None = _frame(1)
        while frame is not None:
            module = self._modules.get(id(frame.f_globals))
            if module is not None:
                function = f"{module[0]}.{frame.f_code.co_qualname}"[:_NAME_CHARS]
                touch = function, frame.f_lineno or 0, how, sure
                if touch in self._touches or len(self._touches) < MAX_TOUCHES:
                    self._touches[touch] = self._touches.get(touch, 0) + 1
                return
            frame = frame.f_back


def _is_shared_object(value: object) -> bool:
    return is_atomic(value) or any(value is each for each in _EMPTY)


def _unsealed(value: Any) -> Any:
    """Return `value`, with data in place of stand-ins: of `value` itself and its elements."""
    kind = type(value)
    if kind is Sealed:
        return _data(value)
    if kind is tuple or kind is list:
        elements = value
    elif kind is dict:
        elements = value.values()
    else:
        return value
    if not any(type(each) is Sealed for each in elements):
        return value
    if kind is dict:
        return {key: data_of(each) for key, each in value.items()}
    return kind(map(data_of, elements))


def _codes(function: object) -> Iterator[CodeType]:
    """Yield the code of `function`, of functions it decorates, and all nested code."""
    pending: list[object] = [function]
    visited: set[int] = set()
    while pending and len(visited) < _MAX_CODES:
        item = pending.pop()
        if id(item) in visited:
            continue
        visited.add(id(item))
        if type(item) is FunctionType:
            pending += [item.__code__, *_cell_contents(item)]
        elif type(item) is CodeType:
            yield item
            pending += item.co_consts


def _cell_contents(function: FunctionType) -> Iterator[object]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # an empty cell
            continue
