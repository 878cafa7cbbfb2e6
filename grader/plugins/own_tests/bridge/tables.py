"""The keys under which the two sides know each other's objects."""

from __future__ import annotations

import weakref
from collections import Counter, deque
from sys import getrefcount
from types import MethodType
from typing import Any, Final

from grader.plugins.own_tests.bridge.containers import SharedContainers
from grader.plugins.own_tests.bridge.wire import Malformed

_MAX_KEPT: Final = 5_000
_MAX_HELD: Final = 10_000


class Tables:
    """Maps keys to objects: positive keys were assigned here, negative ones on the other side."""

    def __init__(self) -> None:
        self.shared = SharedContainers()
        self._last_key = 0
        self._local: dict[int, Any] = {}
        self._local_keys: dict[object, int] = {}
        self._unreferenced: set[int] = set()
        """Keys of local objects without a holder here, as last reported to the other side."""
        self._remote: dict[int, Any] = {}
        """Proxies, by weak reference if possible, so that `_release` is called for unused ones."""
        self._kept: dict[int, Any] = {}
        self._copies: dict[object, int] = {}
        """Keys of copied exceptions and functions, by identity, as these have no place."""
        self._kept_alive: dict[int, Any] = {}
        """The other side's objects that stay alive here until it says that nothing holds them."""
        self._keeps_unused = False
        self._released: list[int] = []
        self._recent: deque[Any] = deque(maxlen=0)  # keeps nothing, until `hold`

    def hold(self) -> None:
        """Keep the latest proxies alive, so that CPython does not soon reuse the `id` of one."""
        self._recent = deque(self._recent, maxlen=_MAX_HELD)

    def copied(self) -> Tables:
        """Return a snapshot."""
        copy = Tables()
        copy.shared = self.shared.copied()
        copy._last_key = self._last_key
        copy._local, copy._local_keys = dict(self._local), dict(self._local_keys)
        copy._keeps_unused = self._keeps_unused
        copy._recent = deque(maxlen=self._recent.maxlen)
        for key in self._remote:
            value = self.remote(key)
            if key in self._kept:
                copy.keep(key, value)
            elif value is not None:
                is_copy = self.key_of_copy(value) == key
                copy.add_remote(key, value, is_copy=is_copy)
        return copy

    def new_key(self) -> int:
        """Return an unused key."""
        self._last_key += 1
        return self._last_key

    def key_of_local(self, value: object) -> int | None:
        """Return the key of `value`, an object of this side, or None."""
        return self._local_keys.get(_identity(value))

    def add_local(self, value: object) -> int:
        """Return a new key for `value`, which is kept until the other side releases it."""
        key = self._local_keys[_identity(value)] = self.new_key()
        self._local[key] = value
        return key

    def key_for(self, value: object) -> int:
        """Return the key of `value`, a new one if it has none."""
        key = self.key_of_local(value)
        return self.add_local(value) if key is None else key

    def local(self, key: int) -> Any:
        """Return the object of this side with `key`; raises `Malformed` if there is none."""
        try:
            return self._local[key]
        except KeyError:
            raise Malformed("an object that there is not") from None

    def add_remote(self, key: int, value: Any, *, is_copy: bool = False) -> None:
        """Register `value`, a proxy or a copy, for the other side's object with `key`."""
        identity = _identity(value) if is_copy else None
        if is_copy:
            self._copies[identity] = key
        if is_copy or self._keeps_unused:
            self._kept_alive[key] = value
        try:
            ref = weakref.ref(value, lambda ref: self._release(key, ref, identity))
        except TypeError:  # not all classes have weak references
            ref = value
        self._remote[key] = ref
        self._recent.append(value)

    # Reference counts, for submissions that hold objects of the tests by weak references

    def changed_holders(self) -> list[list[int]]:
        """Return the keys of local objects that lost their last holder, and of those held again.

        The holders of its object count as holders of a method.
        """
        owners = Counter(id(each.__self__) for each in self._local.values() if _is_method(each))
        unreferenced = {key for key in self._local if self._is_unheld(key, owners)}
        changes = [
            sorted(unreferenced - self._unreferenced),
            sorted(self._unreferenced - unreferenced),
        ]
        self._unreferenced = unreferenced
        return changes

    def _is_unheld(self, key: int, owners: Counter[int]) -> bool:
        references_here = 1  # the argument itself
        if _is_method(self._local[key]):
            owner = id(self._local[key].__self__)
            held = owners[owner] + (owner in self._local_keys)
            is_held = getrefcount(self._local[key].__self__) > held + references_here
        else:
            is_held = (
                getrefcount(self._local[key]) > 1 + owners[id(self._local[key])] + references_here
            )
        return not is_held

    def apply_holders(self, unreferenced: list[int], held: list[int]) -> None:
        """Keep the other side's objects alive while they are held there, even if unused here."""
        self._keeps_unused = True
        for key in unreferenced:
            self._kept_alive.pop(key, None)
        for key in held:
            if (value := self.remote(key)) is not None:
                self._kept_alive[key] = value

    @property
    def is_full(self) -> bool:
        """Whether the limit on classes and modules, which are never released, is reached."""
        return len(self._kept) >= _MAX_KEPT

    def keep(self, key: int, value: Any) -> None:
        """Keep the mirror or proxy of a remote class or module, which is described only once."""
        self._kept[key] = self._remote[key] = value

    def _release(self, key: int, ref: object, identity: object) -> None:
        if self._remote.get(key) is ref:  # the key may have a new proxy by now
            del self._remote[key]
            self._released.append(key)
            if self._copies.get(identity) == key:
                del self._copies[identity]

    def remote(self, key: int) -> Any:
        """Return the proxy or copy of the other side's object with `key`, or None."""
        found = self._remote.get(key)
        return found() if isinstance(found, weakref.ref) else found

    def key_of_copy(self, value: object) -> int | None:
        """Return the key of the object that `value` is a copy of, or None."""
        return self._copies.get(_identity(value))

    def take_released(self) -> list[int]:
        """Return the keys that are no longer used here, with the other side's sign."""
        gone, self._released = self._released, []
        keys = [key for key in gone if key not in self._remote]
        return keys + [-key for key in self.shared.unused()]

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
    """Return the id of `value`; for a method, those of its parts: `obj.method` is new each time."""
    return (id(value.__self__), id(value.__func__)) if _is_method(value) else id(value)
