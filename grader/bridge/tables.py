"""What the two sides know of each other: whose object has which key."""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any, Final

from grader.bridge.containers import Shared
from grader.bridge.wire import Malformed

_MOST_KEPT: Final = 5_000
_MOST_HELD: Final = 10_000


class Tables:
    """Keys of objects: positive ones were given here, negative ones by the other side."""

    def __init__(self) -> None:
        self.shared = Shared()
        self._last_key = 0
        self._mine: dict[int, Any] = {}
        self._my_keys: dict[int, int] = {}
        self._theirs: dict[int, Any] = {}
        """Proxies, weakly where that can be: whoever uses one holds it."""
        self._kept: dict[int, Any] = {}
        self._copies: dict[int, tuple[int, Any]] = {}
        """Exceptions of the other side, by their identity here: as real ones, they have no key."""
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
        copy._copies = dict(self._copies)
        copy._held = deque(maxlen=self._held.maxlen)
        for key in self._theirs:
            held = self.theirs(key)
            if key in self._kept:
                copy.keep(key, held)
            elif held is not None:
                copy.add_theirs(key, held)
        return copy

    def new_key(self) -> int:
        """Return a key that nothing has had yet."""
        self._last_key += 1
        return self._last_key

    def key_of_mine(self, value: object) -> int | None:
        """Return the key that the other side knows `value` by, None where it knows none."""
        return self._my_keys.get(id(value))

    def add_mine(self, value: object) -> int:
        """Return a key for `value`, which lives from now on until the other side lets go of it."""
        key = self._my_keys[id(value)] = self.new_key()
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
        """Keep `value`, a proxy, as what stands for the object of theirs with `key`."""
        if is_copy:
            self._copies[id(value)] = key, value
        try:
            ref = weakref.ref(value, lambda ref: self._let_go(key, ref))
        except TypeError:
            ref = value
        self._theirs[key] = ref
        self._held.append(value)

    @property
    def is_full(self) -> bool:
        """Whether one more class would be too many: they stay as long as the other side."""
        return len(self._kept) >= _MOST_KEPT

    def keep(self, key: int, value: Any) -> None:
        """Keep what stands for a class or module of theirs: they are told of only once."""
        self._kept[key] = self._theirs[key] = value

    def _let_go(self, key: int, ref: object) -> None:
        if self._theirs.get(key) is ref:
            del self._theirs[key]
            self._gone.append(key)

    def theirs(self, key: int) -> Any:
        """Return what stands for the object of theirs with `key`, None where nothing does."""
        held = self._theirs.get(key)
        return held() if isinstance(held, weakref.ref) else held

    def key_of_copy(self, value: object) -> int | None:
        """Return the key of what `value`, a real exception, is a copy of; None for any other."""
        found = self._copies.get(id(value))
        return None if found is None else found[0]

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
                del self._my_keys[id(value)]
