"""Decides which objects of the tests a submission gets, and what it may do with them.

A submission gets what a test passes to it. Of such an object, it gets only what a well-behaved
program uses: names that begin with an underscore are refused, and so are modules, code and frames.
Otherwise it could read expected values in the globals of a function, or run code in the process of
the tests.
"""

from __future__ import annotations

import datetime as dt
import sys
import types
from collections.abc import Callable
from io import IOBase
from pathlib import Path
from typing import Any, Final

from grader.plugins.own_tests.bridge.parameters import parameters_of
from grader.plugins.own_tests.bridge.tables import Tables
from grader.plugins.own_tests.bridge.wire import (
    KNOWN_IDS,
    SPECIALS,
    Malformed,
    Uncrossable,
    WireTag,
)
from grader.plugins.own_tests.proxying.class_changes import ClassChanges
from grader.suite.vocabulary import PRELOADED

_FUNCTIONS: Final = (types.FunctionType, types.MethodType)
_VALUES: Final = (str, bytes, bytearray, int, float, list, set, dict, tuple, frozenset)
_BY_NAME: Final = (
    *(types.FunctionType, types.MethodType, types.ModuleType),
    *(types.MethodDescriptorType, types.WrapperDescriptorType),
)
"""Classes of objects that are sent by name if they are in the standard library."""
_FUNCTIONS_IN_WRAPPER: Final[dict[type, Callable[[Any], tuple[Any, ...]]]] = {
    property: lambda wrapper: (wrapper.fget, wrapper.fset, wrapper.fdel),
    staticmethod: lambda wrapper: (wrapper.__func__,),
    classmethod: lambda wrapper: (wrapper.__func__,),
}
_MOCK: Final = ("unittest.mock", "NonCallableMock")
"""Module and name of the base class of mocks, for comparison: importing the module is slow."""
_CALL_RECORDS: Final = frozenset({"mock_calls", "method_calls"})
"""Attributes in which a mock records its calls."""
_HARMLESS_MODULES: Final = frozenset(
    {"_io", "_thread", "array", "builtins", "collections", "functools", "itertools", "operator"}
    | {"io", "random", "re", "threading", "types", "uuid", "zoneinfo", "ipaddress", "string"}
)
"""Modules of the standard library whose classes are harmless: a submission can use instances."""
_LOADED_IN_EXECUTORS: Final = frozenset(
    {*(name.partition(".")[0] for name in PRELOADED), "genericpath", "posix"}
)
"""Top-level modules that executors have loaded."""
_NUMPY: Final = frozenset({"numpy"})
"""Available in executors if the tests import numpy: see `packages_of`."""
_NEVER_SENT: Final = (
    *(types.ModuleType, types.CodeType, types.FrameType, types.TracebackType),
    *(types.BuiltinFunctionType, types.GenericAlias),
)
"""Classes whose instances are never sent."""
_UNRESTRICTED_OPERATIONS: Final = frozenset(
    {"input", "readline", "read", "file", "printed", "pickle"}
)
"""Requests that are always allowed."""
_ABSENT: Final = object()
_SETTABLE_ON_MOCKS: Final = frozenset({"__name__", "__doc__", "__len__", "__iter__"})
"""Special names that a submission can use on a mock if a test has set them on that mock."""


