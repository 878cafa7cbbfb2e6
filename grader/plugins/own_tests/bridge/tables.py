"""The keys of objects that one side knows of the other."""

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
        self._mine: dict[int, Any] = {}
        self._my_keys: dict[object, int] = {}
        self._unheld: set[int] = set()
        """Keys of mine without a holder here, as last reported to the other side."""
        self._theirs: dict[int, Any] = {}
        """Proxies, by weak reference where possible, so that `_let_go` notices unused ones."""
        self._kept: dict[int, Any] = {}
        self._copies: dict[object, int] = {}
        """Keys of their exceptions and functions, by identity, as these have no place."""
        self._strong: dict[int, Any] = {}
        """Theirs that stay alive here until the other side reports that they have no holder."""
        self._keeps_all = False
        self._gone: list[int] = []
        self._held: deque[Any] = deque(maxlen=0)  # keeps nothing, until `hold`

    def hold(self) -> None:
        """Keep the latest proxies alive, so that CPython does not soon reuse the `id` of one."""
        self._held = deque(self._held, maxlen=_MAX_HELD)

    def copied(self) -> Tables:
        """Return a snapshot."""
        copy = Tables()
        copy.shared = self.shared.copied()
        copy._last_key = self._last_key
        copy._mine, copy._my_keys = dict(self._mine), dict(self._my_keys)
        copy._keeps_all = self._keeps_all
        copy._held = deque(maxlen=self._held.maxlen)
        for key in self._theirs:
            held = self.theirs(key)
            if key in self._kept:
                copy.keep(key, held)
            elif held is not None:
                is_copy = self.key_of_copy(held) == key
                copy.add_theirs(key, held, is_copy=is_copy)
        return copy

    def new_key(self) -> int:
        """Return an unused key."""
        self._last_key += 1
        return self._last_key

    def key_of_mine(self, value: object) -> int | None:
        """Return the key of `value`, an object of this side, or None."""
        return self._my_keys.get(_identity(value))

    def add_mine(self, value: object) -> int:
        """Return a new key for `value`, which is kept until the other side releases it."""
        key = self._my_keys[_identity(value)] = self.new_key()
        self._mine[key] = value
        return key

    def key_for(self, value: object) -> int:
        """Return the key of `value`, a new one if it has none."""
        key = self.key_of_mine(value)
        return self.add_mine(value) if key is None else key

    def mine(self, key: int) -> Any:
        """Return the object of this side with `key`; raises `Malformed` if there is none."""
        try:
            return self._mine[key]
        except KeyError:
            raise Malformed("an object that there is not") from None

    def add_theirs(self, key: int, value: Any, *, is_copy: bool = False) -> None:
        """Register `value`, a proxy or a copy, for the object of theirs with `key`."""
        identity = _identity(value) if is_copy else None
        if is_copy:
            self._copies[identity] = key
        if is_copy or self._keeps_all:
            self._strong[key] = value
        try:
            ref = weakref.ref(value, lambda ref: self._let_go(key, ref, identity))
        except TypeError:  # not all classes have weak references
            ref = value
        self._theirs[key] = ref
        self._held.append(value)

    # Reference counts, for submissions that hold objects of the tests by weak references

    def holders(self) -> list[list[int]]:
        """Return the keys of mine that have lost their last holder, and those that have one again.

        The holders of its object count as holders of a method.
        """
        owners = Counter(id(each.__self__) for each in self._mine.values() if _is_method(each))
        unheld = {key for key in self._mine if self._is_unheld(key, owners)}
        told = [sorted(unheld - self._unheld), sorted(self._unheld - unheld)]
        self._unheld = unheld
        return told

    def _is_unheld(self, key: int, owners: Counter[int]) -> bool:
        here = 1  # the argument itself
        if _is_method(self._mine[key]):
            owner = id(self._mine[key].__self__)
            held = owners[owner] + (owner in self._my_keys)
            is_held = getrefcount(self._mine[key].__self__) > held + here
        else:
            is_held = getrefcount(self._mine[key]) > 1 + owners[id(self._mine[key])] + here
        return not is_held

    def follow(self, unheld: list[int], held: list[int]) -> None:
        """Keep theirs alive for as long as they have a holder there, even if unused here."""
        self._keeps_all = True
        for key in unheld:
            self._strong.pop(key, None)
        for key in held:
            if (value := self.theirs(key)) is not None:
                self._strong[key] = value

    @property
    def is_full(self) -> bool:
        """Whether the limit on classes and modules is reached, which are never released."""
        return len(self._kept) >= _MAX_KEPT

    def keep(self, key: int, value: Any) -> None:
        """Keep the mirror or proxy of a class or module of theirs, which is described only once."""
        self._kept[key] = self._theirs[key] = value

    def _let_go(self, key: int, ref: object, identity: object) -> None:
        if self._theirs.get(key) is ref:  # the key may have a new proxy by now
            del self._theirs[key]
            self._gone.append(key)
            if self._copies.get(identity) == key:
                del self._copies[identity]

    def theirs(self, key: int) -> Any:
        """Return the proxy or copy of the object of theirs with `key`, or None."""
        held = self._theirs.get(key)
        return held() if isinstance(held, weakref.ref) else held

    def key_of_copy(self, value: object) -> int | None:
        """Return the key of the object that `value` is a copy of, or None."""
        return self._copies.get(_identity(value))

    def take_gone(self) -> list[int]:
        """Return the keys that are no longer used here, with the other side's sign."""
        gone, self._gone = self._gone, []
        keys = [key for key in gone if key not in self._theirs]
        return keys + [-key for key in self.shared.unused()]

    def forget(self, keys: list[int]) -> None:
        """Drop the objects with these keys, which the other side no longer uses."""
        self.shared.forget(keys)
        for key in keys:
            value = self._mine.pop(key, None)
            if value is not None:
                del self._my_keys[_identity(value)]
                self._unheld.discard(key)


def _is_method(value: object) -> bool:
    return type(value) is MethodType


def _identity(value: Any) -> object:
    """Return an identity: of a method its parts, as `obj.method` is a new object each time."""
    return (id(value.__self__), id(value.__func__)) if _is_method(value) else id(value)
