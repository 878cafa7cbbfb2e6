"""The keys under which the two sides refer to each other's objects."""

from __future__ import annotations

import weakref
from collections import Counter, deque
from sys import getrefcount
from types import MethodType
from typing import Any, Final

from grader.plugins.own_tests.bridge.containers import SharedContainers
from grader.plugins.own_tests.bridge.wire import MAX_PERMANENT, Malformed, Uncrossable

_MAX_RECENT: Final = 10_000
"""How many proxies `keep_recent` keeps alive."""


class Tables:
    """Maps keys to objects.

    In `shared`, the keys assigned here are positive, and those assigned by the other side negative.
    """

    def __init__(self) -> None:
        self.shared = SharedContainers()
        self._last_key = 0
        self._local: dict[int, Any] = {}
        self._local_keys: dict[object, int] = {}
        self._unreferenced: set[int] = set()
        """Keys of local objects to which only these tables refer, as last reported."""
        self._remote: dict[int, Any] = {}
        """Proxies, by weak reference if possible: `_release` is called when one is deleted."""
        self._permanent: dict[int, Any] = {}
        """Mirrors and module proxies, which are never released."""
        self._copies: dict[object, int] = {}
        """Keys of copied exceptions and functions by identity: a copy has no `RemoteReference`."""
        self._referenced_there: dict[int, Any] = {}
        """Proxies that are kept alive while the other side refers to their objects."""
        self._permanent_there = 0
        """How many classes and modules of this side the other side keeps for good."""
        self._keeps_unused = False
        self._released: list[int] = []
        """Keys of deleted proxies and copies, not yet reported to the other side."""
        self._recent: deque[Any] = deque(maxlen=0)  # keeps nothing until `keep_recent` is called

    def keep_recent(self) -> None:
        """Keep the latest proxies alive, so that CPython does not reuse their ids soon."""
        self._recent = deque(self._recent, maxlen=_MAX_RECENT)

    def snapshot(self) -> Tables:
        """Return an independent copy of the tables, with the same keys, for another process."""
        tables = Tables()
        tables.shared = self.shared.snapshot()
        tables._last_key = self._last_key
        tables._local, tables._local_keys = dict(self._local), dict(self._local_keys)
        tables._keeps_unused = self._keeps_unused
        tables._permanent_there = self._permanent_there
        tables._unreferenced, tables._released = set(self._unreferenced), list(self._released)
        tables._recent = deque(maxlen=self._recent.maxlen)
        for key in self._remote:
            value = self.remote(key)
            if key in self._permanent:
                tables.keep(key, value)
            elif value is not None:
                is_copy = self.key_of_copy(value) == key
                tables.add_remote(key, value, is_copy=is_copy)
        return tables

    def new_key(self) -> int:
        """Return a key that has never been used."""
        self._last_key += 1
        return self._last_key

    def key_of_local(self, value: object) -> int | None:
        """Return the key of `value`, an object of this side, or None if it has no key."""
        return self._local_keys.get(_identity(value))

    def add_local(self, value: object) -> int:
        """Register `value` under a new key, and return the key.

        The object is kept alive until the other side releases it.
        """
        key = self._local_keys[_identity(value)] = self.new_key()
        self._local[key] = value
        return key

    def key_for(self, value: object) -> int:
        """Return the key of `value`; if it has none, register it under a new key first."""
        key = self.key_of_local(value)
        return self.add_local(value) if key is None else key

    def add_permanent(self, value: object) -> int:
        """Register `value`, a class or module that the other side never releases.

        Returns its key. Raises `Uncrossable` if the other side would have too many of them.
        """
        if (key := self.key_of_local(value)) is not None:
            return key
        if self._permanent_there >= MAX_PERMANENT:
            raise Uncrossable(
                f"too many classes and modules: at most {MAX_PERMANENT:,} can be sent; create fewer"
            )
        self._permanent_there += 1
        return self.add_local(value)

    def local(self, key: int) -> Any:
        """Return the object of this side with `key`; raises `Malformed` if there is none."""
        try:
            return self._local[key]
        except KeyError:
            raise Malformed("no object of this side has this key") from None

    def add_remote(self, key: int, value: Any, *, is_copy: bool = False) -> None:
        """Register `value`, a proxy or a copy, for the other side's object with `key`."""
        # Computed now, because the value is gone when `_release` is called.
        identity = _identity(value) if is_copy else None
        if is_copy:
            self._copies[identity] = key
        if is_copy or self._keeps_unused:
            self._referenced_there[key] = value
        try:
            ref = weakref.ref(value, lambda ref: self._release(key, ref, identity))
        except TypeError:  # not all classes support weak references
            ref = value
        self._remote[key] = ref
        self._recent.append(value)

    # Reference counts, for submissions with weak references to objects of the tests

    def changed_references(self) -> list[list[int]]:
        """Return the keys of local objects that have become unreferenced, or referenced again.

        The first list has the keys of objects to which only these tables refer now, the second
        those of objects to which something else refers again. Each change is returned once. A
        reference to a method's object counts as a reference to the method.
        """
        owners = Counter(id(value.__self__) for value in self._local.values() if _is_method(value))
        unreferenced = {key for key in self._local if self._is_unreferenced(key, owners)}
        changes = [
            sorted(unreferenced - self._unreferenced),
            sorted(self._unreferenced - unreferenced),
        ]
        self._unreferenced = unreferenced
        return changes

    def _is_unreferenced(self, key: int, owners: Counter[int]) -> bool:
        """Return whether nothing but these tables refers to the local object with `key`."""
        references_here = 1  # the argument of `getrefcount`
        if _is_method(self._local[key]):
            # The registered methods of the owner refer to it, and so does `_local` if it has a key.
            owner = id(self._local[key].__self__)
            references_in_tables = owners[owner] + (owner in self._local_keys)
            references = getrefcount(self._local[key].__self__)
        else:
            # `_local` refers to the object, and so do its registered methods.
            references_in_tables = 1 + owners[id(self._local[key])]
            references = getrefcount(self._local[key])
        return references <= references_in_tables + references_here

    def apply_references(self, unreferenced: list[int], referenced: list[int]) -> None:
        """Keep proxies alive while the other side refers to their objects, even if unused here.

        The arguments are the keys that the other side's `changed_references` has returned.
        """
        self._keeps_unused = True
        for key in unreferenced:
            self._referenced_there.pop(key, None)
        for key in referenced:
            if (value := self.remote(key)) is not None:
                self._referenced_there[key] = value

    @property
    def is_full(self) -> bool:
        """Whether the limit on classes and modules, which are never released, is reached."""
        return len(self._permanent) >= MAX_PERMANENT

    def keep(self, key: int, value: Any) -> None:
        """Keep the mirror or proxy of a class or module for good, as it is described only once."""
        self._permanent[key] = self._remote[key] = value

    def _release(self, key: int, ref: object, identity: object) -> None:
        """Unregister a proxy or copy that has been deleted; `ref` was the weak reference to it.

        Its key is reported to the other side with the next message.
        """
        if self._remote.get(key) is ref:  # otherwise the key has a new proxy by now
            del self._remote[key]
            self._released.append(key)
            if self._copies.get(identity) == key:
                del self._copies[identity]

    def remote(self, key: int) -> Any:
        """Return the proxy or copy of the other side's object with `key`, or None."""
        entry = self._remote.get(key)
        return entry() if isinstance(entry, weakref.ref) else entry

    def key_of_copy(self, value: object) -> int | None:
        """Return the key of the object that `value` is a copy of, or None if it is not a copy."""
        return self._copies.get(_identity(value))

    def take_released(self) -> list[int]:
        """Return the keys that are no longer used here, with the sign that the other side uses.

        Each key is returned once.
        """
        released, self._released = self._released, []
        keys = [key for key in released if key not in self._remote]
        return keys + [-key for key in self.shared.drop_unused()]

    def forget(self, keys: list[int]) -> None:
        """Drop the objects with these keys, which the other side no longer uses."""
        self.shared.forget(keys)
        for key in keys:
            value = self._local.pop(key, None)
            if value is not None:
                del self._local_keys[_identity(value)]
                self._unreferenced.discard(key)


def _is_method(value: object) -> bool:
    return type(value) is MethodType


def _identity(value: Any) -> object:
    """Return a key that identifies `value`: its id, or for a method the ids of its two parts.

    The method itself has no lasting id, as `obj.method` is a new object each time.
    """
    return (id(value.__self__), id(value.__func__)) if _is_method(value) else id(value)
