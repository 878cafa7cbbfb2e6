"""Mirrors: the classes of proxies, one for each class of the other side.

A mirror has the special methods that its class has: operators, `len`, iteration, `with`. So Python
itself decides what `a + b` calls, and whether `NotImplemented` leads to `__radd__`. It also refuses
to put an object without `__hash__` into a set. `isinstance` and `type(x) is C` need no request.
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
    REAL_CLASS,
    REFERENCE,
    STANDARD,
    Proxy,
    ProxyType,
    RemoteReference,
    is_mirror,
    reduce_proxy,
    reference_of,
)
from grader.plugins.own_tests.bridge.wire import (
    IMMUTABLE_BASES,
    NOT_MIRRORED,
    REAL,
    SPECIALS,
    bases_of,
    dict_of,
)

_META: Final = "_grader_meta"
_SPECIALS_OF_EVERY_MIRROR: Final = frozenset(
    f"__{name}__" for name in ("call", "repr", "hash", "eq", "ne", "or", "ror")
)
"""Special methods that every mirror already has, so that its metaclass need not add them."""


class MirroredClass(NamedTuple):
    """The description of a class, as sent in a message; the fields are sent in this order."""

    name: str
    qualified: str
    module: str
    bases: tuple[type, ...]
    meta: type | None
    specials: tuple[str, ...]
    absent: tuple[str, ...]
    """Special methods that are set to None, such as `__hash__` of an unhashable class."""
    names: tuple[str, ...]
    real: str | None
    """The name of the built-in class that the instances claim as `__class__`."""


class _Unbound:
    """An attribute of a mirror: `super()` and `Class.method` look it up on the other side."""

    __slots__ = ("cls", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.cls: Any = None

    def __get__(self, obj: Any, owner: Any = None) -> Any:
        """Return the attribute as the class on the other side binds it."""
        return reference_of(self.cls).requester.request("bind", self.cls, self.name, obj)


def _special_method(name: str) -> FunctionType:
    """Return a method for a mirror that calls the special method `name` on the other side."""
    cell: list[Any] = []  # the class; `mirror_of` adds it once it exists

    def special(self: Any, /, *args: Any, **keywords: Any) -> Any:
        """Request the call, unless it is `__set_name__` for a mirror that is being created."""
        __tracebackhide__ = True
        if name == "__set_name__" and isinstance(args[0], type) and is_mirror(args[0]):
            return None  # the other side called it when it created the class
        cls = cell[0]
        return reference_of(cls).requester.request(
            "special", cls, name, self, args, tuple(keywords.items())
        )

    special.__name__ = special.__qualname__ = name
    special.__dict__["cell"] = cell
    return special  # type: ignore[return-value]  # `def` creates a `FunctionType`


def mirror_of(
    definition: MirroredClass, reference: RemoteReference, real: type | None = None
) -> type:
    """Return a mirror of the class that `definition` describes and `reference` identifies.

    The instances claim a built-in class as `__class__`: the one that `definition` names, or
    `real` if it names none.
    """
    real = REAL.get(definition.real or "", real)
    body: dict[str, Any] = {
        "__module__": definition.module,
        "__qualname__": definition.qualified,
        "__doc__": None,
        REFERENCE: reference,
    }
    if real is not None:
        body[REAL_CLASS] = real
    if (standard := _standard_class(definition)) is not None:
        body |= {STANDARD: standard, **_overrides(standard)}
    unbound = [_Unbound(name) for name in definition.names if _is_permitted_name(name)]
    body.update((attribute.name, attribute) for attribute in unbound)
    specials = {name: _special_method(name) for name in definition.specials if name in SPECIALS}
    body.update(specials)
    body.update((name, None) for name in definition.absent if name in SPECIALS)
    cls = _build_mirror(definition, body)
    for attribute in unbound:
        attribute.cls = cls
    for special in body.values():
        if type(special) is FunctionType and "cell" in special.__dict__:
            special.__dict__["cell"].append(cls)
    return cls


def _standard_class(definition: MirroredClass) -> type | None:
    """Return the standard library class that `definition` names, or None if there is none.

    Also returns None if that class is not loaded, if it is an exception or a `TestCase`, or if
    inheriting from it could run its code.
    """
    if definition.module.partition(".")[0] not in sys.stdlib_module_names - {"builtins"}:
        return None
    candidate: Any = getattr(sys.modules.get(definition.module), definition.qualified, None)
    if (
        type(candidate) in _PLAIN_METAS
        and not issubclass(candidate, (BaseException, TestCase))
        and not _CALLED_IMPLICITLY.intersection(dict_of(candidate))
    ):
        standard: type = candidate
        return standard
    return None


_PLAIN_METAS: Final = (type, ABCMeta, EnumMeta)
_CALLED_IMPLICITLY: Final = frozenset({"__del__", "__getattr__", "__buffer__"})
"""Methods that Python calls implicitly: a mirror could not keep them from running here."""


def _overrides(standard: type) -> dict[str, Any]:
    """Return overrides for all methods of `standard`, so that none of them runs here.

    The other side might omit methods from its description of the class. Some would be harmful here:
    those of `argparse.FileType` open files.
    """
    names = dict_of(standard).keys()
    body: dict[str, Any] = {name: _special_method(name) for name in names & SPECIALS}
    body |= {name: method for name, method in dict_of(Proxy).items() if callable(method)}
    if "__init_subclass__" in names:
        body["__init_subclass__"] = classmethod(lambda _cls: None)
    return body


def _is_permitted_name(name: str) -> bool:
    """Return whether a mirror is allowed to have an attribute called `name`."""
    return name not in NOT_MIRRORED and not name.startswith("_grader_")


def _build_mirror(definition: MirroredClass, body: dict[str, Any]) -> type:
    """Create the mirror from `body`; if Python rejects the bases, leave them out.

    If `body` has a standard library class, that class may be what Python rejects. So it is removed
    from `body` first, and instances only claim it as `__class__`. The bases are left out only if
    Python still rejects them.
    """
    bases = tuple(base for base in definition.bases if base is not object)
    if not any(is_mirror(base) for base in bases):
        bases = (Proxy, *bases)
    meta = ProxyType
    if definition.meta is not None and is_mirror(definition.meta):
        meta = meta_of(definition.meta)
    # Not `meta(...)`, as calling it would make the other side create a class.
    with suppress(TypeError, ValueError):
        return type.__new__(meta, definition.name, bases, dict(body))
    if (standard := body.pop(STANDARD, None)) is not None:  # a C type can have a conflicting layout
        body.setdefault(REAL_CLASS, standard)
        with suppress(TypeError, ValueError):
            return type.__new__(meta, definition.name, bases, dict(body))
    return type.__new__(ProxyType, definition.name, (Proxy,), dict(body))


def meta_of(mirror: type) -> type[ProxyType]:
    """Return the metaclass for the mirrors of all classes whose metaclass `mirror` represents.

    It has the operators of `mirror`. The first call creates it and keeps it on `mirror`.
    """
    metaclass: type[ProxyType] | None = dict_of(mirror).get(_META)
    if metaclass is None:
        body = {
            name: value
            for name, value in dict_of(mirror).items()
            if name in SPECIALS - _SPECIALS_OF_EVERY_MIRROR and isinstance(value, FunctionType)
        }
        body[REAL_CLASS] = dict_of(mirror).get(STANDARD, mirror)
        bases = [meta_of(base) for base in bases_of(mirror) if _mirrors_metaclass(base)]
        metaclass = type.__new__(type, "ProxyType", tuple(bases) or (ProxyType,), body)
        type.__setattr__(mirror, _META, metaclass)
        # `copyreg` looks up only the exact class, not its bases.
        copyreg.pickle(metaclass, reduce_proxy)
    return metaclass


def _mirrors_metaclass(cls: type) -> bool:
    """Return whether `cls`, a base of a metaclass's mirror, is itself the mirror of a metaclass."""
    return is_mirror(cls) and cls is not Proxy


def empty_instance(cls: type, content: Any) -> Any:
    """Return an instance of the mirror `cls` without running a constructor.

    If the mirror has an immutable base, such as `int`, `content` becomes the value of the instance.
    Otherwise `content` is ignored.
    """
    base: Any
    for base in IMMUTABLE_BASES:
        if issubclass(cls, base):
            return base.__new__(cls, content)
    if issubclass(cls, BaseException):
        return BaseException.__new__(cls)
    return object.__new__(cls)
