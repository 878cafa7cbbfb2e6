"""Proxies: what one side holds of an object of the other."""

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
    """Puts questions to the other side."""

    def ask(self, act: str, *about: Any) -> Any:
        """Return the answer, or raise what it raises."""

    def adopt(self, cls: ProxyType, name: str, bases: tuple[type, ...], body: Any) -> None:
        """Have the other side make a class that `cls`, which was made here, is the mirror of."""


class ObjectPlace(NamedTuple):
    """Where the object is that a proxy stands for."""

    asker: Asker
    key: int
    life: int
    """Which of the processes on the other side had it, one after the other."""


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
"""What Python itself writes on an exception on its way."""


def is_mirror(cls: type) -> bool:
    """Return whether `cls` stands for a class of the other side."""
    return issubclass(type(cls), ProxyType)


def is_proxy(value: object) -> bool:
    """Return whether `value` stands for an object of the other side; a mirror is none."""
    cls = type(value)
    return issubclass(type(cls), ProxyType) or cls is ProxyModule


def place_of(value: Any) -> ObjectPlace:
    """Return where the object is that `value`, a proxy or a mirror, stands for."""
    if isinstance(value, type) and is_mirror(value):
        place: ObjectPlace = dict_of(value)[PLACE]
    else:
        place = _inner(value, "__dict__")[PLACE]
    return place


def set_place(value: Any, place: ObjectPlace) -> None:
    """Have `value` stand for what is at `place`."""
    if isinstance(value, type) and is_mirror(value):
        type.__setattr__(value, PLACE, place)
    else:
        _inner(value, "__dict__")[PLACE] = place


_ASKERS: Final[list[Asker]] = []
"""Who asks the other side, of those that live, the last one."""


def pickle_by(asker: Asker) -> None:
    """Have `asker` restore from now on what is pickled here of the other side.

    What `pickle.dumps` makes of a proxy holds bytes that the other side has made, and says that
    `restored` makes something of them. That asks the other side again: nothing of it is ever
    unpickled here, as that would run whatever it wants.
    """
    _ASKERS[:] = [asker]
    copyreg.pickle(ProxyType, reduced)


def reduced(value: Any) -> tuple[Any, ...]:
    """Return what pickle makes of a proxy or a mirror."""
    return restored, (place_of(value).asker.ask("pickle", value),)


def restored(data: object) -> Any:
    """Return what the other side makes of bytes that it has pickled."""
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
"""What `copy` and `pickle` look for; a copy is made where the object is."""
_MADE_HERE: Final = _COPYING - {"__copy__"}
"""What they look for on the object itself; `itertools.tee` asks there whether it can be copied."""


class ProxyType(type):
    """The class of mirrors."""

    def __new__(
        cls, name: str, bases: tuple[type, ...], body: dict[str, Any], **keywords: Any
    ) -> ProxyType:
        """Make a class that is defined here, with a mirror among its bases."""
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
        """Leave it as it was made."""
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

    __hash__ = type.__hash__
    __eq__ = type.__eq__

    def mro(cls) -> list[type]:
        """Put the class of the standard library that a mirror stands for behind it.

        So `issubclass(Color, enum.Enum)` holds. Nothing is looked up there: whatever is done to an
        instance is asked of its owner.
        """
        order: list[type] = []
        for each in type.mro(cls):
            order.append(each)
            if (standard := dict_of(each).get(STANDARD)) is not None:
                order.append(standard)
        return list(dict.fromkeys(order))


_NOT_KEPT: Final = MADE_ELSEWHERE - {"__module__", "__qualname__", "__doc__", "__classcell__"}


