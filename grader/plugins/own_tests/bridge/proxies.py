"""Proxies: objects on one side that represent objects of the other."""

from __future__ import annotations

import builtins
import copyreg
import re
import sys
import typing
import warnings
from collections.abc import Callable, Iterable
from dis import opmap
from types import FrameType, ModuleType
from typing import Any, Final, NamedTuple, Protocol

from grader.plugins.own_tests.bridge.wire import NOT_MIRRORED, dict_of, mro_of


class Requester(Protocol):
    """Sends requests to the other side."""

    def request(self, operation: str, *operands: Any) -> Any:
        """Return the result of an operation on the other side, or raise its exception."""

    def adopt(self, cls: ProxyType, name: str, bases: tuple[type, ...], body: Any) -> None:
        """Have the other side create a class, and turn `cls`, created here, into its mirror."""


class RemoteReference(NamedTuple):
    """Identifies the object behind a proxy."""

    requester: Requester
    key: int
    process: int
    """The number of the process on the other side that owns the object."""


REFERENCE: Final = "_grader_place"
"""The attribute of a proxy or mirror that holds its `RemoteReference`."""
REAL_CLASS: Final = "_grader_real"
"""The attribute of a mirror that holds the class that its instances claim as `__class__`."""
STANDARD: Final = "_grader_standard"
"""The attribute of a mirror that holds the standard library class that it represents."""
_local_attribute: Final = object.__getattribute__
_LOCAL_ON_EXCEPTIONS: Final = frozenset(
    {
        *("__traceback__", "__cause__", "__context__", "__suppress_context__", "__notes__"),
        *("with_traceback", "add_note", "args"),
    }
)
"""Attributes of an exception that stay on the proxy: Python sets them on it when it is raised."""


def is_mirror(cls: type) -> bool:
    """Return whether `cls` is the mirror of a class on the other side."""
    return issubclass(type(cls), ProxyType)


def is_proxy(value: object) -> bool:
    """Return whether `value` is the proxy of an object on the other side.

    A mirror, the class of a proxy, is not a proxy.
    """
    cls = type(value)
    return issubclass(type(cls), ProxyType) or cls is ProxyModule


def reference_of(value: Any) -> RemoteReference:
    """Return the reference to the object that `value`, a proxy or a mirror, represents."""
    if isinstance(value, type) and is_mirror(value):
        reference: RemoteReference = dict_of(value)[REFERENCE]
    else:
        reference = _local_attribute(value, "__dict__")[REFERENCE]
    return reference


def set_reference(value: Any, reference: RemoteReference) -> None:
    """Make `value` the proxy or mirror of the object with this `reference`."""
    if isinstance(value, type) and is_mirror(value):
        type.__setattr__(value, REFERENCE, reference)
    else:
        _local_attribute(value, "__dict__")[REFERENCE] = reference


_CURRENT_REQUESTER: Final[list[Requester]] = []
"""Contains only the current requester. `restore_proxy` reads it, as pickle passes no context."""


def pickle_with(requester: Requester) -> None:
    """Use `requester` from now on to pickle and unpickle proxies.

    The pickle of a proxy calls `restore_proxy` with bytes. These come from the other
    side, and only that side unpickles them: unpickling them here could run arbitrary code.
    """
    _CURRENT_REQUESTER[:] = [requester]
    copyreg.pickle(ProxyType, reduce_proxy)  # otherwise pickle would import a mirror by its name


def reduce_proxy(value: Any) -> tuple[Any, ...]:
    """Return what pickle needs to restore a proxy or mirror; the other side pickles the object."""
    return restore_proxy, (reference_of(value).requester.request("pickle", value),)


def restore_proxy(data: object) -> Any:
    """Return the object that the other side unpickles from `data`, which it has pickled itself.

    Raises `TypeError` if `data` is not bytes.
    """
    if type(data) is not bytes:
        raise TypeError("the pickle of a proxy does not contain bytes")
    return _CURRENT_REQUESTER[-1].request("unpickle", data)


def _set_attribute(value: Any, name: str, content: Any) -> None:
    """Set an attribute of the object behind `value`."""
    __tracebackhide__ = True
    reference_of(value).requester.request("set", value, name, content)


def _delete_attribute(value: Any, name: str) -> None:
    """Delete an attribute of the object behind `value`."""
    __tracebackhide__ = True
    reference_of(value).requester.request("delete", value, name)


def _list_names(value: Any) -> Iterable[str]:
    """Return what `dir` returns for the object behind `value`."""
    __tracebackhide__ = True
    names: Iterable[str] = reference_of(value).requester.request("dir", value)
    return names


_COPYING: Final = frozenset({"__copy__", "__deepcopy__", "__reduce_ex__"})
"""Methods that `copy` and `pickle` look up on a class; the owner of the object makes the copy."""
_LOCAL_COPY_METHODS: Final = _COPYING - {"__copy__"}
"""The methods of `_COPYING` that are also found on an instance. `__copy__` is not one of them:
`itertools.tee` must not find it unless the object really has it."""


