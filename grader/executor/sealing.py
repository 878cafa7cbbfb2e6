"""Finds code that uses data whose representation only certain functions may rely on.

The functions that *make* the data return a stand-in for it. Functions that are allowed to *know*
the representation get the data itself when they are passed a stand-in. All other code can still use
a stand-in, since it forwards every operation, but each use is recorded as a *touch*: the function,
the line, and the kind of operation.

A touch is attributed to the innermost code of the submission, since a built-in function acts on
behalf of its caller. The suite's own steps are not recorded, nor are operations that work for
any data: `==`, `hash`, `repr`, `deepcopy`. A touch of data that a maker returned is *sure*. A touch
of data that another knowing function returned is not, because that data might be the answer that
the function is meant to give: a person has to judge.
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

_frame: Final = sys._getframe  # noqa: SLF001 - to find the code that uses the data
_copy: Final = copy.copy
_deepcopy: Final = copy.deepcopy
_EMPTY: Final[tuple[Any, ...]] = ((), frozenset())
"""Python shares these objects, so their identity does not show who made them."""
_getattr: Final = getattr
_setattr: Final = setattr
_delattr: Final = delattr

_TRUTH: Final = "truth"
Touch: TypeAlias = tuple[str, int, str, bool]
"""The function, the line, how it used the data, and whether the touch is sure."""


class Sealed:
    """A stand-in that records each operation and forwards it to the data."""

    __slots__ = ("data", "seal", "sure")

    def __getattribute__(self, name: str) -> Any:
        """Record the touch and return the attribute of the data; a deep copy is a stand-in, too."""
        if name == "__deepcopy__":
            return partial(_deep_copy_stand_in, self)
        # `isinstance` reads `__class__`.
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
        return _seal(self).stand_in_for(_copy(_data(self)), sure=_sure(self))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the data and record the touch."""
        _record_touch(self, "call")
        return _data(self)(*args, **kwargs)


Sealed.__name__ = Sealed.__qualname__ = "sealed data"
"""The name of the class in replies to the judge."""
_data: Final[Callable[[Any], Any]] = vars(Sealed)["data"].__get__
_seal: Final[Callable[[Any], Seal]] = vars(Sealed)["seal"].__get__
_sure: Final[Callable[[Any], bool]] = vars(Sealed)["sure"].__get__
_slots: Final = [vars(Sealed)[name].__set__ for name in ("data", "seal", "sure")]


def data_of(value: Any) -> Any:
    """Return the data behind `value` if it is a stand-in, otherwise `value` itself."""
    return _data(value) if type(value) is Sealed else value


def _record_touch(stand_in: Sealed, usage: str) -> None:
    # Never sure for a truth test: `if board:` might only ask whether there is a board at all.
    _seal(stand_in).record_touch(usage, sure=_sure(stand_in) and usage != _TRUTH)


def _deep_copy_stand_in(stand_in: Sealed, memo: dict[int, Any]) -> Any:
    data = _deepcopy(_data(stand_in), memo)
    return _seal(stand_in).stand_in_for(data, sure=_sure(stand_in))


def _make_forwarding_method(usage: str, operation: Callable[..., Any]) -> Callable[..., Any]:
    """Return a special method that records a touch, then applies `operation` to the data."""

    def method(self: Sealed, *args: Any) -> Any:
        _record_touch(self, usage)
        return operation(_data(self), *map(data_of, args))

    return method


def _make_silent_method(operation: Callable[..., Any]) -> Callable[..., Any]:
    """Return a special method that applies `operation` to the data, and records nothing."""

    def method(self: Sealed, *args: Any) -> Any:
        return operation(_data(self), *map(data_of, args))

    return method


