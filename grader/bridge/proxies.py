"""Proxies: what one side holds of an object of the other, and the classes that mirror its class.

A mirror is a class of its own for each class of the other side. What Python looks up on classes is
there exactly when the other class has it: operators, `len`, iteration, `with`. So Python itself
decides what `a + b` calls, whether `NotImplemented` leads to `__radd__`, and that something without
`__hash__` goes into no set. `isinstance` and `type(x) is C` need not ask anybody.
"""

from __future__ import annotations

import sys
from abc import ABCMeta
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dis import opmap
from enum import EnumMeta
from types import FunctionType, ModuleType
from typing import Any, Final, NamedTuple, Protocol
from unittest import TestCase

from grader.bridge.wire import IMMUTABLE_BASES, MADE_ELSEWHERE, SPECIALS, Uncrossable


class Asker(Protocol):
    """Puts questions to the other side."""

    def ask(self, act: str, *about: Any) -> Any:
        """Return the answer, or raise what it raises."""

    def adopt(self, cls: ProxyType, name: str, bases: tuple[type, ...], body: Any) -> None:
        """Have the other side make a class that `cls`, which was made here, is the mirror of."""


class Place(NamedTuple):
    """Where the object is that a proxy stands for."""

    asker: Asker
    key: int
    life: int
    """Which of the processes on the other side had it, one after the other."""


_PLACE: Final = "_grader_place"
_REAL: Final = "_grader_real"
_META: Final = "_grader_meta"
_STANDARD: Final = "_grader_standard"
_OF_EACH_MIRROR: Final = frozenset(
    f"__{name}__" for name in ("call", "repr", "hash", "eq", "ne", "or", "ror")
)
_bases_slot: Final[Callable[[type], tuple[type, ...]]] = type.__dict__["__bases__"].__get__
_own_dict: Final[Callable[[type], Mapping[str, Any]]] = type.__dict__["__dict__"].__get__
_mro_slot: Final[Callable[[type], tuple[type, ...]]] = type.__dict__["__mro__"].__get__
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


def place_of(value: Any) -> Place:
    """Return where the object is that `value`, a proxy or a mirror, stands for."""
    if isinstance(value, type) and is_mirror(value):
        place: Place = _own_dict(value)[_PLACE]
    else:
        place = _inner(value, "__dict__")[_PLACE]
    return place


def set_place(value: Any, place: Place) -> None:
    """Have `value` stand for what is at `place`."""
    if isinstance(value, type) and is_mirror(value):
        type.__setattr__(value, _PLACE, place)
    else:
        _inner(value, "__dict__")[_PLACE] = place


