"""Shared containers: real lists, sets and dicts on both sides, kept equal.

Each container has a key, and a snapshot of its content from when both sides last agreed. Each
message carries the containers that have changed since then. Snapshots are compared by identity
alone, so that no code of the elements runs.
"""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import is_
from typing import Any, Final

from grader.plugins.own_tests.bridge.wire import Malformed, mro_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerKind:
    """One kind of container: how to make, snapshot, compare and fill its instances."""

    name: str
    base: type
    parts: Callable[[Any], Iterable[Any]]
    """Returns the elements in order; for a dictionary, keys alternate with values."""
    take_snapshot: Callable[[Any], Any]
    """Returns a snapshot of the content, to compare with later."""
    is_unchanged: Callable[[Any, Any], bool]
    """Returns whether the content still matches a snapshot."""
    fill: Callable[[Any, list[Any]], None]
    """Replaces the content of a container with these parts."""
    constructor_argument: Callable[[Any], Any] = lambda _: None
    """Returns the constructor argument other than the content, such as the maximum length of a
    deque; None if the kind has no such argument."""
    begin: Callable[[Any, Any], None] = lambda _value, _argument: None
    """Applies the constructor argument to an empty container."""

    new: Callable[[Any], Any] | None = None
    """Makes a container from the constructor argument alone, if the kind has no empty instance."""
    needs: Callable[[Any], Iterable[Any]] = lambda _: ()
    """Returns the containers that have to be sent before a given one."""
    is_final: bool = False
    """Whether instances of subclasses are not of this kind."""

    def make(self, cls: type | None, argument: Any) -> Any:
        """Return an empty container of `cls`, or of the base class if `cls` is None.

        If the kind has no empty instance, `new` makes the container, and `cls` is ignored.
        """
        if self.new is not None:
            return self.new(argument)
        container: Any = self.base.__new__(cls or self.base)  # type: ignore[call-overload]  # `base` can be any class
        self.begin(container, argument)
        return container


def _are_identical(first: Iterable[Any], second: Iterable[Any]) -> bool:
    """Return whether both have the same objects in the same order.

    The caller has already checked that their lengths are equal.
    """
    return all(map(is_, first, second))


def _list_is_unchanged(value: list[Any], snapshot: list[Any]) -> bool:
    """Return whether the list has the same elements as the snapshot."""
    # `list.__len__` instead of `len`, and likewise below: a subclass can override the method.
    return list.__len__(value) == len(snapshot) and _are_identical(list.__iter__(value), snapshot)


def _fill_list(value: list[Any], parts: list[Any]) -> None:
    list.__setitem__(value, slice(None), parts)  # in place, as other objects can refer to the list


def _snapshot_deque(value: deque[Any]) -> list[Any]:
    return list(deque.__iter__(value))


def _deque_is_unchanged(value: deque[Any], snapshot: list[Any]) -> bool:
    return deque.__len__(value) == len(snapshot) and _are_identical(deque.__iter__(value), snapshot)


def _fill_deque(value: deque[Any], parts: list[Any]) -> None:
    deque.clear(value)
    deque.extend(value, parts)


def _begin_deque(value: deque[Any], maximum: Any) -> None:
    """Set the maximum length of an empty deque; raises `Malformed` if the length is invalid."""
    if maximum is not None:
        if type(maximum) is not int or maximum < 0:
            raise Malformed(
                "the maximum length of a deque must be None, or an integer that is not negative"
            )
        deque.__init__(value, (), maximum)


def _snapshot_set(value: set[Any]) -> tuple[frozenset[int], list[Any]]:
    """Return the ids of the elements, and the elements themselves."""
    elements = list(set.__iter__(value))
    # The list keeps the elements alive, so that no id is reused.
    return frozenset(map(id, elements)), elements


def _set_is_unchanged(value: set[Any], snapshot: tuple[frozenset[int], list[Any]]) -> bool:
    return set.__len__(value) == len(snapshot[0]) and snapshot[0].issuperset(
        map(id, set.__iter__(value))
    )


