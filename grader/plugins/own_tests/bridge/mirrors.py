"""Mirrors: the classes of proxies, one for each class of the other side.

A mirror has the special methods that its class has: operators, `len`, iteration, `with`. So Python
itself decides what `a + b` calls, whether `NotImplemented` leads to `__radd__`, and that an object
without `__hash__` goes into no set. `isinstance` and `type(x) is C` need no request.
"""

from __future__ import annotations

import copyreg
import sys
from abc import ABCMeta
from contextlib import suppress
from enum import EnumMeta
from types import FunctionType
from typing import Any, Final, NamedTuple
from unittest import TestCase

from grader.plugins.own_tests.bridge.proxies import (
    PLACE,
    REAL_CLASS,
    STANDARD,
    ObjectPlace,
    Proxy,
    ProxyType,
    is_mirror,
    place_of,
    reduced,
)
from grader.plugins.own_tests.bridge.wire import (
    IMMUTABLE_BASES,
    MADE_ELSEWHERE,
    REAL,
    SPECIALS,
    bases_of,
    dict_of,
)

_META: Final = "_grader_meta"
_OF_EACH_MIRROR: Final = frozenset(
    f"__{name}__" for name in ("call", "repr", "hash", "eq", "ne", "or", "ror")
)


class MirroredClass(NamedTuple):
    """The description of a class in a message, in this order."""

    name: str
    qualified: str
    module: str
    bases: tuple[type, ...]
    meta: type | None
    specials: tuple[str, ...]
    absent: tuple[str, ...]
    """Specials that are None, such as `__hash__` of an unhashable class."""
    names: tuple[str, ...]
    real: str | None
    """The name of the built-in class that its instances claim as `__class__`."""


class _Unbound:
    """An attribute of a mirror, for `super()` and for `Class.method(object)`."""

    __slots__ = ("cls", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.cls: Any = None

    def __get__(self, obj: Any, owner: Any = None) -> Any:
        return place_of(self.cls).asker.ask("bind", self.cls, self.name, obj)


def _special(name: str) -> FunctionType:
    """Return a method of a mirror that calls the method of that name on the other side."""
    cell: list[Any] = []  # the class, once it is made

    def special(self: Any, /, *args: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        if name == "__set_name__" and isinstance(args[0], type) and is_mirror(args[0]):
            return None  # the other side has called it when it made the class
        cls = cell[0]
        return place_of(cls).asker.ask("special", cls, name, self, args, tuple(keywords.items()))

    special.__name__ = special.__qualname__ = name
    special.__dict__["cell"] = cell
    return special  # type: ignore[return-value]  # what `def` makes is one


def mirror_of(definition: MirroredClass, place: ObjectPlace, real: type | None = None) -> type:
    """Return a mirror of the class that `definition` describes.

    Its instances claim the built-in class `real` as `__class__`, or the one that it names.
    """
    real = REAL.get(definition.real or "", real)
    body: dict[str, Any] = {
        "__module__": definition.module,
        "__qualname__": definition.qualified,
        "__doc__": None,
        PLACE: place,
    }
    if real is not None:
        body[REAL_CLASS] = real
    if (standard := _standard(definition)) is not None:
        body |= {STANDARD: standard, **_covered(standard)}
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


def _standard(definition: MirroredClass) -> type | None:
    """Return the loaded class of the standard library with this name, or None."""
    if definition.module.partition(".")[0] not in sys.stdlib_module_names - {"builtins"}:
        return None
    found: Any = getattr(sys.modules.get(definition.module), definition.qualified, None)
    if (
        type(found) in _PLAIN_METAS
        and not issubclass(found, (BaseException, TestCase))
        and not _RUN_UNASKED.intersection(dict_of(found))
    ):
        standard: type = found
        return standard
    return None


_PLAIN_METAS: Final = (type, ABCMeta, EnumMeta)
_RUN_UNASKED: Final = frozenset({"__del__", "__getattr__", "__buffer__"})
"""Methods that Python runs unasked, and that a mirror could not keep from running here."""


def _covered(standard: type) -> dict[str, Any]:
    """Return methods that override all those of `standard`, so that none of them runs here.

    The other side may leave some out of its description, and `argparse.FileType` opens files.
    """
    names = dict_of(standard).keys()
    body: dict[str, Any] = {name: _special(name) for name in names & SPECIALS}
    body |= {name: method for name, method in dict_of(Proxy).items() if callable(method)}
    if "__init_subclass__" in names:
        body["__init_subclass__"] = classmethod(lambda _cls: None)
    return body


def _may_be_named(name: str) -> bool:
    return name not in MADE_ELSEWHERE and not name.startswith("_grader_")


def _made(definition: MirroredClass, body: dict[str, Any]) -> type:
    """Return the class; if Python refuses the bases, one without them."""
    bases = tuple(base for base in definition.bases if base is not object)
    if not any(is_mirror(base) for base in bases):
        bases = (Proxy, *bases)
    meta = ProxyType
    if definition.meta is not None and is_mirror(definition.meta):
        meta = meta_of(definition.meta)
    # Not `meta(...)`, which would have the other side make a class.
    with suppress(TypeError, ValueError):
        return type.__new__(meta, definition.name, bases, dict(body))
    if (standard := body.pop(STANDARD, None)) is not None:  # written in C, it has its own layout
        body.setdefault(REAL_CLASS, standard)
        with suppress(TypeError, ValueError):
            return type.__new__(meta, definition.name, bases, dict(body))
    return type.__new__(ProxyType, definition.name, (Proxy,), dict(body))


def meta_of(mirror: type) -> type[ProxyType]:
    """Return a metaclass of mirrors with the operators of `mirror`, the mirror of a metaclass."""
    made: type[ProxyType] | None = dict_of(mirror).get(_META)
    if made is None:
        body = {
            name: value
            for name, value in dict_of(mirror).items()
            if name in SPECIALS - _OF_EACH_MIRROR and isinstance(value, FunctionType)
        }
        body[REAL_CLASS] = dict_of(mirror).get(STANDARD, mirror)
        bases = [meta_of(base) for base in bases_of(mirror) if _stands_for_meta(base)]
        made = type.__new__(type, "ProxyType", tuple(bases) or (ProxyType,), body)
        type.__setattr__(mirror, _META, made)
        copyreg.pickle(made, reduced)  # looked up by exact class
    return made


def _stands_for_meta(cls: type) -> bool:
    return is_mirror(cls) and cls is not Proxy


def empty_instance(cls: type, content: Any) -> Any:
    """Return an instance of a mirror; `content` is its value if it has an immutable base."""
    base: Any
    for base in IMMUTABLE_BASES:
        if issubclass(cls, base):
            return base.__new__(cls, content)
    if issubclass(cls, BaseException):
        return BaseException.__new__(cls)
    return object.__new__(cls)
