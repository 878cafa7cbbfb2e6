"""A snapshot of the state of all modules, to restore it between sessions.

It covers their attributes, those of their classes and objects, and the contents of their
dictionaries, lists and sets. Values are compared by identity, as `==` may run code of a
submission. Where CPython has a version tag in each dictionary (PEP 509), only changed ones are
compared.
"""

from __future__ import annotations

import contextvars
import ctypes
import enum
import gc
import sys
import types
import weakref
from abc import ABCMeta
from collections import OrderedDict
from collections.abc import Collection
from contextlib import suppress
from importlib.machinery import ExtensionFileLoader, ModuleSpec, SourceFileLoader
from itertools import chain, compress, count
from operator import attrgetter, is_, ne
from typing import Any, Final, NamedTuple, TypeAlias

_HEAP_TYPE: Final = 1 << 9
"""Py_TPFLAGS_HEAPTYPE, the flag of classes whose attributes can be changed."""
_VERSION_OFFSET: Final = object.__basicsize__ + ctypes.sizeof(ctypes.c_ssize_t)
"""Offset of the version tag in a dictionary: after the object header and the length."""
_MAX_COMPARED: Final = 64
"""Longer lists are assumed to be constant tables: only their length is compared."""
_SKIPPED: Final = (
    *(enum.Enum, ModuleSpec, SourceFileLoader, ExtensionFileLoader),  # not changed in practice
    *(weakref.WeakSet, weakref.WeakKeyDictionary, weakref.WeakValueDictionary),
)
_PLAIN: Final = frozenset(
    {
        *(str, int, float, bool, bytes, tuple, frozenset, property, classmethod, staticmethod),
        *(type(None), type(len), type(str.join), type(vars(str)["__len__"]), types.FunctionType),
        *(types.GetSetDescriptorType, types.MemberDescriptorType, types.ModuleType, types.CodeType),
    }
)
"""Types whose instances cannot be changed, or hold no state that programs look for."""
_UNSET: Final = object()
_Attributes: TypeAlias = dict[Any, Any]
_referents: Final = gc.get_referents
_class_dict: Final = vars(type)["__dict__"].__get__
_set_attribute: Final = type.__setattr__  # clears the method cache of the class, too
_del_attribute: Final = type.__delattr__
_version_of: Final = attrgetter("value")


class HeldDict(NamedTuple):
    """The contents of a dictionary: the attributes of an object, or plain items."""

    now: _Attributes
    kind: type[_Attributes]
    keys: tuple[Any, ...]
    values: tuple[Any, ...]
    owner: type | None = None
    """The class whose attributes these are; they must be changed through it."""

    @classmethod
    def of(cls, now: _Attributes, owner: type | None = None) -> HeldDict:
        """Record the contents of `now`."""
        # For subclasses use the methods written in C, not overridden ones.
        kind = OrderedDict if isinstance(now, OrderedDict) else dict
        return cls(now, kind, tuple(kind.keys(now)), tuple(kind.values(now)), owner)

    def put_back(self) -> list[object]:
        """Restore the contents; return the objects it held instead, empty if it was unchanged."""
        now, kind, keys, values, owner = self
        if _are_identical(kind.keys(now), keys) and _are_identical(kind.values(now), values):
            return []
        held: list[object] = [*kind.keys(now), *kind.values(now)]
        if owner is None:
            kind.clear(now)
            kind.update(now, zip(keys, values, strict=True))
        else:
            _restore_class(owner, now, dict(zip(keys, values, strict=True)))
        return held


def _restore_class(owner: type, current: _Attributes, saved: _Attributes) -> None:
    for name in [*current]:  # a copy: the loop deletes
        if name not in saved:
            _del_attribute(owner, name)
    for name, value in saved.items():
        if current.get(name, _UNSET) is not value:
            _set_attribute(owner, name, value)


class _HeldItems(NamedTuple):
    """The contents of a list or a set."""

    now: list[Any] | set[Any]
    items: tuple[Any, ...]

    def put_back(self) -> list[object]:
        """Restore the contents; return the objects it held instead, empty if it was unchanged."""
        now, items = self
        if len(now) == len(items) and (len(items) > _MAX_COMPARED or _are_identical(now, items)):
            return []
        held: list[object] = [*now]
        now.clear()
        now.extend(items) if isinstance(now, list) else now.update(items)
        return held


def _are_identical(current: Collection[object], saved: tuple[object, ...]) -> bool:
    """Return whether `current` has the same objects as `saved`, in the same order."""
    return len(current) == len(saved) and all(map(is_, current, saved))


def _value_of(variable: contextvars.ContextVar[Any]) -> object:
    try:
        return variable.get()
    except LookupError:
        return _UNSET


def _version_tag(now: _Attributes) -> ctypes.c_uint64:
    return ctypes.c_uint64.from_address(id(now) + _VERSION_OFFSET)


