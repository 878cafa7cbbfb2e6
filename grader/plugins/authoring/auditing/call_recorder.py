"""Records the calls that sessions make to a program, and their results.

This runs in executors only, where its source is sent with a reference. It sits between a session
and the modules of the reference: functions and methods are wrapped. Calls inside the reference are
not recorded. The record is JSON: the rows of a table for
`grader.plugins.authoring.auditing.answer_table`, with results as Python source, and the
definitions of functions and classes.
"""

from __future__ import annotations

import enum
import hashlib
import inspect
import io
import json
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from functools import wraps
from types import ModuleType
from typing import Any, Final

from grader.plugins.authoring.auditing.answer_table import (
    arguments,
    is_array,
    key_of,
    named,
    named_loosely,
)

_PLUMBING: Final = """
    __new__ __del__ __getattribute__ __getattr__ __setattr__ __delattr__ __hash__ __reduce__
    __init_subclass__ __class_getitem__ __set_name__ __replace__ __annotate_func__
    __getstate__ __setstate__
"""
"""Methods that Python calls implicitly, and that are not recorded."""


def state_of(value: object, around: tuple[int, ...] = ()) -> str:
    """Return the state of an object: a hash of all its attributes."""
    # Objects may contain themselves, or be nested as deep as a linked list.
    if id(value) in around or len(around) > 20 or callable(value):
        return type(value).__name__
    slots = (name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ()))
    held = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    held |= getattr(value, "__dict__", {})
    inside = (*around, id(value))
    text = key_of(held, lambda each: named(each, lambda deeper: state_of(deeper, inside)))
    # Texts of the program may have lone surrogates, which UTF-8 refuses.
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def exact(value: object) -> str:
    """Return the text for a value in an exact key."""
    return named(value, state_of)


def written(value: Any, given: Mapping[str, Any]) -> str:
    """Return an expression that evaluates to `value`; `given` are the arguments of the call."""
    for name, argument in given.items():
        # A function that returns its argument must return that same object.
        # Small values are shared by CPython, so that they are the same says nothing.
        if value is argument and not isinstance(value, (int, float, str, bytes, type(None))):
            return f"given.get({name!r})"
    return _displayed(value)


def _displayed(value: Any) -> str:
    kind = type(value)
    if kind is float:
        # `nan` and `inf` have no literals.
        return f"float({str(value)!r})" if "n" in repr(value) else repr(value)
    if kind in (type(None), bool, int, complex, str, bytes, range):
        return repr(value)
    if kind is list:
        return f"[{', '.join(map(_displayed, value))}]"
    if kind is tuple:
        return f"({', '.join(map(_displayed, value))}{',' * (len(value) == 1)})"
    if kind is set and value:
        return f"{{{', '.join(_displayed(each) for each in _in_order(value))}}}"
    if kind in (set, frozenset):
        inside = ", ".join(_displayed(each) for each in _in_order(value))
        return f"{kind.__name__}([{inside}])" if inside else f"{kind.__name__}()"
    if kind is dict:
        pairs = (f"{_displayed(key)}: {_displayed(each)}" for key, each in value.items())
        return f"{{{', '.join(pairs)}}}"
    if is_array(value):
        dtype = "" if str(value.dtype) == "int64" else f", {str(value.dtype)!r}"
        return f"array({value.tolist()}{dtype})"
    if kind.__module__ == "numpy" and hasattr(value, "item"):
        return _displayed(value.item())
    return f"made({kind.__name__!r}, {state_of(value)!r})"


def _in_order(values: Any) -> list[Any]:
    """Return the elements of a set in a reproducible order."""
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=exact)  # of several types


def _failing(error: Exception) -> str:
    """Return an expression that raises `error` again."""
    kind = type(error)
    builtin = next(base for base in kind.__mro__ if base.__module__ == "builtins")
    shown = builtin.__name__
    if builtin is not kind:
        shown = f"failure({kind.__name__!r}, {shown})"
    said = [repr(each) for each in error.args if isinstance(each, (str, int, float, tuple))]
    return f"fail({', '.join([shown, *said])})"