class ProxyType(type):
    """The metaclass of mirrors."""

    def __new__(
        cls, name: str, bases: tuple[type, ...], body: dict[str, Any], **keywords: Any
    ) -> ProxyType:
        """Create a class that is defined here; if a base is a mirror, create it on both sides."""
        __tracebackhide__ = True
        local_body = body
        if bases:  # empty only for `Proxy` itself
            local_body = {key: value for key, value in body.items() if key not in _OMITTED_HERE}
        mirror = type.__new__(cls, name, bases, local_body)
        mirrors = (base for base in mro_of(mirror)[1:] if is_mirror(base) and base is not Proxy)
        base = next(mirrors, None)
        if base is not None:
            reference_of(base).requester.adopt(mirror, name, bases, (body, keywords))
        return mirror

    def __init__(cls, name: str, bases: tuple[type, ...], body: Any, **_keywords: Any) -> None:
        """Accept the keywords of the class statement; the other side has already used them."""
        super().__init__(name, bases, body)

    def __call__(cls, *args: Any, **keywords: Any) -> Any:
        """Have the other side create an instance."""
        __tracebackhide__ = True
        return reference_of(cls).requester.request("call", cls, args, tuple(keywords.items()))

    def __getattribute__(cls, name: str) -> Any:
        """Look an attribute up on the class on the other side, except for a few that are local."""
        __tracebackhide__ = True
        if name == "__class__":
            return dict_of(type(cls)).get(REAL_CLASS, type(cls))
        if cls is Proxy:
            return type.__getattribute__(cls, name)
        if name in _COPYING:
            return dict_of(Proxy)[name]
        # This mirror has the key of an instance, not of `object`: see `MessageReader`.
        if dict_of(cls).get(REAL_CLASS) is object:
            return getattr(object, name)
        return reference_of(cls).requester.request("get", cls, name)

    __setattr__, __delattr__, __dir__ = _set_attribute, _delete_attribute, _list_names

    def __repr__(cls) -> str:
        if cls is Proxy:
            return type.__repr__(cls)
        text: str = reference_of(cls).requester.request("repr", cls)
        return text

    __hash__ = type.__hash__  # a class that defines only `__eq__` gets `__hash__ = None`
    __eq__ = type.__eq__

    def mro(cls) -> list[type]:
        """Return the usual order, with each standard class after the mirror that represents it.

        This makes `issubclass(Color, enum.Enum)` true. No attribute is looked up in the standard
        library class, as all lookups on an instance are requests.
        """
        order: list[type] = []
        for base in type.mro(cls):
            order.append(base)
            if (standard := dict_of(base).get(STANDARD)) is not None:
                order.append(standard)
        return list(dict.fromkeys(order))


_OMITTED_HERE: Final = NOT_MIRRORED - {"__module__", "__qualname__", "__doc__", "__classcell__"}
"""Names in the body of a class statement that only the other side's class gets."""


