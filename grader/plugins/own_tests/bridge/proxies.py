"""Proxies: stand-ins on one side for objects of the other."""

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

from grader.plugins.own_tests.bridge.wire import MADE_ELSEWHERE, dict_of, mro_of


class Asker(Protocol):
    """Sends requests to the other side."""

    def ask(self, act: str, *about: Any) -> Any:
        """Return the result, or raise the exception of the other side."""

    def adopt(self, cls: ProxyType, name: str, bases: tuple[type, ...], body: Any) -> None:
        """Have the other side make a class, and turn `cls`, made here, into its mirror."""


class ObjectPlace(NamedTuple):
    """Where the object of a proxy is."""

    asker: Asker
    key: int
    process: int
    """The number of the other side's process that has it."""


PLACE: Final = "_grader_place"
REAL_CLASS: Final = "_grader_real"
STANDARD: Final = "_grader_standard"
_inner: Final = object.__getattribute__
_KEPT_OF_EXCEPTIONS: Final = frozenset(
    {
        *("__traceback__", "__cause__", "__context__", "__suppress_context__", "__notes__"),
        *("with_traceback", "add_note", "args"),
    }
)
"""Attributes that Python itself sets on a raised exception."""


def is_mirror(cls: type) -> bool:
    """Return whether `cls` is the mirror of a class of the other side."""
    return issubclass(type(cls), ProxyType)


def is_proxy(value: object) -> bool:
    """Return whether `value` is the proxy of an object of the other side; a mirror is not."""
    cls = type(value)
    return issubclass(type(cls), ProxyType) or cls is ProxyModule


def place_of(value: Any) -> ObjectPlace:
    """Return the place of the object that `value`, a proxy or a mirror, stands for."""
    if isinstance(value, type) and is_mirror(value):
        place: ObjectPlace = dict_of(value)[PLACE]
    else:
        place = _inner(value, "__dict__")[PLACE]
    return place


def set_place(value: Any, place: ObjectPlace) -> None:
    """Make `value` the proxy or mirror of the object at `place`."""
    if isinstance(value, type) and is_mirror(value):
        type.__setattr__(value, PLACE, place)
    else:
        _inner(value, "__dict__")[PLACE] = place


_ASKERS: Final[list[Asker]] = []
"""The current one, for `restored`, which pickle calls without any context."""


def pickle_by(asker: Asker) -> None:
    """Use `asker` from now on to pickle and unpickle proxies.

    The pickle of a proxy is a call of `restored` with bytes that the other side has pickled, and
    that the other side unpickles again. They are never unpickled here, as that would run any code.
    """
    _ASKERS[:] = [asker]
    copyreg.pickle(ProxyType, reduced)  # pickle would import a mirror by its name


def reduced(value: Any) -> tuple[Any, ...]:
    """Return a proxy or a mirror reduced for pickle."""
    return restored, (place_of(value).asker.ask("pickle", value),)


def restored(data: object) -> Any:
    """Return the object that the other side unpickles from its own bytes."""
    if type(data) is not bytes:
        raise TypeError("a pickle that is none")
    return _ASKERS[-1].ask("unpickle", data)


def _set(value: Any, name: str, content: Any) -> None:
    __tracebackhide__ = True
    place_of(value).asker.ask("set", value, name, content)


def _delete(value: Any, name: str) -> None:
    __tracebackhide__ = True
    place_of(value).asker.ask("delete", value, name)


def _names(value: Any) -> Iterable[str]:
    __tracebackhide__ = True
    names: Iterable[str] = place_of(value).asker.ask("dir", value)
    return names


_COPYING: Final = frozenset({"__copy__", "__deepcopy__", "__reduce_ex__"})
"""Methods that `copy` and `pickle` look up; a copy is made on the object's side."""
_MADE_HERE: Final = _COPYING - {"__copy__"}
"""Those that are looked up on the object; `itertools.tee` looks there for a real `__copy__`."""