class CallRecorder:
    """Records calls from outside, not those made during another call."""

    def __init__(self) -> None:
        """Start with nothing recorded."""
        self.modules: set[str] = set()
        """Those of the reference; functions of other modules are not recorded."""
        self._is_busy = False
        self._classes: Final[dict[type, list[dict[str, Any]]]] = {}
        self._rows: Final[list[tuple[str, str, str, str, dict[str, str], str]]] = []
        self._defined: Final[dict[str, list[dict[str, Any]]]] = {}

    def record(self, module: str, prefix: str, original: ModuleType, names: dict[str, Any]) -> None:
        """Fill the `names` of a module with those of `original`, wrapped to record calls.

        Rows have the name of the function with `prefix`.
        """
        defined = self._defined.setdefault(module, [])
        for name, value in list(vars(original).items()):
            if name.startswith("__"):
                continue
            names[name] = value
            if getattr(value, "__module__", None) not in self.modules:
                continue
            if isinstance(value, type):
                defined.extend(self._class(value))
            elif callable(value):
                names[name] = self._recorded(prefix + name, value)
                parameters = _parameters(value)
                defined.append({"name": name, "called": prefix + name, "parameters": parameters})

    def _class(self, cls: type) -> list[dict[str, Any]]:
        """Wrap the methods of `cls` to record calls; return its definition."""
        if cls not in self._classes:
            self._classes[cls] = self._new_class(cls)
        return self._classes[cls]

    def _new_class(self, cls: type) -> list[dict[str, Any]]:
        if issubclass(cls, BaseException):
            builtin = next(base for base in cls.__mro__ if base.__module__ == "builtins")
            return [{"name": cls.__name__, "raised_as": builtin.__name__}]
        if issubclass(cls, enum.Enum):
            return []
        methods: dict[str, tuple[str, list[str]]] = {}
        for name, raw in list(vars(cls).items()):  # patching changes it
            kind = {staticmethod: "static", classmethod: "class"}.get(type(raw), "method")
            function = raw if kind == "method" else raw.__func__
            if name in _PLUMBING.split() or not inspect.isfunction(function):
                continue
            # Patched in place, so that the class stays the same object.
            recorded = self._recorded(f"{cls.__name__}.{name}", function)
            setattr(cls, name, recorded if kind == "method" else type(raw)(recorded))
            methods[name] = (kind, _parameters(function))
        self._record_attributes(cls)
        bases = [base.__name__ for base in cls.__bases__ if base.__module__ == cls.__module__]
        return [{"name": cls.__name__, "bases": bases, "methods": methods}]

    def _record_attributes(self, cls: Any) -> None:
        original = cls.__getattribute__

        def recording(asked: Any, name: str) -> Any:
            if self._is_busy or name.startswith("__") or _is_method(type(asked), name):
                return original(asked, name)
            called = f"{type(asked).__name__}.{name}"
            return self._answered(called, {"self": asked}, lambda: original(asked, name))

        cls.__getattribute__ = recording

    def _recorded(self, called: str, function: Callable[..., Any]) -> Callable[..., Any]:
        names = _parameters(function)

        @wraps(function)
        def recorded(*given: Any, **by_name: Any) -> Any:
            if self._is_busy:
                return function(*given, **by_name)
            by_parameter = arguments(names, given, by_name)
            return self._answered(called, by_parameter, lambda: function(*given, **by_name))

        return recorded

    def _answered(self, called: str, given: dict[str, Any], call: Callable[[], Any]) -> Any:
        """Make the `call`, and record its result."""
        self._is_busy = True
        printed = io.StringIO()
        try:
            # In `__init__`, `self` has no state yet.
            is_init = called.endswith(".__init__")
            asked = {key: each for key, each in given.items() if not (is_init and key == "self")}
            before = {name: exact(each) for name, each in given.items()}
            keys = key_of(asked, exact), key_of(asked, named_loosely)
            try:
                with redirect_stdout(printed):
                    result = call()
                outcome = written(result, given)
            except Exception as error:
                outcome = _failing(error)
                raise
            finally:
                changed = {
                    name: _displayed(each)
                    for name, each in given.items()
                    if exact(each) != before[name]
                }
                self._rows.append((called, *keys, outcome, changed, printed.getvalue()))
            return result
        finally:
            self._is_busy = False
            # The session must see the output as well.
            print(printed.getvalue(), end="")

    def dump(self, part: int, part_chars: int) -> str:
        """Return a part of the record, since a single value may not be that long."""
        text = json.dumps({"rows": self._rows, "defined": self._defined})
        return text[part * part_chars : (part + 1) * part_chars]


def _is_method(cls: type, name: str) -> bool:
    raw = inspect.getattr_static(cls, name, None)  # runs no descriptor of the program
    return inspect.isroutine(raw) or isinstance(raw, (staticmethod, classmethod))


def _parameters(function: Callable[..., Any]) -> list[str]:
    """Return the names of the positional parameters."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [each.name for each in parameters if each.kind in by_place]


RECORDER: Final = CallRecorder()