class Proxy(metaclass=ProxyType):
    """Base class of all mirrors: every operation on an instance is a request to its owner."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        """Look an attribute up on the object on the other side, except for a few that are local."""
        __tracebackhide__ = True
        cls = type(self)
        if name == "__class__":
            return dict_of(cls).get(REAL_CLASS, cls)
        if name in _LOCAL_COPY_METHODS:
            return _local_attribute(self, name)
        if name in _LOCAL_ON_EXCEPTIONS and issubclass(cls, BaseException):
            return _local_attribute(self, name)
        return reference_of(self).requester.request("get", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute on the object on the other side.

        The attributes that Python sets on a raised exception are set here.
        """
        __tracebackhide__ = True
        if name in _LOCAL_ON_EXCEPTIONS and issubclass(type(self), BaseException):
            object.__setattr__(self, name, value)
        else:
            _change("set", "__setattr__", self, name, value)

    def __delattr__(self, name: str) -> None:
        __tracebackhide__ = True
        _change("delete", "__delattr__", self, name)

    __dir__ = _list_names

    def __copy__(self) -> Any:
        return reference_of(self).requester.request("copy", self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        copy, memo[_MEMO] = reference_of(self).requester.request("deepcopy", self, memo.get(_MEMO))
        return copy

    def __reduce_ex__(self, protocol: Any) -> Any:
        return reduce_proxy(self)


def _change(operation: str, special: str, value: Proxy, *operands: Any) -> None:
    """Set or delete an attribute on the other side; raises the exception that is raised there.

    If a class defined here overrides `special`, its method has already run, and this is its
    `super()` call. In that case, request a call to the next mirror's method instead.
    """
    __tracebackhide__ = True
    cls = type(value)
    requester = reference_of(value).requester
    if type.__getattribute__(cls, special) is dict_of(Proxy)[special]:
        requester.request(operation, value, *operands)
    else:
        mirrors = [base for base in mro_of(cls) if is_mirror(base)]
        last_override = max(
            index for index, base in enumerate(mirrors[:-1]) if special in dict_of(base)
        )
        requester.request("special", mirrors[last_override + 1], special, value, operands, ())


_MEMO: Final = -1
"""The key under which a deep copy's memo holds the other side's memo; it is no object's id."""


class ProxyModule(ModuleType):
    """The proxy of a module on the other side."""

    def __getattribute__(self, name: str) -> Any:
        """Look a name up in the module on the other side, except for a few that are local.

        If a `from` import asks for a missing name, return a placeholder, provided that the module
        has a function that makes placeholders. Raises `AttributeError` for any other missing name.
        """
        __tracebackhide__ = True
        if name in _LOCAL_ON_MODULES:
            return _local_attribute(self, name)
        if name in _PROBED_BY_PYTEST:
            raise AttributeError(name)
        caller = sys._getframe(1)  # noqa: SLF001 - imports are treated differently
        if name == "__all__" and _current_opcode(caller) in _IMPORT_STAR:
            return _star_imported_names(self, caller.f_globals)
        try:
            return reference_of(self).requester.request("get", self, name)
        except AttributeError as error:
            make_placeholder = _local_attribute(self, "__dict__").get(MISSING)
            if make_placeholder is None or _current_opcode(caller) != _IMPORT_FROM:
                raise
            return make_placeholder(self, name, error)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set local names here, and others on the other side unless the import system sets them."""
        __tracebackhide__ = True
        if name in _LOCAL_ON_MODULES:
            super().__setattr__(name, value)
        elif sys._getframe(1).f_globals.get("__name__") != _IMPORT_SYSTEM:  # noqa: SLF001 - the import system sets submodules
            _set_attribute(self, name, value)

    __delattr__, __dir__ = _delete_attribute, _list_names

    def __repr__(self) -> str:
        return f"<module {_local_attribute(self, '__name__')!r} of the submission>"


_IMPORT_SYSTEM: Final = "importlib._bootstrap"
"""The module that sets a submodule on its package after an import. The other side has done that
already, and its package may since have bound the name of the submodule to something else."""
MISSING: Final = "_grader_missing"
"""The key of a function in the dict of a module proxy. The function returns a placeholder when a
`from` import asks for a name that the module does not have."""
_PROBED_BY_PYTEST: Final = frozenset({"_mock_name", "__wrapped__", "__bases__", "__test__"})
"""Attributes that pytest looks for on each object in a test file, and that no module has."""
_IMPORT_FROM: Final = opmap["IMPORT_FROM"]
_IMPORT_STAR: Final = {opmap.get("IMPORT_STAR"), opmap.get("CALL_INTRINSIC_1")}
"""The instruction for `from module import *` before Python 3.12, and the one since."""
_EXCLUDED_FROM_STAR: Final = re.compile(
    r"__|pytest_|(pytestmark|load_tests|collect_ignore(_glob)?|"
    r"(setup|teardown)_(module|function)|(setUp|tearDown)Module)$"
)
"""Names that pytest or Python treats specially in a test module."""


def _current_opcode(caller: FrameType) -> int:
    """Return the opcode that the frame `caller` is executing."""
    return caller.f_code.co_code[caller.f_lasti]


def _star_imported_names(module: ProxyModule, importer_globals: dict[str, Any]) -> list[str]:
    """Return the names that a star import binds in the module with these `importer_globals`.

    Leaves out names that pytest or Python treats specially. Also leaves out names that would
    shadow built-ins or names of the tests, and warns about them.
    """
    requester = reference_of(module).requester
    try:
        names = requester.request("get", module, "__all__")
    except AttributeError:
        names = [name for name in requester.request("dir", module) if not str.startswith(name, "_")]
    public_names = [
        name
        for name in (names if isinstance(names, (list, tuple)) else ())
        if type(name) is str and name.isidentifier() and not _EXCLUDED_FROM_STAR.match(name)
    ]
    conflicts = [
        name
        for name in public_names
        if hasattr(builtins, name) or _is_local(importer_globals.get(name, module))
    ]
    if conflicts:
        text = (
            f"`import *` leaves out {', '.join(conflicts)}, already defined by Python or the tests;"
            " to use an object of the submission instead, import it by name"
        )
        warnings.warn(text, stacklevel=3)
    return [name for name in public_names if name not in conflicts]


def _is_local(value: Any) -> bool:
    """Return whether `value` belongs to this side."""
    return not is_proxy(value) and not (isinstance(value, type) and is_mirror(value))


_LOCAL_ON_MODULES: Final = frozenset(
    {"__class__", "__spec__", "__loader__", "__package__", "__path__", "__name__", "__file__"}
)
"""Attributes of a module proxy that stay here, as this side's import system sets them.

`inspect` reads `__file__` of every module."""


def look_up_on_proxies(replace: Callable[[object, str, object], None]) -> None:
    """Make `isinstance(value, P)` work for proxies if `P` is a runtime-checkable protocol.

    Since Python 3.12, `typing` looks attributes up statically, and so finds none on a proxy.
    `replace` is called to patch `typing`; it sets an attribute of a module, as `setattr` does.
    """
    loader = vars(typing).get(_LOADER_NAME)
    if loader is None:  # before Python 3.12, `typing` uses `hasattr`
        return

    def look_up(value: Any, name: str) -> Any:
        return getattr(value, name) if is_proxy(value) else loader()(value, name)

    replace(typing, _LOADER_NAME, lambda: look_up)


_LOADER_NAME: Final = "_lazy_load_getattr_static"
