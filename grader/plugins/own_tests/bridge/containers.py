"""Shared containers: real lists, sets and dicts on both sides, kept equal.

Each has a key, and a note of its content when both sides last agreed. Each message carries those
that have changed since. Notes are compared by identity alone, so that no code of the elements runs.
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
    """Its elements in order; of a dictionary, keys and values in turn."""
    note: Callable[[Any], Any]
    is_as_noted: Callable[[Any, Any], bool]
    fill: Callable[[Any, list[Any]], None]
    """Replace its content by these parts."""
    made_with: Callable[[Any], Any] = lambda _: None
    """Its constructor argument besides the content, such as the length of a deque."""
    begin: Callable[[Any, Any], None] = lambda _value, _extra: None
    """Set that argument on an empty one."""

    new: Callable[[Any], Any] | None = None
    """Makes one from that argument alone, for a kind without an empty form."""
    needs: Callable[[Any], Iterable[Any]] = lambda _: ()
    """The containers that have to be sent before it."""
    is_final: bool = False
    """Whether instances of subclasses are not of this kind."""

    def make(self, cls: type | None, extra: Any) -> Any:
        """Return an empty container of `cls`, by default of the base class."""
        if self.new is not None:
            return self.new(extra)
        made: Any = self.base.__new__(cls or self.base)  # type: ignore[call-overload]  # of no `type`
        self.begin(made, extra)
        return made


def _are_identical(first: Iterable[Any], second: Iterable[Any]) -> bool:
    return all(map(is_, first, second))


def _list_as_noted(value: list[Any], note: list[Any]) -> bool:
    # Methods of `list`, as below of others: a subclass may override its own.
    return list.__len__(value) == len(note) and _are_identical(list.__iter__(value), note)


def _fill_list(value: list[Any], parts: list[Any]) -> None:
    list.__setitem__(value, slice(None), parts)  # in place: others may hold it


def _note_deque(value: deque[Any]) -> list[Any]:
    return list(deque.__iter__(value))


def _deque_as_noted(value: deque[Any], note: list[Any]) -> bool:
    return deque.__len__(value) == len(note) and _are_identical(deque.__iter__(value), note)


def _fill_deque(value: deque[Any], parts: list[Any]) -> None:
    deque.clear(value)
    deque.extend(value, parts)


def _begin_deque(value: deque[Any], maximum: Any) -> None:
    if maximum is not None:
        if type(maximum) is not int or maximum < 0:
            raise Malformed("a deque of an impossible length")
        deque.__init__(value, (), maximum)


def _note_set(value: set[Any]) -> tuple[frozenset[int], list[Any]]:
    elements = list(set.__iter__(value))
    return frozenset(map(id, elements)), elements  # the list keeps the ids valid


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


def _dict_kind(cls: Any, methods: Any = dict, **options: Any) -> ContainerKind:
    """Return the kind for a class of dictionaries, using `methods`, those that keep order."""

    def parts(value: Any) -> Iterator[Any]:
        for key, item in methods.items(value):
            yield key
            yield item

    def note(value: Any) -> tuple[list[Any], list[Any]]:
        return list(methods.keys(value)), list(methods.values(value))

    def is_as_noted(value: Any, note: tuple[list[Any], list[Any]]) -> bool:
        keys, items = note
        return (
            dict.__len__(value) == len(keys)
            and _are_identical(methods.keys(value), keys)
            and _are_identical(methods.values(value), items)
        )

    def fill(value: Any, parts: list[Any]) -> None:
        if len(parts) % 2:
            raise Malformed("a key without a value")
        methods.clear(value)
        for key, item in zip(parts[::2], parts[1::2], strict=True):
            methods.__setitem__(value, key, item)

    return ContainerKind(
        name=cls.__name__, base=cls, parts=parts, note=note,
        is_as_noted=is_as_noted, fill=fill, **options,
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
# By id: a lookup by class would call `__hash__` and `__eq__` of its metaclass.
_EXACT: Final = {id(kind.base): kind for kind in _KINDS}


def add_kind(kind: ContainerKind) -> None:
    """Register one more kind."""
    KINDS[kind.name] = _EXACT[id(kind.base)] = kind


def kind_of(value: object) -> ContainerKind | None:
    """Return the kind of container that `value` is, None if it is not a container."""
    cls = type(value)
    return _EXACT.get(id(cls)) or kind_of_class(cls)


def kind_of_class(cls: type) -> ContainerKind | None:
    """Return the kind of container that instances of `cls` are, or None."""
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
    """Whether its content has been sent."""
    is_busy: bool = False
    """Whether it is being filled, so that its content is not final yet."""


class SharedContainers:
    """The containers that both sides have."""

    def __init__(self) -> None:
        self._by_id: dict[int, SharedContainer] = {}
        self._by_key: dict[int, SharedContainer] = {}

    def copied(self) -> SharedContainers:
        """Return a snapshot."""
        copy = SharedContainers()
        for entry in self._by_key.values():
            copy.add(
                SharedContainer(entry.key, entry.value, entry.kind, entry.note, entry.is_known)
            )
        return copy

    def add(self, entry: SharedContainer) -> SharedContainer:
        """Register `entry`, which keeps its container alive."""
        self._by_id[id(entry.value)] = self._by_key[entry.key] = entry
        return entry

    def entry_of(self, value: object) -> SharedContainer | None:
        """Return the entry of this very container, None if it is not shared."""
        return self._by_id.get(id(value))

    def at(self, key: int) -> SharedContainer | None:
        """Return the entry with `key`, or None."""
        return self._by_key.get(key)

    def changed(self) -> list[SharedContainer]:
        """Return the entries whose content the other side does not have."""
        return [
            entry
            for entry in self._by_key.values()
            if not entry.is_busy
            and not (entry.is_known and entry.kind.is_as_noted(entry.value, entry.note))
        ]

    def forget(self, keys: Iterable[int]) -> None:
        """Drop the containers with these `keys`."""
        for key in keys:
            entry = self._by_key.pop(key, None)
            if entry is not None:
                del self._by_id[id(entry.value)]

    def unused(self) -> list[int]:
        """Drop the containers without other references here; return their keys.

        Those of a class of this side stay, as the other side has them as proxies.
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
    """Return the reference count that `unused` sees if only the entry holds a container.

    It is measured, because it differs between versions of CPython.
    """
    entries = [SharedContainer(0, [], _KINDS[0])]
    counts = [sys.getrefcount(entry.value) for entry in entries]
    return counts[0]


_HELD_BY_ENTRY: Final = _held_by_entry()
