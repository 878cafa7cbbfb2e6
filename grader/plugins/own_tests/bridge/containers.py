"""Containers that both sides have: real lists, sets and dicts, kept the same.

Each has a key, and a note of what was in it when both sides last agreed. Before a message leaves,
those that hold something else by now are told. What is noted is compared by identity alone, so no
code of whoever made the elements runs.
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
    """One kind of container: how it is made, noted, compared and filled."""

    name: str
    base: type
    parts: Callable[[Any], Iterable[Any]]
    """What is in it, one after the other."""
    note: Callable[[Any], Any]
    is_as_noted: Callable[[Any, Any], bool]
    fill: Callable[[Any, list[Any]], None]
    """Have it hold these parts, and nothing else."""
    made_with: Callable[[Any], Any] = lambda _: None
    """What it was made with, and keeps."""
    begin: Callable[[Any, Any], None] = lambda _value, _extra: None
    """Have an empty one keep this extra."""

    new: Callable[[Any], Any] | None = None
    """How one is made that has no empty form."""
    needs: Callable[[Any], Iterable[Any]] = lambda _: ()
    """What has to be there before it."""
    is_final: bool = False
    """Whether what is of a subclass is none of this kind."""

    def make(self, cls: type | None, extra: Any) -> Any:
        """Return an empty container of `cls`, or of this very kind."""
        if self.new is not None:
            return self.new(extra)
        made: Any = self.base.__new__(cls or self.base)  # type: ignore[call-overload]  # of no `type`
        self.begin(made, extra)
        return made


def _are(one: Iterable[Any], other: Iterable[Any]) -> bool:
    return all(map(is_, one, other))


def _list_as_noted(value: list[Any], note: list[Any]) -> bool:
    return list.__len__(value) == len(note) and _are(list.__iter__(value), note)


def _fill_list(value: list[Any], parts: list[Any]) -> None:
    list.__setitem__(value, slice(None), parts)


def _note_deque(value: deque[Any]) -> list[Any]:
    return list(deque.__iter__(value))


def _deque_as_noted(value: deque[Any], note: list[Any]) -> bool:
    return deque.__len__(value) == len(note) and _are(deque.__iter__(value), note)


def _fill_deque(value: deque[Any], parts: list[Any]) -> None:
    deque.clear(value)
    deque.extend(value, parts)


def _begin_deque(value: deque[Any], most: Any) -> None:
    if most is not None:
        if type(most) is not int or most < 0:
            raise Malformed("a deque of an impossible length")
        deque.__init__(value, (), most)


def _note_set(value: set[Any]) -> tuple[frozenset[int], list[Any]]:
    elements = list(set.__iter__(value))
    return frozenset(map(id, elements)), elements


def _set_as_noted(value: set[Any], note: tuple[frozenset[int], list[Any]]) -> bool:
    return set.__len__(value) == len(note[0]) and note[0].issuperset(map(id, set.__iter__(value)))


def _fill_set(value: set[Any], parts: list[Any]) -> None:
    set.clear(value)
    set.update(value, parts)


def _factory_of(value: defaultdict[Any, Any]) -> Any:
    return value.default_factory


def _begin_defaultdict(value: defaultdict[Any, Any], factory: Any) -> None:
    if factory is not None and not callable(factory):
        raise Malformed("a factory that cannot be called")
    defaultdict.__init__(value, factory)


def _bytes_parts(value: bytearray) -> Iterable[Any]:
    return [bytes(value)]


def _fill_bytearray(value: bytearray, parts: list[Any]) -> None:
    if len(parts) != 1 or type(parts[0]) is not bytes:
        raise Malformed("bytes that are none")
    value[:] = parts[0]


def _dict_kind(cls: Any, way: Any = dict, **more: Any) -> ContainerKind:
    """Return the kind for a class of dictionaries, whose order is kept the `way` of that class."""

    def parts(value: Any) -> Iterator[Any]:
        for key, item in way.items(value):
            yield key
            yield item

    def note(value: Any) -> tuple[list[Any], list[Any]]:
        return list(way.keys(value)), list(way.values(value))

    def is_as_noted(value: Any, note: tuple[list[Any], list[Any]]) -> bool:
        keys, items = note
        return (
            dict.__len__(value) == len(keys)
            and _are(way.keys(value), keys)
            and _are(way.values(value), items)
        )

    def fill(value: Any, parts: list[Any]) -> None:
        if len(parts) % 2:
            raise Malformed("a key without a value")
        way.clear(value)
        for key, item in zip(parts[::2], parts[1::2], strict=True):
            way.__setitem__(value, key, item)

    return ContainerKind(
        name=cls.__name__, base=cls, parts=parts, note=note,
        is_as_noted=is_as_noted, fill=fill, **more,
    )  # fmt: skip


_KINDS: Final = (
    ContainerKind(
        name="list", base=list, parts=list.__iter__, note=list.copy,
        is_as_noted=_list_as_noted, fill=_fill_list,
    ),
    ContainerKind(
        name="set", base=set, parts=set.__iter__, note=_note_set,
        is_as_noted=_set_as_noted, fill=_fill_set,
    ),
    _dict_kind(defaultdict, made_with=_factory_of, begin=_begin_defaultdict),
    _dict_kind(Counter),
    _dict_kind(OrderedDict, OrderedDict),
    _dict_kind(dict),
    ContainerKind(
        name="deque", base=deque, parts=deque.__iter__, note=_note_deque,
        is_as_noted=_deque_as_noted, fill=_fill_deque,
        made_with=lambda value: value.maxlen, begin=_begin_deque,
    ),
    ContainerKind(
        name="bytearray", base=bytearray, parts=_bytes_parts, note=bytes,
        is_as_noted=lambda value, note: bytearray.__eq__(value, note) is True, fill=_fill_bytearray,
    ),
)  # fmt: skip
KINDS: Final = {kind.name: kind for kind in _KINDS}
_EXACT: Final = {id(kind.base): kind for kind in _KINDS}


def add_kind(kind: ContainerKind) -> None:
    """Know one more kind."""
    KINDS[kind.name] = _EXACT[id(kind.base)] = kind


def kind_of(value: object) -> ContainerKind | None:
    """Return which kind of container `value` is, None for what is none."""
    cls = type(value)
    return _EXACT.get(id(cls)) or kind_of_class(cls)


def kind_of_class(cls: type) -> ContainerKind | None:
    """Return which kind of container instances of `cls` are."""
    for base in mro_of(cls):
        if (kind := _EXACT.get(id(base))) and not (kind.is_final and base is not cls):
            return kind
    return None


@dataclass(slots=True)
class SharedContainer:
    """A container that both sides have."""

    key: int
    """Positive on the side that had it first, negative on the other."""
    value: Any
    kind: ContainerKind
    note: Any = None
    is_known: bool = False
    """Whether the other side has been told what is in it."""
    is_busy: bool = False
    """Whether it is being filled, so that what is in it means nothing."""


class SharedContainers:
    """The containers that both sides have."""

    def __init__(self) -> None:
        self._by_id: dict[int, SharedContainer] = {}
        self._by_key: dict[int, SharedContainer] = {}

    def copied(self) -> SharedContainers:
        """Return the same as it is now, whatever becomes of this one."""
        copy = SharedContainers()
        for entry in self._by_key.values():
            copy.add(
                SharedContainer(entry.key, entry.value, entry.kind, entry.note, entry.is_known)
            )
        return copy

    def add(self, entry: SharedContainer) -> SharedContainer:
        """Keep `entry`, and with it the container."""
        self._by_id[id(entry.value)] = self._by_key[entry.key] = entry
        return entry

    def entry_of(self, value: object) -> SharedContainer | None:
        """Return the entry of this very container, None where the other side does not have it."""
        return self._by_id.get(id(value))

    def at(self, key: int) -> SharedContainer | None:
        """Return the entry with `key`, None where there is none."""
        return self._by_key.get(key)

    def changed(self) -> list[SharedContainer]:
        """Return the entries of which the other side does not know what is in them."""
        return [
            entry
            for entry in self._by_key.values()
            if not entry.is_busy
            and not (entry.is_known and entry.kind.is_as_noted(entry.value, entry.note))
        ]

    def forget(self, keys: Iterable[int]) -> None:
        """Let go of the containers with these `keys`."""
        for key in keys:
            entry = self._by_key.pop(key, None)
            if entry is not None:
                del self._by_id[id(entry.value)]

    def unused(self) -> list[int]:
        """Let go of the containers that nobody here holds any more; return their keys.

        What is of a class of this side is more than a container: the other side has a proxy of it.
        """
        if not self._by_key:
            return []
        entries = list(self._by_key.values())
        keys = [
            entry.key
            for entry in entries
            if sys.getrefcount(entry.value) <= _HELD_BY_ENTRY
            and not entry.is_busy
            and not (entry.key > 0 and type(entry.value) is not entry.kind.base)
        ]
        self.forget(keys)
        return keys


def _held_by_entry() -> int:
    """Return how many references `unused` counts to what nothing but its entry holds."""
    entries = [SharedContainer(0, [], _KINDS[0])]
    counts = [sys.getrefcount(entry.value) for entry in entries]
    return counts[0]


_HELD_BY_ENTRY: Final = _held_by_entry()