class Proxy(metaclass=ProxyType):
    """Base of all mirrors: whatever is done to an instance is asked of its owner."""

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
    """Have an attribute changed; by `special` of a base where a class made here has its own.

    That one has been run here already, and goes on to the next one by `super()`.
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
"""Where the memo of a deep copy keeps that of the other side; no object has this id."""


class ProxyModule(ModuleType):
    """Stands for a module of the other side."""

    def __getattribute__(self, name: str) -> Any:
        __tracebackhide__ = True
        if name in _KEPT_OF_MODULES:
            return _inner(self, name)
        if name in _LOOKED_FOR:
            raise AttributeError(name)
        asking = sys._getframe(1)  # noqa: SLF001 - an import is told from any other question
        if name == "__all__" and _instruction(asking) in _IMPORT_STAR:
            return _given_by_star(self, asking.f_globals)
        try:
            return place_of(self).asker.ask("get", self, name)
        except AttributeError as error:
            stand_in = _inner(self, "__dict__").get(MISSING)
            if stand_in is None or _instruction(asking) != _IMPORT_FROM:
                raise
            return stand_in(self, name, error)

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
"""What gives a package the modules in it: the import on the other side has done so, and what the
package itself calls by the name of one has come after that."""
MISSING: Final = "_grader_missing"
"""Where a module has what to give for a name that is imported from it and not there."""
_LOOKED_FOR: Final = frozenset({"_mock_name", "__wrapped__", "__bases__", "__test__"})
"""What pytest looks for in whatever a file of tests has a name for: no module has it."""
_IMPORT_FROM: Final = opmap["IMPORT_FROM"]
_IMPORT_STAR: Final = {opmap.get("IMPORT_STAR"), opmap.get("CALL_INTRINSIC_1")}
"""What `from module import *` is, before Python 3.12 and since."""
_NOT_BY_STAR: Final = re.compile(
    r"__|pytest_|(pytestmark|load_tests|collect_ignore(_glob)?|"
    r"(setup|teardown)_(module|function)|(setUp|tearDown)Module)$"
)
"""Names by which the module that imports them would tell pytest, or Python, what to do."""


def _instruction(asking: FrameType) -> int:
    return asking.f_code.co_code[asking.f_lasti]


def _given_by_star(module: ProxyModule, there: dict[str, Any]) -> list[str]:
    """Return what a star import gets for a module where the names `there` are.

    Those are names that pytest and Python read nothing out of, and that mean nothing else: a test
    that says `len`, or a name of its own, is to get that.
    """
    asker = place_of(module).asker
    try:
        names = asker.ask("get", module, "__all__")
    except AttributeError:
        names = [name for name in asker.ask("dir", module) if not str.startswith(name, "_")]
    given = [
        name
        for name in (names if isinstance(names, (list, tuple)) else ())
        if type(name) is str and name.isidentifier() and not _NOT_BY_STAR.match(name)
    ]
    taken = [name for name in given if hasattr(builtins, name) or _is_own(there.get(name, module))]
    if taken:
        said = (
            f"a star import leaves out {', '.join(taken)}, which the tests have; import it by name"
        )
        warnings.warn(said, stacklevel=3)
    return [name for name in given if name not in taken]


def _is_own(value: Any) -> bool:
    """Return whether `value` is nothing of the other side."""
    return not is_proxy(value) and not (isinstance(value, type) and is_mirror(value))


_KEPT_OF_MODULES: Final = frozenset(
    {"__class__", "__spec__", "__loader__", "__package__", "__path__", "__name__", "__file__"}
)
"""What the import system of this side writes on modules; `inspect` reads the file of every one."""


def look_up_there(put: Callable[[object, str, object], None]) -> None:
    """Have `isinstance(value, P)` ask proxies, where `P` is a protocol that looks at run time.

    From Python 3.12 on `typing` reads an object's names without asking the object, and those of a
    proxy are elsewhere. `put` gives a module another function for one of its own.
    """
    loader = vars(typing).get(_LOADER)
    if loader is None:  # before Python 3.12 they ask
        return

    def looked_up(value: Any, name: str) -> Any:
        return getattr(value, name) if is_proxy(value) else loader()(value, name)

    put(typing, _LOADER, lambda: looked_up)


_LOADER: Final = "_lazy_load_getattr_static"