class Exports:
    """Decides which objects of the tests a submission is allowed to get and use."""

    def __init__(self, folders: tuple[Path, ...]) -> None:
        """Treat everything that is defined in `folders` as part of the tests."""
        self._folders: Final = folders
        self._is_test_module_by_name: Final[dict[str, bool]] = {}
        self.changes: Final = ClassChanges()
        self._private_values: Final[dict[tuple[int, str], tuple[Any, Any]]] = {}
        """Object and value of each private name that a submission set, by object id and name."""

    def encode(self, value: Any, tables: Tables, write: Callable[[Any], Any]) -> Any:
        """Return the encoded `value`, or None if it is sent as a proxy.

        `write` encodes values within it, and `tables` get its classes. Raises `Uncrossable` if the
        submission must not be given `value`.
        """
        cls = type(value)
        if cls in _FUNCTIONS:
            is_defined_in_tests = self._is_test_module(getattr(value, "__module__", None))
            if is_defined_in_tests or (self._is_method(value) and _standard_name(value) is None):
                return _encode_function(value, tables)
        if cls is types.TracebackType:  # `__exit__` gets one; it leads to the globals of the tests
            return [WireTag.SINGLE, "None"]
        if cls is types.BuiltinFunctionType:
            return self._encode_builtin(value, tables, write)
        if cls in _BY_NAME:
            return self._encode_by_name(value)
        if cls in _FUNCTIONS_IN_WRAPPER:
            return [
                WireTag.BUILT,
                cls.__name__,
                [write(function) for function in _FUNCTIONS_IN_WRAPPER[cls](value)],
            ]
        if issubclass(cls, type):
            return self._encode_class(value)
        return self._encode_instance(value, tables, write)

    def _encode_class(self, cls: type) -> Any:
        """Return the encoding of a class, or None if it is sent as a proxy.

        A class of the tests is recorded as passed, so that the submission can change its
        attributes. Raises `Uncrossable` if the class cannot be sent.
        """
        if not self._is_test_class(cls):
            return self._encode_by_name(cls)
        if self._is_test_module(cls.__module__):
            self.changes.record_passed(cls)
        return None

    def _encode_instance(self, value: Any, tables: Tables, write: Callable[[Any], Any]) -> Any:
        """Return the encoding of an instance, or None if it is sent as a proxy.

        Raises `Uncrossable` if the submission must not get it.
        """
        cls = type(value)
        for base in _DATES:  # an instance of a subclass is sent as a plain date, for arithmetic
            if issubclass(cls, base):
                return write(_plain_date(value, base))
        if isinstance(value, _NEVER_SENT):
            raise _cannot_be_sent(f"{_with_article(cls.__name__)} object")
        if _is_numpy_function(value):
            return self._encode_by_name(value)
        if not self._is_harmless(cls):  # the submission can only compare the object's identity
            return [WireTag.OBJECT, tables.key_for(value), [WireTag.KNOWN, "object"], None]
        return None

    def _is_test_module(self, module_name: object) -> bool:
        """Return whether the module called `module_name` is defined in a folder of the tests."""
        if not isinstance(module_name, str):
            return False
        if module_name not in self._is_test_module_by_name:
            file = getattr(sys.modules.get(module_name), "__file__", None)
            path = None if file is None else Path(file).absolute()
            is_inside = path is not None and any(
                path.is_relative_to(folder) for folder in self._folders
            )
            self._is_test_module_by_name[module_name] = is_inside
        return self._is_test_module_by_name[module_name]

    def _is_test_class(self, cls: type) -> bool:
        """Return whether `cls` is defined in the tests, or is the class of a mock."""
        return self._is_test_module(cls.__module__) or any(map(_is_mock_base, cls.__mro__))

    def _is_harmless(self, cls: type) -> bool:
        """Return whether a submission is allowed to use instances of `cls`."""
        if self._is_test_class(cls) or cls.__module__ in _HARMLESS_MODULES:
            return True
        return issubclass(cls, IOBase)

    def _is_method(self, value: Any) -> bool:
        """Return whether `value` is a method of an object that a submission is allowed to use."""
        owner = getattr(value, "__self__", None)
        return owner is not None and self._is_harmless(
            owner if isinstance(owner, type) else type(owner)
        )

    def _encode_builtin(self, value: Any, tables: Tables, write: Callable[[Any], Any]) -> Any:
        """Return the encoding of a built-in function or method.

        Raises `Uncrossable` if the submission must not get it, or its owner.
        """
        owner = value.__self__
        if owner is None or isinstance(owner, types.ModuleType):
            return self._encode_by_name(value)
        if type(owner) in _VALUES or id(type(owner)) in KNOWN_IDS:
            return [WireTag.METHOD, write(owner), value.__name__]
        write(owner)  # raises `Uncrossable` if the submission must not get the owner
        return _encode_function(value, tables)

    def _encode_by_name(self, value: Any) -> Any:
        """Return a reference by name to an object of the standard library or numpy.

        Raises `Uncrossable` if `value` is not such an object, or if executors do not have it.
        """
        if type(value) is types.ModuleType:
            if not _is_in_executors(value.__name__):
                raise _cannot_be_sent(f"the module {value.__name__}")
            return [WireTag.NAMED, value.__name__, ""]
        name = _standard_name(value)
        if name is None or not _is_in_executors(name[0]):
            raise _cannot_be_sent(
                _name_of(value) or f"{_with_article(type(value).__name__)} object"
            )
        return [WireTag.NAMED, *name]

    def check_permitted(self, operation: str, operands: tuple[Any, ...], tables: Tables) -> None:
        """Raise an error if the submission is not allowed to make this request.

        The error is `Malformed` if an unmodified executor would never send the request.
        """
        if operation in _UNRESTRICTED_OPERATIONS:
            return
        if operation in {"adopt", "bind"}:
            raise Uncrossable("a submission cannot subclass a class that the tests define")
        if operation == "special":
            cls, name, value, *_ = operands
            if name not in SPECIALS or not isinstance(value, cls):
                raise Malformed("expected a special method of the object's class")
        else:
            value = operands[0]
        if tables.key_of_local(value) is None and tables.shared.entry_of(value) is None:
            raise Malformed("the tests have not passed this object to the submission")
        if type(value) not in (*_FUNCTIONS, types.BuiltinFunctionType) and not self._is_harmless(
            value if isinstance(value, type) else type(value)
        ):
            raise _cannot_be_sent(f"{_with_article(type(value).__name__)} object")
        self._check_use(operation, value)
        if operation in {"get", "set", "delete"}:
            self._check_name(operation, *operands)

    def _check_use(self, operation: str, value: Any) -> None:
        """Raise an error if this use gives the submission an object that was not passed to it."""
        creates_instance = operation in {"call", "special"} and isinstance(value, type)
        # An instance of `io.FileIO`, for example, would open a file.
        if creates_instance and not self._is_test_module(value.__module__):
            raise TypeError(f"cannot create {value.__name__!r} instances")
        if isinstance(value, BaseException) and not self._is_test_class(type(value)):
            raise AttributeError("a submission cannot read the exceptions of the tests")

    def forget(self) -> None:
        """Forget the private names that the previous process of the submission has set."""
        self._private_values.clear()

    def _is_set_by_submission(
        self, operation: str, value: Any, name: str, content: Any = None
    ) -> bool:
        """Return whether the private attribute `name` belongs to the submission.

        It does if the submission has set it, unless a test has overwritten it since. If the
        `operation` is `set`, a new attribute counts as well, and `content` is recorded.
        """
        attributes = getattr(value, "__dict__", None)
        if type(attributes) is not dict:
            return False
        _, last_value = self._private_values.get((id(value), name), (None, _ABSENT))
        if last_value is not _ABSENT:
            is_permitted = attributes.get(name, last_value) is last_value
        else:
            is_new = operation == "set" and name not in attributes and not name.startswith("__")
            is_permitted = (
                is_new and not isinstance(value, type) and not _is_defined_by_class(value, name)
            )
        if is_permitted and operation == "set":
            self._private_values[id(value), name] = value, content
        return is_permitted

    def visible_attributes(self, value: Any) -> dict[str, Any]:
        """Return those attributes of an object or class of the tests that a submission can see."""
        return {
            name: content for name, content in vars(value).items() if self._is_visible(value, name)
        }

    def _is_visible(self, value: Any, name: object) -> bool:
        """Return whether a submission is allowed to see the attribute `name` of `value`."""
        if type(name) is not str or _is_mock_attribute(value, name):
            return False
        if isinstance(value, type) and name in SPECIALS:
            return True
        return not name.startswith("_") or self._is_set_by_submission("get", value, name)

    def may_be_changed(self, operation: str, value: Any, name: str, content: Any = None) -> bool:
        """Return whether a submission can set or delete `name` of `value`; if so, record it."""
        try:
            self._check_name(operation, value, name, content)
        except AttributeError:
            return False
        return True

    def _check_name(self, operation: str, value: Any, name: Any, content: Any = None) -> None:
        """Raise an error if a submission is not allowed to get, set or delete `name` of `value`.

        If the submission is allowed to change a class, prepare the change.
        """
        if type(name) is not str:
            raise Malformed("expected the name of an attribute")
        if isinstance(value, _FUNCTIONS):
            raise AttributeError(  # noqa: TRY004 - as Python does for a missing attribute
                f"a submission cannot use {name!r} of a function of the tests"
            )
        if name in _SETTABLE_ON_MOCKS and _is_set_on_mock(value, name):
            return
        if operation == "get" and (
            name == "__dict__" or (name == "__mro__" and isinstance(value, type))
        ):
            return  # the reply has only public names
        is_private = name.startswith("_") and (name not in _SETTABLE_ON_MOCKS or name == "__doc__")
        if (
            is_private and not self._is_set_by_submission(operation, value, name, content)
        ) or _is_mock_attribute(value, name):
            raise AttributeError(f"{type(value).__name__!r} object has no attribute {name!r}")
        if isinstance(value, type) and operation != "get":
            self.changes.prepare_change(operation, value, name, content)