def _fill_set(value: set[Any], parts: list[Any]) -> None:
    set.clear(value)
    set.update(value, parts)


def _factory_of(value: defaultdict[Any, Any]) -> Any:
    return value.default_factory


def _begin_defaultdict(value: defaultdict[Any, Any], factory: Any) -> None:
    """Set the factory of an empty defaultdict; raises `Malformed` if it cannot be called."""
    if factory is not None and not callable(factory):
        raise Malformed("the factory of a defaultdict is not callable")
    defaultdict.__init__(value, factory)


def _bytes_parts(value: bytearray) -> Iterable[Any]:
    return [bytes(value)]


def _fill_bytearray(value: bytearray, parts: list[Any]) -> None:
    """Replace the content of a bytearray; raises `Malformed` if `parts` is not one bytes object."""
    if len(parts) != 1 or type(parts[0]) is not bytes:
        raise Malformed("expected bytes as the content of a bytearray")
    value[:] = parts[0]


def _dict_kind(cls: Any, methods: Any = dict, **options: Any) -> ContainerKind:
    """Return the kind for the dictionary class `cls`.

    `methods` is the class whose methods read and write a dictionary in the right order. It is
    `dict` except for `OrderedDict`, which keeps an order of its own.
    """

    def parts(value: Any) -> Iterator[Any]:
        for key, item in methods.items(value):
            yield key
            yield item

    def take_snapshot(value: Any) -> tuple[list[Any], list[Any]]:
        return list(methods.keys(value)), list(methods.values(value))

    def is_unchanged(value: Any, snapshot: tuple[list[Any], list[Any]]) -> bool:
        """Compare keys and values by identity, in order."""
        keys, items = snapshot
        return (
            dict.__len__(value) == len(keys)
            and _are_identical(methods.keys(value), keys)
            and _are_identical(methods.values(value), items)
        )

    def fill(value: Any, parts: list[Any]) -> None:
        """Replace the content with alternating keys and values.

        Raises `Malformed` if the last key has no value.
        """
        if len(parts) % 2:
            raise Malformed("a key of a dictionary has no value")
        methods.clear(value)
        for key, item in zip(parts[::2], parts[1::2], strict=True):
            methods.__setitem__(value, key, item)

    return ContainerKind(
        name=cls.__name__, base=cls, parts=parts, take_snapshot=take_snapshot,
        is_unchanged=is_unchanged, fill=fill, **options,
    )  # fmt: skip


_KINDS: Final = (
    ContainerKind(
        name="list", base=list, parts=list.__iter__, take_snapshot=list.copy,
        is_unchanged=_list_is_unchanged, fill=_fill_list,
    ),
    ContainerKind(
        name="set", base=set, parts=set.__iter__, take_snapshot=_snapshot_set,
        is_unchanged=_set_is_unchanged, fill=_fill_set,
    ),
    _dict_kind(defaultdict, constructor_argument=_factory_of, begin=_begin_defaultdict),
    _dict_kind(Counter),
    _dict_kind(OrderedDict, OrderedDict),
    _dict_kind(dict),
    ContainerKind(
        name="deque", base=deque, parts=deque.__iter__, take_snapshot=_snapshot_deque,
        is_unchanged=_deque_is_unchanged, fill=_fill_deque,
        constructor_argument=lambda value: value.maxlen, begin=_begin_deque,
    ),
    ContainerKind(
        name="bytearray", base=bytearray, parts=_bytes_parts, take_snapshot=bytes,
        is_unchanged=lambda value, snapshot: bytearray.__eq__(value, snapshot) is True,
        fill=_fill_bytearray,
    ),
)  # fmt: skip
KINDS: Final = {kind.name: kind for kind in _KINDS}
# Keyed by id, as a lookup by class would call `__hash__` and `__eq__` of its metaclass.
_KINDS_BY_BASE_ID: Final = {id(kind.base): kind for kind in _KINDS}