class ProxyType(type):
    """The class of mirrors."""

    def __new__(
        cls, name: str, bases: tuple[type, ...], body: dict[str, Any], **keywords: Any
    ) -> ProxyType:
        """Make a class, defined here with a mirror among its bases, on both sides."""
        __tracebackhide__ = True
        kept = body
        if bases:  # all but `Proxy` itself
            kept = {key: value for key, value in body.items() if key not in _NOT_KEPT}
        made = type.__new__(cls, name, bases, kept)
        mirrors = (base for base in mro_of(made)[1:] if is_mirror(base) and base is not Proxy)
        base = next(mirrors, None)
        if base is not None:
            place_of(base).asker.adopt(made, name, bases, (body, keywords))
        return made

    def __init__(cls, name: str, bases: tuple[type, ...], body: Any, **_keywords: Any) -> None:
        """Swallow the keywords, which the other side has used."""
        super().__init__(name, bases, body)

    def __call__(cls, *args: Any, **keywords: Any) -> Any:
        """Have the other side make an instance."""
        __tracebackhide__ = True
        return place_of(cls).asker.ask("call", cls, args, tuple(keywords.items()))

    def __getattribute__(cls, name: str) -> Any:
        __tracebackhide__ = True
        if name == "__class__":
            return dict_of(type(cls)).get(REAL_CLASS, type(cls))
        if cls is Proxy:
            return type.__getattribute__(cls, name)
        if name in _COPYING:
            return dict_of(Proxy)[name]
        if dict_of(cls).get(REAL_CLASS) is object:
            return getattr(object, name)
        return place_of(cls).asker.ask("get", cls, name)

    __setattr__, __delattr__, __dir__ = _set, _delete, _names

    def __repr__(cls) -> str:
        if cls is Proxy:
            return type.__repr__(cls)
        text: str = place_of(cls).asker.ask("repr", cls)
        return text

    __hash__ = type.__hash__  # with `__eq__` alone it would be None
    __eq__ = type.__eq__

    def mro(cls) -> list[type]:
        """Put the class of the standard library that a mirror stands for after it in the order.

        So `issubclass(Color, enum.Enum)` holds. No attribute is looked up there, as all lookups on
        an instance are requests.
        """
        order: list[type] = []
        for each in type.mro(cls):
            order.append(each)
            if (standard := dict_of(each).get(STANDARD)) is not None:
                order.append(standard)
        return list(dict.fromkeys(order))


_NOT_KEPT: Final = MADE_ELSEWHERE - {"__module__", "__qualname__", "__doc__", "__classcell__"}


class Proxy(metaclass=ProxyType):
    """Base of all mirrors: whatever is done to an instance is a request to its owner."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        __tracebackhide__ = True
        cls = type(self)
        if name == "__class__":
            return dict_of(cls).get(REAL_CLASS, cls)
        if name in _MADE_HERE:
            return _inner(self, name)
        if name in _KEPT_OF_EXCEPTIONS and issubclass(cls, BaseException):
            return _inner(self, name)
        return place_of(self).asker.ask("get", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        __tracebackhide__ = True
        if name in _KEPT_OF_EXCEPTIONS and issubclass(type(self), BaseException):
            object.__setattr__(self, name, value)
        else:
            _change("set", "__setattr__", self, name, value)

    def __delattr__(self, name: str) -> None:
        __tracebackhide__ = True
        _change("delete", "__delattr__", self, name)

    __dir__ = _names

    def __copy__(self) -> Any:
        return place_of(self).asker.ask("copy", self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        copy, memo[_MEMO] = place_of(self).asker.ask("deepcopy", self, memo.get(_MEMO))
        return copy

    def __reduce_ex__(self, protocol: Any) -> Any:
        return reduced(self)


def _change(act: str, special: str, value: Proxy, *about: Any) -> None:
    """Request the change of an attribute.

    If a class made here defines `special`, that has run already, and this is its `super()` call:
    request the method of the next mirror.
    """
    __tracebackhide__ = True
    cls = type(value)
    asker = place_of(value).asker
    if type.__getattribute__(cls, special) is dict_of(Proxy)[special]:
        asker.ask(act, value, *about)
    else:
        mirrors = [base for base in mro_of(cls) if is_mirror(base)]
        last = max(at for at, base in enumerate(mirrors[:-1]) if special in dict_of(base))
        asker.ask("special", mirrors[last + 1], special, value, about, ())


_MEMO: Final = -1
"""The key of the other side's memo in the memo of a deep copy: no object has this id."""


