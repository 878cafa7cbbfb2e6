"""What a submission may know of the tests, and do with it.

It gets what a test hands over, and from there only what a well-behaved program uses: names that
begin with an underscore are refused, and so are modules, code and frames. Otherwise it could read
expected values in the globals of a function, or run code in the process of the tests.
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
"""Classes of objects that are sent by name, if they are in the standard library."""
_WRAPPERS: Final[dict[type, Callable[[Any], tuple[Any, ...]]]] = {
    property: lambda each: (each.fget, each.fset, each.fdel),
    staticmethod: lambda each: (each.__func__,),
    classmethod: lambda each: (each.__func__,),
}
_MOCK: Final = ("unittest.mock", "NonCallableMock")
"""By name, as that module is slow to import."""
_RECORDS: Final = frozenset({"mock_calls", "method_calls"})
_HARMLESS_MODULES: Final = frozenset(
    {"_io", "_thread", "array", "builtins", "collections", "functools", "itertools", "operator"}
    | {"io", "random", "re", "threading", "types", "uuid", "zoneinfo", "ipaddress", "string"}
)
"""Modules of the standard library whose instances a submission may use."""
_LOADED_THERE: Final = frozenset(
    {*(name.partition(".")[0] for name in PRELOADED), "genericpath", "posix"}
)
_NUMPY: Final = frozenset({"numpy"})
"""Available in executors if the tests import it; see `packages_of`."""
_NEVER: Final = (
    *(types.ModuleType, types.CodeType, types.FrameType, types.TracebackType),
    *(types.BuiltinFunctionType, types.GenericAlias),
)
_READERS: Final = frozenset({"input", "readline", "read", "file", "printed", "pickle"})
_ABSENT: Final = object()
_MOCKED: Final = frozenset({"__name__", "__doc__", "__len__", "__iter__"})


class Exports:
    """Decides which objects of the tests a submission may know and use."""

    def __init__(self, folders: tuple[Path, ...]) -> None:
        """Treat everything that is defined in `folders` as part of the tests."""
        self._folders: Final = folders
        self._known: Final[dict[str, bool]] = {}
        self.changes: Final = ClassChanges()
        self._set: Final[dict[tuple[int, str], tuple[Any, Any]]] = {}
        """Private names that a submission has set, by object id: the object and the value."""

    def told(self, value: Any, tables: Tables, write: Callable[[Any], Any]) -> Any:
        """Return `value` encoded, None if it is sent as a proxy; raises `Uncrossable`."""
        cls = type(value)
        if cls in _FUNCTIONS:
            is_own = self._is_of_tests(getattr(value, "__module__", None))
            if is_own or (self._is_method(value) and _standard_name(value) is None):
                return _function(value, tables)
        if cls is types.TracebackType:
            return [WireTag.SINGLE, "None"]
        if cls is types.BuiltinFunctionType:
            return self._builtin(value, tables, write)
        if cls in _BY_NAME:
            return self._named(value)
        if cls in _WRAPPERS:
            return [WireTag.BUILT, cls.__name__, [write(each) for each in _WRAPPERS[cls](value)]]
        if issubclass(cls, type):
            return self._class(value)
        return self._instance(value, tables, write)

    def _class(self, cls: type) -> Any:
        if not self._is_own_class(cls):
            return self._named(cls)
        if self._is_of_tests(cls.__module__):
            self.changes.note_passed(cls)
        return None

    def _instance(self, value: Any, tables: Tables, write: Callable[[Any], Any]) -> Any:
        cls = type(value)
        for base in _DATES:  # a subclass is sent as a plain date, for arithmetic
            if issubclass(cls, base):
                return write(_plain_date(value, base))
        if isinstance(value, _NEVER):
            raise _refused(f"{_article(cls.__name__)} object")
        if _is_of_numpy(value):
            return self._named(value)
        if not self._is_harmless(cls):  # opaque: it has an identity and nothing else
            return [WireTag.OBJECT, tables.key_for(value), [WireTag.KNOWN, "object"], None]
        return None

    def _is_of_tests(self, module: object) -> bool:
        if not isinstance(module, str):
            return False
        if module not in self._known:
            file = getattr(sys.modules.get(module), "__file__", None)
            path = None if file is None else Path(file).absolute()
            inside = path is not None and any(path.is_relative_to(each) for each in self._folders)
            self._known[module] = inside
        return self._known[module]

    def _is_own_class(self, cls: type) -> bool:
        return self._is_of_tests(cls.__module__) or any(map(_is_mock, cls.__mro__))

    def _is_harmless(self, cls: type) -> bool:
        if self._is_own_class(cls) or cls.__module__ in _HARMLESS_MODULES:
            return True
        return issubclass(cls, IOBase)

    def _is_method(self, value: Any) -> bool:
        """Return whether `value` is a method of an object that a submission may use."""
        owner = getattr(value, "__self__", None)
        return owner is not None and self._is_harmless(
            owner if isinstance(owner, type) else type(owner)
        )

    def _builtin(self, value: Any, tables: Tables, write: Callable[[Any], Any]) -> Any:
        owner = value.__self__
        if owner is None or isinstance(owner, types.ModuleType):
            return self._named(value)
        if type(owner) in _VALUES or id(type(owner)) in KNOWN_IDS:
            return [WireTag.METHOD, write(owner), value.__name__]
        write(owner)  # raises if the submission may not know the owner
        return _function(value, tables)

    def _named(self, value: Any) -> Any:
        """Return an object of the standard library as a reference by name."""
        if type(value) is types.ModuleType:
            if not _is_there(value.__name__):
                raise _refused(f"the module {value.__name__}")
            return [WireTag.NAMED, value.__name__, ""]
        name = _standard_name(value)
        if name is None or not _is_there(name[0]):
            raise _refused(_name_of(value) or f"{_article(type(value).__name__)} object")
        return [WireTag.NAMED, *name]

    def check_permitted(self, act: str, about: tuple[Any, ...], tables: Tables) -> None:
        """Raise an error for a request of the submission that is not permitted."""
        if act in _READERS:
            return
        if act in {"adopt", "bind"}:
            raise Uncrossable("a class of the tests cannot be built upon by a submission")
        if act == "special":
            cls, name, value, *_ = about
            if name not in SPECIALS or not isinstance(value, cls):
                raise Malformed("an operator that is none")
        else:
            value = about[0]
        if tables.key_of_local(value) is None and tables.shared.entry_of(value) is None:
            raise Malformed("an object that was not handed over")
        if type(value) not in (*_FUNCTIONS, types.BuiltinFunctionType) and not self._is_harmless(
            value if isinstance(value, type) else type(value)
        ):
            raise _refused(f"{_article(type(value).__name__)} object")
        self._permit_use(act, value)
        if act in {"get", "set", "delete"}:
            self._permit_name(act, *about)

    def _permit_use(self, act: str, value: Any) -> None:
        """Raise for a use of a known `value` that leads to objects that were not handed over."""
        is_made = act in {"call", "special"} and isinstance(value, type)
        if is_made and not self._is_of_tests(value.__module__):  # `io.FileIO` would open files
            raise TypeError(f"cannot create {value.__name__!r} instances")
        if isinstance(value, BaseException) and not self._is_own_class(type(value)):
            raise AttributeError("what a test says of a failure is not told")

    def forget(self) -> None:
        """Forget what the submission of the previous life has set."""
        self._set.clear()

    def _is_its_own(self, act: str, value: Any, name: str, content: Any = None) -> bool:
        """Return whether `name` is a private one that the submission has set, or may set.

        It is not if a test has set the same name since.
        """
        names = getattr(value, "__dict__", None)
        if type(names) is not dict:
            return False
        _, last = self._set.get((id(value), name), (None, _ABSENT))
        if last is not _ABSENT:
            is_own = names.get(name, last) is last
        else:
            is_new = act == "set" and name not in names and not name.startswith("__")
            is_own = is_new and not isinstance(value, type) and not _means_something(value, name)
        if is_own and act == "set":
            self._set[id(value), name] = value, content
        return is_own

    def shown(self, value: Any) -> dict[str, Any]:
        """Return the attributes of an object or class of the tests that a submission may see."""
        return {name: content for name, content in vars(value).items() if self._shows(value, name)}

    def _shows(self, value: Any, name: object) -> bool:
        if type(name) is not str or _is_of_mocks(value, name):
            return False
        if isinstance(value, type) and name in SPECIALS:
            return True
        return not name.startswith("_") or self._is_its_own("get", value, name)

    def may_be_changed(self, act: str, value: Any, name: str, content: Any = None) -> bool:
        """Return whether a submission may set or delete `name` of an object of the tests."""
        try:
            self._permit_name(act, value, name, content)
        except AttributeError:
            return False
        return True

    def _permit_name(self, act: str, value: Any, name: Any, content: Any = None) -> None:
        if type(name) is not str:
            raise Malformed("a name that is none")
        is_function = isinstance(value, _FUNCTIONS)
        if is_function:
            raise AttributeError(f"{name!r} of something of the tests is not told")
        if name in _MOCKED and _is_mock_with(value, name):
            return
        if act == "get" and (name == "__dict__" or (name == "__mro__" and isinstance(value, type))):
            return  # the reply holds public names only
        is_private = name.startswith("_") and (name not in _MOCKED or name == "__doc__")
        if (is_private and not self._is_its_own(act, value, name, content)) or _is_of_mocks(
            value, name
        ):
            raise AttributeError(f"{type(value).__name__!r} object has no attribute {name!r}")
        if isinstance(value, type) and act != "get":
            self.changes.permit_change(act, value, name, content)


def _means_something(value: Any, name: str) -> bool:
    """Return whether the class of `value`, or a mock, defines `name`."""
    return any(name in each.__dict__ for each in type(value).__mro__) or _is_of_mocks(value, name)


def _is_there(module: str) -> bool:
    """Return whether executors have this module loaded."""
    top = module.partition(".")[0]
    return top in _LOADED_THERE | _NUMPY or (top.startswith("_") and top in sys.stdlib_module_names)


def _is_of_numpy(value: Any) -> bool:
    """Return whether `value` is a function of numpy, such as a `ufunc`."""
    name = _standard_name(value) if callable(value) else None
    return name is not None and name[0].partition(".")[0] in _NUMPY


def _is_of_mocks(value: Any, name: str) -> bool:
    """Return whether `name` is part of a mock itself, such as its calls and return values."""
    own = next((each for each in type(value).__mro__ if _is_mock(each)), None)
    return own is not None and (name in _RECORDS or hasattr(own, name))


def _is_mock_with(value: Any, name: str) -> bool:
    """Return whether `value` is a mock on which a test has set this special name."""
    return any(map(_is_mock, type(value).__mro__)) and name in vars(value)


def _is_mock(cls: type) -> bool:
    return (cls.__module__, cls.__name__) == _MOCK


def _standard_name(value: Any) -> tuple[str, str] | None:
    """Return the standard library module of `value`, and its name there, or None."""
    module = getattr(value, "__module__", None)
    if module is None:
        module = getattr(getattr(value, "__objclass__", None), "__module__", None) or "builtins"
    if str(module).partition(".")[0] not in sys.stdlib_module_names | _NUMPY:
        return None
    # `random.choice` is a method of an object that has no name.
    for name in (getattr(value, "__qualname__", ""), _name_of(value)):
        found: Any = sys.modules.get(module)
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is not None and found == value:  # a bound method is a new object each time
            return module, name
    return None


def _function(value: Any, tables: Tables) -> Any:
    doc = getattr(value, "__doc__", None)
    doc = doc if type(doc) is str else None
    is_method = type(value) is types.MethodType
    takes = parameters_of(value)
    return [WireTag.FUNCTION, tables.key_for(value), _name_of(value), doc, takes, is_method]


def _plain_date(value: Any, base: type) -> Any:
    """Return a date of a subclass as one of `base`."""
    if base is dt.timedelta:
        return dt.timedelta(value.days, value.seconds, value.microseconds)
    parts = ("year", "month", "day", "hour", "minute", "second", "microsecond", "tzinfo")
    return base(**{name: getattr(value, name) for name in parts if hasattr(value, name)})


_DATES: Final = (dt.datetime, dt.date, dt.time, dt.timedelta)


def _name_of(value: Any) -> str:
    name = getattr(value, "__name__", "")
    return name if isinstance(name, str) else "function"


def _article(name: str) -> str:
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _refused(what: str) -> Uncrossable:
    return Uncrossable(
        f"{what} cannot be handed to the submission, which is in a process of its own; hand over"
        " values, functions of the tests, or objects of classes that the tests define"
    )