def _has_version_tags() -> bool:
    """Return whether dictionaries have a version tag at `_VERSION_OFFSET` in this interpreter."""
    sample = {"name": 0}
    version = _version_tag(sample)
    versions = [version.value, version.value]
    for value in (1, 2):
        sample["name"] = value
        versions.append(version.value)
    return versions[0] == versions[1] and len({*versions}) == len(versions) - 1


_HAS_VERSION_TAGS: Final = _has_version_tags()  # tested, as CPython has none from 3.13 on


class Holdings:
    """All state of modules in which a session could leave something for the next one."""

    def __init__(self) -> None:
        """Record the current state, except the attributes of `sys`, where streams are replaced."""
        self._dicts: Final[list[HeldDict]] = []
        self._items: Final[list[_HeldItems]] = []
        self._variables: Final[list[tuple[contextvars.ContextVar[Any], object]]] = []
        self.counters: Final[list[count[int]]] = []
        """`itertools.count` objects, whose `repr` has their state."""
        self.abstract: Final[list[type]] = []
        """Abstract classes, with which others can be registered."""
        self._visited: Final = set[int]()
        self._skipped: Final[dict[type, bool]] = {}
        self._pending: Final[list[object]] = []
        for module in [*sys.modules.values()]:
            if module is sys:
                self._queue(vars(sys).values())
            elif issubclass(type(module), types.ModuleType):
                self._record_attributes(vars(module))
            else:  # such as `typing.io`, which is a class
                self._pending.append(module)
        while self._pending:
            self._record(self._pending.pop())
        self._versions: Final = [_version_tag(each.now) for each in self._dicts]
        self._last_versions = [*map(_version_of, self._versions)]
        self._lists: Final = [each.now for each in self._items]
        self._lengths: Final = [*map(len, self._lists)]
        self._short_lists: Final = [each for each in self._lists if len(each) <= _MAX_COMPARED]
        self._short_items: Final = tuple(chain.from_iterable(self._short_lists))

    def _queue(self, values: Collection[object]) -> None:
        self._pending.extend(each for each in values if type(each) not in _PLAIN)

    def _record_attributes(self, now: _Attributes, owner: type | None = None) -> None:
        held = HeldDict.of(now, owner)
        self._dicts.append(held)
        self._queue(held.values)

    def _record(self, value: Any) -> None:
        """Record the state of `value`, if it can change, and queue the objects it holds."""
        if id(value) in self._visited:
            return
        self._visited.add(id(value))
        kind = type(value)
        if issubclass(kind, dict):
            self._record_attributes(value)
        elif kind is list or kind is set:
            self._items.append(_HeldItems(value, tuple(value)))
            self._queue(value)
        elif issubclass(kind, type):
            self._record_class(value)
        elif kind is contextvars.ContextVar:
            self._variables.append((value, _value_of(value)))
        elif kind is count:
            self.counters.append(value)
        elif kind is types.MethodWrapperType:
            self._record(value.__self__)
        elif kind.__flags__ & _HEAP_TYPE and not self._is_skipped(kind):
            attributes = None
            with suppress(Exception):  # a property or `__getattribute__` may raise anything
                attributes = value.__dict__
            if type(attributes) is dict:
                self._record_attributes(attributes)

    def _is_skipped(self, kind: type) -> bool:
        """Return whether objects of that `kind` have no state that matters, or are our own."""
        if kind not in self._skipped:
            is_ours = kind.__module__.startswith("grader.")
            self._skipped[kind] = is_ours or issubclass(kind, _SKIPPED)
        return self._skipped[kind]

    def _record_class(self, value: type) -> None:
        if value.__flags__ & _HEAP_TYPE:
            (attributes,) = _referents(_class_dict(value))
            self._record_attributes(attributes, value)
            if isinstance(value, ABCMeta):
                self.abstract.append(value)

    def put_back(self) -> list[object]:
        """Restore the state; return the objects that modules held instead, empty if unchanged."""
        held: list[object] = []
        versions = [*map(_version_of, self._versions)]
        changed = (
            compress(count(), map(ne, versions, self._last_versions))
            if _HAS_VERSION_TAGS
            else range(len(versions))
        )
        for number in changed:
            held += self._dicts[number].put_back()
            versions[number] = _version_of(self._versions[number])  # putting back changes it, too
        self._last_versions = versions
        if not self._has_same_items():
            held += (each for items in self._items for each in items.put_back())
        for variable, value in self._variables:
            if (current := _value_of(variable)) is not value:
                held.append(current)
                if value is not _UNSET:  # a context variable cannot be unset: it stays different
                    variable.set(value)
        return held

    def _has_same_items(self) -> bool:
        """Return whether lists and sets are unchanged."""
        has_lengths = [*map(len, self._lists)] == self._lengths
        return has_lengths and all(
            map(is_, chain.from_iterable(self._short_lists), self._short_items)
        )