class ProxyModule(ModuleType):
    """The proxy of a module of the other side."""

    def __getattribute__(self, name: str) -> Any:
        __tracebackhide__ = True
        if name in _KEPT_OF_MODULES:
            return _inner(self, name)
        if name in _LOOKED_FOR:
            raise AttributeError(name)
        caller = sys._getframe(1)  # noqa: SLF001 - imports are treated differently
        if name == "__all__" and _instruction(caller) in _IMPORT_STAR:
            return _star_imported_names(self, caller.f_globals)
        try:
            return place_of(self).asker.ask("get", self, name)
        except AttributeError as error:
            make_stand_in = _inner(self, "__dict__").get(MISSING)
            if make_stand_in is None or _instruction(caller) != _IMPORT_FROM:
                raise
            return make_stand_in(self, name, error)

    def __setattr__(self, name: str, value: Any) -> None:
        __tracebackhide__ = True
        if name in _KEPT_OF_MODULES:
            super().__setattr__(name, value)
        elif sys._getframe(1).f_globals.get("__name__") != _IMPORTING:  # noqa: SLF001 - as above
            _set(self, name, value)

    __delattr__, __dir__ = _delete, _names

    def __repr__(self) -> str:
        return f"<module {_inner(self, '__name__')!r} of the submission>"


_IMPORTING: Final = "importlib._bootstrap"
"""Sets submodules on their package after an import. The other side has done that already, and its
package may since have given the name of a submodule to something else."""
MISSING: Final = "_grader_missing"
"""The key of a module's function that returns a stand-in for a missing name at an import."""
_LOOKED_FOR: Final = frozenset({"_mock_name", "__wrapped__", "__bases__", "__test__"})
"""Attributes that pytest looks for on each object in a test file, and that no module has."""
_IMPORT_FROM: Final = opmap["IMPORT_FROM"]
_IMPORT_STAR: Final = {opmap.get("IMPORT_STAR"), opmap.get("CALL_INTRINSIC_1")}
"""The instruction of `from module import *`, before Python 3.12 and since."""
_NOT_BY_STAR: Final = re.compile(
    r"__|pytest_|(pytestmark|load_tests|collect_ignore(_glob)?|"
    r"(setup|teardown)_(module|function)|(setUp|tearDown)Module)$"
)
"""Names in a test module that pytest or Python obey."""


def _instruction(caller: FrameType) -> int:
    return caller.f_code.co_code[caller.f_lasti]


def _star_imported_names(module: ProxyModule, importing: dict[str, Any]) -> list[str]:
    """Return the names that a star import binds in a module whose names are `importing`.

    Left out are names that pytest or Python obey, and names that would hide built-ins or names of
    the tests.
    """
    asker = place_of(module).asker
    try:
        names = asker.ask("get", module, "__all__")
    except AttributeError:
        names = [name for name in asker.ask("dir", module) if not str.startswith(name, "_")]
    public_names = [
        name
        for name in (names if isinstance(names, (list, tuple)) else ())
        if type(name) is str and name.isidentifier() and not _NOT_BY_STAR.match(name)
    ]
    conflicts = [
        name
        for name in public_names
        if hasattr(builtins, name) or _is_own(importing.get(name, module))
    ]
    if conflicts:
        names = ", ".join(conflicts)
        text = (
            f"`import *` leaves out {names}: Python or the tests have something of that name;"
            " import the submission's by name"
        )
        warnings.warn(text, stacklevel=3)
    return [name for name in public_names if name not in conflicts]


def _is_own(value: Any) -> bool:
    """Return whether `value` is an object of this side."""
    return not is_proxy(value) and not (isinstance(value, type) and is_mirror(value))


_KEPT_OF_MODULES: Final = frozenset(
    {"__class__", "__spec__", "__loader__", "__package__", "__path__", "__name__", "__file__"}
)
"""Attributes that this side's import system sets; `inspect` reads `__file__` of every module."""


def look_up_on_proxies(replace: Callable[[object, str, object], None]) -> None:
    """Make `isinstance(value, P)` work for proxies, where `P` is a runtime-checkable protocol.

    Since Python 3.12, `typing` looks attributes up statically, and a proxy has none of its own.
    `replace` replaces a function of a module.
    """
    loader = vars(typing).get(_LOADER)
    if loader is None:  # before Python 3.12 `typing` uses `hasattr`
        return

    def looked_up(value: Any, name: str) -> Any:
        return getattr(value, name) if is_proxy(value) else loader()(value, name)

    replace(typing, _LOADER, lambda: looked_up)


_LOADER: Final = "_lazy_load_getattr_static"