def _is_defined_by_class(value: Any, name: str) -> bool:
    """Return whether the class of `value` defines `name`, or `value` is a mock that has it."""
    return any(name in cls.__dict__ for cls in type(value).__mro__) or _is_mock_attribute(
        value, name
    )


def _is_in_executors(module_name: str) -> bool:
    """Return whether this module is loaded in executors."""
    top = module_name.partition(".")[0]
    return top in _LOADED_IN_EXECUTORS | _NUMPY or (
        top.startswith("_") and top in sys.stdlib_module_names
    )


def _is_numpy_function(value: Any) -> bool:
    """Return whether `value` is a function of numpy, such as a `ufunc`."""
    name = _standard_name(value) if callable(value) else None
    return name is not None and name[0].partition(".")[0] in _NUMPY


def _is_mock_attribute(value: Any, name: str) -> bool:
    """Return whether `value` is a mock, and every mock has `name`, such as `return_value`."""
    mock_class = next((cls for cls in type(value).__mro__ if _is_mock_base(cls)), None)
    return mock_class is not None and (name in _CALL_RECORDS or hasattr(mock_class, name))


def _is_set_on_mock(value: Any, name: str) -> bool:
    """Return whether `value` is a mock on which a test has set the special name `name`."""
    return any(map(_is_mock_base, type(value).__mro__)) and name in vars(value)


