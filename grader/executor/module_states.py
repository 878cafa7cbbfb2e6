"""A snapshot of the state of all modules, to restore that state between sessions.

It covers the attributes of modules, of their classes and of their objects, and the contents of
their dictionaries, lists and sets. Values are compared by identity, because `==` can run code of a
submission. If CPython has a version tag in each dictionary (PEP 509), only dictionaries whose tag
has changed are compared.
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
"""The offset of the version tag in a dictionary, after the object header and the length."""
_MAX_COMPARED: Final = 64
"""Longer lists and sets are assumed to be constant tables, of which only the length is compared."""
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
"""Types whose instances cannot be changed, or have no state that affects programs."""
_UNSET: Final = object()
_Attributes: TypeAlias = dict[Any, Any]
_referents: Final = gc.get_referents
_class_dict: Final = vars(type)["__dict__"].__get__
_set_attribute: Final = type.__setattr__  # clears the method cache of the class, too
_del_attribute: Final = type.__delattr__
_version_of: Final = attrgetter("value")


class SavedDict(NamedTuple):
    """A dictionary, of attributes or of other items, with a copy of its contents."""

    live: _Attributes
    kind: type[_Attributes]
    keys: tuple[Any, ...]
    values: tuple[Any, ...]
    owner: type | None = None
    """The class whose attributes these are, if any; they must be changed through the class."""

    @classmethod
    def record(cls, live: _Attributes, owner: type | None = None) -> SavedDict:
        """Record the current contents of `live`."""
        # The methods of the C type, because a subclass might override them.
        kind = OrderedDict if isinstance(live, OrderedDict) else dict
        return cls(live, kind, tuple(kind.keys(live)), tuple(kind.values(live)), owner)

    def restore(self) -> list[object]:
        """Restore the contents; return the objects removed, or [] if nothing had changed."""
        live, kind, keys, values, owner = self
        if _are_identical(kind.keys(live), keys) and _are_identical(kind.values(live), values):
            return []
        removed: list[object] = [*kind.keys(live), *kind.values(live)]
        if owner is None:
            kind.clear(live)
            kind.update(live, zip(keys, values, strict=True))
        else:
            _restore_class(owner, live, dict(zip(keys, values, strict=True)))
        return removed


def _restore_class(owner: type, current: _Attributes, saved: _Attributes) -> None:
    """Restore the attributes of the class `owner` from `current` to `saved`."""
    for name in [*current]:  # a copy, because the loop deletes names
        if name not in saved:
            _del_attribute(owner, name)
    for name, value in saved.items():
        if current.get(name, _UNSET) is not value:
            _set_attribute(owner, name, value)


class _SavedItems(NamedTuple):
    """A list or a set, with a copy of its items."""

    live: list[Any] | set[Any]
    items: tuple[Any, ...]

    def restore(self) -> list[object]:
        """Restore the items; return the objects removed, or [] if nothing had changed.

        A large collection that still has the same length counts as unchanged.
        """
        live, items = self
        if len(live) == len(items) and (len(items) > _MAX_COMPARED or _are_identical(live, items)):
            return []
        removed: list[object] = [*live]
        live.clear()
        live.extend(items) if isinstance(live, list) else live.update(items)
        return removed


def _are_identical(current: Collection[object], saved: tuple[object, ...]) -> bool:
    """Return whether `current` has the same objects as `saved`, in the same order."""
    return len(current) == len(saved) and all(map(is_, current, saved))


def _value_of(variable: contextvars.ContextVar[Any]) -> object:
    """Return the value of the context variable, or `_UNSET` if it has none."""
    try:
        return variable.get()
    except LookupError:
        return _UNSET


def _version_tag(attributes: _Attributes) -> ctypes.c_uint64:
    """Return a view of the memory where the version tag of the dictionary should be."""
    return ctypes.c_uint64.from_address(id(attributes) + _VERSION_OFFSET)


def _has_version_tags() -> bool:
    """Try whether dictionaries have a version tag at `_VERSION_OFFSET`; return the result."""
    sample = {"name": 0}
    version = _version_tag(sample)
    versions = [version.value, version.value]
    for value in (1, 2):
        sample["name"] = value
        versions.append(version.value)
    return versions[0] == versions[1] and len({*versions}) == len(versions) - 1


_HAS_VERSION_TAGS: Final = _has_version_tags()  # tried, because CPython 3.13 removed the tags


class ModuleStates:
    """The state of all modules through which one session could affect the next one."""

    def __init__(self) -> None:
        """Record the current state of all loaded modules.

        The attributes of `sys` are left out, because its streams are replaced for each session; the
        objects that these attributes refer to are recorded.
        """
        self._dicts: Final[list[SavedDict]] = []
        self._items: Final[list[_SavedItems]] = []
        self._variables: Final[list[tuple[contextvars.ContextVar[Any], object]]] = []
        self.counters: Final[list[count[int]]] = []
        """`itertools.count` objects, whose `repr` shows their state."""
        self.abstract: Final[list[type]] = []
        """Abstract classes, with which other classes can be registered."""
        self._visited: Final = set[int]()
        self._skipped: Final[dict[type, bool]] = {}
        self._pending: Final[list[object]] = []
        for module in [*sys.modules.values()]:
            if module is sys:
                self._enqueue(vars(sys).values())
            elif issubclass(type(module), types.ModuleType):
                self._record_attributes(vars(module))
            else:  # such as `typing.io`, which is a class
                self._pending.append(module)
        while self._pending:
            self._record(self._pending.pop())
        self._versions: Final = [_version_tag(saved.live) for saved in self._dicts]
        self._last_versions = [*map(_version_of, self._versions)]
        self._lists: Final = [saved.live for saved in self._items]
        self._lengths: Final = [*map(len, self._lists)]
        self._short_lists: Final = [items for items in self._lists if len(items) <= _MAX_COMPARED]
        self._short_items: Final = tuple(chain.from_iterable(self._short_lists))

    def _enqueue(self, values: Collection[object]) -> None:
        """Queue those of `values` that can change, for `_record`."""
        self._pending.extend(value for value in values if type(value) not in _PLAIN)

    def _record_attributes(self, live: _Attributes, owner: type | None = None) -> None:
        """Record the dictionary `live`, and queue its values."""
        saved = SavedDict.record(live, owner)
        self._dicts.append(saved)
        self._enqueue(saved.values)

    def _record(self, value: Any) -> None:
        """Record the state of `value`, if it can change, and queue the objects it refers to."""
        if id(value) in self._visited:
            return
        self._visited.add(id(value))
        kind = type(value)
        if issubclass(kind, dict):
            self._record_attributes(value)
        elif kind is list or kind is set:
            self._items.append(_SavedItems(value, tuple(value)))
            self._enqueue(value)
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
            with suppress(Exception):  # a property or `__getattribute__` can raise anything
                attributes = value.__dict__
            if type(attributes) is dict:
                self._record_attributes(attributes)

    def _is_skipped(self, kind: type) -> bool:
        """Return whether objects of this `kind` have no relevant state, or are our own."""
        if kind not in self._skipped:
            is_ours = kind.__module__.startswith("grader.")
            self._skipped[kind] = is_ours or issubclass(kind, _SKIPPED)
        return self._skipped[kind]

    def _record_class(self, value: type) -> None:
        """Record the attributes of the class `value` if they can change."""
        if value.__flags__ & _HEAP_TYPE:
            (attributes,) = _referents(_class_dict(value))
            self._record_attributes(attributes, value)
            if isinstance(value, ABCMeta):
                self.abstract.append(value)

    def restore(self) -> list[object]:
        """Restore the state; return the objects removed from modules, or [] if nothing changed."""
        removed: list[object] = []
        versions = [*map(_version_of, self._versions)]
        changed = (
            compress(count(), map(ne, versions, self._last_versions))
            if _HAS_VERSION_TAGS
            else range(len(versions))
        )
        for index in changed:
            removed += self._dicts[index].restore()
            versions[index] = _version_of(self._versions[index])  # restoring changes it, too
        self._last_versions = versions
        if not self._are_items_unchanged():
            removed += (item for items in self._items for item in items.restore())
        for variable, value in self._variables:
            if (current := _value_of(variable)) is not value:
                removed.append(current)
                if value is not _UNSET:  # a context variable cannot be unset again
                    variable.set(value)
        return removed

    def _are_items_unchanged(self) -> bool:
        """Return whether all lists and sets are unchanged; only the length of long ones counts."""
        same_lengths = [*map(len, self._lists)] == self._lengths
        return same_lengths and all(
            map(is_, chain.from_iterable(self._short_lists), self._short_items)
        )