_COPYING: Final = frozenset({"__copy__", "__deepcopy__", "__reduce_ex__"})
"""What `copy` and `pickle` look for; a copy is made where the object is."""


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
        mirrors = (base for base in _mro_slot(made)[1:] if is_mirror(base) and base is not Proxy)
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
        if name == "__class__" or cls is Proxy:
            return type.__getattribute__(cls, name)
        if name in _COPYING:
            return _own_dict(Proxy)[name]
        return place_of(cls).asker.ask("get", cls, name)

    def __setattr__(cls, name: str, value: Any) -> None:
        __tracebackhide__ = True
        place_of(cls).asker.ask("set", cls, name, value)

    def __delattr__(cls, name: str) -> None:
        __tracebackhide__ = True
        place_of(cls).asker.ask("delete", cls, name)

    def __dir__(cls) -> Iterable[str]:
        names: Iterable[str] = place_of(cls).asker.ask("dir", cls)
        return names

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
            if (standard := _own_dict(each).get(_STANDARD)) is not None:
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
            return _own_dict(cls).get(_REAL, cls)
        if name in _COPYING:
            return _inner(self, name)
        if name in _KEPT_OF_EXCEPTIONS and issubclass(cls, BaseException):
            return _inner(self, name)
        return place_of(self).asker.ask("get", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        __tracebackhide__ = True
        if name in _KEPT_OF_EXCEPTIONS and issubclass(type(self), BaseException):
            object.__setattr__(self, name, value)
        else:
            place_of(self).asker.ask("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        __tracebackhide__ = True
        place_of(self).asker.ask("delete", self, name)

    def __dir__(self) -> Iterable[str]:
        names: Iterable[str] = place_of(self).asker.ask("dir", self)
        return names

    def __copy__(self) -> Any:
        return place_of(self).asker.ask("copy", self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        copy, memo[_MEMO] = place_of(self).asker.ask("deepcopy", self, memo.get(_MEMO))
        return copy

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise Uncrossable(
            "an object of the submission cannot be pickled here; copy.deepcopy() works"
        )


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
        try:
            return place_of(self).asker.ask("get", self, name)
        except AttributeError as error:
            stand_in = _inner(self, "__dict__").get(MISSING)
            asking = sys._getframe(1)  # noqa: SLF001 - an import is told from any other question
            if stand_in is None or asking.f_code.co_code[asking.f_lasti] != _IMPORT_FROM:
                raise
            return stand_in(self, name, error)

    def __setattr__(self, name: str, value: Any) -> None:
        __tracebackhide__ = True
        if name in _KEPT_OF_MODULES:
            super().__setattr__(name, value)
        else:
            place_of(self).asker.ask("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        __tracebackhide__ = True
        place_of(self).asker.ask("delete", self, name)

    def __dir__(self) -> Iterable[str]:
        names: Iterable[str] = place_of(self).asker.ask("dir", self)
        return names

    def __repr__(self) -> str:
        return f"<module {_inner(self, '__name__')!r} of the submission>"


MISSING: Final = "_grader_missing"
"""Where a module has what to give for a name that is imported from it and not there."""
_LOOKED_FOR: Final = frozenset({"_mock_name", "__wrapped__", "__bases__", "__test__"})
"""What pytest looks for in whatever a file of tests has a name for: no module has it."""
_IMPORT_FROM: Final = opmap["IMPORT_FROM"]
_KEPT_OF_MODULES: Final = frozenset(
    {"__class__", "__spec__", "__loader__", "__package__", "__path__", "__name__"}
)
"""What the import system of this side writes on modules."""


class Definition(NamedTuple):
    """What the other side says of a class."""

    name: str
    qualified: str
    module: str
    bases: tuple[type, ...]
    meta: type | None
    specials: tuple[str, ...]
    absent: tuple[str, ...]
    """Specials that are None, such as `__hash__` of what cannot be hashed."""
    names: tuple[str, ...]
    real: type | None
    """The class of Python's own that its instances claim to be of."""


class _Unbound:
    """An attribute of a mirror, for `super()` and for `Class.method(object)`."""

    __slots__ = ("cls", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.cls: Any = None

    def __get__(self, obj: Any, owner: Any = None) -> Any:
        return place_of(self.cls).asker.ask("bind", self.cls, self.name, obj)


def _special(name: str) -> FunctionType:
    """Return a method of a mirror that has its owner call the one of that name."""
    cell: list[Any] = []

    def special(self: Any, /, *args: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        cls = cell[0]
        return place_of(cls).asker.ask("special", cls, name, self, args, tuple(keywords.items()))

    special.__name__ = special.__qualname__ = name
    special.__dict__["cell"] = cell
    return special  # type: ignore[return-value]  # what `def` makes is one


def mirror_of(definition: Definition, place: Place) -> type:
    """Return a class that stands for the one that `definition` describes."""
    body: dict[str, Any] = {
        "__module__": definition.module,
        "__qualname__": definition.qualified,
        "__doc__": None,
        _PLACE: place,
    }
    if definition.real is not None:
        body[_REAL] = definition.real
    if (standard := _standard(definition)) is not None:
        body |= {_STANDARD: standard, **_covered(standard)}
    unbound = [_Unbound(name) for name in definition.names if _may_be_named(name)]
    body.update((each.name, each) for each in unbound)
    specials = {name: _special(name) for name in definition.specials if name in SPECIALS}
    body.update(specials)
    body.update((name, None) for name in definition.absent if name in SPECIALS)
    cls = _made(definition, body)
    for each in unbound:
        each.cls = cls
    for special in body.values():
        if type(special) is FunctionType and "cell" in special.__dict__:
            special.__dict__["cell"].append(cls)
    return cls


def _standard(definition: Definition) -> type | None:
    """Return the class of the standard library that is defined so, None where there is none."""
    if definition.module.partition(".")[0] not in sys.stdlib_module_names - {"builtins"}:
        return None
    found: Any = getattr(sys.modules.get(definition.module), definition.qualified, None)
    if (
        type(found) in _PLAIN_METAS
        and not issubclass(found, (BaseException, TestCase))
        and not _RUN_UNASKED.intersection(_own_dict(found))
    ):
        standard: type = found
        return standard
    return None


_PLAIN_METAS: Final = (type, ABCMeta, EnumMeta)
_RUN_UNASKED: Final = frozenset({"__del__", "__getattr__", "__buffer__"})
"""What Python runs by itself, and a mirror could not keep from being run here."""


def _covered(standard: type) -> dict[str, Any]:
    """Return what keeps the methods of `standard` from being run here.

    What it is said to define need not be all that it does: `argparse.FileType` opens files.
    """
    names = _own_dict(standard).keys()
    body: dict[str, Any] = {name: _special(name) for name in names & SPECIALS}
    body |= {name: method for name, method in _own_dict(Proxy).items() if callable(method)}
    if "__init_subclass__" in names:
        body["__init_subclass__"] = classmethod(lambda _cls: None)
    return body


def _may_be_named(name: str) -> bool:
    return name not in MADE_ELSEWHERE and not name.startswith("_grader_")


def _made(definition: Definition, body: dict[str, Any]) -> type:
    """Return the class; where Python refuses the bases, one that has none of them."""
    bases = tuple(base for base in definition.bases if base is not object)
    if not any(is_mirror(base) for base in bases):
        bases = (Proxy, *bases)
    meta = ProxyType
    if definition.meta is not None and is_mirror(definition.meta):
        meta = meta_of(definition.meta)
    with suppress(TypeError, ValueError):
        return type.__new__(meta, definition.name, bases, dict(body))
    if (standard := body.pop(_STANDARD, None)) is not None:  # written in C, it has its own layout
        body.setdefault(_REAL, standard)
        with suppress(TypeError, ValueError):
            return type.__new__(meta, definition.name, bases, dict(body))
    return type.__new__(ProxyType, definition.name, (Proxy,), dict(body))


def meta_of(mirror: type) -> type[ProxyType]:
    """Return a class of mirrors with the operators of `mirror`, which stands for a metaclass."""
    made: type[ProxyType] | None = _own_dict(mirror).get(_META)
    if made is None:
        body = {
            name: value
            for name, value in _own_dict(mirror).items()
            if name in SPECIALS - _OF_EACH_MIRROR and isinstance(value, FunctionType)
        }
        bases = [meta_of(base) for base in _bases_slot(mirror) if _stands_for_meta(base)]
        made = type.__new__(type, "ProxyType", tuple(bases) or (ProxyType,), body)
        type.__setattr__(mirror, _META, made)
    return made


def _stands_for_meta(cls: type) -> bool:
    return is_mirror(cls) and cls is not Proxy


def empty_instance(cls: type, content: Any) -> Any:
    """Return an instance of a mirror; `content` is what it holds that never changes."""
    base: Any
    for base in IMMUTABLE_BASES:
        if issubclass(cls, base):
            return base.__new__(cls, content)
    if issubclass(cls, BaseException):
        return BaseException.__new__(cls)
    return object.__new__(cls)
