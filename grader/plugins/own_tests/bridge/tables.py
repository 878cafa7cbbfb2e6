"""What the two sides know of each other: whose object has which key."""

from __future__ import annotations

import weakref
from collections import Counter, deque
from sys import getrefcount
from types import MethodType
from typing import Any, Final

from grader.plugins.own_tests.bridge.containers import SharedContainers
from grader.plugins.own_tests.bridge.wire import Malformed

_MOST_KEPT: Final = 5_000
_MOST_HELD: Final = 10_000


class Tables:
    """Keys of objects: positive ones were given here, negative ones by the other side."""

    def __init__(self) -> None:
        self.shared = SharedContainers()
        self._last_key = 0
        self._mine: dict[int, Any] = {}
        self._my_keys: dict[object, int] = {}
        self._unheld: set[int] = set()
        """Mine that nobody held any more when the other side was last told so."""
        self._theirs: dict[int, Any] = {}
        """Proxies, weakly where that can be: whoever uses one holds it."""
        self._kept: dict[int, Any] = {}
        self._copies: dict[object, int] = {}
        """Keys of their exceptions and functions, by identity: real ones, they have no place."""
        self._strong: dict[int, Any] = {}
        """Theirs that live here until the other side says that nobody there holds them."""
        self._keeps_all = False
        self._gone: list[int] = []
        self._held: deque[Any] = deque(maxlen=0)

    def hold(self) -> None:
        """Keep the latest proxies, so that `id` of one is not soon that of another."""
        self._held = deque(self._held, maxlen=_MOST_HELD)

    def copied(self) -> Tables:
        """Return the same as it is now, whatever becomes of this one."""
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
        """Return a key that nothing has had yet."""
        self._last_key += 1
        return self._last_key

    def key_of_mine(self, value: object) -> int | None:
        """Return the key that the other side knows `value` by, None where it knows none."""
        return self._my_keys.get(_identity(value))

    def add_mine(self, value: object) -> int:
        """Return a key for `value`, which lives from now on until the other side lets go of it."""
        key = self._my_keys[_identity(value)] = self.new_key()
        self._mine[key] = value
        return key

    def key_for(self, value: object) -> int:
        """Return the key of `value`, a new one where it has none."""
        key = self.key_of_mine(value)
        return self.add_mine(value) if key is None else key

    def mine(self, key: int) -> Any:
        """Return the object of this side with `key`; raises `Malformed` where there is none."""
        try:
            return self._mine[key]
        except KeyError:
            raise Malformed("an object that there is not") from None

    def add_theirs(self, key: int, value: Any, *, is_copy: bool = False) -> None:
        """Keep `value`, a proxy or a copy, as what stands for the object of theirs with `key`."""
        identity = _identity(value) if is_copy else None
        if is_copy:
            self._copies[identity] = key
        if is_copy or self._keeps_all:
            self._strong[key] = value
        try:
            ref = weakref.ref(value, lambda ref: self._let_go(key, ref, identity))
        except TypeError:
            ref = value
        self._theirs[key] = ref
        self._held.append(value)

    # Who holds what, where a submission holds objects of the tests weakly

    def holders(self) -> list[list[int]]:
        """Return the keys of mine that nobody holds any more, and of those held again since.

        A method has as its holders those of its object as well.
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
        """Keep theirs for as long as somebody there holds them, whoever uses them here."""
        self._keeps_all = True
        for key in unheld:
            self._strong.pop(key, None)
        for key in held:
            if (value := self.theirs(key)) is not None:
                self._strong[key] = value

    @property
    def is_full(self) -> bool:
        """Whether one more class would be too many: they stay as long as the other side."""
        return len(self._kept) >= _MOST_KEPT

    def keep(self, key: int, value: Any) -> None:
        """Keep what stands for a class or module of theirs: they are told of only once."""
        self._kept[key] = self._theirs[key] = value

    def _let_go(self, key: int, ref: object, identity: object) -> None:
        if self._theirs.get(key) is ref:
            del self._theirs[key]
            self._gone.append(key)
            if self._copies.get(identity) == key:
                del self._copies[identity]

    def theirs(self, key: int) -> Any:
        """Return what stands for the object of theirs with `key`, None where nothing does."""
        held = self._theirs.get(key)
        return held() if isinstance(held, weakref.ref) else held

    def key_of_copy(self, value: object) -> int | None:
        """Return the key of what `value` is a copy of, None where it is none."""
        return self._copies.get(_identity(value))

    def take_gone(self) -> list[int]:
        """Return the keys of theirs that nobody here needs any more, from their point of view."""
        gone, self._gone = self._gone, []
        keys = [key for key in gone if key not in self._theirs]
        return keys + [-key for key in self.shared.unused()]

    def forget(self, keys: list[int]) -> None:
        """Let go of what the other side has no more use for."""
        self.shared.forget(keys)
        for key in keys:
            value = self._mine.pop(key, None)
            if value is not None:
                del self._my_keys[_identity(value)]
                self._unheld.discard(key)


def _is_method(value: object) -> bool:
    return type(value) is MethodType


def _identity(value: Any) -> object:
    """Return what is the same for what is the same: `obj.method` is made anew each time."""
    return (id(value.__self__), id(value.__func__)) if _is_method(value) else id(value)