def _make_reflected_method(operation: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Return a special method for a binary `operation` with the data on the right."""

    def method(self: Sealed, other: Any) -> Any:
        _record_touch(self, "operator")
        return operation(data_of(other), _data(self))

    return method


def _make_in_place_method(operation: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Return a special method for an in-place `operation`, such as `+=`."""

    def method(self: Sealed, other: Any) -> Any:
        _record_touch(self, "operator")
        data = _data(self)
        result = operation(data, data_of(other))
        return self if result is data else result

    return method


_UNRECORDED: Final = "eq ne hash repr str format"
_BINARY: Final = """
    add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor
"""
_NAMES_BY_USAGE: Final = {
    "index": "getitem setitem delitem",
    "in": "contains",
    "iterate": "iter next reversed",
    "len": "len",
    _TRUTH: "bool",
    "operator": "index int float round neg pos abs invert lt le gt ge",
}
"""The names of special methods, keyed by how these use the data."""


def _function(name: str) -> Callable[..., Any]:
    """Return the function that calls the special method `name`: a built-in, or from `operator`."""
    function = _getattr(builtins, name, None) or _getattr(operator, f"__{name}__")
    return cast(Callable[..., Any], function)


def _special_methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield each special method to add to `Sealed`, after its name without underscores."""
    for name in _UNRECORDED.split():
        yield name, _make_silent_method(_function(name))
    for usage, names in _NAMES_BY_USAGE.items():
        yield from (
            (name, _make_forwarding_method(usage, _function(name))) for name in names.split()
        )
    for name in _BINARY.split():
        combine = _function(name)
        yield name, _make_forwarding_method("operator", combine)
        yield f"r{name}", _make_reflected_method(combine)
        in_place = _getattr(operator, f"i{name}", None)
        if in_place is not None:
            yield f"i{name}", _make_in_place_method(in_place)


for _name, _method in _special_methods():
    setattr(Sealed, f"__{_name}__", _method)


class Seal:
    """Seals the data in one session, and collects the touches."""

    def __init__(self, settings: dict[str, Any]) -> None:
        """Seal what the functions in `made_by` return; those in `known_to` are allowed to use it.

        `made_by` and `known_to` are lists of dotted names in `settings`.
        """
        self._made_by: Final = frozenset(settings["made_by"])
        self._known_to: Final = frozenset(settings["known_to"]) | self._made_by
        self._modules: Final[dict[int, tuple[str, ModuleType]]] = {}
        """The name and the module, by the id of its namespace. The module is kept alive, so that
        the id is not reused."""
        self._allowed_codes: Final[dict[int, CodeType]] = {}
        """The code that is allowed to use the data, including all code nested in it, by id."""
        self._stand_ins: Final[dict[tuple[int, bool], Sealed]] = {}
        """The stand-ins, by the id of their data and whether touches of it are sure."""
        self._touches: Final[dict[Touch, int]] = {}
        """How often each touch happened."""
        self._missing: Final[list[str]] = []

    def arm(self, modules: Mapping[str, ModuleType]) -> None:
        """Replace the knowing functions with wrappers, in all `modules` of the submission.

        A maker that the submission does not define as a function is reported as missing.
        """
        for name, module in modules.items():
            self._modules.setdefault(id(module.__dict__), (name, module))
        wrappers = {}
        # Sorted, because the order of a set of strings depends on the hash seed.
        for dotted_name in sorted(self._known_to):
            module_name, _, name = dotted_name.partition(".")
            namespace = modules[module_name].__dict__ if module_name in modules else {}
            function = namespace.get(name)
            if callable(function) and not isinstance(function, type):
                wrappers[id(function)] = function, self._wrap(dotted_name, function)
            elif dotted_name in self._made_by:
                self._missing.append(dotted_name)
        for _, module in self._modules.values():
            for name, value in list(module.__dict__.items()):
                if id(value) in wrappers:
                    module.__dict__[name] = wrappers[id(value)][1]

    def evidence(self) -> dict[str, object]:
        """Return the touches, the missing makers and the number of stand-ins, as data for JSON.

        Each touch is a list: the function, the line, how it used the data, whether the touch is
        sure, and how often it happened. Stand-ins for None are not counted.
        """
        touches = [[*touch, count] for touch, count in self._touches.items()]
        made = sum(data_of(stand_in) is not None for stand_in in self._stand_ins.values())
        return {"touches": touches, "missing": self._missing, "made": made}

    def _wrap(self, dotted_name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a wrapper for the knowing `function`: it unseals arguments, and seals the result.

        The result is not sealed if the caller is allowed to use the data, too. The result of a
        function that is not a maker is sealed only if a maker has returned the same object. Also
        adds the function's code to the code that is allowed to use the data.
        """
        is_maker = dotted_name in self._made_by
        self._allowed_codes.update((id(code), code) for code in _nested_codes(function))

        def knowing_function(*args: Any, **kwargs: Any) -> Any:
            result = function(
                *map(_unseal, args), **{name: _unseal(value) for name, value in kwargs.items()}
            )
            if id(_frame(1).f_code) in self._allowed_codes:  # the caller is allowed to use it
                return data_of(result)
            if is_maker and result is not None:
                return self.stand_in_for(result, sure=True)
            is_sealed = (id(result), True) in self._stand_ins and not _is_shared_object(result)
            return self.stand_in_for(result, sure=False) if is_sealed else result

        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            _setattr(knowing_function, name, _getattr(function, name, None))
        return knowing_function

    def stand_in_for(self, data: Any, *, sure: bool) -> Any:
        """Return the stand-in for `data`, which is always the same object.

        Return `data` itself if it is already a stand-in, or if there are too many stand-ins.
        """
        if type(data) is Sealed:
            return data
        key = id(data), sure
        if key not in self._stand_ins:
            if len(self._stand_ins) >= _MAX_SEALED:
                return data
            stand_in = Sealed()
            for set_slot, value in zip(_slots, (data, self, sure), strict=True):
                set_slot(stand_in, value)
            self._stand_ins[key] = stand_in  # keeps the data alive, so that its id is not reused
        return self._stand_ins[key]

    def record_touch(self, usage: str, *, sure: bool) -> None:
        """Record that the innermost code of the submission has used the data.

        Does nothing if no such code is active, or if there are too many different touches.
        """
        frame: FrameType | None = _frame(1)
        while frame is not None:
            module = self._modules.get(id(frame.f_globals))
            if module is not None:
                function = f"{module[0]}.{frame.f_code.co_qualname}"[:_NAME_CHARS]
                touch = function, frame.f_lineno or 0, usage, sure
                if touch in self._touches or len(self._touches) < MAX_TOUCHES:
                    self._touches[touch] = self._touches.get(touch, 0) + 1
                return
            frame = frame.f_back


def _is_shared_object(value: object) -> bool:
    return is_atomic(value) or any(value is shared for shared in _EMPTY)


def _unseal(value: Any) -> Any:
    """Return `value` with its stand-ins replaced by their data.

    A stand-in can be `value` itself, an element of a tuple or a list, or a value in a dict.
    Stand-ins nested more deeply are kept.
    """
    kind = type(value)
    if kind is Sealed:
        return _data(value)
    if kind is tuple or kind is list:
        elements = value
    elif kind is dict:
        elements = value.values()
    else:
        return value
    if not any(type(element) is Sealed for element in elements):
        return value
    if kind is dict:
        return {key: data_of(element) for key, element in value.items()}
    return kind(map(data_of, elements))


def _nested_codes(function: object) -> Iterator[CodeType]:
    """Yield the code of `function`, of the functions in its closure, and all code nested in these.

    Stops at a maximum, because a submission can nest any amount of code.
    """
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
    """Yield the values that `function`, a closure, encloses."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # an empty cell
            continue