def add_kind(kind: ContainerKind) -> None:
    """Register another kind of container, for all bridges in this process."""
    KINDS[kind.name] = _KINDS_BY_BASE_ID[id(kind.base)] = kind


def kind_of(value: object) -> ContainerKind | None:
    """Return the container kind of `value`, or None if it is not a container."""
    cls = type(value)
    return _KINDS_BY_BASE_ID.get(id(cls)) or kind_of_class(cls)


def kind_of_class(cls: type) -> ContainerKind | None:
    """Return the container kind of the instances of `cls`, or None if they are not containers."""
    for base in mro_of(cls):
        if (kind := _KINDS_BY_BASE_ID.get(id(base))) and not (kind.is_final and base is not cls):
            return kind
    return None


@dataclass(slots=True)
class SharedContainer:
    """A container that both sides have, and the content on which they last agreed."""

    key: int
    """Positive on the side that had the container first, negative on the other side."""
    value: Any
    kind: ContainerKind
    snapshot: Any = None
    is_known: bool = False
    """Whether the other side has the content in `snapshot`."""
    is_busy: bool = False
    """Whether the container is being filled, so that its content is not final yet."""


class SharedContainers:
    """The containers that both sides have, by identity and by key."""

    def __init__(self) -> None:
        self._by_id: dict[int, SharedContainer] = {}
        self._by_key: dict[int, SharedContainer] = {}

    def snapshot(self) -> SharedContainers:
        """Return a copy of the table, with the same containers in new entries."""
        snapshot = SharedContainers()
        for entry in self._by_key.values():
            snapshot.add(
                SharedContainer(entry.key, entry.value, entry.kind, entry.snapshot, entry.is_known)
            )
        return snapshot

    def add(self, entry: SharedContainer) -> SharedContainer:
        """Register `entry`, which keeps its container alive."""
        self._by_id[id(entry.value)] = self._by_key[entry.key] = entry
        return entry

    def entry_of(self, value: object) -> SharedContainer | None:
        """Return the entry of this very object, or None if the object is not shared."""
        return self._by_id.get(id(value))

    def at(self, key: int) -> SharedContainer | None:
        """Return the entry with `key`, or None if there is none."""
        return self._by_key.get(key)

    def changed(self) -> list[SharedContainer]:
        """Return the entries whose current content the other side does not have."""
        return [
            entry
            for entry in self._by_key.values()
            if not entry.is_busy
            and not (entry.is_known and entry.kind.is_unchanged(entry.value, entry.snapshot))
        ]

    def forget(self, keys: Iterable[int]) -> None:
        """Drop the containers with these `keys`."""
        for key in keys:
            entry = self._by_key.pop(key, None)
            if entry is not None:
                del self._by_id[id(entry.value)]

    def forget_unsent(self) -> None:
        """Drop the containers of a message that could not be sent, unless they are being filled."""
        entries = self._by_key.values()
        self.forget([entry.key for entry in entries if not (entry.is_known or entry.is_busy)])

    def drop_unused(self) -> list[int]:
        """Drop the containers to which only this table refers, and return their keys.

        Instances of a class defined on this side stay, as the other side has proxies for them.
        """
        if not self._by_key:
            return []
        entries = list(self._by_key.values())
        keys = [
            entry.key
            for entry in entries
            if sys.getrefcount(entry.value) <= _REFERENCES_FROM_ENTRY
            and not entry.is_busy
            and not (entry.key > 0 and type(entry.value) is not entry.kind.base)
        ]
        self.forget(keys)
        return keys


def _count_references_from_entry() -> int:
    """Return the reference count that `drop_unused` sees if only the entry refers to a container.

    The count is measured, as it differs between CPython versions.
    """
    entries = [SharedContainer(0, [], _KINDS[0])]
    # In a comprehension, as in `drop_unused`, so that the same references are counted.
    counts = [sys.getrefcount(entry.value) for entry in entries]
    return counts[0]


_REFERENCES_FROM_ENTRY: Final = _count_references_from_entry()
