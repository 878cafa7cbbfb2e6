"""Records the calls that sessions make to a program, and their results.

This module runs only in executors, to which its source is sent together with a reference. It sits
between a session and the modules of the reference, whose functions and methods it wraps. Calls that
the reference makes itself are not recorded. The record is JSON with the rows of a table for
`grader.plugins.authoring.auditing.answer_table`, whose results are Python source, and with the
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
    arguments_key,
    bind_arguments,
    is_array,
    loose_value_key,
    value_key,
)

_IMPLICIT_METHODS: Final = """
    __new__ __del__ __getattribute__ __getattr__ __setattr__ __delattr__ __hash__ __reduce__
    __init_subclass__ __class_getitem__ __set_name__ __replace__ __annotate_func__
    __getstate__ __setstate__
"""
"""Methods that Python calls implicitly. Their calls are not recorded."""


def state_of(value: object, container_ids: tuple[int, ...] = ()) -> str:
    """Return the state of an object: a hash of all its attributes.

    For an object that cannot be hashed, because it is callable, contains itself or is nested too
    deeply, return the name of its type. `container_ids` has the ids of the objects that contain
    `value`.
    """
    # Objects can contain themselves, or be nested as deep as a linked list.
    if id(value) in container_ids or len(container_ids) > 20 or callable(value):
        return type(value).__name__
    slots = (name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ()))
    attributes = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    attributes |= getattr(value, "__dict__", {})
    inner_ids = (*container_ids, id(value))
    text = arguments_key(
        attributes, lambda item: value_key(item, lambda part: state_of(part, inner_ids))
    )
    # Strings of the program can contain lone surrogates, which UTF-8 cannot encode.
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def exact_key(value: object) -> str:
    """Return the string that stands for `value` in an exact key."""
    return value_key(value, state_of)


def result_expression(value: Any, arguments: Mapping[str, Any]) -> str:
    """Return an expression for the result `value` of a call.

    A result that is one of the `arguments` becomes a reference to that argument.
    """
    for name, argument in arguments.items():
        # A function that returns its argument must return that same object.
        # CPython shares small immutable values, so their identity proves nothing.
        if value is argument and not isinstance(value, (int, float, str, bytes, type(None))):
            return f"arguments.get({name!r})"
    return _expression(value)


def _expression(value: Any) -> str:
    """Return an expression that evaluates to an equal value, or to a stand-in for an object."""
    kind = type(value)
    if kind is float:
        # `nan` and `inf` have no literals.
        return f"float({str(value)!r})" if "n" in repr(value) else repr(value)
    if kind in (type(None), bool, int, complex, str, bytes, range):
        return repr(value)
    if kind is list:
        return f"[{', '.join(map(_expression, value))}]"
    if kind is tuple:
        return f"({', '.join(map(_expression, value))}{',' * (len(value) == 1)})"
    if kind is set and value:
        return f"{{{', '.join(_expression(item) for item in _sorted_elements(value))}}}"
    if kind in (set, frozenset):
        elements = ", ".join(_expression(item) for item in _sorted_elements(value))
        return f"{kind.__name__}([{elements}])" if elements else f"{kind.__name__}()"
    if kind is dict:
        pairs = (f"{_expression(key)}: {_expression(item)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    if is_array(value):
        dtype = "" if str(value.dtype) == "int64" else f", {str(value.dtype)!r}"
        return f"array({value.tolist()}{dtype})"
    if kind.__module__ == "numpy" and hasattr(value, "item"):
        return _expression(value.item())
    return f"new_object({kind.__name__!r}, {state_of(value)!r})"


def _sorted_elements(values: Any) -> list[Any]:
    """Return the elements of a set in a reproducible order."""
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=exact_key)  # elements of different types need not be comparable


def _raising_expression(error: BaseException) -> str:
    """Return an expression that raises an exception like `error`, with equal arguments."""
    kind = type(error)
    builtin = next(base for base in kind.__mro__ if base.__module__ == "builtins")
    exception_class_text = builtin.__name__
    if builtin is not kind:
        exception_class_text = f"exception_class({kind.__name__!r}, {exception_class_text})"
    return f"fail({', '.join([exception_class_text, *map(_expression, error.args)])})"


class CallRecorder:
    """Records the calls that a session makes, but not calls made during another call."""

    def __init__(self) -> None:
        """Create a recorder without any recorded calls."""
        self.modules: set[str] = set()
        """The modules of the reference. Functions of other modules are not recorded."""
        self._is_in_call = False
        self._classes: Final[dict[type, list[dict[str, Any]]]] = {}
        self._rows: Final[list[tuple[str, str, str, str, dict[str, str], str]]] = []
        self._definitions: Final[dict[str, list[dict[str, Any]]]] = {}

    def record(
        self, module_name: str, prefix: str, original: ModuleType, names: dict[str, Any]
    ) -> None:
        """Fill `names`, the namespace of a module, with what `original` contains.

        Functions are wrapped, classes are patched in place, and the definitions of both are
        recorded for `module_name`. In the rows, `prefix` precedes the names of functions.
        """
        definitions = self._definitions.setdefault(module_name, [])
        for name, value in list(vars(original).items()):
            # The new module keeps its own `__name__`, `__doc__` and so on.
            if name.startswith("__"):
                continue
            names[name] = value
            if getattr(value, "__module__", None) not in self.modules:
                continue
            if isinstance(value, type):
                definitions.extend(self._wrap_class(value))
            elif callable(value):
                names[name] = self._wrap_function(prefix + name, value)
                parameters = _parameters(value)
                definitions.append(
                    {"name": name, "called": prefix + name, "parameters": parameters}
                )

    def _wrap_class(self, cls: type) -> list[dict[str, Any]]:
        """Wrap the methods of `cls` to record calls, and return the definition of `cls`.

        The definition is a list with one item, or empty for an enumeration. Enumerations and
        exceptions are not wrapped.
        """
        # Several modules can contain the same class, which must be wrapped only once.
        if cls not in self._classes:
            self._classes[cls] = self._wrap_new_class(cls)
        return self._classes[cls]

    def _wrap_new_class(self, cls: type) -> list[dict[str, Any]]:
        """Wrap the methods of `cls`, which is not wrapped yet, and return its definition.

        See `_wrap_class` for what the definition contains, and for classes that are not wrapped.
        """
        if issubclass(cls, BaseException):
            builtin = next(base for base in cls.__mro__ if base.__module__ == "builtins")
            return [{"name": cls.__name__, "raised_as": builtin.__name__}]
        if issubclass(cls, enum.Enum):
            return []
        methods: dict[str, tuple[str, list[str]]] = {}
        for name, raw in list(vars(cls).items()):  # a copy, because patching changes it
            kind = {staticmethod: "static", classmethod: "class"}.get(type(raw), "method")
            function = raw if kind == "method" else raw.__func__
            if name in _IMPLICIT_METHODS.split() or not inspect.isfunction(function):
                continue
            # The class is patched in place, so that its identity is kept.
            recorded = self._wrap_function(f"{cls.__name__}.{name}", function)
            setattr(cls, name, recorded if kind == "method" else type(raw)(recorded))
            methods[name] = (kind, _parameters(function))
        self._record_attributes(cls)
        bases = [base.__name__ for base in cls.__bases__ if base.__module__ == cls.__module__]
        return [{"name": cls.__name__, "bases": bases, "methods": methods}]

    def _record_attributes(self, cls: Any) -> None:
        """Patch `cls` so that reading an attribute of an instance is recorded as a call."""
        original = cls.__getattribute__

        def record_access(instance: Any, name: str) -> Any:
            """Return the attribute `name`, and record the access unless a call is in progress."""
            if self._is_in_call or name.startswith("__") or _is_method(type(instance), name):
                return original(instance, name)
            qualified_name = f"{type(instance).__name__}.{name}"
            return self._call_and_record(
                qualified_name, {"self": instance}, lambda: original(instance, name)
            )

        cls.__getattribute__ = record_access

    def _wrap_function(
        self, qualified_name: str, function: Callable[..., Any]
    ) -> Callable[..., Any]:
        """Return a wrapper of `function` that records its calls under `qualified_name`."""
        names = _parameters(function)

        @wraps(function)
        def record_call(*positional: Any, **by_name: Any) -> Any:
            """Call `function`, and record the call unless another one is in progress."""
            if self._is_in_call:
                return function(*positional, **by_name)
            by_parameter = bind_arguments(names, positional, by_name)
            return self._call_and_record(
                qualified_name, by_parameter, lambda: function(*positional, **by_name)
            )

        return record_call

    def _call_and_record(
        self, qualified_name: str, arguments: dict[str, Any], call: Callable[[], Any]
    ) -> Any:
        """Make the `call`, record it as a row for `qualified_name`, and return its result.

        Exceptions of the `call` are recorded and raised again. Its output is recorded and printed.
        """
        self._is_in_call = True
        printed = io.StringIO()
        try:
            # In `__init__`, `self` has no state yet.
            is_init = qualified_name.endswith(".__init__")
            identifying_arguments = {
                key: value for key, value in arguments.items() if not (is_init and key == "self")
            }
            keys_before = {name: exact_key(value) for name, value in arguments.items()}
            keys = (
                arguments_key(identifying_arguments, exact_key),
                arguments_key(identifying_arguments, loose_value_key),
            )
            outcome = None  # stays None if a limit of the executor ends the call
            try:
                with redirect_stdout(printed):
                    result = call()
                outcome = result_expression(result, arguments)
            except (Exception, SystemExit) as error:
                outcome = _raising_expression(error)
                raise
            finally:
                if outcome is not None:
                    changed = {
                        name: _expression(value)
                        for name, value in arguments.items()
                        if exact_key(value) != keys_before[name]
                    }
                    self._rows.append((qualified_name, *keys, outcome, changed, printed.getvalue()))
            return result
        finally:
            self._is_in_call = False
            # The session must still see the output, since its steps can expect it.
            print(printed.getvalue(), end="")

    def dump(self, part: int, part_chars: int) -> str:
        """Return one part of the record, which is JSON text. `part` counts from 0.

        The record is read in parts of `part_chars` characters, because the whole record can
        exceed the size limit of a single value. Parts after the end are empty.
        """
        text = json.dumps({"rows": self._rows, "defined": self._definitions})
        return text[part * part_chars : (part + 1) * part_chars]


def _is_method(cls: type, name: str) -> bool:
    """Return whether the attribute `name` of `cls` is a method."""
    raw = inspect.getattr_static(cls, name, None)  # does not run descriptors of the program
    return inspect.isroutine(raw) or isinstance(raw, (staticmethod, classmethod))


def _parameters(function: Callable[..., Any]) -> list[str]:
    """Return the names of the positional parameters, or an empty list if they are unknown."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [parameter.name for parameter in parameters if parameter.kind in positional]


RECORDER: Final = CallRecorder()