def _is_mock_base(cls: type) -> bool:
    """Return whether `cls` is the base class of mocks."""
    return (cls.__module__, cls.__name__) == _MOCK


def _standard_name(value: Any) -> tuple[str, str] | None:
    """Return the module of `value` and its name in that module, or None if it has no such name.

    Only modules of the standard library and of numpy count.
    """
    module = getattr(value, "__module__", None)
    if module is None:
        module = getattr(getattr(value, "__objclass__", None), "__module__", None) or "builtins"
    if str(module).partition(".")[0] not in sys.stdlib_module_names | _NUMPY:
        return None
    # The method `random.choice` is not found by its `__qualname__`, only by its `__name__`.
    for name in (getattr(value, "__qualname__", ""), _name_of(value)):
        candidate: Any = sys.modules.get(module)
        for part in name.split("."):
            candidate = getattr(candidate, part, None)
        if candidate is not None and candidate == value:  # a bound method is a new object each time
            return module, name
    return None


def _encode_function(value: Any, tables: Tables) -> Any:
    """Return the encoding of a function or method that the submission is allowed to call."""
    doc = getattr(value, "__doc__", None)
    doc = doc if type(doc) is str else None
    is_method = type(value) is types.MethodType
    parameters = parameters_of(value)
    return [WireTag.FUNCTION, tables.key_for(value), _name_of(value), doc, parameters, is_method]


def _plain_date(value: Any, base: type) -> Any:
    """Return `value`, an instance of a subclass of the date class `base`, as a plain `base`."""
    if base is dt.timedelta:
        return dt.timedelta(value.days, value.seconds, value.microseconds)
    parts = ("year", "month", "day", "hour", "minute", "second", "microsecond", "tzinfo")
    return base(**{name: getattr(value, name) for name in parts if hasattr(value, name)})


_DATES: Final = (dt.datetime, dt.date, dt.time, dt.timedelta)


def _name_of(value: Any) -> str:
    """Return the name of `value`, "" if it has none, or "function" if the name is not a string."""
    name = getattr(value, "__name__", "")
    return name if isinstance(name, str) else "function"


def _with_article(name: str) -> str:
    """Return `name` with its indefinite article."""
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _cannot_be_sent(description: str) -> Uncrossable:
    """Return the error for an object that a submission must not get."""
    return Uncrossable(
        f"{description} cannot be passed to the submission, which runs in another process; pass"
        " values, functions of the tests, or instances of classes that the tests define"
    )
